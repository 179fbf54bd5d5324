"""Why there is no solution: all culprits, each with its chain and place, and the ways out that were really tried."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from packaging.utils import canonicalize_name

from imgcheck.build.conflicts import Clash, clashes_of, pin_of, wish_of
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.requirements import label, needs_of
from imgcheck.diagnosis.versions import allows, parse_version
from imgcheck.locking.lockfile import parse_lock
from imgcheck.locking.resolving import Bench, Question, Resolution
from imgcheck.requirements.files import RequirementLine

MOST: Final = 4
"""Culprits that are looked for; each costs a resolution, and its ways out two."""
_FROM: Final = re.compile(
    r"^\s*(?:Collecting|Processing|Requirement already satisfied:?|Using cached) (\S+).*?\(from (.*)\)\s*$",
    re.MULTILINE,
)
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


@dataclass(frozen=True, kw_only=True)
class Culprit:
    """One requirement against one pin. `chain` goes from what was asked for to who has the requirement."""

    clash: Clash
    chain: tuple[str, ...] = ()
    root: RequirementLine | None = None


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Sentences: what conflicts, and the ways out."""

    conflicts: tuple[str, ...]
    ways: tuple[str, ...]
    fixes: tuple[tuple[RequirementLine, str], ...] = ()
    """Lines that a way out replaces, with their new text."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """What was asked, by whom, and the lines that asked."""

    bench: Bench
    question: Question
    contract: Contract
    asked: tuple[RequirementLine, ...]
    places: Mapping[str, str]
    """Path in the question -> path of the user's."""


def explain(case: Case, failed: Resolution, *, ways: bool) -> Explanation | None:
    """None where the resolver's words tell no conflict with a pin."""
    culprits = tuple(_culprits(case, failed))
    if not culprits:
        return None
    outs = [_ways(case, one, culprits) for one in culprits] if ways else []
    return Explanation(
        conflicts=tuple(_told(case, one) for one in culprits),
        ways=tuple(sentence for sentences, _ in outs for sentence in sentences),
        fixes=tuple(fix for _, fixes in outs for fix in fixes),
    )


def _culprits(case: Case, failed: Resolution) -> Iterator[Culprit]:
    """A resolver stops at the first: what asked for it is taken out, and the rest resolved again."""
    question = case.question
    for _ in range(MOST):
        found = [_culprit(case, one, failed.log) for one in clashes_of(failed.log, case.contract)]
        yield from found
        roots = [one.root for one in found if one.root]
        if not roots or len(case.asked) < 2:
            return
        question = _without(question, roots, case)
        if not any(_bare(text) for name, text in question.texts.items() if name in question.inputs):
            return
        failed = case.bench.resolve(question)
        if failed.solved:
            return


def _culprit(case: Case, clash: Clash, log: str) -> Culprit:
    by = canonicalize_name(_name(clash.by)) if clash.by else clash.name
    chain = _chain(by, log)
    names = [canonicalize_name(_name(one)) for one in (*chain, by)]
    root = next((line for name in names for line in case.asked if line.name == name), None)
    return Culprit(clash=clash, chain=tuple(chain), root=root)


def _chain(name: str, log: str) -> list[str]:
    """Of "Collecting b (from a->-r r.in (line 1))": a."""
    for wanted, origin in _FROM.findall(log):
        if canonicalize_name(_name(_last(wanted))) == name:
            return [one for one in reversed(origin.split("->")) if not one.startswith("-")]
    return []


def _last(wanted: str) -> str:
    return wanted.rpartition("/")[2]


def _name(text: str) -> str:
    head = re.split(r"[<>=!~\[; (]", text, maxsplit=1)[0]
    wheel = re.match(r"([A-Za-z0-9._]+)-\d", head) if head.endswith((".whl", ".tar.gz")) else None
    match = _NAME.match(wheel[1] if wheel else head)
    return match[0] if match else text


