"""Install steps of a Dockerfile as a question for a resolver: their files, and the requirements on their own lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from imgcheck.errors import UsageError
from imgcheck.facts.plan import Install, Wanted
from imgcheck.locking.explaining import Asked, replaced_line
from imgcheck.locking.files import asked_in, gather_files
from imgcheck.locking.resolving import Question
from imgcheck.outcome import Location
from imgcheck.requirements.files import RequirementLine, parse_requirement_line, read_requirement_file


@dataclass(frozen=True, kw_only=True)
class Asking:
    """A question, the lines that ask in it, and sentences about what had to be left out of it."""

    question: Question
    asked: tuple[Asked, ...]
    left_out: tuple[str, ...]


def asking_of(
    installs: Sequence[Install], constraints: str, *, seed: str = "", arguments: tuple[str, ...] = ()
) -> Asking:
    """What installs ask for together.

    Raises:
        UsageError: a requirement file cannot be read; with file and line.
    """
    files = [read_requirement_file(Path(name)) for name in _once(name for one in installs for name in one.files)]
    limits = [read_requirement_file(Path(name)) for name in _once(name for one in installs for name in one.limits)]
    gathered = gather_files(files, limits)
    texts = dict(gathered.texts)
    asked: list[Asked] = []
    left_out = [why for one in installs for why in one.unread]
    for one in asked_in(files, gathered):
        if one.line.local:
            left_out.append(f"{one.line.where}: {one.line.text}")
            texts[one.file] = replaced_line(texts[one.file], one.row, "")
        else:
            asked.append(one)
    inputs = [gathered.inner[read.path] for read in files]
    for number, install in enumerate(installs):
        lines = list(_own_lines(install, left_out))
        if lines:
            name = f"imgcheck-step-{number}.in"
            texts[name] = "".join(f"{line.text}\n" for line in lines)
            asked += [Asked(line=line, file=name, row=row) for row, line in enumerate(lines, 1)]
            inputs.append(name)
    question = Question(
        inputs=tuple(inputs),
        texts=texts,
        constraints=constraints,
        further=tuple(gathered.inner[read.path] for read in limits),
        seed=seed,
        arguments=arguments,
    )
    return Asking(question=question, asked=tuple(asked), left_out=tuple(left_out))


def _once(names: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _own_lines(install: Install, left_out: list[str]) -> Iterator[RequirementLine]:
    """Requirements on the install's own line."""
    for wanted in install.wanted:
        if wanted.place == install.place:
            line = _line_of(wanted)
            if line is None or line.local:
                left_out.append(f"{wanted.place}: {wanted.text}")
            else:
                yield line


def _line_of(wanted: Wanted) -> RequirementLine | None:
    text = wanted.raw or wanted.text
    if text.startswith((".", "/", "~")):
        return None
    try:
        return parse_requirement_line(text, Location(file=wanted.place.file, line=wanted.place.line))
    except UsageError:
        return None
