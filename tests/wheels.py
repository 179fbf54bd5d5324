"""Wheels made in a test, and the folder of a simple index (PEP 503) for them."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Mapping
from html import escape
from pathlib import Path

_DATE = (2024, 1, 1, 0, 0, 0)


def make_wheel(
    folder: Path,
    label: str,
    *requires: str,
    files: Mapping[str, str] | None = None,
    extras: tuple[str, ...] = (),
    python: str = "",
    tag: str = "py3-none-any",
) -> Path:
    """A wheel: make_wheel(folder, "protobuf 3.20.1", "six>=1"); it holds one module unless `files` says otherwise."""
    name, _, version = label.partition(" ")
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    held = {f"{name.replace('-', '_')}.py": f"version = {version!r}\n"} if files is None else dict(files)
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    metadata += [f"Requires-Dist: {one}" for one in requires] + [f"Provides-Extra: {one}" for one in extras]
    metadata += [f"Requires-Python: {python}"] if python else []
    held[f"{info}/METADATA"] = "\n".join(metadata) + "\n"
    held[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n"
    rows = [f"{path},sha256={_digest(text)},{len(text.encode())}" for path, text in held.items()]
    held[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""])
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in held.items():
            archive.writestr(zipfile.ZipInfo(path, _DATE), text)
    return wheel


def simple_index(root: Path, wheels: Path, yanked: Mapping[str, str] | None = None) -> Path:
    """Pages of a simple index for the wheels of a folder; `yanked` holds reasons by file name (PEP 592)."""
    by_name: dict[str, list[Path]] = {}
    for wheel in sorted(wheels.glob("*.whl")):
        by_name.setdefault(wheel.name.split("-")[0].replace("_", "-").lower(), []).append(wheel)
    for name, found in by_name.items():
        page = root / name / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        lines = [_link(page.parent, one, (yanked or {}).get(one.name)) for one in found]
        page.write_text("<!DOCTYPE html><html><body>" + "\n".join(lines) + "</body></html>", "utf-8")
    return root


def _link(folder: Path, wheel: Path, reason: str | None) -> str:
    copy = folder / wheel.name
    copy.write_bytes(wheel.read_bytes())
    digest = hashlib.sha256(copy.read_bytes()).hexdigest()
    yanked = "" if reason is None else f' data-yanked="{escape(reason)}"'
    return f'<a href="{wheel.name}#sha256={digest}"{yanked}>{wheel.name}</a><br>'


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
