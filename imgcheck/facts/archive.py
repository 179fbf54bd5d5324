"""The collector as one zip archive that an image's Python runs directly (PEP 441)."""

from __future__ import annotations

import hashlib
import io
import zipfile
from functools import cache
from importlib.resources import files

from imgcheck.collector.standalone import REQUESTS

_MAIN = b"""import sys
if sys.version_info < (3, 8):
    sys.stderr.write("too old: Python %d.%d" % sys.version_info[:2])
    sys.exit(64)
import runpy
runpy.run_module("imgcheck.collector", run_name="__main__")
"""
_STANDALONE = b"""import sys
if sys.version_info < (3, 8):
    sys.exit("too old: this is Python %d.%d, and the collector needs 3.8 or newer" % sys.version_info[:2])
if sys.argv[1:] == ["--job"]:
    import runpy
    runpy.run_module("imgcheck.collector", run_name="__main__")
else:
    from imgcheck.collector.standalone import main
    sys.exit(main(sys.argv))
"""
_EPOCH = (1980, 1, 1, 0, 0, 0)


@cache
def collector_archive() -> bytes:
    """The archive's bytes; the same sources give the same bytes. Not compressed: an image may lack zlib."""
    return _packed([("__main__.py", _MAIN), *_members()])


def standalone_archive(requests: bytes) -> bytes:
    """One that a user runs without imgcheck, with what it is to ask."""
    return _packed([("__main__.py", _STANDALONE), (REQUESTS, requests), *_members()])


@cache
def collector_digest() -> str:
    """What facts are cached by, beside the image: a changed collector asks again."""
    return "sha256:" + hashlib.sha256(collector_archive()).hexdigest()


def _members() -> list[tuple[str, bytes]]:
    package = files("imgcheck.collector")
    sources = sorted((one.name, one.read_bytes()) for one in package.iterdir() if one.name.endswith(".py"))
    modules = [(f"imgcheck/collector/{name}", content) for name, content in sources]
    return [("imgcheck/__init__.py", b""), *modules]


def _packed(members: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content)
    return buffer.getvalue()
