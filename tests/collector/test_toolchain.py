"""What is there for code that is compiled while a program runs: this machine's tools, and none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from imgcheck.collector.toolchain import toolchain
from imgcheck.facts.toolchain import ToolchainFacts
from tests.native_builds import needs_compiler

VARIABLES = ("CC", "CXX", "CUDA_HOME", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "TORCH_EXTENSIONS_DIR", "TMPDIR")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def told(tmp_path: Path) -> ToolchainFacts:
    facts: Any = toolchain(str(tmp_path))
    return ToolchainFacts.model_validate(facts)


@needs_compiler
def test_compilers_that_make_an_extension_have_no_error(tmp_path: Path) -> None:
    found = told(tmp_path)
    assert (Path(found.c.path).is_file(), found.c.error) == (True, "")


def test_a_compiler_that_fails_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "cc"
    fake.write_text("#!/bin/sh\necho 'fatal error: Python.h: No such file' >&2; exit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("CC", str(fake))
    assert told(tmp_path).c.error == "fatal error: Python.h: No such file"
    monkeypatch.setenv("CC", str(tmp_path / "gone"))
    assert "No such file" in told(tmp_path).c.error


def test_without_path_there_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    found = told(tmp_path)
    assert (found.c.path, found.cxx.path, found.programs["nvcc"], found.programs["ninja"]) == ("", "", "", "")


def test_t02_a_user_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 424242)
    found = told(tmp_path)
    assert (found.user, found.uid) == ("", 424242)
    monkeypatch.setenv("USER", "ml")
    assert told(tmp_path).user == "ml"


def test_caches_are_where_their_variables_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "made/later"))
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path / "file/below"))
    found = told(tmp_path).caches
    assert (found["triton"].path, found["triton"].writable) == (str(tmp_path / "made/later"), True)
    assert found["extensions"].writable is False
    assert "torchinductor_" in found["inductor"].path
