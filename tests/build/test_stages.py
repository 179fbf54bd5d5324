"""Stages, and what each is FROM once ARGs have their values."""

from __future__ import annotations

import pytest

from imgcheck.build.dockerfile import parse_syntax
from imgcheck.build.stages import Dockerfile, resolve
from imgcheck.errors import UsageError


def read(text: str, **build_args: str) -> Dockerfile:
    return resolve(parse_syntax(text, file="Dockerfile"), build_args=build_args, platform="linux/arm64/v8")


def images(text: str, **build_args: str) -> list[str]:
    return [stage.image for stage in read(text, **build_args).stages]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("FROM a:1", ["a:1"], id="plain"),
        pytest.param("ARG B=a:1\nFROM $B", ["a:1"], id="default"),
        pytest.param("ARG T=1\nARG B=a:$T\nFROM ${B}", ["a:1"], id="argument-of-argument"),
        pytest.param("ARG A=x B=y\nFROM $A\nFROM $B", ["x", "y"], id="two-on-a-line"),
        pytest.param('ARG B="a:1"\nFROM "$B"', ["a:1"], id="quotes"),
        pytest.param("ARG B\nFROM ${B:-a:1}", ["a:1"], id="default-in-from"),
        pytest.param("ARG X\nFROM a:1${X:+-gpu}", ["a:1"], id="alternative"),
        pytest.param("ARG V=3.11.7\nFROM a:${V%.*}", ["a:3.11"], id="suffix"),
        pytest.param("ARG S\nFROM a:1$S", ["a:1"], id="empty-and-still-a-reference"),
        pytest.param("FROM a:$TARGETARCH", ["a:arm64"], id="predefined"),
        pytest.param("FROM a\nARG B=b\nFROM c", ["a", "c"], id="argument-of-a-stage-is-not-global"),
        pytest.param(
            "FROM r.example:5000/a/b:1@sha256:" + "0" * 64, ["r.example:5000/a/b:1@sha256:" + "0" * 64], id="full"
        ),
    ],
)
def test_image(text: str, expected: list[str]) -> None:
    assert images(text) == expected


def test_build_arguments_win_over_defaults() -> None:
    assert images("ARG B=a\nFROM $B", B="b") == ["b"]
    assert images("ARG B\nFROM $B", B="b") == ["b"]
    with pytest.raises(UsageError, match="ARG B has no value"):
        images("FROM $B", B="b")  # only what the file declares


def test_a_stage_that_is_from_an_earlier_one() -> None:
    read_file = read("FROM a AS One\nRUN x\nFROM ONE AS two\nFROM two\nFROM later AS later\n")
    assert [stage.parent for stage in read_file.stages] == [None, 0, 1, None]
    assert [stage.name for stage in read_file.lineage(read_file.stages[2])] == ["", "two", "one"]
    assert (read_file.stages[0].start_line, read_file.stages[0].end_line) == (1, 2)


def test_the_platform_is_expanded() -> None:
    assert read("FROM --platform=$BUILDPLATFORM a").stages[0].platform == "linux/arm64/v8"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("RUN a", "Dockerfile:1: RUN comes before the first FROM", id="run-first"),
        pytest.param("# nothing\n", "Dockerfile has no FROM", id="no-from"),
        pytest.param("ARG BASE\nFROM $BASE", "Dockerfile:2: FROM .BASE: ARG BASE has no value", id="no-value"),
        pytest.param("ARG TAG\nFROM a:$TAG", "Dockerfile:2: FROM a:.TAG: ARG TAG has no value", id="no-tag"),
        pytest.param("FROM UPPER", "'UPPER' is no image reference", id="no-reference"),
        pytest.param("FROM a b", "must read FROM image", id="two-words"),
        pytest.param("FROM", "must read FROM image", id="no-word"),
        pytest.param("FROM ${A:?say which}", "Dockerfile:1: FROM .*say which", id="question-mark"),
        pytest.param("ARG A=${B\nFROM a", "Dockerfile:1: ARG A", id="broken-default"),
    ],
)
def test_errors_have_file_and_line(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read(text)


def test_a_near_argument_is_suggested() -> None:
    with pytest.raises(UsageError, match="did you mean 'BASE_IMAGE'"):
        images("ARG BASE_IMG\nFROM $BASE_IMG", BASE_IMAGE="a")


def test_the_target() -> None:
    read_file = read("FROM a AS build\nFROM b AS train\n")
    assert read_file.target(None).name == "train"
    assert read_file.target("BUILD").index == 0
    assert read_file.target("0").index == 0
    with pytest.raises(UsageError, match="no stage 'trian'; did you mean 'train'") as caught:
        read_file.target("trian")
    assert "build, train" in caught.value.remedy
    with pytest.raises(UsageError) as caught:
        read("FROM a\nFROM b\n").target("x")
    assert "0 to 1 by number" in caught.value.remedy


def test_needed_stages_are_those_that_take_part() -> None:
    read_file = read(
        "FROM a AS unused\nFROM b AS copied\nFROM c AS mounted\nFROM d AS parent\n"
        "FROM parent\nCOPY --from=copied /x /x\nRUN --mount=type=bind,from=mounted,target=/m true\nCOPY --from=e / /\n"
    )
    assert [stage.index for stage in read_file.needed(read_file.target(None))] == [1, 2, 3, 4]


def test_an_instruction_is_found_by_any_of_its_lines() -> None:
    read_file = read("FROM a\nRUN b \\\n c\n")
    found = read_file.instruction_at(3)
    assert found is not None
    assert found.start_line == 2
    assert read_file.instruction_at(9) is None
