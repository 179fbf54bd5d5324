"""Small shared objects for tests, compiled by the machine's C compiler as the test asks for them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

COMPILER = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")


def compiled(path: Path, source: str, *options: str, libraries: tuple[Path, ...] = (), program: bool = False) -> Path:
    """A shared object, or a program, from C source; `libraries` are linked by their path's folder and name."""
    assert COMPILER
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.with_suffix(path.suffix + ".c")
    file.write_text(source, "utf-8")
    kind = () if program else ("-shared", "-fPIC")
    linked = [word for one in libraries for word in (f"-L{one.parent}", f"-l:{one.name}")]
    command = [COMPILER, *kind, "-o", str(path), str(file), "-Wl,--no-as-needed", *linked, *options]
    subprocess.run(command, check=True, capture_output=True)
    file.unlink()
    return path


def library(path: Path, source: str = "int one(void) { return 1; }", *options: str) -> Path:
    """A library whose SONAME is its file's name."""
    return compiled(path, source, f"-Wl,-soname,{path.name}", *options)
