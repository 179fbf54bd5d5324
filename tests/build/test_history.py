from __future__ import annotations

import pytest

from imgcheck.build.dockerfile import parse_syntax
from imgcheck.build.history import command_of, instruction_text, instructions_of, keyword_of
from imgcheck.build.stages import resolve
from imgcheck.facts.model import Step


def step(command: str) -> Step:
    return Step(created=1, command=command, empty=False)


@pytest.mark.parametrize(
    ("command", "keyword", "shown"),
    [
        pytest.param("RUN /bin/sh -c pip install a # buildkit", "RUN", "RUN pip install a", id="buildkit"),
        pytest.param(
            "RUN |2 A=long-value B=x y /bin/sh -c echo long-value # buildkit", "RUN", "RUN echo $A", id="arguments"
        ),
        pytest.param("RUN /bin/bash -o pipefail -c set -e # buildkit", "RUN", "RUN set -e", id="another-shell"),
        pytest.param("/bin/sh -c pip install a", "RUN", "RUN pip install a", id="classic"),
        pytest.param("|1 A=value /bin/sh -c echo value", "RUN", "RUN echo $A", id="classic-arguments"),
        pytest.param("/bin/sh -c #(nop) COPY dir:1 in /x ", "COPY", "COPY dir:1 in /x", id="classic-copy"),
        pytest.param("COPY a /b # buildkit", "COPY", "COPY a /b", id="copy"),
        pytest.param("", "", "", id="imported"),
    ],
)
def test_entries_are_read(command: str, keyword: str, shown: str) -> None:
    assert keyword_of(step(command)) == keyword
    assert command_of(step(command), ()) == shown


def test_build_arguments_that_were_put_into_a_copy() -> None:
    history = (step("ARG REQUIREMENTS=team.txt"), step("COPY team.txt /r.txt # buildkit"))
    assert command_of(history[1], history) == "COPY $REQUIREMENTS /r.txt"


TEXT = """FROM base AS one
RUN first
FROM one
COPY a /b
RUN --mount=type=cache,target=/c pip \\
  install a
"""


def test_instructions_are_matched_from_the_end() -> None:
    dockerfile = resolve(parse_syntax(TEXT, file="Dockerfile"), build_args={}, platform="linux/amd64")
    commands = ("", "RUN /bin/sh -c base", "RUN /bin/sh -c first", "COPY a /b", "RUN /bin/sh -c pip install a")
    history = [step(command) for command in commands]
    found = instructions_of(history, dockerfile, dockerfile.target(None))
    assert {index: one.start_line for index, one in found.items()} == {2: 2, 3: 4, 4: 5}
    assert instruction_text(found[4]) == "RUN pip install a"
    assert list(instructions_of([*history[:-1], step("ENV A=b")], dockerfile, dockerfile.target(None))) == []


def test_secrets_in_a_here_document_and_in_its_flags_are_masked() -> None:
    text = "FROM a\nRUN --mount=type=secret,id=token <<END\ncurl https://me:s3cret@h\necho password s3cret > f\nEND\n"
    shown = instruction_text(parse_syntax(text, file="Dockerfile").instructions[1])
    assert "s3cret" not in shown
    assert "curl https://***@h ; echo password *** > f" in shown


def test_a_here_document_is_shown_by_its_first_lines() -> None:
    syntax = parse_syntax("FROM a\nRUN <<END\none\ntwo\nEND\n", file="Dockerfile")
    assert instruction_text(syntax.instructions[1]) == "RUN <<END one ; two"
