"""IC403: a native file was built against a newer C or C++ library than the image has."""

from __future__ import annotations

import re
from collections import defaultdict

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.loading import Loading, loadings_of
from imgcheck.diagnosis.owning import label_of
from imgcheck.facts.model import Facts
from imgcheck.facts.native import MissingVersion
from imgcheck.outcome import Fault, Judgement

_SHOWN = 8
# Version families of the GNU C and C++ libraries: the symbol versions in their own map files,
# https://sourceware.org/glibc/wiki/Glibc%20Timeline and https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html
_SYSTEM = {"GLIBC": "glibc", "GLIBCXX": "libstdc++", "CXXABI": "libstdc++", "GCC": "libgcc", "GFORTRAN": "libgfortran"}


def judge(_contract: Contract, facts: Facts) -> Judgement:
    loadings = loadings_of(facts)
    groups: defaultdict[tuple[str, str], list[tuple[Loading, MissingVersion]]] = defaultdict(list)
    for one in loadings.all:
        for version in one.versions:
            asker = one.file.distribution or one.file.name
            groups[asker, version.library.rpartition("/")[2]].append((one, version))
    waiting = sum(bool(one.libraries) for one in loadings.all)
    return Judgement(
        examined=loadings.judged - waiting,
        unit="native files",
        faults=tuple(_fault(facts, asker, library, lacks) for (asker, library), lacks in sorted(groups.items())),
        passed_over=(
            *loadings.passed_over(),
            *((("lack a library: see missing-library", waiting),) if waiting else ()),
        ),
    )


def _fault(facts: Facts, asker: str, library: str, lacks: list[tuple[Loading, MissingVersion]]) -> Fault:
    lack = max((version for _, version in lacks), key=lambda one: _numbers(one.version))
    label = label_of(facts.inventory, asker)
    file = next(one for one, version in lacks if version is lack).file
    has = f"ends at {lack.newest}" if lack.newest else "has none of that kind"
    return Fault(
        subject=f"{asker} -> {library}",
        summary=f"{label} needs {library} with {lack.version}, and the image's {has}: {file.name} cannot be loaded",
        expected=f"{library} that defines {lack.version}",
        actual=f"{lack.library} {has}",
        remedy=_remedy(asker, lack),
        evidence="\n".join(
            dict.fromkeys(f"{one.file.path} needs {version.version}" for one, version in lacks[:_SHOWN])
        ),
        identity=lack.version,
        note=all(one.optional for one, _ in lacks),
    )


def _remedy(asker: str, lack: MissingVersion) -> str:
    family = _SYSTEM.get(lack.version.rpartition("_")[0])
    if family == "glibc":
        return f"Build on a system with a newer glibc, or install a {asker} built for an older one (manylinux tag)."
    if family:
        return f"Install a newer {family}, or a {asker} built with an older compiler; look for an old copy of {family}."
    return f"Install a newer {lack.library.rpartition('/')[2]}, or a {asker} that was built against this one."


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


CHECK = Check(
    code="IC403",
    name="missing-symbol-version",
    summary="A native file needs a newer version of a library than the image has",
    needs=Needs.NATIVE,
    applies=lambda contract: bool(contract.native),
    judge=judge,
)
