"""What a lock refuses, says and writes; resolutions are tested in tests/engine/test_lock.py."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from imgcheck.errors import ExitCode, RegistryOutOfReachError, UsageError
from imgcheck.facts.model import Inventory
from imgcheck.locking import lock as locking
from imgcheck.locking.explaining import Case
from imgcheck.locking.lock import LockRequest, LockResult, Prepared, failed, shown
from imgcheck.locking.resolving import Question, Resolution
from imgcheck.locking.writing import write_whole
from imgcheck.options import lock_beside
from imgcheck.requirements.files import read_requirement_file
from tests.build.fakes import contract
from tests.checks.build_facts import dist, facts


class Bench:
    """A base whose resolver answers the same to everything."""

    def __init__(self, answer: Resolution, *base: Any) -> None:
        self.answer = answer
        self.inventory: Inventory = facts(*base).inventory
        self.base = facts().image

    def kept_open(self) -> AbstractContextManager[None]:
        return nullcontext()

    def resolve(self, question: Question) -> Resolution:
        return self.answer


def prepared(answer: Resolution, *base: Any) -> Any:
    bench: Any = Bench(answer, *base)
    question = Question(inputs=("r.in",), texts={"r.in": "six\n"}, constraints="")
    case = Case(bench=bench, question=question, contract=contract(), asked=())
    return Prepared(
        contract=contract(),
        inventory=bench.inventory,
        bench=bench,
        question=question,
        case=case,
        inner={},
        notes=(),
    )


SOLVED = Resolution(solved=True, text="six==1.16.0\n    # via -r r.in\nnumpy==1.26.4\n", log="")


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, answer: Resolution = SOLVED, **more: Any) -> LockResult:
    from imgcheck.pipeline import RunOptions
    from imgcheck.progress import QuietProgress

    monkeypatch.setattr(locking, "prepare", lambda *_: prepared(answer, dist("numpy 1.26.4")))
    request = LockRequest(inputs=(folder / "r.in",), output=folder / "r.txt", **more)
    return locking.lock(request, Path("base.yaml"), RunOptions(), QuietProgress())


def test_the_base_s_own_are_left_out_and_the_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(tmp_path, monkeypatch)
    assert result.exit_code == ExitCode.KEPT
    text = (tmp_path / "r.txt").read_text("utf-8")
    assert text.startswith("# Python 3.11, locked by imgcheck in registry.example/ml/base:1 under base.yaml")
    assert "six==1.16.0\n    # via -r r.in\n" in text
    assert "numpy" not in text.replace("under base", "")
    assert run(tmp_path, monkeypatch, check=True).headline == f"{tmp_path}/r.txt is fresh: 1 distributions"
    assert run(tmp_path, monkeypatch).headline.startswith("unchanged")
    assert "numpy==1.26.4" in run(tmp_path, monkeypatch, everything=True).text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("six==1.15.0\n", "six==1.15.0 would be six==1.16.0 (line 1)", id="stale"),
        pytest.param("# Python 3.9, x\nsix==1.16.0\n", "it is for Python 3.9, and the base has 3.11", id="python"),
        pytest.param("numpy==2.0\n", "numpy==2.0, and the contract pins numpy 1.26.4 (base.yaml:6)", id="contract"),
    ],
)
def test_a_lock_that_does_not_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str) -> None:
    (tmp_path / "r.txt").write_text(text, "utf-8")
    result = run(tmp_path, monkeypatch, check=True)
    assert result.exit_code == ExitCode.BROKEN
    assert told in shown(result)
    assert (tmp_path / "r.txt").read_text("utf-8") == text


def test_no_lock_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(tmp_path, monkeypatch, check=True)
    assert (result.exit_code, result.headline) == (ExitCode.BROKEN, f"there is no lock at {tmp_path}/r.txt")
    assert not (tmp_path / "r.txt").exists()


def answer(log: str) -> Resolution:
    return Resolution(solved=False, text="", log=log)


def test_an_index_that_does_not_answer_is_worth_a_retry() -> None:
    unanswered = answer("WARNING: Retrying (Retry(total=0, connect=None)) after connection broken")
    with pytest.raises(RegistryOutOfReachError) as raised:
        failed(prepared(unanswered), unanswered, ways=True)
    assert raised.value.exit_code == 75
    untrusted = answer("SSLError(SSLCertVerificationError: CERTIFICATE_VERIFY_FAILED)")
    with pytest.raises(UsageError, match="certificate"):
        failed(prepared(untrusted), untrusted, ways=True)


def test_words_that_are_not_known_are_shown() -> None:
    odd = answer("Traceback (most recent call last):\n  File x\nERROR: no matching distribution for nosuch")
    result = failed(prepared(odd), odd, ways=True)
    assert result.exit_code == ExitCode.BROKEN
    assert "│ ERROR: no matching distribution for nosuch" in shown(result)


def test_a_path_of_this_machine_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.in").write_text("six\n./pkg\n", "utf-8")
    with pytest.raises(UsageError, match=r"r\.in:2: \./pkg is a path"):
        locking._refuse([read_requirement_file(tmp_path / "r.in")])
    (tmp_path / "r.in").write_text("# nothing\n", "utf-8")
    with pytest.raises(UsageError, match="there is no requirement in it"):
        locking._refuse([read_requirement_file(tmp_path / "r.in")])


def test_a_lock_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("old", "utf-8")
    write_whole(tmp_path / "r.txt", "new")
    assert (tmp_path / "r.txt").read_text("utf-8") == "new"
    with pytest.raises(UsageError, match="cannot be written"):
        write_whole(tmp_path / "gone" / "r.txt", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["r.txt"]


def test_the_lock_beside_its_requirements() -> None:
    assert lock_beside(Path("a/requirements.in")) == Path("a/requirements.txt")
    assert lock_beside(Path("requirements-bad.txt")) == Path("requirements-bad.lock.txt")
