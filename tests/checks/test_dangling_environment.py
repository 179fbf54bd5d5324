from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.dangling_environment import CHECK, judge
from imgcheck.diagnosis.known_variables import PATHS, VALUES
from imgcheck.facts.model import Distribution
from imgcheck.outcome import Fault, Judgement
from tests.checks.build_facts import a_contract, dist
from tests.checks.build_surroundings import path, surrounded

PROMETHEUS = dist("prometheus-client 0.20.0", modules=["prometheus_client"])


def judged(*distributions: Distribution, **known: Any) -> Judgement:
    return judge(a_contract(), surrounded(*distributions, **known))


def fault_of(*distributions: Distribution, **known: Any) -> Fault:
    (fault,) = judged(*distributions, **known).faults
    return fault


def test_variables_that_name_what_is_there_are_kept() -> None:
    assert CHECK.applies(a_contract())
    judgement = judged(env={"SSL_CERT_FILE": "/etc/ca.pem", "A": "b"}, paths=(path("/etc/ca.pem", "file"),))
    assert (judgement.examined, judgement.unit, judgement.faults) == (2, "variables", ())


def test_i06_a_preloaded_library_that_is_not_there() -> None:
    library = "/usr/lib/x86_64-linux-gnu/libtcmalloc.so.4"
    fault = fault_of(env={"LD_PRELOAD": f"{library}:libc.so.6"}, paths=(path(library),))
    assert fault.subject == "LD_PRELOAD"
    assert fault.summary == f"LD_PRELOAD names {library}, and nothing is there"
    assert "ld.so(8)" in fault.remedy


def test_i05_a_folder_that_only_its_reader_makes_matter() -> None:
    known = {"env": {"PROMETHEUS_MULTIPROC_DIR": "/tmp/prom"}, "paths": (path("/tmp/prom"),)}
    assert fault_of(PROMETHEUS, **known).subject == "PROMETHEUS_MULTIPROC_DIR"
    assert not judged(**known).faults


def test_j07_a_folder_below_root_that_another_user_cannot_enter() -> None:
    fault = fault_of(env={"PYTHONPATH": "/root/venv/lib"}, paths=(path("/root/venv/lib", "closed"),))
    assert fault.summary == "PYTHONPATH names /root/venv/lib, and nothing that this user may look at is there"


def test_a_file_in_the_place_of_a_folder() -> None:
    fault = fault_of(env={"CUDA_HOME": "/usr/cuda"}, paths=(path("/usr/cuda", "file"),))
    assert fault.summary == "CUDA_HOME names /usr/cuda, and a file is there"


def test_what_is_common_and_harmless_is_a_note() -> None:
    fault = fault_of(env={"LD_LIBRARY_PATH": "/usr/local/nvidia/lib:/opt/lib"}, paths=(path("/usr/local/nvidia/lib"),))
    assert fault.note


@pytest.mark.parametrize(
    ("name", "value", "distributions", "words", "note"),
    [
        pytest.param(
            "MPLBACKEND",
            "module://matplotlib_inline.backend_inline",
            [dist("matplotlib 3.8.4", modules=["matplotlib"])],
            "MPLBACKEND=module://matplotlib_inline.backend_inline with matplotlib 3.8.4",
            False,
            id="I01",
        ),
        pytest.param(
            "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION",
            "cpp",
            [dist("protobuf 5.28.3")],
            "protobuf cannot be imported",
            False,
            id="I03 cpp",
        ),
        pytest.param(
            "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION",
            "python",
            [dist("protobuf 5.28.3")],
            "many times slower",
            True,
            id="I03 python",
        ),
        pytest.param(
            "HF_HUB_ENABLE_HF_TRANSFER",
            "1",
            [dist("huggingface-hub 0.30.1")],
            "hf_transfer is not",
            False,
            id="transfer",
        ),
        pytest.param("KERAS_BACKEND", "jax", [dist("keras 3.4.1")], "backend is not installed", False, id="keras"),
    ],
)
def test_values_that_break_what_is_installed(
    name: str, value: str, distributions: list[Distribution], words: str, note: bool
) -> None:
    fault = fault_of(*distributions, env={name: value})
    assert fault.subject == name
    assert words in fault.summary
    assert fault.note is note
    assert not judged(env={name: value}).faults


def test_values_whose_condition_is_met_are_kept() -> None:
    inline = [dist("matplotlib 3.8.4"), dist("matplotlib-inline 0.1.7", modules=["matplotlib_inline.backend_inline"])]
    assert not judged(*inline, env={"MPLBACKEND": "module://matplotlib_inline.backend_inline"}).faults
    assert not judged(inline[0], env={"MPLBACKEND": "Agg"}).faults
    hub = [dist("huggingface-hub 0.30.1"), dist("hf-transfer 0.1.9")]
    assert not judged(*hub, env={"HF_HUB_ENABLE_HF_TRANSFER": "1"}).faults
    assert not judged(dist("protobuf 3.20.3"), env={"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "cpp"}).faults


def test_a_locale_that_is_not_generated() -> None:
    fault = fault_of(env={"LANG": "en_US.UTF-8"}, locale="locale.Error: unsupported locale setting")
    assert fault.subject == "LANG"
    assert "Set LANG=C.UTF-8" in fault.remedy


def test_h08_no_data_on_time_zones() -> None:
    assert fault_of(env={"PYTHONTZPATH": ""}).subject == "PYTHONTZPATH"
    assert not judged(dist("tzdata 2024.1"), env={"PYTHONTZPATH": ""}).faults
    assert not judged(env={"PYTHONTZPATH": "/zones"}, paths=(path("/zones", "folder"),)).faults
    assert "silently shows UTC" in fault_of(env={"TZ": "Europe/Berlin"}).summary
    assert not judged(env={"TZ": "Europe/Berlin"}, zone="/usr/share/zoneinfo/Europe/Berlin").faults
    assert not judged(env={"TZ": "CET-1CEST"}).faults


def test_what_the_container_adds_is_not_the_images() -> None:
    found = surrounded(env={}, paths=(path("/gone"),))
    told = found.surroundings
    assert told
    added = told.model_copy(update={"environment": (("CUDA_HOME", "/gone"),)})
    assert not judge(a_contract(), found.model_copy(update={"surroundings": added})).faults
    promised = a_contract(runtime={"env": {"CUDA_HOME": "/gone"}})
    assert judge(promised, found.model_copy(update={"surroundings": added})).faults


def test_every_rule_has_a_source() -> None:
    assert all(rule.source for rule in PATHS.values())
    assert all(rule.source for rule in VALUES)
