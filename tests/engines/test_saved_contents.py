"""What an archive holds of distributions, merged as an engine merges layers."""

from __future__ import annotations

import hashlib

import pytest

from imgcheck.engines.saved_contents import read_contents
from imgcheck.errors import CollectorError
from imgcheck.facts.contents import Contents
from tests.engines.test_saved import HISTORY, SITE, chunks, saved, tar

LOWER = tar({f"{SITE}/a-1.dist-info/METADATA": b"Name: a", f"{SITE}/a.py": b"x", f"{SITE}/old/b.py": b"#!y"})
UPPER = tar({f"{SITE}/.wh.a-1.dist-info": b"", f"{SITE}/old/.wh..wh..opq": b"", f"{SITE}/a.py": b"changed"})


def read(*layers: bytes) -> Contents:
    return read_contents(chunks(saved(*layers, history=HISTORY)), ())


def test_one_layer() -> None:
    found = read(LOWER)
    assert found.texts == {f"{SITE}/a-1.dist-info/METADATA": b"Name: a"}
    assert found.files[f"{SITE}/a.py"].digest == hashlib.sha256(b"x").hexdigest()
    assert found.files[f"{SITE}/old/b.py"].script


def test_whiteouts_and_changed_files() -> None:
    found = read(LOWER, UPPER)
    assert (found.texts, set(found.files)) == ({}, {f"{SITE}/a.py"})
    assert found.files[f"{SITE}/a.py"].digest == hashlib.sha256(b"changed").hexdigest()


def test_links_are_followed_inside_the_image() -> None:
    found = read(tar({}, {"opt/venv/lib64": "lib", "here": "../../../etc", "loop": "loop", "up": "/opt/venv"}))
    assert found.real("/opt/venv/lib64/x") == "opt/venv/lib/x"
    assert found.real("/here/passwd") == "etc/passwd"
    assert found.real("/up/lib64/y") == "opt/venv/lib/y"
    assert found.real("/loop/z") == "loop/z"


def test_what_is_no_archive() -> None:
    with pytest.raises(CollectorError, match="layers cannot be read"):
        read_contents(chunks(b"nonsense" * 300), ())
