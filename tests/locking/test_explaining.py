"""Conflicts in pip's words, all culprits of them, and ways out that a resolver answered for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from imgcheck.errors import ResolverTimeoutError
from imgcheck.facts.model import Inventory
from imgcheck.locking.explaining import Asked, Case, explain, replaced_line
from imgcheck.locking.resolving import Question, Resolution
from imgcheck.requirements.files import read_requirement_file
from tests.build.fakes import contract
from tests.checks.build_facts import dist, facts

BOARD = """  Collecting tool==1.0 (from -r r.in (line 2))
  Collecting board<3 (from tool==1.0->-r r.in (line 2))
  ERROR: Cannot install tool because these package versions have conflicting dependencies.

  The conflict is caused by:
      board 2.5.1 depends on protobuf<=3.20.1
      The user requested (constraint) protobuf==5.29.3
"""
MATH = """  The conflict is caused by:
      fastmath 3.0 depends on numpy>=2
      The user requested (constraint) numpy==1.26.4
"""
TEXT = "# bad\ntool==1.0\nfastmath\nfine\n"


class FakeBench:
    """Answers by the text of the requirements and the constraints."""

    def __init__(self, answer: Callable[[Question], Resolution], *base: Any) -> None:
        self.answer = answer
        self.inventory: Inventory = facts(*base).inventory
        self.asked: list[Question] = []

    def resolve(self, question: Question) -> Resolution:
        self.asked.append(question)
        return self.answer(question)


def no(log: str) -> Resolution:
    return Resolution(solved=False, text="", log=log)


def yes(text: str) -> Resolution:
    return Resolution(solved=True, text=text, log="")


def answers(question: Question) -> Resolution:
    text, constraints = question.texts["r.in"], question.constraints
    if "tool==1.0" in text and "protobuf" in constraints:
        return no(BOARD)
    if "fastmath" in text and "numpy" in constraints:
        return no(MATH)
    return yes("tool==2.0\nprotobuf==3.20.1\nnumpy==2.1\n")


def a_case(folder: Path, bench: Any) -> Case:
    path = folder / "r.in"
    path.write_text(TEXT, "utf-8")
    question = Question(inputs=("r.in",), texts={"r.in": TEXT}, constraints="protobuf==5.29.3\nnumpy==1.26.4\n")
    asked = tuple(Asked(line=one, file="r.in", row=one.where.line or 0) for one in read_requirement_file(path).asked)
    return Case(bench=bench, question=question, contract=contract(), asked=asked)


def test_two_culprits_at_once_with_their_chains(tmp_path: Path) -> None:
    case = a_case(tmp_path, FakeBench(answers))
    told = explain(case, no(BOARD), ways=False)
    assert told is not None
    assert told.conflicts == (
        (
            f"{tmp_path}/r.in:2: board 2.5.1 needs protobuf<=3.20.1 (asked for by tool==1.0), "
            "and the contract pins protobuf==5.29.3 (base.yaml:5)"
        ),
        f"{tmp_path}/r.in:3: fastmath 3.0 needs numpy>=2, and the contract pins numpy==1.26.4 (base.yaml:6)",
    )
    assert told.ways == ()


def test_ways_out_are_those_that_a_resolver_found(tmp_path: Path) -> None:
    bench = FakeBench(answers, dist("grpc 1.0", "protobuf>=5"), dist("numpy 1.26.4"))
    told = explain(a_case(tmp_path, bench), no(BOARD), ways=True)
    assert told is not None
    assert told.ways == (
        f"tool 2.0 fits (resolved): write it in {tmp_path}/r.in:2 in place of tool==1.0",
        "protobuf 3.20.1 would be chosen without the pin, and the base's grpc 1.0 (needs protobuf>=5) refuses it",
        "a base with numpy 2.1 would fit: nothing else in the base refuses it (resolved)",
    )
    assert [(line.text, new) for line, new in told.fixes] == [("tool==1.0", "tool==2.0")]


def test_uv_s_sentence_tells_the_chain(tmp_path: Path) -> None:
    log = (
        "error: No solution found when resolving dependencies\n  cause: Because all versions of board depend on "
        "protobuf<=3.20.1 and tool==1.0\n  depends on board, and protobuf==5.29.3, we can conclude that tool==1.0 "
        "cannot be used."
    )
    told = explain(a_case(tmp_path, FakeBench(answers)), no(log), ways=False)
    assert told is not None
    assert told.conflicts[0] == (
        f"{tmp_path}/r.in:2: board needs protobuf<=3.20.1 (asked for by tool==1.0), "
        "and the contract pins protobuf==5.29.3 (base.yaml:5)"
    )


def test_where_nothing_fits_that_is_said(tmp_path: Path) -> None:
    told = explain(a_case(tmp_path, FakeBench(lambda _: no(BOARD))), no(BOARD), ways=True)
    assert told is not None
    assert "no version of tool fits (resolved without 'tool==1.0')" in told.ways
    assert "leaving the pin of protobuf out does not help" in told.ways


def test_ways_out_that_time_did_not_reach_are_told_of(tmp_path: Path) -> None:
    def late(question: Question) -> Resolution:
        if "tool==1.0" in question.texts["r.in"]:
            raise ResolverTimeoutError("the time for it was over")
        return answers(question)

    told = explain(a_case(tmp_path, FakeBench(late)), no(BOARD), ways=True)
    assert told is not None
    board, math = told.told
    assert board.ways == (
        f"tool 2.0 fits (resolved): write it in {tmp_path}/r.in:2 in place of tool==1.0",
        "not all ways out were tried: the time for it was over",
    )
    assert (math.subject, math.pin) == ("numpy>=2", "numpy")


def test_words_that_tell_no_conflict_with_a_pin(tmp_path: Path) -> None:
    assert explain(a_case(tmp_path, FakeBench(answers)), no("something else"), ways=True) is None


def test_a_replaced_line_keeps_the_places_of_the_others() -> None:
    assert replaced_line("a\nb \\\n  --hash=x\nc", 2, "b==2") == "a\nb==2\n\nc"
