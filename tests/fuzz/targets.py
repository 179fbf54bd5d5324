"""Readers of what others write, as functions of bytes. What they may raise is named; all else is a fault of ours."""

from __future__ import annotations

import csv
import gzip
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from imgcheck.build import buildx_output
from imgcheck.build.dockerfile import parse_syntax
from imgcheck.collector.distributions import entry_points_of, headers_of, rows_digest, rows_of
from imgcheck.collector.native_driver import _compatibility
from imgcheck.collector.native_elf import MAGIC, read_elf
from imgcheck.collector.native_fatbin import gpu_code
from imgcheck.engines.saved import read_saved
from imgcheck.engines.saved_contents import read_contents
from imgcheck.facts.answers import read_answers
from imgcheck.facts.cache import _sealed, _unsealed
from imgcheck.facts.contents import Contents, File
from tests.engines.test_saved import FIRST, HISTORY, SECOND, chunks, saved
from tests.fuzz import file_targets
from tests.fuzz.target import ROOT, Target, own, text

CORPUS: Final = Path(__file__).parent / "corpus"
_SECRET: Final = "0123456789abcdef"
_ANSWERS: Final = (
    f'{{"secret": "{_SECRET}", "number": 1, "kind": "total", "count": 1}}\n'
    f'{{"secret": "{_SECRET}", "number": 2, "kind": "module", "facts": {{"module": "a"}}}}\n'
    f'{{"secret": "{_SECRET}", "number": 3, "kind": "end", "count": 3}}\n'
)


def _dockerfile(data: bytes) -> object:
    return parse_syntax(text(data), file="Dockerfile")


def _answers(data: bytes) -> object:
    return list(read_answers(iter([data[:7], data[7:]]), _SECRET))


def _record(data: bytes) -> object:
    return rows_digest(rows_of(data.decode("utf-8", "surrogateescape")))


def _metadata(data: bytes) -> object:
    return headers_of(data.decode("utf-8", "surrogateescape").splitlines(keepends=True))


def _entry_points(data: bytes) -> object:
    with TemporaryDirectory() as folder:
        Path(folder, "entry_points.txt").write_bytes(data)
        return entry_points_of(folder)


def _links(data: bytes) -> object:
    """Links of an image, "name target" a line."""
    pairs = [line.partition(" ")[::2] for line in text(data).splitlines()]
    contents = Contents(links=dict(pairs), files={"a": File("", 0)})
    return [contents.real(target) for _, target in pairs]


def _with_section(content: bytes) -> bytes:
    """The least file for 64 bits that has a section of GPU code."""
    names = b"\0.nv_fatbin\0.shstrtab\0"
    start, table = 64 + len(content), 64 + len(content) + len(names)
    header = MAGIC + b"\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, table, 0, 64, 56, 0, 64, 3, 2)
    rows = ((0,) * 10, (1, 1, 2, 0, 64, len(content), 0, 0, 8, 0), (12, 3, 0, 0, start, len(names), 0, 0, 1, 0))
    return header + content + names + b"".join(struct.pack("<IIQQQQIIQQ", *row) for row in rows)


def _fatbin(data: bytes) -> object:
    """As the loader's twin does: files that are no ELF are never asked."""
    elf = read_elf(data, "fuzzed.so")
    return gpu_code(data) if elf.bits == 64 and not elf.problem else None


def _small_elf() -> Iterator[bytes]:
    """A library of this machine that is small enough to be changed often, where there is one."""
    for folder in (Path("/lib/x86_64-linux-gnu"), Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/lib64")):
        for path in sorted(folder.glob("lib*.so*")):
            if path.is_file() and path.stat().st_size < 40_000 and path.read_bytes()[:4] == MAGIC:
                yield path.read_bytes()
                return


_BUILDX: Final = b"""\
#5 [2/3] RUN pip install x
#5 0.412 ERROR: No matching distribution found for x
#5 ERROR: process "/bin/sh -c pip install x" did not complete successfully: exit code: 1
------
 > [2/3] RUN pip install x:
0.412 ERROR: No matching distribution found for x
------
Dockerfile:2
--------------------
   1 |     FROM base
   2 | >>> RUN pip install x
--------------------
ERROR: failed to solve: process "/bin/sh -c pip install x" did not complete successfully: exit code: 1
"""
_ELFS: Final = tuple(_small_elf())
_FATBINS: Final = tuple(path.read_bytes() for path in sorted((ROOT / "tests/collector/fatbins").glob("*.fatbin")))
_IMAGE: Final = saved(FIRST, gzip.compress(SECOND), history=HISTORY)

TARGETS: Final[Mapping[str, Target]] = {
    **file_targets.TARGETS,
    "answers": Target(_answers, (_ANSWERS.encode(),)),
    "buildx-output": Target(lambda data: buildx_output.read_failure(text(data)), (_BUILDX,)),
    "facts-entry": Target(_unsealed, (_sealed(b'{"key": {}, "facts": {}}'),)),
    "dockerfile": Target(
        _dockerfile, own("dockerfiles/base.Dockerfile", "dockerfiles/train.Dockerfile"), names="Dockerfile"
    ),
    "driver": Target(_compatibility, tuple(map(_with_section, _FATBINS))),
    "elf": Target(lambda data: read_elf(data, "fuzzed.so"), (*_ELFS, MAGIC + bytes(60))),
    "entry-points": Target(_entry_points, (b"[console_scripts]\na = b:c\n[x.y]\nz = p:q [extra]\n",)),
    "fatbin": Target(_fatbin, tuple(map(_with_section, _FATBINS))),
    "image-archive": Target(lambda data: read_saved(chunks(data)), (_IMAGE,)),
    "image-contents": Target(lambda data: read_contents(chunks(data), ("opt",)), (_IMAGE,)),
    "links": Target(_links, (b"opt/lib64 lib\nloop loop\na/b ../../c\n",)),
    "metadata": Target(
        _metadata, (b"Metadata-Version: 2.1\nName: a\nVersion: 1\nRequires-Dist: b>=1\n  ; x\n\nbody\n",)
    ),
    "record": Target(_record, (b'a.py,sha256=x,3\n"b,c.py",sha256=y,4\na-1.dist-info/RECORD,,\n',), (csv.Error,)),
}


def execute(name: str, data: bytes) -> None:
    """Raises only what is a fault."""
    TARGETS[name].execute(data)


def changed(data: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """Each edit puts bytes in the place of some others, anywhere; structure is kept where it is not hit."""
    result = bytearray(data)
    for place, length, new in edits:
        start = place % (len(result) + 1)
        result[start : start + length] = new
    return bytes(result)
