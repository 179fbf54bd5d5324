"""Reading what a build will install, stage by stage, without building: RUN lines, requirement files, images, downloads.

What is there and cannot be told without running it is listed as unread, never passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.version import InvalidVersion

from imgcheck.build.derived import CONSTRAINTS_PATH
from imgcheck.build.dockerfile import Instruction
from imgcheck.build.install_command import InstallCommand, Nested, read_command
from imgcheck.build.references import parse_reference
from imgcheck.build.requirements import copies, mounts, path_in_context, set_by
from imgcheck.build.shell import Command, Word, read_shell
from imgcheck.build.stages import SCRATCH, Dockerfile, Stage
from imgcheck.build.words import ExpansionError, expand
from imgcheck.errors import UsageError
from imgcheck.facts.plan import Download, ImageUse, IndexChoice, Install, Place, PlanFacts, Unread, Wanted
from imgcheck.masking import shown_command
from imgcheck.outcome import Location
from imgcheck.requirements.files import RequirementFile, RequirementLine, parse_requirement_line, read_requirement_file

_DEPTH: Final = 4
"""Scripts that call scripts."""
_REMOTE: Final = re.compile(r"(?:https?|ftp|git|ssh)://|git@|https://github\.com/.*\.git")
_COMMIT: Final = re.compile(r"#[0-9a-f]{7,40}(?::|$)")
_MATTERS: Final = (
    "--no-deps", "--force-reinstall", "--ignore-installed", "--upgrade", "--target", "--prefix", "--root", "--user",
    "--isolated", "--require-hashes", "--override", "--reinstall-package", "--upgrade-package", "--dry-run",
)  # fmt: skip
_INDEX_OPTIONS: Final = (
    "--index-url", "--extra-index-url", "--find-links", "--no-index", "--trusted-host", "--pre", "--prefer-binary",
    "--only-binary", "--no-binary", "--index", "--default-index", "--index-strategy", "--prerelease", "--exclude-newer",
    "--allow-insecure-host", "--resolution",
)  # fmt: skip
_INDEX_VARIABLES: Final = frozenset(
    # of pip's configuration, and of uv's environment variables (docs.astral.sh/uv/reference/environment)
    f"{tool}_{name}"
    for tool, names in (
        ("PIP", "INDEX_URL EXTRA_INDEX_URL FIND_LINKS NO_INDEX TRUSTED_HOST PRE PREFER_BINARY ONLY_BINARY NO_BINARY"),
        ("UV", "INDEX_URL EXTRA_INDEX_URL DEFAULT_INDEX INDEX FIND_LINKS NO_INDEX INDEX_STRATEGY PRERELEASE"),
        ("UV", "INSECURE_HOST EXCLUDE_NEWER RESOLUTION"),
    )
    for name in names.split()
)
_VARIABLE: Final = {"pip": "PIP_CONSTRAINT", "uv pip": "UV_CONSTRAINT"}


@dataclass(frozen=True, kw_only=True)
class PlanSource:
    """What is read, and what is known of the base."""

    dockerfile: Dockerfile
    target: Stage
    context: Path
    on_base: frozenset[int]
    """Indexes of stages that go back to the contract's base."""
    markers: Mapping[str, str] = field(default_factory=dict)
    base_env: Mapping[str, str] = field(default_factory=dict)


def read_plan(source: PlanSource) -> PlanFacts:
    """All that the stages which the target needs will install.

    Raises:
        UsageError: a requirement file that an install names cannot be read as one; with file and line.
    """
    lines = Path(source.dockerfile.file).read_text("utf-8-sig").replace("\r\n", "\n").split("\n")
    readers = [_Stage(source, stage, lines) for stage in source.dockerfile.needed(source.target)]
    for reader in readers:
        reader.read()
    return PlanFacts(
        dockerfile=source.dockerfile.file,
        target=source.target.name,
        instructions=sum(1 + len(source.dockerfile.of_stage(reader.stage)) for reader in readers),
        installs=tuple(one for reader in readers for one in reader.installs),
        images=tuple(one for reader in readers for one in reader.images),
        downloads=tuple(one for reader in readers for one in reader.downloads),
        unread=tuple(one for reader in readers for one in reader.unread),
    )


