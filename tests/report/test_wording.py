from __future__ import annotations

import pytest

from imgcheck.report.wording import counted, duration, moment, short_digest


@pytest.mark.parametrize(
    ("number", "unit", "words"),
    [
        (1, "modules", "1 module"),
        (0, "modules", "0 modules"),
        (5312, "modules", "5,312 modules"),
        (1, "libraries", "1 library"),
        (1, "classes", "1 class"),
        (1, "patches", "1 patch"),
        (1, "files in the image", "1 file in the image"),
        (1, "software", "1 software"),
    ],
)
def test_counted(number: int, unit: str, words: str) -> None:
    assert counted(number, unit) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.04, "0.0 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.6, "1 min 0 s"), (185, "3 min 5 s")]
)
def test_duration(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_moment() -> None:
    assert moment("2026-11-29T12:00:31.5+00:00") == "2026-11-29 12:00"
    assert moment("yesterday") == "yesterday"


def test_short_digest() -> None:
    assert short_digest("sha256:" + "ab" * 32) == "sha256:abababababab"
    assert short_digest("latest") == "latest"
