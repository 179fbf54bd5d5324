"""Packages of the operating system, as dpkg, apk and rpm record them. Files are read; of rpm, its own program is asked.

Formats: deb-control(5) in /var/lib/dpkg/status and status.d (distroless images); apk's "installed" database, "P:" and
"V:" lines; for rpm, `rpm -qa`, because its database has several formats.
Floor: Python 3.8.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
from typing import Any, Dict, Iterator

_DPKG = ("/var/lib/dpkg/status",)
_DPKG_MORE = "/var/lib/dpkg/status.d/*"
_APK = "/lib/apk/db/installed"
_RPM = ("-qa", "--qf", "%{NAME}\\t%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\t%{ARCH}\\n")
_LARGEST = 1 << 27
_SECONDS = 120

Facts = Dict[str, Any]


def os_packages(root: str = "/") -> Facts:
    """{"manager": "dpkg", "apk", "rpm" or "", "packages": [[name, version]], "problem"}."""
    dpkg = [_under(root, one) for one in _DPKG] + sorted(glob.glob(_under(root, _DPKG_MORE)))
    texts = [_text(one) for one in dpkg if os.path.isfile(one) and not one.endswith(".md5sums")]
    if texts:
        found = {pair for text in texts for pair in _dpkg(text)}
        return {"manager": "dpkg", "packages": sorted(found), "problem": ""}
    if os.path.isfile(_under(root, _APK)):
        return {"manager": "apk", "packages": sorted(set(_apk(_text(_under(root, _APK))))), "problem": ""}
    program = shutil.which("rpm") if root == "/" else None
    if program:
        return _rpm(program)
    return {"manager": "", "packages": [], "problem": ""}


def _under(root: str, path: str) -> str:
    return os.path.join(root, path.lstrip("/"))


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read(_LARGEST)


def _dpkg(text: str) -> Iterator[tuple[str, str]]:
    """Of each paragraph name and version, where it is installed; status.d has no Status line."""
    for paragraph in text.split("\n\n"):
        fields: dict[str, str] = {}
        for line in paragraph.split("\n"):
            key, colon, value = line.partition(":")
            if colon and line[:1] not in (" ", "\t"):
                fields.setdefault(key.lower(), value.strip())
        if "package" in fields and fields.get("status", "install ok installed").endswith(" installed"):
            yield fields["package"], fields.get("version", "")


def _apk(text: str) -> Iterator[tuple[str, str]]:
    for paragraph in text.split("\n\n"):
        fields = dict(line.split(":", 1) for line in paragraph.split("\n") if line[1:2] == ":")
        if "P" in fields:
            yield fields["P"], fields.get("V", "")


def _rpm(program: str) -> Facts:
    try:
        done = subprocess.run(
            [program, *_RPM], stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        return {"manager": "rpm", "packages": [], "problem": f"rpm could not be asked: {error}"}
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip()[-500:]
        return {"manager": "rpm", "packages": [], "problem": f"rpm ended with status {done.returncode}: {words}"}
    rows = [line.split("\t") for line in done.stdout.decode("utf-8", "surrogateescape").splitlines()]
    found = {(row[0], row[1][2:] if row[1].startswith("0:") else row[1]) for row in rows if len(row) == 3}
    return {"manager": "rpm", "packages": sorted(one for one in found if one[0] != "gpg-pubkey"), "problem": ""}
