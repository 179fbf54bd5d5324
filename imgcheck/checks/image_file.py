"""IC804: a file of the image is not as the contract says: there, of that mode, owner and content."""

from __future__ import annotations

import re
from collections.abc import Iterator

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.image import FilePromise
from imgcheck.contract.model import Contract
from imgcheck.facts.model import Facts
from imgcheck.facts.surroundings import PathFacts, Surroundings, TextFacts
from imgcheck.outcome import Fault, Judgement

_GONE = ("missing", "dangling")


def judge(contract: Contract, facts: Facts) -> Judgement:
    known = facts.surroundings or Surroundings()
    texts = {one.path: one for one in known.texts}
    faults: list[Fault] = []
    examined = 0
    for number, written in enumerate(contract.image.files):
        promise = written if isinstance(written, FilePromise) else FilePromise(path=written)
        there = known.at(promise.path)
        if there is None:
            continue
        examined += 1
        for wrong, expected, actual, unverified in _wrong(promise, there, texts.get(promise.path)):
            faults.append(
                Fault(
                    subject=promise.path,
                    summary=f"{promise.path} {wrong}",
                    expected=expected,
                    actual=actual,
                    remedy="Change the step that makes the file (COPY --chmod, --chown), or the contract.",
                    location=contract.where("image", "files", str(number)),
                    unverified=unverified,
                )
            )
    return Judgement(examined=examined, unit="files", faults=tuple(faults))


_Wrong = tuple[str, str, str, bool]


def _wrong(promise: FilePromise, there: PathFacts, text: TextFacts | None) -> Iterator[_Wrong]:
    if there.kind == "closed":
        yield "cannot be looked at by this user", "accessible", "permission denied", True
        return
    if (there.kind in _GONE) is promise.exists:
        yield (
            ("is not in the image", "there", there.kind, False)
            if promise.exists
            else (
                "is in the image, and must not be",
                "nothing",
                there.kind,
                False,
            )
        )
        return
    if promise.exists:
        yield from _attributes(promise, there)
        yield from _contents(promise, text)


def _attributes(promise: FilePromise, there: PathFacts) -> Iterator[_Wrong]:
    if promise.kind and there.kind != promise.kind:
        yield f"is a {there.kind}, not a {promise.kind}", promise.kind, there.kind, False
    if promise.mode is not None and int(promise.mode, 8) != there.mode:
        yield f"has mode {there.mode:04o}, not {promise.mode}", promise.mode, f"{there.mode:04o}", False
    for name, wanted, found in (("uid", promise.uid, there.uid), ("gid", promise.gid, there.gid)):
        if wanted is not None and wanted != found:
            yield f"has {name} {found}, not {wanted}", f"{name} {wanted}", f"{name} {found}", False
    if promise.executable is not None and promise.executable != bool(there.mode & 0o111):
        state = "is not executable" if promise.executable else "is executable"
        yield state, "executable" if promise.executable else "not executable", f"{there.mode:04o}", False


def _contents(promise: FilePromise, text: TextFacts | None) -> Iterator[_Wrong]:
    if not (promise.contains or promise.excludes):
        return
    if text is None or text.text is None:
        yield "cannot be read by this user", "its content", "no content", True
        return
    for pattern in promise.contains:
        if not re.search(pattern, text.text, re.MULTILINE):
            yield f"contains nothing that matches {pattern!r}", pattern, "no match", not text.whole
    for pattern in promise.excludes:
        found = re.search(pattern, text.text, re.MULTILINE)
        if found:
            yield (
                f"contains {found[0][:100]!r}, which {pattern!r} forbids",
                f"nothing like {pattern}",
                found[0][:100],
                False,
            )
        elif not text.whole:
            yield (
                f"is too long to tell whether {pattern!r} matches",
                f"nothing like {pattern}",
                "only its start was read",
                True,
            )


CHECK = Check(
    code="IC804",
    name="image-file",
    summary="A file of the image is not as the contract says",
    needs=Needs.SURROUNDINGS,
    applies=lambda contract: bool(contract.image.files),
    judge=judge,
    inheritable=False,
)
