"""Splitting a Dockerfile into instructions."""

from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.build.dockerfile import Heredoc, Instruction, Syntax, find_dockerfile, parse_syntax, read_syntax
from imgcheck.errors import UsageError


def parse(text: str) -> Syntax:
    return parse_syntax(text, file="Dockerfile")


def parts(text: str) -> list[tuple[str, str, int, int]]:
    return [(one.keyword, one.value, one.start_line, one.end_line) for one in parse(text).instructions]


def only(text: str) -> Instruction:
    (instruction,) = parse(text).instructions
    return instruction


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("FROM a", [("FROM", "a", 1, 1)], id="no-newline-at-the-end"),
        pytest.param("from a as b\n", [("FROM", "a as b", 1, 1)], id="lower-case"),
        pytest.param("\n# c\n  FROM\ta\n", [("FROM", "a", 3, 3)], id="blank-comment-indent-tab"),
        pytest.param("FROM a\r\nRUN b\r\n", [("FROM", "a", 1, 1), ("RUN", "b", 2, 2)], id="crlf"),
        pytest.param("RUN a \\\n  b\n", [("RUN", "a   b", 1, 2)], id="continuation"),
        pytest.param("RUN a \\\n# c\n\n  b\nRUN d", [("RUN", "a   b", 1, 4), ("RUN", "d", 5, 5)], id="comment-inside"),
        pytest.param("RUN a \\  \n b", [("RUN", "a  b", 1, 2)], id="blanks-after-the-escape"),
        pytest.param("RUN a \\\\\nRUN b", [("RUN", "a \\\\", 1, 1), ("RUN", "b", 2, 2)], id="escaped-escape"),
        pytest.param("RUN a # no comment", [("RUN", "a # no comment", 1, 1)], id="hash-inside-a-line"),
        pytest.param("RUN \\\n a", [("RUN", "a", 1, 2)], id="value-on-the-next-line"),
        pytest.param("# escape=`\nRUN a `\n b\\\nRUN c", [("RUN", "a  b\\", 2, 3), ("RUN", "c", 4, 4)], id="backtick"),
        pytest.param("# c\n# escape=`\nRUN a \\\n b", [("RUN", "a  b", 3, 4)], id="directive-too-late"),
        pytest.param("RUN a \\", [("RUN", "a", 1, 1)], id="continued-by-nothing"),
        pytest.param("# syntax=x", [], id="directive-alone"),
        pytest.param("", [], id="empty"),
    ],
)
def test_lines(text: str, expected: list[tuple[str, str, int, int]]) -> None:
    assert parts(text) == expected


def test_directives() -> None:
    syntax = parse("# syntax=docker/dockerfile:1\n#ESCAPE = `\nFROM a\n")
    assert (syntax.frontend, syntax.escape) == ("docker/dockerfile:1", "`")


def test_a_from_inside_a_heredoc_is_none() -> None:
    text = "FROM a\nRUN <<EOF cat > /x\nFROM b\n\\\nEOF\nRUN c\n"
    assert [(one.keyword, one.end_line, one.stage) for one in parse(text).instructions] == [
        ("FROM", 1, 0),
        ("RUN", 5, 0),
        ("RUN", 6, 0),
    ]
    assert parse(text).instructions[1].heredocs == (Heredoc(name="EOF", content="FROM b\n\\\n"),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("RUN cat <<'E'\n$A\nE\n", [("E", "$A\n")], id="quoted"),
        pytest.param('RUN cat <<"E"\na\nE\n', [("E", "a\n")], id="double-quoted"),
        pytest.param("RUN cat <<-E\n\ta\n\tE\n", [("E", "a\n")], id="tabs-stripped"),
        pytest.param("COPY <<a <<b /\n1\na\n2\nb\n", [("a", "1\n"), ("b", "2\n")], id="two-of-them"),
        pytest.param("RUN 3<<E cat\na\nE\n", [("E", "a\n")], id="file-descriptor"),
        pytest.param("ONBUILD RUN <<E\na\nE\n", [("E", "a\n")], id="onbuild"),
        pytest.param("RUN echo '<<E'\n", [], id="inside-quotes"),
        pytest.param('RUN ["a", "<<E"]\n', [], id="json-form"),
        pytest.param("RUN cat <<${\na\n${\n", [("${", "a\n")], id="name-that-is-no-word"),
        pytest.param("RUN cat <<<E\n", [], id="here-string"),
        pytest.param("ENV A=<<E\n", [], id="not-in-env"),
        pytest.param("RUN expr $((1<<2))\n", [], id="shift"),
    ],
)
def test_heredocs(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.name, one.content) for one in only(text).heredocs] == expected


def test_a_heredoc_without_end_is_an_error_with_its_line() -> None:
    with pytest.raises(UsageError, match=r"Dockerfile:2: the here-document EOF does not end"):
        parse("FROM a\nRUN <<EOF\nb\n")


def test_a_wrong_escape_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"Dockerfile:1: # escape=x"):
        parse("# escape=x\nFROM a\n")


def test_flags_and_arguments() -> None:
    one = only("COPY --from=b --chown=1:1 --link 'a b' c /d/\n")
    assert one.flags == {"from": ("b",), "chown": ("1:1",), "link": ("",)}
    assert one.arguments == ("'a b'", "c", "/d/")
    assert only('COPY --link ["a b", "/d"]\n').arguments == ("a b", "/d")
    assert only("RUN [ -e x ]\n").arguments == ("[", "-e", "x", "]")
    assert only("RUN --mount=a --mount=b c\n").flags == {"mount": ("a", "b")}


def test_the_file_is_the_contexts_own_unless_given(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM a\n")
    (tmp_path / "other").write_text("\ufeffFROM b\n", "utf-8")
    assert find_dockerfile(tmp_path, None) == tmp_path / "Dockerfile"
    assert read_syntax(find_dockerfile(tmp_path, tmp_path / "other")).instructions[0].keyword == "FROM"


@pytest.mark.parametrize(
    ("there", "given", "message"),
    [
        pytest.param("dockerfile", None, "did you mean 'dockerfile'", id="case"),
        pytest.param("train.Dockerfile", None, "train.Dockerfile", id="another-name"),
        pytest.param("Dockerfile.gpu", "Dockerfile.gpo", "did you mean 'Dockerfile.gpu'", id="slip"),
        pytest.param("x", "no/such/Dockerfile", "there is no Dockerfile at", id="no-folder"),
    ],
)
def test_a_missing_file_is_told_with_what_is_near(tmp_path: Path, there: str, given: str | None, message: str) -> None:
    (tmp_path / there).write_text("FROM a\n")
    with pytest.raises(UsageError, match=message):
        find_dockerfile(tmp_path, tmp_path / given if given else None)


def test_standard_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="standard input"):
        find_dockerfile(tmp_path, Path("-"))


def test_an_unreadable_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(UsageError, match="cannot be read"):
        read_syntax(tmp_path / "Dockerfile")
