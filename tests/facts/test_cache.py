from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.facts.cache import FactsCache

KEY = {"image": "sha256:1", "what": "inventory"}


def test_facts_are_found_by_their_whole_key(tmp_path: Path) -> None:
    cache = FactsCache(folder=tmp_path)
    assert cache.keep(KEY, {"a": 1}, 2.5) == ""
    found = cache.find(KEY)
    assert found
    assert (found.facts, found.seconds) == ({"a": 1}, 2.5)
    assert cache.find({**KEY, "image": "sha256:2"}) is None


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"key":{},"collected_at":"","seconds":0,"facts":{}}'])
def test_a_damaged_entry_is_no_entry(tmp_path: Path, damage: bytes) -> None:
    cache = FactsCache(folder=tmp_path)
    cache.keep(KEY, {"a": 1}, 0)
    next(tmp_path.iterdir()).write_bytes(damage)
    told: list[str] = []
    assert cache.find(KEY, told.append) is None
    assert len(told) == 1
    assert "damaged, and were collected afresh" in told[0]


def test_a_bit_that_changed_makes_an_entry_damaged(tmp_path: Path) -> None:
    cache = FactsCache(folder=tmp_path)
    cache.keep(KEY, {"version": "1.26.4"}, 0)
    file = next(tmp_path.iterdir())
    file.write_bytes(file.read_bytes().replace(b"1.26.4", b"1.26.5"))
    assert cache.find(KEY) is None


def test_an_entry_that_is_not_there_is_nothing_to_tell(tmp_path: Path) -> None:
    assert FactsCache(folder=tmp_path).find(KEY, pytest.fail) is None


def test_a_folder_that_cannot_be_written_is_told_and_not_fatal(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert "could not be kept" in FactsCache(folder=blocked / "facts").keep(KEY, {}, 0)


def test_a_disabled_cache_finds_nothing(tmp_path: Path) -> None:
    FactsCache(folder=tmp_path).keep(KEY, {}, 0)
    assert FactsCache(folder=tmp_path, enabled=False).find(KEY) is None