class _Stage:
    """Goes through a stage's ancestors first, as what they set and copied is there; tells only of its own lines."""

    def __init__(self, source: PlanSource, stage: Stage, lines: list[str]) -> None:
        self._source = source
        self.stage = stage
        self._lines = lines
        self._root = source.dockerfile.lineage(stage)[-1]
        self._on_base = stage.index in source.on_base
        self._variables: dict[str, str] = dict(source.base_env) if self._on_base else {}
        if self._on_base:
            self._variables |= dict.fromkeys(_VARIABLE.values(), CONSTRAINTS_PATH)
        self._copied: list[tuple[str, str]] = []
        self._shell: tuple[str, ...] = ("/bin/sh", "-c")
        self.installs: list[Install] = []
        self.images: list[ImageUse] = []
        self.downloads: list[Download] = []
        self.unread: list[Unread] = []

    def read(self) -> None:
        dockerfile = self._source.dockerfile
        if self.stage.parent is None and not self._on_base and self.stage.image.lower() != SCRATCH:
            self._image(self.stage.image, self.stage.start_line)
        for one in reversed(dockerfile.lineage(self.stage)):
            for instruction in dockerfile.of_stage(one):
                self._variables.update(set_by(dockerfile, instruction, self._variables))
                self._copied.extend(copies(instruction, self._variables, dockerfile.escape))
                if instruction.keyword == "SHELL":
                    self._shell = instruction.arguments
                if one is self.stage:
                    self._own(instruction)

    def _own(self, instruction: Instruction) -> None:
        if instruction.keyword == "RUN":
            self._run(instruction)
        elif instruction.keyword == "ADD":
            self._added(instruction)
        elif instruction.keyword == "COPY":
            for name in instruction.flags.get("from", ()):
                if self._source.dockerfile.stage_named(name) is None:
                    self._image(self._expanded(name), instruction.start_line)

    def _image(self, reference: str, line: int) -> None:
        parsed = parse_reference(reference)
        if parsed:
            place = Place(file=self._source.dockerfile.file, line=line)
            self.images.append(ImageUse(place=place, reference=reference, tag=parsed.tag, digest=bool(parsed.digest)))

    def _added(self, instruction: Instruction) -> None:
        checked = "checksum" in instruction.flags
        for word in instruction.arguments[:-1]:
            address = self._expanded(word)
            if _REMOTE.match(address):
                place = Place(file=self._source.dockerfile.file, line=instruction.start_line)
                fixed = checked or bool(_COMMIT.search(address))
                self.downloads.append(Download(place=place, address=self._shown(address), checked=fixed))

    # --- RUN

    def _run(self, instruction: Instruction) -> None:
        file = self._source.dockerfile.file
        pairs = [*mounts(instruction), *reversed(self._copied)]
        if _is_exec_form(instruction):
            words = tuple(Word(text=text) for text in instruction.arguments)
            command = Command(words=words, variables=dict(self._variables), line=0)
            self._command(command, file, [instruction.start_line], pairs, 0)
            return
        if not re.search(r"(?:^|/)(?:ba|da|z|a)?sh$", self._shell[0] if self._shell else ""):
            self._cannot(file, instruction.start_line, f"its shell is {' '.join(self._shell)}")
            return
        text, numbers = _script_of(instruction, self._lines, self._source.dockerfile.escape)
        self._script(text, file, numbers, self._variables, pairs, 0)

    def _script(
        self,
        text: str,
        file: str,
        numbers: list[int],
        variables: Mapping[str, str | None],
        pairs: list[tuple[str, str]],
        depth: int,
    ) -> None:
        script = read_shell(text, {name: value for name, value in variables.items() if value is not None})
        for row, why in script.problems:
            self._cannot(file, _line(numbers, row), why)
        for command in script.commands:
            hidden = {
                name: None for name, value in variables.items() if value is None and name not in command.variables
            }
            known = replace(command, variables={**hidden, **command.variables})
            self._command(known, file, numbers, pairs, depth)

    def _command(
        self, command: Command, file: str, numbers: list[int], pairs: list[tuple[str, str]], depth: int
    ) -> None:
        line = _line(numbers, command.line)
        found = read_command(command)
        if isinstance(found, Nested):
            self._nested(found, file, line, pairs, depth)
        elif found is not None and "--dry-run" not in found.options:
            self.installs.append(self._install(found, command, Place(file=file, line=line), pairs))

    def _nested(self, nested: Nested, file: str, line: int, pairs: list[tuple[str, str]], depth: int) -> None:
        if nested.text is not None and depth < _DEPTH:
            self._script(nested.text, file, [line], nested.variables, pairs, depth + 1)
            return
        path = path_in_context(nested.file, pairs, self._source.context) if nested.file else None
        if path is None or depth >= _DEPTH:
            what = nested.file or nested.why or "a script"
            self._cannot(file, line, f"what {self._shown(what)} does cannot be told without running it")
            return
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            self._cannot(file, line, f"{path} cannot be read")
            return
        numbers = list(range(1, text.count("\n") + 2))
        self._script(text, str(path), numbers, nested.variables, pairs, depth + 1)

    def _cannot(self, file: str, line: int, why: str) -> None:
        self.unread.append(Unread(place=Place(file=file, line=line), what=why))

    # --- one install

    def _install(self, found: InstallCommand, command: Command, place: Place, pairs: list[tuple[str, str]]) -> Install:
        files, unread = self._files(found.values.get("--requirement", ()), pairs)
        limits, lost = self._files(found.values.get("--constraint", ()), pairs)
        own = [self._wanted_word(text, place) for text in found.requirements] if found.tool in ("pip", "uv pip") else []
        editable = [self._wanted(f"-e {text}", place, pinned=True) for text in found.values.get("--editable", ())]
        named = [self._wanted(text, place, name=text) for text in found.requirements if found.tool in ("conda", "apt")]
        listed = [self._wanted_line(one) for read in files for one in read.asked]
        return Install(
            place=place,
            tool=found.tool,
            verb=found.verb,
            command=self._shown(" ".join(command.texts)),
            on_base=self._on_base,
            image=self._root.image,
            options=tuple(name for name in _MATTERS if name in found.options),
            wanted=(*own, *editable, *named, *listed),
            files=tuple(str(read.path) for read in files),
            unread=(*unread, *lost, *(f"{self._shown(text)} is settled only by running it" for text in found.unknown)),
            bypass=self._bypass(found),
            limits=tuple(str(read.path) for read in limits),
            index=_index_of(found),
            limited=tuple(
                sorted({one.name for read in (*limits, *files) for one in read.lines if _limits(one, read, limits)})
            ),
        )

    def _files(self, names: tuple[str, ...], pairs: list[tuple[str, str]]) -> tuple[list[RequirementFile], list[str]]:
        read: list[RequirementFile] = []
        lost: list[str] = []
        for name in names:
            path = path_in_context(name, pairs, self._source.context)
            if path is not None:
                read.append(read_requirement_file(path))
            elif name != CONSTRAINTS_PATH:
                lost.append(f"{name} is not found in the build context")
        return read, lost

    def _wanted_word(self, text: str, place: Place) -> Wanted:
        if text.startswith((".", "/")):
            return self._wanted(text, place, pinned=True)
        try:
            return self._wanted_line(parse_requirement_line(text, Location(file=place.file, line=place.line)))
        except UsageError:
            return self._wanted(text, place)

    def _wanted(self, text: str, place: Place, **more: Any) -> Wanted:
        return Wanted(text=shown_command(text), raw=text, place=place, **more)

    def _shown(self, text: str) -> str:
        """Without secrets, and without the values of build arguments."""
        return shown_command(text, self._source.dockerfile.build_args)

    def _wanted_line(self, line: RequirementLine) -> Wanted:
        return self._wanted(
            line.text,
            Place(file=line.where.file, line=line.where.line or 1),
            name=line.name,
            specifier=str(line.requirement.specifier) if line.requirement else "",
            pinned=line.pinned,
            hashed=bool(line.hashes),
            applies=self._applies(line),
        )

    def _applies(self, line: RequirementLine) -> bool:
        marker = line.requirement.marker if line.requirement else None
        if marker is None or not self._source.markers:
            return True
        try:
            return marker.evaluate({**self._source.markers, "extra": ""})
        except (UndefinedComparison, UndefinedEnvironmentName, InvalidVersion):
            return True

    def _bypass(self, found: InstallCommand) -> str:
        """Why the constraints are not in force; empty where they are."""
        variable = _VARIABLE.get(found.tool)
        if variable is None or CONSTRAINTS_PATH in found.values.get("--constraint", ()):
            return ""
        if not self._on_base:
            return f"its stage is FROM {self._root.image}, not the contract's base"
        if "--isolated" in found.options:
            return "--isolated makes pip pass over its variables"
        return _overridden(variable, found.variables.get(variable))

    def _expanded(self, text: str) -> str:
        try:
            return expand(text, self._variables, escape=self._source.dockerfile.escape).text
        except ExpansionError:
            return text


