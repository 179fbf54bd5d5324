"""Where modules came from, and what a user may not read; root looks with another user's eyes."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from imgcheck.checks.unreadable_module import judge
from imgcheck.collector.access import closed_entries, unreadable
from imgcheck.collector.distributions import find_distributions
from imgcheck.collector.locations import Locations
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.facts.model import Facts
from tests.checks.build_facts import a_contract, dist, facts, module, python
from tests.local_engine import LocalEngine, an_image


@pytest.fixture
def site() -> Iterator[Path]:
    """A folder that every user may go to, which pytest's own is not."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def an_outsider() -> Iterator[None]:
    root = os.geteuid() == 0
    if root:
        os.setegid(1234)
        os.seteuid(1234)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
            os.setegid(0)


def install(site: Path, name: str = "requests") -> None:
    (site / name).mkdir()
    (site / name / "__init__.py").write_text("", "utf-8")
    (site / name / "api.py").write_text("", "utf-8")
    metadata = site / f"{name}-2.32.3.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: {name}\nVersion: 2.32.3\n", "utf-8")
    (metadata / "RECORD").write_text(f"{name}/__init__.py,,\n{name}/api.py,,\n{name}/gone.py,,\n", "utf-8")


def seen_by_an_outsider(site: Path) -> dict[str, Any]:
    with an_outsider():
        (distribution,) = find_distributions([str(site)])
        return unreadable(distribution)


def test_what_can_be_read_or_is_missing_is_no_trouble(site: Path) -> None:
    install(site)
    assert seen_by_an_outsider(site) == {"unreadable": [], "unreadable_files": 0}


def test_metadata_in_a_single_file_has_none_below_it(site: Path) -> None:
    """As Debian has it for some."""
    (site / "sympy-1.11.1.egg-info").write_text("Name: sympy\nVersion: 1.11.1\n", "utf-8")
    assert seen_by_an_outsider(site) == {"unreadable": [], "unreadable_files": 0}


def test_j02_a_package_and_its_metadata_installed_with_umask_077(site: Path) -> None:
    install(site)
    (site / "requests").chmod(0o000)
    (site / "requests-2.32.3.dist-info").chmod(0o000)
    told = seen_by_an_outsider(site)
    assert told["unreadable"] == [str(site / "requests-2.32.3.dist-info"), str(site / "requests")]


@pytest.mark.parametrize(("mode", "files"), [(0o000, 3), (0o311, 3)], ids=["closed", "not to be listed"])
def test_a_closed_package_is_named_and_its_files_counted(site: Path, mode: int, files: int) -> None:
    install(site)
    (site / "requests").chmod(mode)
    assert seen_by_an_outsider(site) == {"unreadable": [str(site / "requests")], "unreadable_files": files}


def test_a_closed_file_is_named(site: Path) -> None:
    install(site)
    (site / "requests" / "api.py").chmod(0o000)
    assert seen_by_an_outsider(site)["unreadable"] == [str(site / "requests" / "api.py")]


def test_closed_folders_of_the_path_are_told(site: Path) -> None:
    (site / "closed").mkdir(mode=0o000)
    with an_outsider():
        assert closed_entries([str(site), str(site / "closed"), "/nowhere.zip"]) == [str(site / "closed")]


# Where a module is ---------------------------------------------------------------------------------------------------


def located(site: Path, name: str, path: Path, file: str | None, *more: Path) -> dict[str, Any] | None:
    locations = Locations([*map(str, more), str(site)])
    return locations.of({"module": name, "path": str(path), "file": file, "status": "ok"})


def test_nothing_more_is_told_of_a_module_from_its_listed_file(site: Path) -> None:
    install(site)
    path = site / "requests" / "api.py"
    assert located(site, "requests.api", path, str(path)) is None
    assert located(site, "requests", site / "requests", None) is None  # a namespace
    assert Locations([]).of({"module": "x", "path": "/x.py", "file": None, "status": "exception"}) is None


def test_a_module_that_replaced_itself_is_found_at_its_place(site: Path) -> None:
    install(site)
    path = site / "requests" / "api.py"
    expected = {"readable": True, "same": False, "found": str(path), "found_same": True}
    assert located(site, "requests.api", path, None) == expected


def test_a_linked_folder_is_the_same_place(site: Path) -> None:
    install(site)
    link = site / "lib64"
    link.symlink_to(site)
    told = located(site, "requests.api", site / "requests/api.py", str(link / "requests/api.py"))
    assert told
    assert told["same"]


def test_a_file_that_comes_earlier_on_the_path_wins(site: Path) -> None:
    install(site)
    first = site / "first"
    first.mkdir()
    install(first)
    wins = first / "requests" / "__init__.py"
    told = located(site, "requests", site / "requests/__init__.py", str(wins), first)
    assert told == {"readable": True, "same": False, "found": str(wins), "found_same": False}


def test_an_unreadable_folder_is_found_as_a_namespace(site: Path) -> None:
    install(site)
    (site / "requests").chmod(0o000)
    with an_outsider():
        told = located(site, "requests", site / "requests/__init__.py", None)
    assert told == {"readable": False, "same": False, "found": str(site / "requests"), "found_same": False}
    known: Facts = facts(
        dist("requests 2.32.3"),
        modules=[module("requests", "requests", path=str(site / "requests/__init__.py"), located=told)],
        interpreter=python(uid=1234),
    )
    assert judge(a_contract(imports=True), known).faults


def test_the_real_collector_finds_nothing_amiss_here(tmp_path: Path) -> None:
    collector = Collector(engine=LocalEngine(sys.executable), cache=FactsCache(folder=tmp_path))
    inventory = collector.inventory(an_image())
    assert inventory.interpreter.closed == ()
    assert not any(one.unreadable_files for one in inventory.distributions)
