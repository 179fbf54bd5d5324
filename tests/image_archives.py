"""Images written by hand: layers of a few entries, as docker save and the OCI layout have them."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

Entry = tuple[str, Any]
"""A name, and text for a file, None for a folder, or a function that changes the header."""
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: data,
    "gzip": gzip.compress,
    "zstd": lambda data: zstandard.ZstdCompressor().compress(data),
}


def digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def layer(entries: Iterable[Entry]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, what in entries:
            member = tarfile.TarInfo(name)
            member.mtime, member.mode = 1_700_000_000, 0o644
            if isinstance(what, str):
                member.size = len(what.encode())
                tar.addfile(member, io.BytesIO(what.encode()))
                continue
            if what is None:
                member.type, member.mode = tarfile.DIRTYPE, 0o755
            else:
                what(member)
            tar.addfile(member)
    return buffer.getvalue()


def link(target: str, kind: bytes = tarfile.SYMTYPE) -> Callable[[tarfile.TarInfo], None]:
    def change(member: tarfile.TarInfo) -> None:
        member.type, member.linkname = kind, target

    return change


def of_kind(kind: bytes, mode: int = 0o644) -> Callable[[tarfile.TarInfo], None]:
    def change(member: tarfile.TarInfo) -> None:
        member.type, member.mode = kind, mode

    return change


def config(layers: Sequence[bytes], **more: Any) -> bytes:
    told = {"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": [*map(digest, layers)]}}
    return json.dumps({**told, **more}).encode()


def blob(data: bytes) -> str:
    return "blobs/" + digest(data).replace(":", "/")


def docker_files(layers: Sequence[bytes], **more: Any) -> dict[str, bytes]:
    whole = config(layers, **more)
    manifest = [{"Config": blob(whole), "RepoTags": ["my/train:1"], "Layers": [blob(one) for one in layers]}]
    files = {blob(one): one for one in layers} | {blob(whole): whole}
    return {**files, "manifest.json": json.dumps(manifest).encode()}


def oci_files(
    layers: Sequence[bytes], packing: str = "gzip", platforms: Sequence[str] = ("linux/amd64",)
) -> dict[str, bytes]:
    packed = [PACKERS[packing](one) for one in layers]
    whole = config(layers)
    manifest = json.dumps(
        {"config": {"digest": digest(whole)}, "layers": [{"digest": digest(one)} for one in packed]}
    ).encode()
    described = [
        {"digest": digest(manifest), "platform": dict(zip(("os", "architecture"), one.split("/"), strict=True))}
        for one in platforms
    ]
    files = {blob(one): one for one in (*packed, whole, manifest)}
    return {**files, "oci-layout": b"{}", "index.json": json.dumps({"manifests": described}).encode()}


def as_tar(path: Path, files: Mapping[str, bytes]) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def as_folder(path: Path, files: Mapping[str, bytes]) -> Path:
    for name, data in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path
