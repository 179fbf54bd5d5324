"""Install steps resolved before a build: what is told of each answer, and that nothing untold is a pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from imgcheck.errors import (
    CollectorError,
    EngineOutOfReachError,
    RegistryOutOfReachError,
    ResolverTimeoutError,
    UnsuitableImageError,
)
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.plan import Attempt, IndexChoice, Install, Place, Wanted
from imgcheck.locking import attempting
from imgcheck.locking.attempting import Trial, attempts, is_resolvable
from imgcheck.locking.resolving import Bench, Question, Resolution
from imgcheck.locking.sources import Sources
from imgcheck.progress import QuietProgress
from tests.build.fakes import contract
from tests.checks.build_facts import facts

CONFLICT = """Collecting board<3 (from tool==1.0->-r imgcheck-step-0.in (line 1))
ERROR: Cannot install tool because these package versions have conflicting dependencies.
The conflict is caused by:
    board 2.5.1 depends on protobuf<=3.20.1 and >=3; python_version >= "3.8"
    The user requested (constraint) protobuf==5.29.3
ERROR: ResolutionImpossible
"""
OWN = """ERROR: Cannot install a and b because these package versions have conflicting dependencies.
The conflict is caused by:
    a 1 depends on c<1
    b 1 depends on c>1
ERROR: ResolutionImpossible
"""
Answer = Callable[[Question], Resolution]


def no(log: str) -> Resolution:
    return Resolution(solved=False, text="", log=log)


def an_install(*texts: str, line: int = 4, **more: Any) -> Install:
    place = Place(file="Dockerfile", line=line)
    wanted = tuple(Wanted(text=text, place=place) for text in texts)
    given = {"tool": "pip", "on_base": True, "wanted": wanted, **more}
    return Install(place=place, verb="install", command="pip install", image="base", **given)


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[tuple[Attempt, ...], list[Question]]]:
    """What is told of installs when the resolver gives these answers, and what it was asked."""
    monkeypatch.setattr(attempting, "tools_for", lambda *_: {})

    def run(
        answer: Answer, *installs: Install, known: FactsCache | None = None
    ) -> tuple[tuple[Attempt, ...], list[Question]]:
        asked: list[Question] = []

        def resolve(_bench: Any, question: Question) -> Resolution:
            asked.append(question)
            return answer(question)

        monkeypatch.setattr(Bench, "resolve", resolve)
        engine: Any = None
        found = facts()
        trial = Trial(
            engine=engine,
            base=found.image,
            inventory=found.inventory,
            contract=contract(),
            constraints="protobuf==5.29.3\n",
            sources=Sources(),
            progress=QuietProgress(),
            known=known,
            seconds=7,
        )
        return attempts(trial, installs), asked

    return run


def solved(_question: Question) -> Resolution:
    return Resolution(solved=True, text="", log="")


def test_steps_that_look_in_the_same_places_are_resolved_at_once(tried: Any) -> None:
    found, asked = tried(solved, an_install("six"), an_install("tool==1.0", line=5))
    assert [(str(one.place), one.message) for one in found] == [("Dockerfile:4", ""), ("Dockerfile:5", "")]
    (question,) = asked
    assert question.texts == {"imgcheck-step-0.in": "six\n", "imgcheck-step-1.in": "tool==1.0\n"}


def test_other_places_are_another_resolution(tried: Any) -> None:
    choice = IndexChoice(options=(("--index-url", ("https://x.example",)),))
    _, asked = tried(solved, an_install("six"), an_install("six", index=choice))
    assert len(asked) == 2


def test_the_guilty_step_is_told_with_the_pin_and_the_ways_out(tried: Any) -> None:
    def answer(question: Question) -> Resolution:
        bad = any("tool==1.0" in text for text in question.texts.values()) and "protobuf" in question.constraints
        return no(CONFLICT) if bad else Resolution(solved=True, text="tool==2.0\nprotobuf==3.20.1\n", log="")

    (six, tool), _ = tried(answer, an_install("six"), an_install("tool==1.0", line=5))
    assert six.message == ""
    assert tool.message == (
        'Dockerfile:5: board 2.5.1 needs protobuf<=3.20.1 and >=3; python_version >= "3.8" (asked for by tool==1.0), '
        "and the contract pins protobuf==5.29.3 (base.yaml:5)"
    )
    assert (tool.subject, tool.pin, str(tool.asked_at)) == ("protobuf<=3.20.1,>=3", "protobuf", "Dockerfile:5")
    assert tool.ways[0].startswith("tool 2.0 fits (resolved): write it in Dockerfile:5 in place of tool==1.0")
    assert not tool.unverified


def test_requirements_that_contradict_each_other(tried: Any) -> None:
    (found,), _ = tried(lambda _: no(OWN), an_install("a", "b"))
    assert found.message == "its requirements contradict each other, whatever the contract pins"
    assert "a 1 depends on c<1" in found.log
    assert not found.unverified


@pytest.mark.parametrize(
    ("log", "why"),
    [
        pytest.param("Retry(total=0, connect=None)", "no index answered from inside the base", id="index"),
        pytest.param("CERTIFICATE_VERIFY_FAILED", "an index's certificate is not trusted in the base", id="tls"),
        pytest.param("ERROR: No matching distribution found for x", "the resolver gave up", id="absent"),
        pytest.param("something new", "the resolver gave up", id="unknown"),
    ],
)
def test_what_could_not_be_told_is_not_verified(tried: Any, log: str, why: str) -> None:
    (found,), _ = tried(lambda _: no(log), an_install("x"))
    assert found.unverified
    assert found.message.startswith(why)


def test_a_folder_of_wheels_that_only_the_build_has(tried: Any) -> None:
    lost = "Location '/w' is ignored: it is either a non-existing path or lacks a specific scheme.\n"
    install = an_install("tool==1.0", index=IndexChoice(options=(("--find-links", ("/w",)),)))
    (found,), _ = tried(lambda _: no(lost + CONFLICT), install)
    assert (found.unverified, found.message) == (True, "/w, where it finds links, is not in the base")
    (other, *_), _ = tried(lambda _: no(lost + CONFLICT), an_install("tool==1.0"))
    assert not other.unverified


@pytest.mark.parametrize(
    ("error", "why"),
    [
        pytest.param(ResolverTimeoutError("late"), "it was not resolved within 7 s", id="time"),
        pytest.param(CollectorError("no whole answer"), "no whole answer", id="container"),
        pytest.param(UnsuitableImageError("for another machine"), "for another machine", id="machine"),
        pytest.param(EngineOutOfReachError("no engine answers"), "no engine answers", id="engine"),
    ],
)
def test_a_resolver_that_gives_no_answer_is_not_verified(tried: Any, error: Exception, why: str) -> None:
    def answer(_question: Question) -> Resolution:
        raise error

    found, _ = tried(answer, an_install("x"), an_install("y"))
    assert [(one.unverified, one.message) for one in found] == [(True, why)] * 2


def test_a_resolver_that_cannot_be_fetched_is_not_verified(tried: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> dict[str, bytes]:
        raise RegistryOutOfReachError("pip-tools could not be fetched")

    monkeypatch.setattr(attempting, "tools_for", none)
    (found,), _ = tried(solved, an_install("x"))
    assert (found.unverified, found.message) == (True, "pip-tools could not be fetched")


def test_an_index_that_only_the_build_knows_is_not_verified(tried: Any) -> None:
    (found,), asked = tried(solved, an_install("x", index=IndexChoice(unknown=("--index-url",))))
    assert (found.unverified, found.message) == (True, "its --index-url is settled only by running it")
    assert not asked


def test_words_without_end_are_cut(tried: Any) -> None:
    (found,), _ = tried(lambda _: no("ERROR: odd\n" + "row\n" * 60_000), an_install("x"))
    assert found.log.startswith("ERROR: odd")


def test_what_had_a_solution_is_not_asked_again_and_what_had_none_is(tried: Any, tmp_path: Path) -> None:
    known = FactsCache(folder=tmp_path)
    (first,), asked = tried(solved, an_install("six"), known=known)
    assert (first.known_since, len(asked)) == ("", 1)
    (second,), asked = tried(lambda _: no(OWN), an_install("six"), known=known)
    assert second.known_since
    assert not asked
    (other,), asked = tried(lambda _: no(OWN), an_install("seven"), known=known)
    assert (bool(other.message), len(asked)) == (True, 1)
    _, asked = tried(lambda _: no(OWN), an_install("seven"), known=known)
    assert len(asked) == 1
    kept = "".join(path.read_text("utf-8") for path in tmp_path.iterdir())
    assert "six" not in kept


def test_paths_are_left_out_and_told(tried: Any, tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("six\n-e .\n", "utf-8")
    (found,), (question,) = tried(solved, an_install("./pkg", files=(str(tmp_path / "r.txt"),)))
    assert question.texts == {"r.txt": "six\n\n"}
    assert found.left_out == (f"{tmp_path}/r.txt:2: -e .", "Dockerfile:4: ./pkg")
    (alone,), asked = tried(solved, an_install("./pkg"))
    assert (alone.unverified, asked) == (True, [])


def test_what_no_constraint_holds_is_not_resolved() -> None:
    assert is_resolvable(an_install("six"))
    for other in (
        an_install("six", on_base=False),
        an_install("six", bypass="PIP_CONSTRAINT is emptied there"),
        an_install("six", options=("--no-deps",)),
        an_install("six", tool="conda"),
        an_install(),
    ):
        assert not is_resolvable(other)
