"""What is told beside the verdict, from facts in memory."""

from __future__ import annotations

from imgcheck.facts.model import ImportFacts, ModuleFacts
from imgcheck.outcome import Remark, RemarkKind
from imgcheck.remarks import SLOWEST, notices_of, remarks_of


def a_module(name: str, wall: float = 0.0, cpu: float = 0.0, **effects: object) -> ModuleFacts:
    return ModuleFacts.model_validate(
        {
            "module": name,
            "distribution": "d",
            "path": f"/site/{name}.py",
            "status": "ok",
            "wall": wall,
            "cpu": cpu,
            "side_effects": effects,
        }
    )


def told(*modules: ModuleFacts) -> tuple[Remark, ...]:
    return remarks_of(ImportFacts(modules=modules))


def test_without_a_sweep_there_is_nothing_to_tell() -> None:
    assert remarks_of(None) == ()


def test_quiet_and_quick_modules_are_not_worth_a_word() -> None:
    assert told(a_module("a", wall=0.1), a_module("b")) == ()


def test_the_slowest_come_first_and_are_few() -> None:
    found = told(*(a_module(f"m{number:02}", wall=1 + number, cpu=number) for number in range(20)))
    assert len(found) == SLOWEST
    assert found[0] == Remark(kind=RemarkKind.SLOW, subject="m19", detail="20.0 s, 19.0 s CPU")


def test_a_module_that_its_package_fails_took_no_time_of_its_own() -> None:
    module = a_module("a.b", wall=5).model_copy(update={"inherited_from": "a"})
    assert told(module) == ()


def test_each_effect_has_its_kind_and_its_words() -> None:
    found = told(
        a_module(
            "a",
            network=["getaddrinfo pypi.org:443", "connect 10.0.0.1:80"],
            environment=["A", "B"],
            processes=["sleep"],
            threads=2,
            directory="/tmp",
            signals=[15],
            path=["+/x"],
        )
    )
    assert [(one.kind, one.detail) for one in found] == [
        (RemarkKind.NETWORK, "getaddrinfo pypi.org:443, connect 10.0.0.1:80"),
        (RemarkKind.ENVIRONMENT, "A, B"),
        (RemarkKind.PROCESSES, "sleep"),
        (RemarkKind.THREADS, "2 threads"),
        (RemarkKind.DIRECTORY, "to /tmp"),
        (RemarkKind.SIGNALS, "15"),
        (RemarkKind.PATH, "+/x"),
    ]


def test_those_that_do_the_same_are_told_of_once_by_the_one_that_takes_the_least() -> None:
    found = told(
        a_module("app", cpu=2, environment=["A"]),
        a_module("culprit", cpu=1, environment=["A"]),
        a_module("other", cpu=0.5, environment=["B"]),
    )
    assert [(one.subject, one.detail, one.others) for one in found] == [("culprit", "A", 1), ("other", "B", 0)]


def test_facts_of_another_shape_are_told_as_nothing() -> None:
    found = told(a_module("a", network=True, environment={"A": 1}, threads="many", path=[None, ["x"]], directory=None))
    assert [(one.kind, one.detail) for one in found] == [(RemarkKind.DIRECTORY, "to none")]
    assert [one.detail for one in told(a_module("a", processes=True, threads=1))] == ["at least one", "1 thread"]


def test_how_a_sweep_was_done_is_told_where_it_matters() -> None:
    assert notices_of(None) == notices_of(ImportFacts(modules=(), method="walk")) == ()
    odd = ImportFacts(modules=(), method="exact", fallback="pypy 3.11 is not known", disagreements=("a.b", "a.c"))
    assert notices_of(odd) == (
        "the import sweep went by exact: pypy 3.11 is not known",
        "2 of the modules tried twice passed beside others and fail alone, which is what counts: a.b, a.c",
    )