def _index_of(found: InstallCommand) -> IndexChoice:
    """Where a command looks for distributions, by its options and by the variables that are set there."""
    prefix = "UV_" if found.tool == "uv pip" else "PIP_"
    variables = {
        name: value
        for name, value in found.variables.items()
        if name in _INDEX_VARIABLES and name.startswith(prefix) and value is not None
    }
    named: list[str] = [name for name in _INDEX_OPTIONS if name in found.options]
    unknown = [name for name in named if name in found.unsettled]
    unknown += [name for name, value in variables.items() if "$" in value]
    return IndexChoice(
        options=tuple((name, found.values.get(name, ())) for name in named),
        variables=tuple(sorted(variables.items())),
        unknown=tuple(unknown),
    )


def _overridden(variable: str, value: str | None) -> str:
    if value is None:
        return f"{variable} is taken away there"
    if CONSTRAINTS_PATH in value.split():
        return ""
    return f"{variable} is set to {value!r} there" if value else f"{variable} is emptied there"


def _limits(line: RequirementLine, read: RequirementFile, limits: list[RequirementFile]) -> bool:
    return bool(line.name) and (line.constraint or any(read is one for one in limits))


def _is_exec_form(instruction: Instruction) -> bool:
    """RUN ["program", "argument"]."""
    rest = instruction.value
    for name, values in instruction.flags.items():
        for value in values:
            rest = rest.replace(f"--{name}={value}" if value else f"--{name}", "", 1).lstrip()
    try:
        return rest.startswith("[") and isinstance(json.loads(rest), list)
    except ValueError:
        return False


