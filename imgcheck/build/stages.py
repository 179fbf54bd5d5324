"""A Dockerfile's stages: what each is built FROM, once ARGs have their values, and which of them a target needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from imgcheck.build.dockerfile import Instruction, Syntax, read_syntax
from imgcheck.build.references import parse_reference
from imgcheck.build.words import Expanded, ExpansionError, expand, split_raw
from imgcheck.contract.near_miss import did_you_mean
from imgcheck.errors import UsageError
from imgcheck.outcome import Location

SCRATCH = "scratch"


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One FROM and what follows it.

    Args:
        name: in lower case, as BuildKit compares it; empty without AS.
        expression: the image as FROM writes it.
        image: the same with all ARGs replaced.
        parent: index of the earlier stage that `image` names; None where it is an image.
        platform: FROM's --platform, expanded.
    """

    index: int
    name: str
    expression: str
    image: str
    parent: int | None
    platform: str
    start_line: int
    end_line: int

    @property
    def label(self) -> str:
        return self.name or f"stage {self.index}"


@dataclass(frozen=True, kw_only=True)
class Dockerfile:
    """Stages and instructions; `arguments` holds the global ARGs' values."""

    file: str
    instructions: tuple[Instruction, ...]
    stages: tuple[Stage, ...]
    escape: str = "\\"
    frontend: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    build_args: Mapping[str, str] = field(default_factory=dict)

    def place(self, line: int | None) -> Location:
        return Location(file=self.file, line=line)

    def instruction_at(self, line: int) -> Instruction | None:
        return next((one for one in self.instructions if one.start_line <= line <= one.end_line), None)

    def of_stage(self, stage: Stage) -> tuple[Instruction, ...]:
        """The stage's instructions, its FROM left out."""
        return tuple(one for one in self.instructions if one.stage == stage.index and one.keyword != "FROM")

    def target(self, name: str | None) -> Stage:
        """The stage that --target names, by name or index; the last one without it.

        Raises:
            UsageError: there is no such stage.
        """
        if not name:
            return self.stages[-1]
        found = self.stage_named(name)
        if found is None:
            names = [stage.name for stage in self.stages if stage.name]
            known = ", ".join(names) or f"none with a name; 0 to {len(self.stages) - 1} by number"
            raise UsageError(
                f"{self.file} has no stage {name!r}{did_you_mean(name, names)}", remedy=f"its stages: {known}"
            )
        return found

    def stage_named(self, name: str) -> Stage | None:
        by_name = next((one for one in reversed(self.stages) if one.name == name.lower()), None)
        if by_name is None and name.isdecimal() and int(name) < len(self.stages):
            return self.stages[int(name)]
        return by_name

    def lineage(self, stage: Stage) -> tuple[Stage, ...]:
        """The stage, and all it is FROM; the last one is FROM an image."""
        line = [stage]
        while line[-1].parent is not None:
            line.append(self.stages[line[-1].parent])
        return tuple(line)

    def needed(self, stage: Stage) -> tuple[Stage, ...]:
        """Every stage that takes part in building `stage`: BuildKit passes over the others."""
        found = {stage.index}
        waiting = [stage]
        while waiting:
            new = {one.index: one for one in self._used_by(waiting.pop()) if one.index not in found}
            found |= new.keys()
            waiting.extend(new.values())
        return tuple(self.stages[index] for index in sorted(found))

    def _used_by(self, stage: Stage) -> list[Stage]:
        names = [name for one in self.of_stage(stage) for name in _stages_named(one)]
        used = [found for found in (self.stage_named(name) for name in names) if found]
        return used if stage.parent is None else [self.stages[stage.parent], *used]


def _stages_named(instruction: Instruction) -> list[str]:
    """Of COPY --from=NAME and RUN --mount=…,from=NAME."""
    flags = instruction.flags
    mounts = [part for mount in flags.get("mount", ()) for part in mount.split(",")]
    return [*flags.get("from", ()), *(part.removeprefix("from=") for part in mounts if part.startswith("from="))]


def read_dockerfile(
    path: Path, *, build_args: Mapping[str, str], platform: str, build_platform: str | None = None
) -> Dockerfile:
    """Reads a file with the values that a build would have.

    Args:
        path: the Dockerfile.
        build_args: what --build-arg gives.
        platform: the target's, as os/architecture[/variant].
        build_platform: the builder's own; the same unless given.

    Raises:
        UsageError: with file and line.
    """
    return resolve(read_syntax(path), build_args=build_args, platform=platform, build_platform=build_platform)


