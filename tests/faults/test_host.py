"""This machine's own disks, folders and clock."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import PlaceFor
from tests.faults.harness import Place, as_root, build_of, verdicts
from tests.faults.table import HOST, KEPT_FACTS, Fault
from tests.faults.telling import as_told

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(not as_root(), reason="small and read-only disks are mounted by root"),
]
FEW = ("--select", "missing-pin,missing-file,duplicate-metadata")
Mount = Callable[[Path, str], None]


def of(name: str) -> Fault:
    (found,) = (one for one in (*HOST, *KEPT_FACTS) if one.name == name)
    return found


@pytest.fixture
def mount() -> Iterator[Mount]:
    """Mounts a disk of memory, with options."""
    mounted: list[Path] = []

    def make(path: Path, options: str) -> None:
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=True)
        mounted.append(path)

    yield make
    for one in mounted:
        subprocess.run(["umount", str(one)], check=True)


def test_facts_that_cannot_be_kept_are_told(place_for: PlaceFor, mount: Mount) -> None:
    place = place_for()
    mount(place.root / "cache", "size=4k")
    ran = place.run(place.check(*FEW))
    as_told(of("disk full: cache folder"), ran)
    assert ran.left == ()


def test_a_cache_that_is_read_only_is_told(place_for: PlaceFor, mount: Mount) -> None:
    place = place_for()
    mount(place.root / "cache", "ro")
    ran = place.run(place.check(*FEW))
    as_told(of("cache folder read-only"), ran)
    assert ran.left == ()


def test_a_report_is_whole_or_as_it_was(place_for: PlaceFor, mount: Mount) -> None:
    place = place_for()
    mount(place.report.parent, "size=4k")
    place.report.write_text("an older one")
    ran = place.run(place.check(*FEW))
    as_told(of("disk full: report folder"), ran)
    assert (place.report.read_text(), ran.left) == ("an older one", ())
    assert "KEPT" in ran.out


def test_a_report_that_goes_nowhere_is_no_pass(place_for: PlaceFor) -> None:
    place = place_for()
    ran = place.run(["sh", "-c", 'exec "$@" > /dev/full', "sh", *place.check(*FEW)])
    as_told(of("standard output full"), ran)
    assert ran.left == ()
    assert json.loads(place.report.read_text())["exit_code"] == 0


def test_a_reader_that_has_enough_is_no_fault(place_for: PlaceFor) -> None:
    place = place_for()
    words = " ".join(f"'{one}'" for one in place.check("--format", "html", *FEW))
    ran = place.run(["sh", "-c", f"({words}; echo code $? >&2) | true"])
    as_told(of("standard output closed"), ran)
    assert ran.left == ()


def test_a_build_without_temporary_files_is_told(place_for: PlaceFor, mount: Mount, slow: str) -> None:
    place = place_for()
    mount(place.root / "tmp", "size=8k")
    ran = place.run(build_of(place, slow))
    as_told(of("disk full: TMPDIR"), ran)
    assert ran.left == ()


READ_ONLY = "mount --bind /tmp /tmp; mount -o remount,ro,bind /tmp; mount -t tmpfs -o ro tmpfs /var/tmp"


def test_a_check_needs_no_temporary_files(place_for: PlaceFor) -> None:
    place = place_for()
    if not place.root.is_relative_to("/tmp"):
        pytest.skip("its folders are not below /tmp, which is made read-only")
    ran = place.run(["imgcheck", "check", place.image, "-c", str(place.contract), *FEW], READ_ONLY)
    as_told(of("/tmp and all else read-only, in a check"), ran)
    assert ran.left == ()


def test_a_build_needs_temporary_files(place_for: PlaceFor, slow: str) -> None:
    place = place_for()
    if not place.root.is_relative_to("/tmp"):
        pytest.skip("its folders are not below /tmp, which is made read-only")
    command = [one for one in build_of(place, slow) if "report" not in one]
    ran = place.run(command, READ_ONLY)
    as_told(of("/tmp and all else read-only, in a build"), ran)
    assert ran.left == ()


BACK = """
import time
began, told = time.monotonic(), time.time
time.time = lambda: told() - (86400 if time.monotonic() - began > 1 else 0)
"""


def test_a_clock_that_goes_back_changes_nothing(place_for: PlaceFor) -> None:
    place = place_for()
    (place.root / "site").mkdir()
    (place.root / "site" / "sitecustomize.py").write_text(BACK)
    place.environment["PYTHONPATH"] = f"{place.root / 'site'}:{place.variables().get('PYTHONPATH', '')}"
    ran = place.run(place.check(*FEW))
    as_told(of("clock goes back"), ran)
    assert ran.left == ()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda content: content[: len(content) // 2],
    "empty": lambda _: b"",
    "zeros": lambda content: bytes(len(content)),
    "a bit changed": lambda content: content.replace(b'"version":"1.0"', b'"version":"1.1"').replace(b"slow", b"slop"),
}


@pytest.fixture(scope="module")
def kept(place_for_module: Place) -> Place:
    """A run that kept its facts."""
    ran = place_for_module.run(place_for_module.check(*FEW))
    assert ran.code == 0, ran.err + ran.out
    return place_for_module


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_no_fact(damage: str, kept: Place, place_for: PlaceFor) -> None:
    place = place_for()
    for entry in (kept.root / "cache").glob("*.json"):
        changed = DAMAGES[damage](entry.read_bytes())
        (place.root / "cache" / entry.name).write_bytes(changed)
    ran = place.run(place.check(*FEW))
    as_told(of(f"facts entries: {damage}"), ran)
    assert verdicts(place.report) == verdicts(kept.report)
    assert ran.left == ()


def test_a_folder_in_an_entrys_place_is_told(kept: Place, place_for: PlaceFor) -> None:
    place = place_for()
    for entry in (kept.root / "cache").glob("*.json"):
        (place.root / "cache" / entry.name).mkdir()
    ran = place.run(place.check(*FEW))
    as_told(of("facts entries: a folder each"), ran)
    assert ran.left == ()


@pytest.mark.parametrize("damage", ["truncated", "empty"])
def test_a_damaged_last_report_is_told(damage: str, kept: Place, place_for: PlaceFor) -> None:
    place = place_for()
    last = place.root / "cache" / "last-report.json"
    last.write_bytes(DAMAGES[damage]((kept.root / "cache" / "last-report.json").read_bytes()))
    ran = place.run(["imgcheck", "explain", "IC101-dbf62716"])
    as_told(of(f"last report: {damage}"), ran)
