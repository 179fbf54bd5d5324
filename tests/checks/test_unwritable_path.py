from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.unwritable_path import CHECK, judge
from imgcheck.facts.model import ModuleFacts
from imgcheck.facts.probes import ProbeFacts
from imgcheck.facts.selfchecks import SelfCheck, SelfCheckFacts
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, at, facts, module, python, raises
from tests.checks.build_surroundings import path, surrounded

TMP = path("/tmp", "folder", writable=True)
ML = python(uid=1000)


def judged(*paths: Any, env: dict[str, str] | None = None, **promises: Any) -> Judgement:
    return judge(a_contract(**promises), surrounded(env=env, interpreter=ML, paths=paths))


def test_a_temporary_folder_is_always_asked_for() -> None:
    assert CHECK.applies(a_contract())
    judgement = judged(TMP)
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "paths", ())
    (fault,) = judged(path("/tmp", "folder"), path("/var/tmp")).faults
    assert "no program can make a temporary file" in fault.summary
    assert not judged(path("/tmp", "folder"), env={"TMPDIR": "/scratch"}).faults


def test_a_folder_that_the_contract_names() -> None:
    assert not judged(TMP, path("/out", "folder", writable=True), image={"writable": ["/out"]}).faults
    assert not judged(TMP, path("/out/x", nearest="/out", nearest_writable=True), image={"writable": ["/out/x"]}).faults
    (fault,) = judged(TMP, path("/out", "folder"), image={"writable": ["/out"]}).faults
    assert fault.summary == "uid 1000 cannot write to /out: it is not writable"
    assert "install -d -o 1000 /out" in fault.remedy


def test_a_cache_that_a_variable_names() -> None:
    (fault,) = judged(TMP, path("/cache/hf", nearest="/cache"), env={"HF_HOME": "/cache/hf"}).faults
    assert fault.subject == "HF_HOME"
    assert fault.summary == (
        "uid 1000 cannot write to /cache/hf, which HF_HOME names: it is not there, and /cache is not writable"
    )
    assert "huggingface.co" in fault.remedy


# --- what programs really tried


def after(*modules: ModuleFacts, probe: ProbeFacts | None = None, **promises: Any) -> Judgement:
    known = surrounded(env={"HOME": "/home/ml"}, interpreter=ML, paths=(TMP,))
    tried = facts(modules=modules, probes=[probe] if probe else [])
    return judge(a_contract(**promises), known.model_copy(update={"imports": tried.imports, "probes": tried.probes}))


def said(output: str, reached: str = "start") -> ProbeFacts:
    return ProbeFacts.model_validate({"name": "train", "reached": reached, "output": output})


NUMBA = "RuntimeError: cannot cache function '_localmax': no locator available for file '/site/librosa/utils.py'"


def test_numba_that_cannot_keep_what_it_compiled_names_its_variable() -> None:
    broken = [module(f"librosa.{one}", "librosa", raises(NUMBA, at("librosa/utils.py"))) for one in ("util", "core")]
    (fault,) = after(*broken).faults
    assert fault.subject == "NUMBA_CACHE_DIR"
    assert fault.summary == (
        "import librosa.util tries to write to /site/librosa/__pycache__, and uid 1000 cannot, and 1 more do"
    )
    assert fault.details == ("import librosa.core",)
    assert fault.remedy.startswith("Point NUMBA_CACHE_DIR to a folder that uid 1000 may write")


def test_an_index_beside_read_only_data_names_the_mount() -> None:
    output = "OSError: [Errno 30] Read-only file system: '/data/train/index.cache'"
    (fault,) = after(probe=said(output), runtime={"mounts": [{"path": "/data", "read_only": True}]}).faults
    assert fault.subject == "/data"
    assert "probe train tries to write to /data/train/index.cache, which the cluster mounts read-only at /data" in (
        fault.summary
    )
    assert "cannot lie beside read-only data" in fault.remedy


def test_a_program_that_goes_on_without_its_cache_is_a_note() -> None:
    output = (
        "Matplotlib created a temporary cache directory at /tmp/matplotlib-x because the default path "
        "(/.config/matplotlib) is not a writable directory; it is highly recommended to set MPLCONFIGDIR"
    )
    (fault,) = after(probe=said(output, "done")).faults
    assert (fault.subject, fault.note) == ("MPLCONFIGDIR", True)
    assert "it goes on without" in fault.summary


WORDS = {
    "a folder of home": ("    os.makedirs(path)\nPermissionError: [Errno 13] Permission denied: '/home/ml/x'", "HOME"),
    "a cache": (
        "os.mkdir(a)\nPermissionError: [Errno 13] Permission denied: '/.cache/huggingface/hub'",
        "HF_HOME",
    ),
    "a temporary file": (
        "OSError: [Errno 30] Read-only file system: '/tmp/torchinductor_ml/a'",
        "TORCHINDUCTOR_CACHE_DIR",
    ),
    "another temporary file": ("OSError: [Errno 30] Read-only file system: '/tmp/a/b'", "TMPDIR"),
    "a shell": ("mkdir: cannot create directory \u2018/opt/out\u2019: Read-only file system", "/opt"),
    "a shell, in the C locale": ("touch: cannot touch '/opt/out/a': Permission denied", "/opt/out"),
    "a program in Go": ("panic: mkdir /.config/x: read-only file system", "XDG_CONFIG_HOME"),
}


@pytest.mark.parametrize(("output", "place"), WORDS.values(), ids=WORDS)
def test_the_place_is_what_moves_it_or_its_folder(output: str, place: str) -> None:
    assert [fault.subject for fault in after(probe=said(output)).faults] == [place]


def test_a_file_that_only_could_not_be_read_is_no_attempt_to_write() -> None:
    output = "    with open(path) as stream:\nPermissionError: [Errno 13] Permission denied: '/root/.netrc'"
    assert not after(probe=said(output)).faults


def test_what_a_variable_already_says_is_not_told_twice() -> None:
    known = surrounded(env={"HF_HOME": "/hf"}, interpreter=ML, paths=(TMP, path("/hf", nearest="/")))
    tried = facts(probes=[said("OSError: [Errno 30] Read-only file system: '/hf/huggingface/hub'")])
    judgement = judge(a_contract(), known.model_copy(update={"probes": tried.probes}))
    assert [fault.subject for fault in judgement.faults] == ["HF_HOME"]


def test_a_self_check_that_hides_its_failed_attempt_is_a_note() -> None:
    process = {"name": "selfcheck", "reached": "done"}
    call = {"value": "a:b", "outcome": "returned", "process": process, "denied": ["/data/index.cache"]}
    known = surrounded(interpreter=ML, paths=(TMP,))
    called = SelfCheckFacts(called={"tiny:validation": SelfCheck.model_validate(call)})
    contract = a_contract(runtime={"mounts": [{"path": "/data", "read_only": True}]})
    (fault,) = judge(contract, known.model_copy(update={"selfchecks": called})).faults
    assert (fault.subject, fault.note) == ("/data", True)
    assert fault.summary.startswith("self-check tiny:validation tries to write to /data/index.cache, which the cluster")