def resolve(
    syntax: Syntax, *, build_args: Mapping[str, str], platform: str, build_platform: str | None = None
) -> Dockerfile:
    """Stages of a file that was read."""
    predefined = {**_platform_arguments("TARGET", platform), **_platform_arguments("BUILD", build_platform or platform)}
    reader = _Resolver(syntax, {**predefined, **{k: v for k, v in build_args.items() if k in predefined}}, build_args)
    for instruction in syntax.instructions:
        reader.read(instruction)
    if not reader.stages:
        raise UsageError(f"{syntax.file} has no FROM, so there is nothing to build", remedy="is it a Dockerfile?")
    return Dockerfile(
        file=syntax.file,
        instructions=syntax.instructions,
        stages=reader.closed(),
        escape=syntax.escape,
        frontend=syntax.frontend,
        arguments=reader.arguments,
        build_args=build_args,
    )


def _platform_arguments(prefix: str, platform: str) -> dict[str, str]:
    system, architecture, variant = (*platform.split("/"), "", "")[:3]
    parts = {"PLATFORM": platform, "OS": system, "ARCH": architecture, "VARIANT": variant}
    return {f"{prefix}{name}": value for name, value in parts.items()}


def argument_values(
    instruction: Instruction, known: Mapping[str, str], build_args: Mapping[str, str], escape: str = "\\"
) -> dict[str, str]:
    """What an ARG instruction defines: the build argument's value, the value known outside, or its default."""
    values: dict[str, str] = {}
    for word in split_raw(instruction.value, escape=escape):
        name, has_default, default = word.partition("=")
        if name in build_args:
            values[name] = build_args[name]
        elif has_default:
            values[name] = expand(default, {**known, **values}, escape=escape).text
        elif name in known:
            values[name] = known[name]
    return values


class _Resolver:
    """Goes through the instructions once; ARGs count only before the first FROM."""

    def __init__(self, syntax: Syntax, predefined: Mapping[str, str], build_args: Mapping[str, str]) -> None:
        self._syntax = syntax
        self._predefined = predefined
        self._build_args = build_args
        self.arguments: dict[str, str] = {}
        self.stages: list[Stage] = []

    def read(self, instruction: Instruction) -> None:
        if instruction.keyword == "FROM":
            self.stages.append(self._stage(instruction))
        elif instruction.keyword == "ARG" and not self.stages:
            try:
                values = argument_values(instruction, self._variables, self._build_args, self._syntax.escape)
            except ExpansionError as error:
                raise self._error(instruction, f"ARG {instruction.value}: {error}") from None
            self.arguments.update(values)
        elif not self.stages:
            raise self._error(instruction, f"{instruction.keyword} comes before the first FROM; only ARG may")

    def closed(self) -> tuple[Stage, ...]:
        """The stages with their last lines."""
        last = {one.stage: one.end_line for one in self._syntax.instructions}
        return tuple(replace(stage, end_line=last[stage.index]) for stage in self.stages)

    @property
    def _variables(self) -> dict[str, str]:
        return {**self._predefined, **self.arguments}

    def _stage(self, instruction: Instruction) -> Stage:
        words = instruction.arguments
        if len(words) not in (1, 3) or (len(words) == 3 and words[1].upper() != "AS"):
            raise self._error(instruction, f"FROM {instruction.value}: it must read FROM image [AS name]")
        image = self._image(instruction, words[0])
        platform = self._expanded(instruction, instruction.flags.get("platform", ("",))[0]).text
        return Stage(
            index=len(self.stages),
            name=words[2].lower() if len(words) == 3 else "",
            expression=words[0],
            image=image,
            parent=next((one.index for one in reversed(self.stages) if one.name and one.name == image.lower()), None),
            platform=platform,
            start_line=instruction.start_line,
            end_line=instruction.end_line,
        )

    def _image(self, instruction: Instruction, expression: str) -> str:
        expanded = self._expanded(instruction, expression)
        if expanded.text and (expanded.text.lower() in self._names or parse_reference(expanded.text)):
            return expanded.text
        if not expanded.missing:
            raise self._error(instruction, f"FROM {expression}: {expanded.text!r} is no image reference")
        name = expanded.missing[0]
        given = sorted({*self._build_args, *self.arguments} - {name})
        raise self._error(
            instruction,
            f"FROM {expression}: ARG {name} has no value{did_you_mean(name, given)}",
            remedy=f"give it with --build-arg {name}=…, or a default: ARG {name}=… before the first FROM",
        )

    @property
    def _names(self) -> set[str]:
        return {one.name for one in self.stages}

    def _expanded(self, instruction: Instruction, text: str) -> Expanded:
        try:
            return expand(text, self._variables, escape=self._syntax.escape)
        except ExpansionError as error:
            raise self._error(instruction, f"FROM {instruction.value}: {error}") from None

    def _error(self, instruction: Instruction, message: str, remedy: str = "") -> UsageError:
        return UsageError(f"{self._syntax.file}:{instruction.start_line}: {message}", remedy=remedy)
