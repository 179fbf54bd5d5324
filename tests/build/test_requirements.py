"""Requirement files that a Dockerfile's install lines name."""

from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.build.dockerfile import parse_syntax
from imgcheck.build.requirements import requirement_files
from imgcheck.build.stages import resolve


@pytest.fixture
def context(tmp_path: Path) -> Path:
    for name in ("requirements.txt", "extra.txt", "deps/prod.txt", "deps/dev.txt", "pip.lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("six\n")
    return tmp_path


def found(context: Path, text: str, **build_args: str) -> list[str]:
    dockerfile = resolve(parse_syntax(text, file="Dockerfile"), build_args=build_args, platform="linux/amd64")
    files = requirement_files(dockerfile, dockerfile.target(None), context)
    return [path.relative_to(context).as_posix() for path in files]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "COPY requirements.txt /t/\nRUN pip install -r /t/requirements.txt", ["requirements.txt"], id="copied"
        ),
        pytest.param("COPY . /app\nRUN pip install -r deps/prod.txt", ["deps/prod.txt"], id="with-the-context"),
        pytest.param("COPY deps /app\nRUN pip3.11 install -r /app/dev.txt", ["deps/dev.txt"], id="with-a-folder"),
        pytest.param("ADD ./deps/prod.txt /r.txt\nRUN pip install -r/r.txt", ["deps/prod.txt"], id="renamed"),
        pytest.param("COPY *.txt /\nRUN pip install -r /extra.txt", ["extra.txt"], id="pattern"),
        pytest.param(
            "COPY requirements.txt extra.txt /\nRUN python -m pip install -r /requirements.txt --requirement=extra.txt",
            ["requirements.txt", "extra.txt"],
            id="two",
        ),
        pytest.param("COPY . .\nRUN uv pip install --system --requirements extra.txt", ["extra.txt"], id="uv"),
        pytest.param("COPY . .\nRUN uv pip sync --system pip.lock", ["pip.lock"], id="uv-sync"),
        pytest.param(
            "RUN --mount=type=bind,source=extra.txt,target=/r.txt pip install -r /r.txt", ["extra.txt"], id="bind-mount"
        ),
        pytest.param("RUN --mount=type=cache,target=/s pip install -r /s/extra.txt", [], id="cache-mount"),
        pytest.param("RUN --mount=target=/s pip install -r /s/extra.txt", ["extra.txt"], id="context-mount"),
        pytest.param("ARG R=extra\nCOPY $R.txt /\nRUN pip install -r /${R}.txt", ["extra.txt"], id="argument"),
        pytest.param("ENV D=/d\nCOPY extra.txt $D/\nRUN pip install -r $D/extra.txt", ["extra.txt"], id="environment"),
        pytest.param(
            "ENV D /d\nCOPY extra.txt $D/\nRUN pip install -r $D/extra.txt", ["extra.txt"], id="old-environment"
        ),
        pytest.param("COPY extra.txt /\nRUN <<E\npip install -r /extra.txt\nE", ["extra.txt"], id="heredoc"),
        pytest.param('COPY extra.txt /\nRUN ["pip", "install", "-r", "/extra.txt"]', ["extra.txt"], id="json-form"),
        pytest.param("COPY extra.txt /\nRUN cd / && pip install six && grep -r /extra.txt", [], id="another-command"),
        pytest.param("COPY extra.txt /\nRUN grep -r /extra.txt", [], id="no-install"),
        pytest.param("COPY --from=x extra.txt /\nRUN pip install -r /extra.txt", [], id="from-elsewhere"),
        pytest.param("COPY <<E /extra.txt\nsix\nE\nRUN pip install -r /extra.txt", [], id="written-in-place"),
        pytest.param("COPY ../extra.txt nosuch /\nRUN pip install -r /nosuch", [], id="not-there"),
        pytest.param("COPY no*such /x/\nRUN pip install -r /x/nosuch", [], id="pattern-of-nothing"),
    ],
)
def test_found(context: Path, text: str, expected: list[str]) -> None:
    assert found(context, f"FROM a\n{text}\n") == expected


def test_what_a_parent_copied_counts_and_stages_not_needed_do_not(context: Path) -> None:
    text = (
        "FROM a AS one\nCOPY requirements.txt /\nFROM a AS two\nCOPY extra.txt /\nRUN pip install -r /extra.txt\n"
        "FROM one\nRUN pip install -r /requirements.txt\n"
    )
    assert found(context, text) == ["requirements.txt"]


def test_build_arguments_win(context: Path) -> None:
    text = "ARG G=extra.txt\nFROM a\nARG G\nARG R=no.txt\nCOPY . /\nRUN pip install -r $R -r $G"
    assert found(context, text, R="deps/dev.txt") == ["deps/dev.txt", "extra.txt"]


def test_what_cannot_be_expanded_is_passed_over(context: Path) -> None:
    assert found(context, "FROM a\nARG A=${\nENV B=${\nCOPY ${ /\nRUN pip install -r ${") == []
