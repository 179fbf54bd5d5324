"""`imgcheck imports` as it is read, from facts in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest

from imgcheck.errors import ExitCode
from imgcheck.facts.model import ModuleFacts
from imgcheck.import_summary import ImportSummary, summarise
from imgcheck.report.imports import layout_imports, render_imports_json
from imgcheck.report.terminal import paint, paint_for
from tests.checks.build_facts import at, dist, facts, link, module, raises
from tests.report.samples import HOSTILE_TEXT
from tests.report.test_renderers import LIVING, Terminal

Golden = Callable[[str, str], None]
NUMBA, TORCH = dist("numba 0.60.0", modules=["numba", "numba.core"]), dist("torch 2.3.0+cpu", modules=["torch"])
MISSING = raises(
    "RuntimeError: numba needs llvmlite\nand more",
    at("numba/__init__.py", 3, "from numba import core"),
    at("numba/core.py", 12, "raise RuntimeError(TEXT) from error", "load"),
    chain=(
        link("RuntimeError: numba needs llvmlite\nand more", frame=at("numba/core.py", 12)),
        link("ModuleNotFoundError: No module named 'llvmlite'", frame=at("numba/core.py", 10, "import llvmlite")),
    ),
)
STORY = module(
    "numba",
    "numba",
    MISSING,
    file="/opt/venv/lib/python3.11/site-packages/numba/__init__.py",
    cpu=1.25,
    wall=1.5,
    peak_memory=285 << 20,
    loaded=["numba", "numba.core", "torch", "json", "json.decoder", "site_local"],
    stderr="warning: old driver\n",
    unloaded=("/opt/venv/lib/python3.11/site-packages/pkg/_C.so",),
    side_effects={
        "environment": ["KMP_DUPLICATE_LIB_OK", "NUMBA_CACHE_DIR"],
        "network": ["getaddrinfo pypi.org:443"],
        "files": [f"/tmp/cache/{number}" for number in range(8)],
        "threads": 2,
        "processes": True,
        "directory": "/tmp",
        "unheard_of": {"a": 1},
    },
)
MANY = (
    *(module(f"numba.m{number:02}", "numba", MISSING, wall=0.1 * number) for number in range(7)),
    module("numba.m00.below", "numba", MISSING, inherited_from="numba.m00"),
    module("torch", "torch", wall=2.34, cpu=2.2, side_effects={"threads": 1}),
    module("torch.crash", "torch", status="signal", signal=11, reason="SIGSEGV"),
    module("torch.exit", "torch", status="exit", exit_code=3),
    module("torch.hang", "torch", status="timeout", limit="idle", wall=60),
    module("torch.eat", "torch", status="memory"),
    module("torch.lost", "torch", status="lost", reason="the sweep gave it no verdict"),
)


def a_summary(*modules: ModuleFacts, asked: tuple[str, ...] = ()) -> ImportSummary:
    return summarise(facts(NUMBA, TORCH, modules=modules, left_out={"test": 40, "main": 2}), asked, (), ("a notice",))


def text(summary: ImportSummary, *, full: bool = False, width: int = 100) -> str:
    return paint(layout_imports(summary, full=full), width=width, color=False)


@pytest.mark.parametrize("full", [False, True], ids=["normal", "verbose"])
@pytest.mark.parametrize("name", ["story", "many"])
def test_imports_as_golden(name: str, full: bool, golden: Golden) -> None:
    summary = a_summary(STORY, asked=("numba",)) if name == "story" else a_summary(*MANY)
    golden(f"imports.{name}{'.verbose' if full else ''}.terminal", text(summary, full=full))


def test_json_has_every_fact() -> None:
    document = json.loads(render_imports_json(a_summary(STORY, *MANY)))
    assert len(document["modules"]) == 1 + len(MANY)
    assert document["modules"][0]["error"]["chain"][1]["message"] == "No module named 'llvmlite'"
    loads = {"numba 0.60.0": 2, "Python itself": 2, "torch 2.3.0+cpu": 1, "no distribution": 1}
    assert document["loads"] == {"numba": loads}
    assert document["left_out"] == {"test": 40, "main": 2}


def test_the_largest_group_comes_first_and_what_hangs_on_a_package_is_counted() -> None:
    first = a_summary(*MANY).failures[0]
    assert (first.error, len(first.modules), first.below) == ("RuntimeError: numba needs llvmlite", 7, 1)


CODES: dict[str, tuple[tuple[ModuleFacts, ...], ExitCode]] = {
    "all imported": ((module("torch", "torch"),), ExitCode.KEPT),
    "one fails": ((module("torch", "torch"), STORY), ExitCode.BROKEN),
    "nothing told of one": ((module("torch", "torch"), MANY[-1]), ExitCode.CHECK_ERROR),
    "a failure is worse": ((STORY, MANY[-1]), ExitCode.BROKEN),
    "no module": ((), ExitCode.NOTHING_CHECKED),
}


@pytest.mark.parametrize(("modules", "code"), CODES.values(), ids=CODES)
def test_exit_codes(modules: tuple[ModuleFacts, ...], code: ExitCode) -> None:
    assert a_summary(*modules).exit_code is code


def hostile() -> ModuleFacts:
    error: Any = raises(f"E: {HOSTILE_TEXT}", at(HOSTILE_TEXT, 1, HOSTILE_TEXT, HOSTILE_TEXT))
    effects = {"files": [HOSTILE_TEXT], HOSTILE_TEXT: HOSTILE_TEXT}
    return module(
        HOSTILE_TEXT,
        HOSTILE_TEXT,
        error,
        loaded=[HOSTILE_TEXT],
        unloaded=[HOSTILE_TEXT],
        stderr=HOSTILE_TEXT,
        side_effects=effects,
    )


@pytest.mark.parametrize("modules", [(hostile(),), (hostile(), STORY)], ids=["story", "many"])
def test_no_control_character_of_an_image_reaches_the_reader(modules: tuple[ModuleFacts, ...]) -> None:
    summary = a_summary(*modules)
    for rendered in (text(summary, full=True), render_imports_json(summary)):
        assert not LIVING.search(rendered)
        assert "[bold red]markup[/]" in rendered


def test_a_pipe_is_not_wrapped_and_a_terminal_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    lines = [*layout_imports(a_summary(STORY), full=True)]
    assert max(map(len, paint_for(lines, Terminal()).splitlines())) <= 60
    assert max(map(len, paint_for(lines, StringIO()).splitlines())) > 60
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert re.search(r"\x1b\[", paint_for(lines, StringIO()))