def _line(numbers: list[int], row: int) -> int:
    return numbers[min(row, len(numbers) - 1)] if numbers else 1


def _script_of(instruction: Instruction, lines: list[str], escape: str) -> tuple[str, list[int]]:
    """A RUN's text as the shell gets it, and the file's line of each of its rows."""
    rows: list[str] = []
    numbers: list[int] = []
    body = sum(heredoc.content.count("\n") + 1 for heredoc in instruction.heredocs)
    last = instruction.end_line - body
    for number in range(instruction.start_line, last + 1):
        line = lines[number - 1]
        if number > instruction.start_line and (not line.strip() or line.lstrip().startswith("#")):
            continue
        rows.append(line.rstrip().removesuffix(escape) + "\\" if number < last else line)
        numbers.append(number)
    rows[0] = rows[0].lstrip()[len("RUN") :]
    for index, row in enumerate(rows):
        rows[index] = _without_flags(row)
        if rows[index].strip(" \t\\"):
            break
    heredocs = lines[last : instruction.end_line]
    if instruction.heredocs and re.fullmatch(r"<<-?\s*['\"]?\w+['\"]?\s*", rows[0].strip().removesuffix("\\")):
        content = heredocs[: instruction.heredocs[0].content.count("\n")]
        return "\n".join(content), list(range(last + 1, instruction.end_line + 1))
    return "\n".join([*rows, *heredocs]), [*numbers, *range(last + 1, instruction.end_line + 1)]


def _without_flags(row: str) -> str:
    """Without RUN's own flags at its beginning."""
    while match := re.match(r"\s*--[a-z]+(?:=\S*)?(?=\s|\\?$)", row):
        row = row[match.end() :]
    return row
