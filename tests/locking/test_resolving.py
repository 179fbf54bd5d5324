"""A bench's talk with the program in its container: one container for several questions, and odd lines."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from imgcheck.engines.engine import Chunk, ContainerSpec, Ended
from imgcheck.errors import CollectorError, ResolverTimeoutError
from imgcheck.locking.resolving import Bench, Question
from imgcheck.locking.sources import Sources
from tests.checks.build_facts import dist, facts

QUESTION = Question(inputs=("r.in",), texts={"r.in": "six\n"}, constraints="numpy==1.26.4\n", seed="six==1.0\n")


class Talking:
    """A container that answers each question with lines, the secret put in."""

    def __init__(self, answers: list[list[dict[str, Any]]], spec: ContainerSpec) -> None:
        self.answers = answers
        self.secret = json.loads(spec.stdin)["secret"]
        self.waiting: list[bytes] = []
        self.asked: list[dict[str, Any]] = []

    def send(self, data: bytes) -> None:
        self.asked.append(json.loads(data))
        lines = self.answers.pop(0)
        told = [json.dumps({"secret": self.secret, **line}).encode() + b"\n" for line in lines]
        self.waiting += [b"noise of the image\n", b'{"secret": "guessed", "kind": "end"}\n', *told]

    def output(self) -> Iterator[Chunk]:
        while self.waiting:
            line = self.waiting.pop(0)
            yield Chunk(stream=1, data=line[:5])
            yield Chunk(stream=2, data=b"a word of the program's\n")
            yield Chunk(stream=1, data=line[5:])

    def wait(self) -> Ended:
        return Ended(exit_code=9)


class Engine:
    """Counts the containers that are made and open."""

    def __init__(self, *answers: list[dict[str, Any]]) -> None:
        self.answers = list(answers)
        self.made: list[tuple[ContainerSpec, Talking]] = []
        self.open = 0

    @contextmanager
    def run(self, spec: ContainerSpec) -> Iterator[Talking]:
        container = Talking(self.answers, spec)
        self.made.append((spec, container))
        self.open += 1
        try:
            yield container
        finally:
            self.open -= 1


def a_bench(engine: Any, **more: Any) -> Bench:
    found = facts(dist("numpy 1.26.4"))
    return Bench(
        engine=engine,
        base=found.image,
        inventory=found.inventory,
        python="/usr/bin/python3",
        resolver="pip-tools",
        tools={"pip.whl": b""},
        sources=Sources(),
        **more,
    )


def end(text: str = "", status: int = 0) -> dict[str, Any]:
    return {"kind": "end", "status": status, "text": text, "digests": ["abc"]}


def test_one_question_is_one_container_which_is_gone_after_it() -> None:
    engine = Engine([{"kind": "log", "line": "Collecting six"}, end("six==1.0\n")])
    seen: list[str] = []
    answer = a_bench(engine, on_line=seen.append).resolve(QUESTION)
    assert (answer.solved, answer.text, answer.log) == (True, "six==1.0\n", "Collecting six")
    assert (seen, len(engine.made), engine.open) == (["Collecting six"], 1, 0)
    asked = engine.made[0][1].asked[0]
    assert asked["texts"] == {"r.in": "six\n", "imgcheck-constraints.txt": "numpy==1.26.4\n"}
    assert asked["seed"] == "six==1.0\n"


def test_several_questions_share_one_while_it_is_kept_open() -> None:
    engine = Engine([end(status=1)], [{"kind": "log", "line": "two"}, end("b==1\n")])
    bench = a_bench(engine)
    with bench.kept_open():
        first, second = bench.resolve(QUESTION), bench.resolve(QUESTION)
        assert engine.open == 1
    assert (first.solved, second.solved, second.log) == (False, True, "two")
    assert (len(engine.made), engine.open) == (1, 0)


def test_no_end_is_no_answer_and_the_next_question_gets_a_new_container() -> None:
    engine = Engine([{"kind": "log", "line": "Killed"}], [end()])
    bench = a_bench(engine)
    with bench.kept_open():
        with pytest.raises(CollectorError, match="ended with status 9") as raised:
            bench.resolve(QUESTION)
        assert raised.value.details == "Killed"
        assert bench.resolve(QUESTION).solved
    assert (len(engine.made), engine.open) == (2, 0)


def test_time_that_is_over() -> None:
    engine = Engine([{"kind": "late"}])
    with pytest.raises(ResolverTimeoutError):
        a_bench(engine).resolve(QUESTION)
    with pytest.raises(ResolverTimeoutError):
        a_bench(engine, until=0.0).resolve(QUESTION)
    assert (len(engine.made), engine.open) == (1, 0)


def test_byte_code_is_kept_for_the_next_container(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("a.pyc", b"code")
    told = {"kind": "compiled", "archive": base64.b64encode(content.getvalue()).decode()}
    engine = Engine([told, end()], [end()], [end()])
    bench = a_bench(engine, compiled=tmp_path / "kept" / "mark.zip")
    assert bench.resolve(QUESTION).solved
    assert bench.resolve(QUESTION).solved
    (tmp_path / "kept" / "mark.zip").write_bytes(content.getvalue()[:-9])
    assert bench.resolve(QUESTION).solved
    (first, _), (second, _), (third, _) = engine.made
    assert "compiled.zip" not in first.files
    assert second.files["compiled.zip"] == content.getvalue()
    assert "compiled.zip" not in third.files  # half a file is none


def test_byte_code_that_cannot_be_kept_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    engine = Engine([{"kind": "compiled", "archive": "no base64!"}, end()])
    assert a_bench(engine, compiled=tmp_path / "file" / "mark.zip").resolve(QUESTION).solved
