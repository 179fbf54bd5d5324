"""Why there is no solution: all culprits, each with its chain and place, and the ways out that were really tried."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from packaging.utils import canonicalize_name

from imgcheck.build.conflicts import Clash, clashes_of, pin_of, wish_of
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.requirements import label, needs_of
from imgcheck.diagnosis.versions import allows, parse_version
from imgcheck.errors import ResolverTimeoutError
from imgcheck.locking.lockfile import parse_lock
from imgcheck.locking.resolving import Bench, Question, Resolution
from imgcheck.outcome import Location
from imgcheck.requirements.files import RequirementLine

MOST: Final = 4
"""Culprits that are looked for; each costs a resolution, and its ways out two."""
_FROM: Final = re.compile(
    r"^\s*(?:Collecting|Processing|Requirement already satisfied:?|Using cached) (\S+).*?\(from (.*)\)\s*$",
    re.MULTILINE,
)
_DEPENDS: Final = re.compile(r"([A-Za-z0-9][\w.-]*(?:[=<>!~]=?[^\s,]+)?) depends? on ([A-Za-z0-9][\w.-]*[A-Za-z0-9])")
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A line that asks for something, and where it stands in the question: a file of its texts, and a line there."""

    line: RequirementLine
    file: str
    row: int


@dataclass(frozen=True, kw_only=True)
class Culprit:
    """One requirement against one pin. `chain` goes from what was asked for to who has the requirement."""

    clash: Clash
    chain: tuple[str, ...] = ()
    root: Asked | None = None


