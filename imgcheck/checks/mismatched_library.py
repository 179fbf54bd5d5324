"""IC504: a CUDA library would be loaded from another place than the one it was shipped with, or from two places."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.compiled import Fitted, fitted_libraries, questions_of
from imgcheck.diagnosis.gpu_code import numbers
from imgcheck.diagnosis.owning import label_of
from imgcheck.facts.model import Facts
from imgcheck.facts.native import NativeFile, NeededLibrary
from imgcheck.outcome import Fault, Judgement

# The libraries that check the version they were compiled against, or share state in a process: NVIDIA's manuals of
# cuDNN (cudnnGetVersion), NCCL, cuBLAS, and CUDA's runtime.
_SHARED = re.compile(r"lib(?:cudnn\w*|nccl|cublas|cublasLt|cudart|cusparse|cusolver|cufft|curand)\.so\.[\d.]+")
_NUMBER = re.compile(r"\.so\.(\d+(?:\.\d+)+)$")
_SHOWN = 8


def judge(contract: Contract, facts: Facts) -> Judgement:
    places: defaultdict[str, defaultdict[str, list[NativeFile]]] = defaultdict(lambda: defaultdict(list))
    shadowed: list[tuple[NativeFile, NeededLibrary]] = []
    for file in facts.native.files if facts.native else ():
        for library in file.needed:
            if library.found and _SHARED.fullmatch(library.name):
                places[library.name][library.found].append(file)
                if library.shadows:
                    shadowed.append((file, library))
    fitted = fitted_libraries(facts)
    untold = sum(one.fits is None for one in fitted)
    return Judgement(
        examined=len(places) + len(fitted) - untold,
        unit="CUDA libraries",
        faults=(
            *_shadowings(facts, shadowed),
            *_copies(facts, places),
            *(_unfit(facts, one) for one in fitted if one.fits is False),
            *(_loaded_twice(facts, one) for one in fitted if len(one.paths) > 1),
            *_unasked(contract, facts),
        ),
        passed_over=((("of which it is not told what they were compiled against", untold),) if untold else ()),
    )


def _unasked(contract: Contract, facts: Facts) -> Iterator[Fault]:
    """What would have been asked, where nothing could be."""
    for module in questions_of(contract, facts.inventory) if facts.questions is None else ():
        yield Fault(
            subject=module,
            summary=f"{module} was not asked which libraries it was compiled against and loads",
            actual="it was not imported",
            remedy="See the notice on why it could not be asked.",
            identity="not asked",
            unverified=True,
        )


def _unfit(facts: Facts, one: Fitted) -> Fault:
    """The rule is the library's own: the same major version, and a minor that is not older."""
    compiled, loaded = _dotted(one.compiled), _dotted(one.loaded)
    return Fault(
        subject=f"{one.owner} -> {one.library}",
        summary=f"{label_of(facts.inventory, one.owner)} was compiled against {one.library} {compiled}, loads {loaded}",
        expected=f"{one.library} {compiled}, or a newer minor version",
        actual=f"{loaded}, from {', '.join(one.paths) or 'a file that is not known'}",
        remedy=f"Install the {one.library} that {one.owner} asks for, and take others out of LD_LIBRARY_PATH.",
        identity=f"{compiled} {loaded}",
    )


def _loaded_twice(facts: Facts, one: Fitted) -> Fault:
    return Fault(
        subject=f"{one.owner} -> {one.library}",
        summary=f"The import of {label_of(facts.inventory, one.owner)} loads {len(one.paths)} copies of {one.library}",
        expected="one copy",
        actual=", ".join(one.paths),
        remedy=f"Install builds that share one {one.library}, or take the other copy's folder out of LD_LIBRARY_PATH.",
        identity="two loaded",
    )


def _dotted(version: tuple[int, ...] | None) -> str:
    return ".".join(map(str, version or ()))


def _shadowings(facts: Facts, shadowed: list[tuple[NativeFile, NeededLibrary]]) -> Iterator[Fault]:
    """RUNPATH comes after LD_LIBRARY_PATH: what the variable leads to is taken in place of what was shipped."""
    groups: defaultdict[tuple[str, str], list[tuple[NativeFile, NeededLibrary]]] = defaultdict(list)
    for file, library in shadowed:
        groups[file.distribution or file.name, library.name].append((file, library))
    for (owner, name), found in sorted(groups.items()):
        library = found[0][1]
        taken, shipped = _version(facts, library.found or ""), _version(facts, library.shadows)
        older = bool(taken and shipped and numbers(taken) < numbers(shipped))
        yield Fault(
            subject=f"{owner} -> {name}",
            summary=f"{label_of(facts.inventory, owner)} is shipped with {name}{_told(shipped)}, and LD_LIBRARY_PATH "
            f"makes it load {library.found}{_told(taken)}",
            expected=library.shadows,
            actual=f"{library.found}, by LD_LIBRARY_PATH",
            remedy=f"Take {(library.found or '').rpartition('/')[0]} out of LD_LIBRARY_PATH, or install the version "
            f"there that {owner} was built with.",
            evidence="\n".join(dict.fromkeys(file.path for file, _ in found[:_SHOWN])),
            identity=f"{taken} {shipped}",
            note=not older,
        )


def _copies(facts: Facts, places: defaultdict[str, defaultdict[str, list[NativeFile]]]) -> Iterator[Fault]:
    """Whoever loads its copy first decides for the whole process."""
    for name, found in sorted(places.items()):
        if len(found) > 1:
            told = [
                f"{path}{_told(_version(facts, path))} for {_owners(files)}" for path, files in sorted(found.items())
            ]
            yield Fault(
                subject=name,
                summary=f"{name} would be loaded from {len(found)} places: in one process the first one serves all",
                expected="one copy",
                actual="; ".join(told),
                remedy=f"Where these are used in one process, install builds that share one {name.partition('.')[0]}.",
                evidence="\n".join(told),
                identity="copies",
                note=True,
            )


def _owners(files: list[NativeFile]) -> str:
    return ", ".join(dict.fromkeys(one.distribution or one.name for one in files))


def _version(facts: Facts, path: str) -> str:
    """By the file's own number, or by the distribution that owns it; empty where neither tells."""
    number = _NUMBER.search(path)
    if number:
        return number[1]
    owner = next((one.distribution for one in (facts.native.files if facts.native else ()) if one.path == path), "")
    found = facts.inventory.find(owner) if owner else None
    return found.version if found else ""


def _told(version: str) -> str:
    return f" ({version})" if version else ""


CHECK = Check(
    code="IC504",
    name="mismatched-library",
    summary="A CUDA library would be loaded from another place than the one it was shipped with, or from two",
    needs=Needs.NATIVE,
    applies=lambda contract: bool(contract.native or contract.gpu),
    judge=judge,
)
