"""Command lines of installers, as pip, uv, conda, apt and project managers read them: options, files, requirements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Literal

from imgcheck.build.shell import Command, Word, is_shell

Tool = Literal["pip", "uv pip", "uv", "conda", "apt", "project"]

_PIP: Final = re.compile(r"pip(?:3(?:\.\d+)?)?")
_PYTHON: Final = re.compile(r"(?:python|pypy)(?:3(?:\.\d+)?)?")
_SHORT: Final = {
    "-r": "--requirement", "-c": "--constraint", "-e": "--editable", "-U": "--upgrade", "-I": "--ignore-installed",
    "-t": "--target", "-i": "--index-url", "-f": "--find-links", "-b": "--build-constraint", "-P": "--upgrade-package",
    "-p": "--python", "-C": "--config-settings",
}  # fmt: skip
_SAME: Final = {
    "--requirements": "--requirement", "--constraints": "--constraint", "--build-constraints": "--build-constraint",
    "--reinstall": "--force-reinstall", "--overrides": "--override", "--config-setting": "--config-settings",
}  # fmt: skip
_VALUED: Final = frozenset(
    # of pip install and uv pip install/sync, by their --help (pip 26, uv 0.13)
    f"--{name}"
    for line in (
        "requirement constraint editable target index-url extra-index-url find-links build-constraint python platform",
        "upgrade-package python-version implementation abi root prefix src upgrade-strategy config-settings no-binary",
        "global-option only-binary progress-bar root-user-action report use-feature use-deprecated cert client-cert",
        "cache-dir log proxy retries timeout exists-action trusted-host keyring-provider group resume-retries index",
        "default-index exclude-newer exclude-newer-package reinstall-package link-mode index-strategy extra resolution",
        "prerelease override exclude no-build-isolation-package python-platform color directory project config-file",
        "refresh-package allow-insecure-host torch-backend fork-strategy release-control uploaded-prior-to",
    )
    for name in line.split()
)
_PROJECTS: Final = {
    "poetry": ("install", "add", "update", "sync"), "pdm": ("install", "add", "sync", "update"),
    "pipenv": ("install", "sync", "update"), "hatch": ("env",), "pixi": ("install", "add"),
}  # fmt: skip
_CONDAS: Final = frozenset({"conda", "mamba", "micromamba"})
_PLAIN: Final = frozenset({"exec", "command", "nohup", "time", "then", "builtin", "setsid"})
_COUNTED: Final = {
    "timeout": 1,
    "gosu": 1,
    "su-exec": 1,
    "chroot": 1,
    "setpriv": 0,
    "nice": 0,
    "ionice": 0,
    "stdbuf": 0,
}
_OPTIONS_WITH_VALUE: Final = {"nice": ("-n",), "ionice": ("-c", "-n"), "timeout": ("-s", "-k")}


@dataclass(frozen=True, kw_only=True)
class InstallCommand:
    """An installer's command line.

    Args:
        unknown: words that only running would tell.
        unsettled: options whose value only running would tell.
    """

    tool: Tool
    verb: str
    options: tuple[str, ...] = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    requirements: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()
    variables: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Nested:
    """A script that a command runs: its text, or the file that holds it, or neither where it is not known."""

    variables: Mapping[str, str | None]
    text: str | None = None
    file: str = ""
    why: str = ""


def read_command(command: Command) -> InstallCommand | Nested | None:
    """What a command installs, or which script it runs; None for anything else."""
    bare = unwrapped(command)
    if not bare.words:
        return None
    program = bare.words[0].text.rpartition("/")[2]
    if is_shell(program) or program.endswith((".sh", ".bash")):
        return _script(bare if is_shell(program) else replace(bare, words=(Word(text="sh"), *bare.words)))
    if program in (".", "source", "eval"):
        return _sourced(program, bare)
    read = _by_python if _PYTHON.fullmatch(program) else partial(_by_program, program)
    return read(bare.words[1:], bare.variables)


def _by_program(program: str, rest: Sequence[Word], variables: Mapping[str, str | None]) -> InstallCommand | None:
    read = _READERS.get(_FAMILIES.get(program, program)) if not _PIP.fullmatch(program) else _pip
    if read is not None:
        return read(rest, variables)
    verb = next((word.text for word in rest if not word.text.startswith("-")), "")
    if verb in _PROJECTS.get(program, ()):
        return InstallCommand(tool="project", verb=f"{program} {verb}", variables=variables)
    return None


def unwrapped(command: Command) -> Command:
    """Without env, sudo, timeout and their kind in front of it, and with what they do to variables."""
    words, variables = list(command.words), dict(command.variables)
    while words:
        program = words[0].text.rpartition("/")[2]
        if program == "env":
            words = _env(words[1:], variables)
        elif program == "sudo":
            words = _sudo(words[1:], variables)
        elif program in _PLAIN:
            words = [word for word in words[1:] if word.text != "-p"]
        elif program in _COUNTED:
            words = _skipped(words[1:], _COUNTED[program], _OPTIONS_WITH_VALUE.get(program, ()))
        elif program == "xargs":
            words = [
                *_skipped(words[1:], 0, ("-n", "-P", "-L", "-I", "-d", "-a")),
                Word(text="(what xargs reads)", known=False),
            ]
        elif program in _CONDAS and len(words) > 1 and words[1].text == "run":
            words = _skipped(words[2:], 0, ("-n", "--name", "-p", "--prefix", "--cwd"))
        else:
            break
    return replace(command, words=tuple(words), variables=variables)


def _env(words: list[Word], variables: dict[str, str | None]) -> list[Word]:
    while words:
        text = words[0].text
        if text in ("-i", "-", "--ignore-environment"):
            variables.update(dict.fromkeys(variables))
        elif text in ("-u", "--unset") and len(words) > 1:
            variables[words.pop(1).text] = None
        elif text.startswith(("-u", "--unset=")):
            variables[text.removeprefix("--unset=").removeprefix("-u")] = None
        elif re.match(r"[A-Za-z_]\w*=", text):
            name, _, value = text.partition("=")
            variables[name] = value
        elif not text.startswith("-"):
            break
        words = words[1:]
    return words


def _sudo(words: list[Word], variables: dict[str, str | None]) -> list[Word]:
    """Sudo empties the environment unless told otherwise (sudoers(5), env_reset)."""
    keeps = any(word.text in ("-E", "--preserve-env") for word in words[:4])
    if not keeps:
        variables.update(dict.fromkeys(variables))
    while words and (words[0].text.startswith("-") or re.match(r"[A-Za-z_]\w*=", words[0].text)):
        name, sign, value = words[0].text.partition("=")
        if sign and not name.startswith("-"):
            variables[name] = value
        words = words[2:] if words[0].text in ("-u", "-g", "-h", "-p") else words[1:]
    return words


def _skipped(words: list[Word], operands: int, valued: Sequence[str]) -> list[Word]:
    while words and words[0].text.startswith("-"):
        words = words[2:] if words[0].text in valued else words[1:]
    return words[operands:]


def _script(command: Command) -> Nested | None:
    """Sh -c TEXT, sh FILE, sh < here-document, … | sh."""
    rest = list(command.words[1:])
    while rest and rest[0].text.startswith(("-", "+")):
        option = rest.pop(0).text
        if not option.startswith("--") and "c" in option[1:]:
            word = rest[0] if rest else Word(text="")
            return Nested(variables=command.variables, text=word.text if word.known else None, why=word.text)
        if option in ("-o", "-O", "+o") and rest:
            rest.pop(0)
    if rest:
        return Nested(variables=command.variables, file=rest[0].text)
    if command.fed is None:
        return None
    return Nested(variables=command.variables, text=command.fed or None, why="a script that a pipe brings")


def _sourced(program: str, command: Command) -> Nested | None:
    """An environment's activate script and a shell's start-up files install nothing."""
    name = command.words[1].text if len(command.words) > 1 else ""
    if program == "eval":
        text = " ".join(word.text for word in command.words[1:])
        known = all(word.known for word in command.words)
        harmless = bool(
            re.search(r"conda shell|mamba shell|shell.hook|ssh-agent|direnv|pyenv init|brew shellenv|starship", text)
        )
        return None if harmless else Nested(variables=command.variables, text=text if known else None, why=text)
    return (
        Nested(variables=command.variables, file=name)
        if name.endswith((".sh", ".bash")) and "/etc/" not in name
        else None
    )


def _by_python(rest: Sequence[Word], variables: Mapping[str, str | None]) -> InstallCommand | None:
    words = list(rest)
    while words and words[0].text.startswith("-") and words[0].text not in ("-m", "-c"):
        words = words[2:] if words[0].text in ("-X", "-W") else words[1:]
    if len(words) > 1 and words[0].text == "-m":
        return _by_program(words[1].text, words[2:], variables)
    if len(words) > 1 and words[0].text.endswith("setup.py") and words[1].text in ("install", "develop"):
        return InstallCommand(tool="project", verb=f"setup.py {words[1].text}", variables=variables)
    return None


def _pip(rest: Sequence[Word], variables: Mapping[str, str | None]) -> InstallCommand | None:
    """Global options may stand before the verb."""
    for index, word in enumerate(rest):
        if word.text == "install":
            return _pip_like("pip", "install", (*rest[:index], *rest[index + 1 :]), variables)
        if not word.text.startswith("-") and (index == 0 or rest[index - 1].text not in _VALUED):
            return None
    return None


def _uv(rest: Sequence[Word], variables: Mapping[str, str | None]) -> InstallCommand | None:
    plain = [index for index, word in enumerate(rest) if not word.text.startswith("-")]
    verbs = [rest[index].text for index in plain[:2]]
    if verbs[:1] == ["pip"] and verbs[1:] in (["install"], ["sync"]):
        return _pip_like("uv pip", verbs[1], rest[plain[1] + 1 :], variables)
    if verbs[:1] in (["sync"], ["add"]):
        return InstallCommand(tool="uv", verb=verbs[0], variables=variables)
    return None


def _pip_like(tool: Tool, verb: str, rest: Sequence[Word], variables: Mapping[str, str | None]) -> InstallCommand:
    options: list[str] = []
    values: dict[str, tuple[str, ...]] = {}
    requirements: list[str] = []
    unknown: list[str] = []
    unsettled: list[str] = []
    words = iter(rest)
    for word in words:
        name, value = _option(word.text)
        if not name:
            (requirements if word.known else unknown).append(word.text)
            continue
        options.append(name)
        known = word.known
        if name in _VALUED and value is None:
            following = next(words, Word(text=""))
            value, known = following.text, following.known
            if not following.known and name in ("--requirement", "--editable"):
                unknown.append(value)
                continue
        if not known:
            unsettled.append(name)
        if value is not None:
            values[name] = (*values.get(name, ()), value)
    if verb == "sync":  # its operands are files
        values["--requirement"] = (*values.get("--requirement", ()), *requirements)
        requirements = []
    return InstallCommand(
        tool=tool,
        verb=verb,
        options=tuple(dict.fromkeys(options)),
        values=values,
        requirements=tuple(requirements),
        unknown=tuple(unknown),
        unsettled=tuple(unsettled),
        variables=variables,
    )


def _option(text: str) -> tuple[str, str | None]:
    """(long name, its value where it is in the same word); an empty name for an operand."""
    if not text.startswith("-") or text == "-":
        return "", None
    if text.startswith("--"):
        name, sign, value = text.partition("=")
        return _SAME.get(name, name), value if sign else None
    name = _SHORT.get(text[:2], text[:2])
    return name, text[2:].removeprefix("=") if len(text) > 2 and name in _VALUED else None


def _conda(rest: Sequence[Word], variables: Mapping[str, str | None]) -> InstallCommand | None:
    words = [word.text for word in rest]
    verbs = [text for text in words if not text.startswith("-")]
    if verbs[:2] in (["env", "create"], ["env", "update"]) or verbs[:1] in (["install"], ["update"], ["upgrade"]):
        named = tuple(_operands(words, verbs[0], ("-n", "--name", "-c", "--channel", "-p", "--prefix", "--file", "-f")))
        return InstallCommand(tool="conda", verb=f"conda {verbs[0]}", requirements=named, variables=variables)
    return None


def _apt(rest: Sequence[Word], variables: Mapping[str, str | None]) -> InstallCommand | None:
    words = [word.text for word in rest]
    if "install" not in words:
        return None
    named = tuple(_operands(words, "install", ("-t", "--target-release", "-o", "--option", "-c")))
    return InstallCommand(tool="apt", verb="install", requirements=named, variables=variables)


def _operands(words: Sequence[str], verb: str, valued: Sequence[str]) -> Iterator[str]:
    rest = iter(words[words.index(verb) + 1 :])
    for text in rest:
        if text in valued:
            next(rest, None)
        elif not text.startswith("-"):
            yield text


_FAMILIES: Final = {"mamba": "conda", "micromamba": "conda", "apt-get": "apt", "aptitude": "apt"}
_READERS: Final[Mapping[str, Callable[[Sequence[Word], Mapping[str, str | None]], InstallCommand | None]]] = {
    "pip-sync": partial(_pip_like, "pip", "sync"),
    "uv": _uv,
    "conda": _conda,
    "apt": _apt,
}
