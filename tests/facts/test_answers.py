from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from imgcheck.errors import CollectorError
from imgcheck.facts.answers import Answer, read_answers

SECRET = "s3cret"


def line(number: int, kind: str, secret: str = SECRET, **fields: object) -> bytes:
    return json.dumps({"secret": secret, "number": number, "kind": kind, **fields}).encode() + b"\n"


def answers(*chunks: bytes) -> list[Answer]:
    return list(read_answers(chunks, SECRET))


def test_answers_come_in_order_and_the_closing_line_is_kept_back() -> None:
    got = answers(line(1, "module", name="a"), line(2, "module", name="b"), line(3, "end", count=3))
    assert [answer.fields["name"] for answer in got] == ["a", "b"]


def test_lines_may_be_cut_anywhere() -> None:
    whole = line(1, "module", name="a") + line(2, "end", count=2)
    assert len(answers(*(whole[at : at + 1] for at in range(len(whole))))) == 1


BROKEN: dict[str, tuple[Callable[[], list[bytes]], str]] = {
    "nothing at all": (list, "broke off after 0"),
    "no closing line": (lambda: [line(1, "module")], "broke off after 1"),
    "half a line": (lambda: [line(1, "module")[:20]], "garbled"),
    "a line that a module printed": (lambda: [b"hello\n"], "garbled"),
    "JSON that is no object": (lambda: [b"[1]\n"], "not the collector's"),
    "an imitated line": (lambda: [line(1, "module", secret="guess")], "not the collector's"),
    "a line repeated": (lambda: [line(1, "module"), line(1, "module")], "out of sequence"),
    "a line lost": (lambda: [line(1, "module"), line(3, "end", count=3)], "out of sequence"),
    "a wrong count": (lambda: [line(1, "end", count=7)], "sent 7 answers, and 1 came"),
}


@pytest.mark.parametrize(("chunks", "message"), BROKEN.values(), ids=BROKEN)
def test_anything_but_a_whole_answer_is_an_error(chunks: Callable[[], list[bytes]], message: str) -> None:
    with pytest.raises(CollectorError, match=message):
        answers(*chunks())
