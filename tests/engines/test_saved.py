"""Image archives, as engines save them, and as nobody honest does."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from imgcheck.engines.saved import read_saved
from imgcheck.errors import CollectorError

SITE = "opt/venv/lib/python3.11/site-packages"


def tar(files: Mapping[str, bytes], links: Mapping[str, str] | None = None) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(content), 1000
            archive.addfile(entry, io.BytesIO(content))
        for name, target in (links or {}).items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return buffer.getvalue()


def saved(*layers: bytes, history: list[dict[str, Any]], links: Mapping[str, str] | None = None) -> bytes:
    blobs = {f"blobs/sha256/{number}": layer for number, layer in enumerate(layers)}
    names = list(blobs)
    if links:
        names += list(links)
    manifest = [{"Config": "blobs/sha256/c", "Layers": names}]
    files = {**blobs, "blobs/sha256/c": json.dumps({"history": history}).encode()}
    return tar({**files, "manifest.json": json.dumps(manifest).encode(), "VERSION": b"1.0"}, links)


def chunks(data: bytes) -> Iterator[bytes]:
    return (data[start : start + 700] for start in range(0, len(data), 700))


FIRST = tar({f"{SITE}/a-1.dist-info/INSTALLER": b"pip\n", f"{SITE}/a.py": b"x", "usr/lib/b.egg-info": b"Name: b"})
SECOND = tar({f"./{SITE}/.wh.a-1.dist-info": b"", f"{SITE}/c/.wh..wh..opq": b""})
HISTORY: list[dict[str, Any]] = [{}, {"empty_layer": True}, {}]


def test_layers_with_their_steps() -> None:
    found = read_saved(chunks(saved(FIRST, SECOND, history=HISTORY)))
    first, second = found.layers
    assert (first.step, second.step) == (0, 2)
    told = [(one.path, one.time, one.size) for one in first.written]
    assert told == [(f"{SITE}/a-1.dist-info/INSTALLER", 1000, 4), ("usr/lib/b.egg-info", 1000, 7)]
    assert (second.removed, second.emptied) == ((f"{SITE}/a-1.dist-info",), (f"{SITE}/c",))
    assert found.bytes_read > len(FIRST)


def test_packed_layers_and_a_layer_that_is_there_twice() -> None:
    data = saved(gzip.compress(FIRST), history=[{}, {}], links={"other/layer.tar": "../blobs/sha256/0"})
    found = read_saved(chunks(data))
    assert [len(one.written) for one in found.layers] == [2, 2]
    assert [one.step for one in found.layers] == [0, 1]


def test_more_layers_than_steps() -> None:
    assert [one.step for one in read_saved(chunks(saved(FIRST, SECOND, history=[{}]))).layers] == [0, None]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"nonsense" * 200, id="no-archive"),
        pytest.param(saved(FIRST, history=HISTORY)[:3000], id="cut-short"),
        pytest.param(tar({"manifest.json": b"[{}, {}]" + b" " * 600}), id="two-images"),
        pytest.param(tar({"manifest.json": b'[{"Config": "gone", "Layers": []}]'}), id="no-configuration"),
        pytest.param(tar({"big.json": b"{" + b" " * (5 * 2**20)}), id="a-document-without-end"),
        pytest.param(saved(b"not a layer" * 100, history=HISTORY), id="no-layer"),
    ],
)
def test_what_is_no_image(data: bytes) -> None:
    with pytest.raises(CollectorError, match="layers cannot be read"):
        read_saved(chunks(data))


def test_a_header_that_claims_gigabytes_is_refused_before_it_is_read() -> None:
    entry = tarfile.TarInfo("x")
    entry.type, entry.size = tarfile.XHDTYPE, 4 * 2**30
    with pytest.raises(CollectorError, match="extended header"):
        read_saved(chunks(entry.tobuf() + b"\0" * 10240))
