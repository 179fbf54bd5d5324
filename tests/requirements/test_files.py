from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.errors import UsageError
from imgcheck.requirements.files import read_requirement_file


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, "utf-8")
    return folder / "main.txt"


def test_lines_with_places(tmp_path: Path) -> None:
    text = (
        "# comment\nnumpy==1.26.4 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"
        "--pre\n-r more.txt\n-c limits.txt\n"
        "./local\n-e git+https://host/x#egg=Some_Thing\n"
        "https://host/torch-2.1-py3-none-any.whl\nWith.Dots[a]>=1 ; os_name=='nt'\n"
    )
    read = read_requirement_file(write(tmp_path, main=text, more="Six\n", limits="protobuf<5\n"))
    told = [(one.kind, one.name, Path(one.where.file).stem, one.where.line) for one in read.asked]
    assert told == [
        ("requirement", "numpy", "main", 2),
        ("requirement", "six", "more", 1),
        ("address", "", "main", 8),
        ("editable", "some-thing", "main", 9),
        ("address", "torch", "main", 10),
        ("requirement", "with-dots", "main", 11),
    ]
    assert read.asked[0].hashes == ("sha256:aa", "sha256:bb")
    assert [one.pinned for one in read.asked] == [True, False, True, True, True, False]
    assert [one.name for one in read.lines if one.constraint] == ["protobuf"]
    assert [text for text, _ in read.options] == ["--pre"]
    assert [path.stem for path in read.files] == ["main", "more", "limits"]


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        pytest.param({"main": "a\n-r main.txt\n"}, "main.txt:2: {}/main.txt includes itself", id="itself"),
        pytest.param(
            {"main": "-r b.txt\n", "b": "-r main.txt\n"}, "b.txt:1: {}/main.txt includes itself", id="in-a-circle"
        ),
        pytest.param({"main": "\n-r gone.txt\n"}, "main.txt:2: {}/gone.txt cannot be read: No such file", id="gone"),
        pytest.param({"main": "a\nb >> 2\n"}, "main.txt:2: 'b >> 2' is no requirement", id="bad-line"),
        pytest.param({"main": "--nonsense\n"}, "main.txt:1: --nonsense is no option", id="bad-option"),
        pytest.param({"main": "-c https://h/c.txt\n"}, "main.txt:1: https://h/c.txt is no file here", id="remote"),
    ],
)
def test_what_pip_would_refuse(tmp_path: Path, texts: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_requirement_file(write(tmp_path, **texts))
    assert words.format(tmp_path) in raised.value.message


def test_the_same_file_twice_is_no_circle(tmp_path: Path) -> None:
    read = read_requirement_file(write(tmp_path, main="-r b.txt\n-r b.txt\n", b="six\n"))
    assert [one.name for one in read.asked] == ["six", "six"]


def test_variables_are_replaced(tmp_path: Path) -> None:
    path = write(tmp_path, main="-i https://${USER_1}@host\nsix==${V}\nx==${v}\n")
    with pytest.raises(UsageError, match="is no requirement"):
        read_requirement_file(path, {"V": "1.0"})
    path.write_text("-i https://${USER_1}@host\nsix==${V}\n", "utf-8")
    assert read_requirement_file(path, {"V": "1.0"}).asked[0].text == "six==1.0"


def test_a_null_character_is_told_by_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "r.txt"
    path.write_text("numpy\n-r other\0.txt\n", "utf-8")
    with pytest.raises(UsageError, match=r"r\.txt:2: holds a null character"):
        read_requirement_file(path)
