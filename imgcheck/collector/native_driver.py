"""Copies of the GPU driver's user-space library in an image, CUDA toolkits, and what its own CUDA package knows.

Real drivers come from the host at run time. What an image may bring: a forward-compatibility package, which says in an
ELF note for which host drivers it is meant, and the toolkit's stubs, which are for linking only.
Floor: Python 3.8.
"""

from __future__ import annotations

import ast
import glob
import json
import os
import re
import struct
from typing import Any, Dict, Iterable, Iterator

from imgcheck.collector.native_elf import Data, open_elf, read_elf, sections

_NOTE = ".note.cuda.fwd_compatibility"
_OWNER = b"NVIDIA Corporation\0"
_COPIES = (
    "/usr/local/cuda*/compat/libcuda.so*",
    "/usr/local/cuda*/lib64/stubs/libcuda.so*",
    "/usr/local/cuda*/targets/*/lib/stubs/libcuda.so*",
    "/usr/local/cuda*/targets/*/lib/compat/libcuda.so*",
)
_TABLE = "cuda/bindings/utils/_ptx_utils.py"
_NUMBER = re.compile(r"libcuda\.so\.(\d+\.\d+(?:\.\d+)?)")

Facts = Dict[str, Any]


def driver_copies(folders: Iterable[str], files: Iterable[str]) -> list[Facts]:
    """Each libcuda of the image: {"path", "version", "size", "reached", "compatibility"}; links once, by their target.

    Args:
        folders: where the loader looks, in its order: LD_LIBRARY_PATH, the folders of ld.so.cache, the default ones.
        files: native files of distributions and named folders.
    """
    searched = list(dict.fromkeys(folders))
    found: dict[str, Facts] = {}
    candidates = [os.path.join(folder, name) for folder in searched for name in _names(folder)]
    candidates += [path for pattern in _COPIES for path in sorted(glob.glob(pattern))]
    candidates += [path for path in files if os.path.basename(path).startswith("libcuda.so")]
    for path in candidates:
        real = os.path.realpath(path)
        if os.path.isfile(real) and real not in found:
            found[real] = _copy(path, real)
        if real in found and os.path.basename(path) in ("libcuda.so", "libcuda.so.1"):
            folder = os.path.dirname(path)
            if folder in searched and folder not in found[real]["reached"]:
                found[real]["reached"].append(folder)
    return list(found.values())


def _names(folder: str) -> list[str]:
    try:
        return sorted(one for one in os.listdir(folder) if one.startswith("libcuda.so"))
    except OSError:
        return []


def _copy(path: str, real: str) -> Facts:
    number = _NUMBER.search(real)
    facts: Facts = {
        "path": path,
        "version": number[1] if number else "",
        "size": os.stat(real).st_size,
        "reached": [],
        "stub": "/stubs/" in path + real,
        "compatibility": None,
    }
    try:
        data = open_elf(real)
    except (OSError, ValueError):
        data = None
    if data is not None:
        with data:
            facts["compatibility"] = _compatibility(data)
            facts["stub"] = facts["stub"] or _is_stub(data, real)
    return facts


def _is_stub(data: Data, path: str) -> bool:
    """A driver exports cuInit and brings megabytes; a stub exports it and brings none of what is behind it."""
    return len(data) < 1 << 20 and b"cuInit" in read_elf(data, path).defined


def _compatibility(data: Data) -> Facts | None:
    """The note of a forward-compatibility driver: its CUDA, and the host driver branches that it may run on."""
    try:
        found = sections(data)
    except (struct.error, ValueError):  # damaged: read_elf tells
        return None
    for name, start, size in found:
        if name != _NOTE or size > 1 << 16:
            continue
        try:
            owner, length, _ = struct.unpack_from("<III", data, start)
            text = data[start + 12 + (owner + 3) // 4 * 4 :][:length].split(b"\0")[0]
            told = json.loads(text)
            return {
                "cuda": str(told.get("CUDA version", "")),
                "drivers": [int(one) for one in told.get("driver", ())],
            }
        except (struct.error, ValueError, TypeError, AttributeError, RecursionError):
            return None
    return None


def toolkits() -> list[Facts]:
    """CUDA toolkits under /usr/local: {"path", "version"}, by their version.json; links once."""
    found: dict[str, Facts] = {}
    for path in sorted(glob.glob("/usr/local/cuda*/version.json")):
        real = os.path.realpath(path)
        try:
            with open(real, encoding="utf-8", errors="replace") as file:
                told = json.loads(file.read(1 << 20))
            version = str(told["cuda"]["version"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
        found[real] = {"path": os.path.dirname(real), "version": version}
    return list(found.values())


def ptx_table(sys_path: Iterable[str]) -> dict[str, str]:
    """PTX instruction set -> CUDA, as the image's own cuda-bindings has it; read, not run."""
    for folder in sys_path:
        try:
            with open(os.path.join(folder, _TABLE), encoding="utf-8") as file:
                tree = ast.parse(file.read(1 << 20))
        except (OSError, SyntaxError, ValueError):
            continue
        return dict(_pairs(tree))
    return {}


def _pairs(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Every entry of a dictionary that maps text to two numbers: "8.5": (12, 5)."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Dict):
            continue
        try:
            table = ast.literal_eval(node)
        except (ValueError, TypeError):
            continue
        for isa, cuda in table.items():
            if isinstance(isa, str) and isinstance(cuda, tuple) and len(cuda) == 2:
                yield isa, "{}.{}".format(*cuda)