def _told(case: Case, culprit: Culprit) -> str:
    place = f"{culprit.root.where}: " if culprit.root else ""
    way = f" (asked for by {' → '.join(culprit.chain)})" if culprit.chain else ""
    return f"{place}{wish_of(culprit.clash)}{way}, and {pin_of(culprit.clash, case.contract)}"


# Ways out -------------------------------------------------------------------------------------------------------------


def _ways(
    case: Case, culprit: Culprit, all_of_them: tuple[Culprit, ...]
) -> tuple[list[str], list[tuple[RequirementLine, str]]]:
    others = [one.root for one in all_of_them if one.root and one.root != culprit.root]
    told: list[str] = []
    fixes: list[tuple[RequirementLine, str]] = []
    root = culprit.root
    if root is not None and root.requirement is not None and root.requirement.specifier:
        loose = _loosened(case, _without(case.question, others, case), root)
        solved = case.bench.resolve(loose)
        entry = parse_lock(solved.text).find(root.name) if solved.solved else None
        if entry is not None:
            told.append(
                f"{root.name} {entry.version} fits (resolved): write it in {root.where} in place of {root.text}"
            )
            fixes.append((root, f"{_spelled(root)}=={entry.version}"))
        else:
            told.append(f"no version of {root.name} fits (resolved without {root.text!r})")
    told += _wider(case, culprit, others)
    return told, fixes


def _wider(case: Case, culprit: Culprit, others: list[RequirementLine]) -> list[str]:
    """The pin left out: what would be chosen, and whether the base's other distributions accept it."""
    name = culprit.clash.name
    free = replace(_without(case.question, others, case), constraints=_unpinned(case.question.constraints, name))
    solved = case.bench.resolve(free)
    entry = parse_lock(solved.text).find(name) if solved.solved else None
    version = parse_version(entry.version) if entry else None
    if version is None:
        return [f"leaving the pin of {name} out does not help"]
    needs = [need for need in needs_of(case.bench.inventory) if need.applies and need.name == name]
    refusing = [need for need in needs if need.requirement and not allows(need.requirement.specifier, version)]
    if not refusing:
        return [f"a base with {name} {version} would fit: nothing else in the base refuses it (resolved)"]
    listed = ", ".join(f"{label(need.owner)} (needs {need.bare})" for need in refusing[:4])
    return [f"{name} {version} would be chosen without the pin, and the base's {listed} refuses it"]


def _without(question: Question, lines: list[RequirementLine], case: Case) -> Question:
    return _edited(question, {(line.where.file, line.where.line): "" for line in lines}, case)


def _loosened(case: Case, question: Question, line: RequirementLine) -> Question:
    marker = f" ; {line.requirement.marker}" if line.requirement and line.requirement.marker else ""
    return _edited(question, {(line.where.file, line.where.line): f"{_spelled(line)}{marker}"}, case)


def _spelled(line: RequirementLine) -> str:
    extras = f"[{','.join(sorted(line.requirement.extras))}]" if line.requirement and line.requirement.extras else ""
    return f"{line.requirement.name if line.requirement else line.name}{extras}"


def _edited(question: Question, changes: Mapping[tuple[str, int | None], str], case: Case) -> Question:
    """The same question with lines replaced; a continued line goes with its first."""
    texts = dict(question.texts)
    for (file, line), text in changes.items():
        inner = next((name for name, path in case.places.items() if path == file), None)
        if inner is not None and line is not None:
            texts[inner] = replaced_line(texts[inner], line, text)
    return replace(question, texts=texts, seed="")


def replaced_line(text: str, line: int, new: str) -> str:
    """A file with one logical line replaced; the lines that continue it become empty, so that places stay."""
    lines = text.split("\n")
    last = line - 1
    while last < len(lines) - 1 and lines[last].endswith("\\"):
        last += 1
    lines[line - 1 : last + 1] = [new, *[""] * (last - line + 1)]
    return "\n".join(lines)


def _unpinned(constraints: str, name: str) -> str:
    kept = [line for line in constraints.split("\n") if canonicalize_name(_name(line)) != name]
    return "\n".join(kept)


def _bare(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.split("\n"))
