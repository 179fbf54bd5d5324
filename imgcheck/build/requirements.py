"""Requirement files of the build context that the Dockerfile's pip and uv lines name, found without running anything.

A file inside the image is matched to the context through the COPY, ADD or bind mount that brought it, by its last name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from imgcheck.build.dockerfile import Instruction
from imgcheck.build.stages import Dockerfile, Stage, argument_values
from imgcheck.build.words import ExpansionError, expand, split_raw
from imgcheck.there import is_file, is_folder

_COMMANDS = re.compile(r"&&|\|\||[;|\n]")
INSTALLS = re.compile(r"\b(?:pip[\d.]*\s+(?:\S+\s+)*?(?:install|wheel|download)|uv\s+pip\s+(?:install|sync))\b")
_OPTION = re.compile(r"(?:-r|--requirements?)(?:=|\s+|(?<=-r))([^\s=]\S*)")
_SYNC = re.compile(r"\buv\s+pip\s+sync\s+(?:-\S+\s+)*([^\s-]\S*)")


def requirement_files(dockerfile: Dockerfile, target: Stage, context: Path) -> tuple[Path, ...]:
    """Existing files of the context, each once, in the order of their use."""
    found: dict[Path, None] = {}
    for stage in dockerfile.needed(target):
        for path in _of_stage(dockerfile, stage, context):
            found[path] = None
    return tuple(found)


def _of_stage(dockerfile: Dockerfile, stage: Stage, context: Path) -> Iterator[Path]:
    """Goes through the stage's ancestors first: what they copied and set is there."""
    variables: dict[str, str] = {}
    copied: list[tuple[str, str]] = []
    for one in reversed(dockerfile.lineage(stage)):
        for instruction in dockerfile.of_stage(one):
            variables.update(set_by(dockerfile, instruction, variables))
            copied.extend(copies(instruction, variables, dockerfile.escape))
            if instruction.keyword == "RUN" and one is stage:
                mounted = mounts(instruction)
                for name in named_in(instruction, variables):
                    yield from _in_context(name, [*mounted, *reversed(copied)], context)


def named_in(instruction: Instruction, variables: Mapping[str, str]) -> tuple[str, ...]:
    """Paths that the pip and uv commands of a RUN name as requirement files."""
    text = "\n".join((" ".join(instruction.arguments), *(heredoc.content for heredoc in instruction.heredocs)))
    commands = (command for command in _COMMANDS.split(text) if INSTALLS.search(command))
    names = [name for command in commands for name in (*_OPTION.findall(command), *_SYNC.findall(command))]
    return tuple(_expanded(name, variables) for name in names)


def set_by(dockerfile: Dockerfile, instruction: Instruction, variables: Mapping[str, str]) -> dict[str, str]:
    """Variables that an ARG or ENV defines for what follows."""
    try:
        if instruction.keyword == "ARG":
            known = {**dockerfile.arguments, **variables}
            return argument_values(instruction, known, dockerfile.build_args, dockerfile.escape)
        if instruction.keyword == "ENV":
            words = split_raw(instruction.value, escape=dockerfile.escape)
            if words and "=" not in words[0]:
                return {words[0]: _expanded(" ".join(words[1:]), variables)}
            return {name: _expanded(value, variables) for name, _, value in (word.partition("=") for word in words)}
    except ExpansionError:
        return {}
    return {}


def copies(instruction: Instruction, variables: Mapping[str, str], escape: str) -> list[tuple[str, str]]:
    """(path in the context, path in the image) of a COPY or ADD from the context."""
    if instruction.keyword not in {"COPY", "ADD"} or "from" in instruction.flags or instruction.heredocs:
        return []
    paths = [_expanded(word, variables, escape) for word in instruction.arguments]
    return [(source, paths[-1]) for source in paths[:-1]]


def mounts(instruction: Instruction) -> list[tuple[str, str]]:
    """(path in the context, path in the image) of a RUN's bind mounts from the context."""
    pairs = []
    for written in instruction.flags.get("mount", ()):
        options = dict(part.partition("=")[::2] for part in written.split(","))
        if options.get("type", "bind") == "bind" and "from" not in options:
            target = next((options[key] for key in ("target", "dst", "destination") if key in options), "")
            source = next((options[key] for key in ("source", "src") if key in options), ".")
            pairs.append((source, target))
    return pairs


def path_in_context(name: str, pairs: list[tuple[str, str]], context: Path) -> Path | None:
    """The file of the context that a path in the image came from; None where none is found."""
    return next(_in_context(name, pairs, context), None)


def _in_context(name: str, pairs: list[tuple[str, str]], context: Path) -> Iterator[Path]:
    wanted = PurePosixPath(name)
    for source, destination in pairs:
        path = _within(context, source)
        if path is None:
            continue
        if is_file(path) and wanted.name in {path.name, PurePosixPath(destination).name}:
            yield path
            return
        inside = _below(path, wanted) if is_folder(path) else None
        if inside is not None:
            yield inside
            return


def _within(context: Path, source: str) -> Path | None:
    """A path of the context, by pattern where it has one; never outside."""
    relative = source.lstrip("/") or "."
    try:
        path = context / relative if not re.search(r"[*?\[]", relative) else next(iter(sorted(context.glob(relative))))
        inside = path.resolve().is_relative_to(context.resolve())
    except (OSError, ValueError, StopIteration):
        return None
    return path if inside else None


def _below(folder: Path, wanted: PurePosixPath) -> Path | None:
    """The longest tail of `wanted` that is a file in a copied folder."""
    parts = [part for part in wanted.parts if part not in {"/", ".", ".."}]
    tails = (folder.joinpath(*parts[start:]) for start in range(len(parts)))
    return next((path for path in tails if is_file(path)), None)


def _expanded(text: str, variables: Mapping[str, str], escape: str = "\\") -> str:
    try:
        return expand(text, variables, escape=escape).text
    except ExpansionError:
        return text
