"""Random sets of small wheels, damaged at random: the right finding comes out each time, and only it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from imgcheck.checks import CHECKS, Needs
from imgcheck.collector.shadows import shadows
from imgcheck.facts.model import Facts
from imgcheck.facts.surroundings import Shadow, Surroundings
from tests.checks.build_facts import a_contract
from tests.small_wheels import SUFFIXES, facts_of, install

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon")
Finding = tuple[str, str]
Damage = Callable[[Path, str], set[Finding]]


def files_of(name: str, modules: int) -> dict[str, str]:
    texts = {f"{name}/part{number}.py": f"VALUE = {number}  # of {name}\n" for number in range(modules)}
    return {f"{name}/__init__.py": f"NAME = {name!r}\n", f"{name}/data.json": "{}", **texts}


def delete(site: Path, name: str) -> set[Finding]:
    (site / name / "part0.py").unlink()
    return {("IC202", name)}


def truncate(site: Path, name: str) -> set[Finding]:
    (site / name / "part0.py").write_text("")
    return {("IC204", name)}


def swap(site: Path, name: str) -> set[Finding]:
    """Other content of the same size, by a later step."""
    path = site / name / "part0.py"
    path.write_text(path.read_text().replace("VALUE", "EULAV"))
    os.utime(path, (2e9, 2e9))
    return {("IC204", name)}


def overwrite(site: Path, name: str) -> set[Finding]:
    """Another distribution brings one of its files."""
    install(site, f"zeta_{name}", "1", {f"{name}/part0.py": "OTHER = 1\n"})
    return {("IC203", f"{name}, zeta-{name}")}


def duplicate(site: Path, name: str) -> set[Finding]:
    """Another version over it, the first one's metadata still there."""
    install(site, name, "2.0", {**files_of(name, 1), f"{name}/part0.py": "VALUE = 'of version 2'\n"})
    return {("IC106", name)}


def copy(site: Path, name: str) -> set[Finding]:
    """A copy by hand, which nobody owns."""
    shutil.copytree(site / name, site / f"copy_of_{name}")
    return {("IC207", f"copy_of_{name}")}


def slim(site: Path, name: str) -> set[Finding]:
    """Harmless: bytecode comes and goes."""
    (site / name / "__pycache__").mkdir()
    (site / name / "__pycache__" / "part0.cpython-311.pyc").write_bytes(b"x")
    return set()


def dangle(site: Path, name: str) -> set[Finding]:
    (site / f"{name}.pth").write_text(f"/nowhere/{name}\n")
    return {("IC205", f"{name}.pth")}


def shadow(site: Path, name: str) -> set[Finding]:
    """A module of the same name beside the entry script."""
    app = site.parents[1] / "app"
    app.mkdir(exist_ok=True)
    (app / f"{name}.py").write_text("")
    return {("IC206", name)}


DAMAGES: tuple[Damage, ...] = (delete, truncate, swap, overwrite, duplicate, copy, slim, dangle, shadow)


def broken(facts: Facts) -> set[Finding]:
    return {
        (check.code, fault.subject)
        for check in CHECKS
        if check.needs is Needs.FILES or check.code == "IC206"
        for fault in check.judge(a_contract(), facts).faults
        if not fault.note and not fault.unverified
    }


@settings(max_examples=60, deadline=None)
@given(
    modules=st.lists(st.integers(1, 4), min_size=len(NAMES), max_size=len(NAMES)),
    damages=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(DAMAGES), max_size=4),
)
def test_each_damage_is_told_and_nothing_else(modules: list[int], damages: dict[str, Damage]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "lib", "site-packages")
        for name, count in zip(NAMES, modules, strict=True):
            install(site, name, "1.0", files_of(name, count))
        expected: set[Finding] = set()
        for name, damage in damages.items():
            expected |= damage(site, name)
        facts = facts_of(site)
        fronts = [(str(site.parents[1] / "app"), "entry script")]
        hidden = [Shadow.model_validate(one) for one in shadows(fronts, [str(site)], SUFFIXES)]
        surroundings = Surroundings(fronts=tuple(fronts), shadows=tuple(hidden))
        assert broken(facts.model_copy(update={"surroundings": surroundings})) == expected