@dataclass(frozen=True, kw_only=True)
class Told:
    """One conflict in words.

    Args:
        subject: the requirement that is at odds with a pin: "protobuf<=3.20.1".
        pin: the pinned distribution, by canonical name.
        requirement: who asks for it: "board 2.5.1 needs protobuf<=3.20.1, which tool==1.0 leads to".
        where: the line that began it; None where it cannot be told.
        sentence: all of it.
        ways: ways out, as far as they were tried.
        fixes: lines that a way out replaces, with their new text.
    """

    subject: str
    pin: str
    requirement: str
    where: Location | None
    sentence: str
    ways: tuple[str, ...] = ()
    fixes: tuple[tuple[RequirementLine, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """All conflicts that were found."""

    told: tuple[Told, ...]

    @property
    def conflicts(self) -> tuple[str, ...]:
        return tuple(one.sentence for one in self.told)

    @property
    def ways(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(way for one in self.told for way in one.ways))

    @property
    def fixes(self) -> tuple[tuple[RequirementLine, str], ...]:
        """Lines that a way out replaces, with their new text."""
        return tuple(dict.fromkeys(fix for one in self.told for fix in one.fixes))


@dataclass(frozen=True, kw_only=True)
class Case:
    """What was asked, by whom, and the lines that asked."""

    bench: Bench
    question: Question
    contract: Contract
    asked: tuple[Asked, ...]


def explain(case: Case, failed: Resolution, *, ways: bool) -> Explanation | None:
    """None where the resolver's words tell no conflict with a pin. Time that runs out leaves what was found by then."""
    culprits: list[Culprit] = []
    with suppress(ResolverTimeoutError):
        culprits.extend(_culprits(case, failed))
    if not culprits:
        return None
    return Explanation(told=tuple(_told(case, one, culprits, ways=ways) for one in culprits))


def _culprits(case: Case, failed: Resolution) -> Iterator[Culprit]:
    """A resolver stops at the first: what asked for it is taken out, and the rest resolved again."""
    question = case.question
    for _ in range(MOST):
        found = [_culprit(case, one, failed.log) for one in clashes_of(failed.log, case.contract)]
        yield from found
        roots = [one.root for one in found if one.root]
        if not roots or len(case.asked) < 2:
            return
        question = _without(question, roots)
        if not any(_bare(text) for name, text in question.texts.items() if name in question.inputs):
            return
        failed = case.bench.resolve(question)
        if failed.solved:
            return


def _culprit(case: Case, clash: Clash, log: str) -> Culprit:
    by = canonicalize_name(_name(clash.by)) if clash.by else clash.name
    chain = _chain(by, log)
    names = [canonicalize_name(_name(one)) for one in (*chain, by)]
    root = next((one for name in names for one in case.asked if one.line.name == name), None)
    return Culprit(clash=clash, chain=tuple(chain), root=root)


def _chain(name: str, log: str) -> list[str]:
    """Of pip's "Collecting b (from a->-r r.in (line 1))": a."""
    for wanted, origin in _FROM.findall(log):
        if canonicalize_name(_name(_last(wanted))) == name:
            return [one for one in reversed(origin.split("->")) if not one.startswith("-")]
    return _chain_in_sentence(name, log)


def _chain_in_sentence(name: str, log: str) -> list[str]:
    """Of uv's "board depends on wire and tool==1.0 depends on board": tool==1.0."""
    sentence = " ".join(log.split())
    above: dict[str, str] = {canonicalize_name(child): parent for parent, child in _DEPENDS.findall(sentence)}
    chain: list[str] = []
    while name in above and above[name] not in chain:
        chain.insert(0, above[name])
        name = canonicalize_name(_name(above[name]))
    return chain


def _last(wanted: str) -> str:
    return wanted.rpartition("/")[2]


def _name(text: str) -> str:
    head = re.split(r"[<>=!~\[; (]", text, maxsplit=1)[0]
    wheel = re.match(r"([A-Za-z0-9._]+)-\d", head) if head.endswith((".whl", ".tar.gz")) else None
    match = _NAME.match(wheel[1] if wheel else head)
    return match[0] if match else text


def _told(case: Case, culprit: Culprit, all_of_them: Sequence[Culprit], *, ways: bool) -> Told:
    where = culprit.root.line.where if culprit.root else None
    way = f" (asked for by {' → '.join(culprit.chain)})" if culprit.chain else ""
    wish = f"{wish_of(culprit.clash)}{way}"
    outs: list[_Way] = []
    try:
        outs.extend(_ways(case, culprit, all_of_them) if ways else ())
    except ResolverTimeoutError as error:
        outs.append(_Way(sentence=f"not all ways out were tried: {error.message}"))
    return Told(
        subject=_subject(culprit.clash.requirement),
        pin=culprit.clash.name,
        requirement=wish,
        where=where,
        sentence=f"{f'{where}: ' if where else ''}{wish}, and {pin_of(culprit.clash, case.contract)}",
        ways=tuple(one.sentence for one in outs),
        fixes=tuple(one.fix for one in outs if one.fix),
    )


def _subject(requirement: str) -> str:
    """Of pip's "numpy<2.3 and >=2; python_version >= '3.9'": numpy<2.3,>=2."""
    return requirement.partition(";")[0].strip().replace(" and ", ",")


# Ways out -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Way:
    """A way out, tried; `fix` is the line that it replaces, with its new text."""

    sentence: str
    fix: tuple[RequirementLine, str] | None = None


def _ways(case: Case, culprit: Culprit, all_of_them: Sequence[Culprit]) -> Iterator[_Way]:
    others = [one.root for one in all_of_them if one.root and one.root != culprit.root]
    rest = _without(case.question, others)
    root = culprit.root
    if root is not None and root.line.requirement is not None and root.line.requirement.specifier:
        yield _other_version(case.bench.resolve(_loosened(rest, root)), root)
    name = culprit.clash.name
    free = replace(rest, constraints=_unpinned(rest.constraints, name))
    yield _wider(case.bench.resolve(free), case, name)


def _other_version(answer: Resolution, root: Asked) -> _Way:
    """What was asked for at a version, asked for at any."""
    line = root.line
    entry = parse_lock(answer.text).find(line.name) if answer.solved else None
    if entry is None:
        return _Way(sentence=f"no version of {line.name} fits (resolved without {line.text!r})")
    return _Way(
        sentence=f"{line.name} {entry.version} fits (resolved): write it in {line.where} in place of {line.text}",
        fix=(line, f"{_spelled(line)}=={entry.version}"),
    )


def _wider(answer: Resolution, case: Case, name: str) -> _Way:
    """The pin left out: what would be chosen, and whether the base's other distributions accept it."""
    entry = parse_lock(answer.text).find(name) if answer.solved else None
    version = parse_version(entry.version) if entry else None
    if version is None:
        return _Way(sentence=f"leaving the pin of {name} out does not help")
    needs = [need for need in needs_of(case.bench.inventory) if need.applies and need.name == name]
    refusing = [need for need in needs if need.requirement and not allows(need.requirement.specifier, version)]
    if not refusing:
        return _Way(sentence=f"a base with {name} {version} would fit: nothing else in the base refuses it (resolved)")
    listed = ", ".join(f"{label(need.owner)} (needs {need.bare})" for need in refusing[:4])
    verb = "refuses" if len(refusing) == 1 else "refuse"
    return _Way(sentence=f"{name} {version} would be chosen without the pin, and the base's {listed} {verb} it")


def _without(question: Question, asked: Sequence[Asked]) -> Question:
    return _edited(question, [(one, "") for one in asked])


def _loosened(question: Question, asked: Asked) -> Question:
    requirement = asked.line.requirement
    marker = f" ; {requirement.marker}" if requirement and requirement.marker else ""
    return _edited(question, [(asked, f"{_spelled(asked.line)}{marker}")])


def _spelled(line: RequirementLine) -> str:
    extras = f"[{','.join(sorted(line.requirement.extras))}]" if line.requirement and line.requirement.extras else ""
    return f"{line.requirement.name if line.requirement else line.name}{extras}"


def _edited(question: Question, changes: Sequence[tuple[Asked, str]]) -> Question:
    """The same question with lines replaced; a continued line goes with its first."""
    texts = dict(question.texts)
    for asked, text in changes:
        texts[asked.file] = replaced_line(texts[asked.file], asked.row, text)
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
