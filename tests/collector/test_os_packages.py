"""Databases of package managers, as Debian, distroless images and Alpine write them."""

from __future__ import annotations

from pathlib import Path

from imgcheck.collector import os_packages as module
from imgcheck.collector.os_packages import os_packages

STATUS = """Package: libc6
Status: install ok installed
Version: 2.36-9+deb12u9
Description: GNU C Library
 Version: not this one

Package: gone
Status: deinstall ok config-files
Version: 1.0

Package: held
Status: hold ok installed
Version: 2:1.2
"""
APK = "C:Q1\nP:musl\nV:1.2.5-r0\nA:x86_64\n\nP:busybox\nV:1.36.1-r29\n"


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_dpkg_tells_what_is_installed_and_no_removed_package(tmp_path: Path) -> None:
    write(tmp_path, "var/lib/dpkg/status", STATUS)
    found = os_packages(str(tmp_path))
    assert found == {"manager": "dpkg", "packages": [("held", "2:1.2"), ("libc6", "2.36-9+deb12u9")], "problem": ""}


def test_distroless_images_keep_a_file_a_package(tmp_path: Path) -> None:
    write(tmp_path, "var/lib/dpkg/status.d/base", "Package: base-files\nVersion: 12.4\n")
    write(tmp_path, "var/lib/dpkg/status.d/base.md5sums", "x  y")
    assert os_packages(str(tmp_path))["packages"] == [("base-files", "12.4")]


def test_apk(tmp_path: Path) -> None:
    write(tmp_path, "lib/apk/db/installed", APK)
    assert os_packages(str(tmp_path))["packages"] == [("busybox", "1.36.1-r29"), ("musl", "1.2.5-r0")]


def test_an_image_without_a_database_has_none(tmp_path: Path) -> None:
    assert os_packages(str(tmp_path)) == {"manager": "", "packages": [], "problem": ""}


def rpm(folder: Path, body: str) -> str:
    program = folder / "rpm"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return str(program)


def test_rpm_is_asked_and_epoch_zero_is_left_out(tmp_path: Path) -> None:
    answer = r"printf 'glibc\t0:2.34-60.el9\tx86_64\nvim\t2:8.2-1\tx86_64\ngpg-pubkey\t0:1-1\t(none)\n'"
    found = module._rpm(rpm(tmp_path, answer))
    assert found == {"manager": "rpm", "packages": [("glibc", "2.34-60.el9"), ("vim", "2:8.2-1")], "problem": ""}


def test_an_rpm_that_fails_is_a_problem(tmp_path: Path) -> None:
    found = module._rpm(rpm(tmp_path, "echo no database >&2; exit 3"))
    assert found["problem"] == "rpm ended with status 3: no database"
    assert "could not be asked" in module._rpm(str(tmp_path / "none"))["problem"]
