"""The options that several commands share, each declared once."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer

if TYPE_CHECKING:
    from imgcheck.pipeline import RunOptions
    from imgcheck.planning import Resolving
    from imgcheck.progress import Progress
    from imgcheck.selecting import Selection
    from imgcheck.subjects import Wanted

MAKE, LOOK, CONTRACTS, SETUP = "Build and judge", "Look into an image", "Contracts and requirements", "Set up"
_WITHOUT = "Without an engine, in place of IMAGE"
_RUN, _OUT, _VERDICT, _BUILD = "Run", "Output", "Verdict", "Build, as docker buildx build takes it"


def complete_checks(incomplete: str) -> list[str]:
    """Names and codes of checks, for the shell."""
    from imgcheck.checks import CHECKS  # noqa: PLC0415
    from imgcheck.selecting import CONTRACT_CHECKS, Named  # noqa: PLC0415

    known: tuple[Named, ...] = (*CHECKS, *CONTRACT_CHECKS)
    words = (word for one in known for word in (one.name, one.code))
    return [word for word in words if word.startswith(incomplete)]


def complete_formats(incomplete: str) -> list[str]:
    """Names of report formats, for the shell."""
    from imgcheck.report import RENDERERS  # noqa: PLC0415

    return [name for name in RENDERERS if name.startswith(incomplete)]


class Color(str, Enum):
    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class ResolverName(str, Enum):
    PIP_TOOLS = "pip-tools"
    UV = "uv"


class RebuildProof(str, Enum):
    BUILD = "build"
    RESOLVE = "resolve"


_PROVE_REBUILD: Final = "--prove-rebuild"
NoResolve = Annotated[
    bool,
    typer.Option(
        "--no-resolve",
        envvar="IMGCHECK_NO_RESOLVE",
        help="Do not try in the base whether what install steps ask for can be resolved under the contract.",
    ),
]
ResolveTimeout = Annotated[
    float | None,
    typer.Option(
        "--resolve-timeout",
        min=1,
        metavar="SECONDS",
        envvar="IMGCHECK_RESOLVE_TIMEOUT",
        help="What those resolutions may take together, 120 unless given; what was not told by then is not verified.",
    ),
]
ProveRebuild = Annotated[
    RebuildProof | None,
    typer.Option(
        _PROVE_REBUILD,
        metavar="[=build|resolve]",
        help="Build a second time without cache and compare what is installed; =resolve: a fresh resolution only.",
    ),
]
_INDEX = "Index, as pip takes it"
IndexUrl = Annotated[
    str | None, typer.Option("--index-url", "-i", metavar="URL", rich_help_panel=_INDEX, help="The index.")
]
ExtraIndexUrls = Annotated[
    list[str] | None,
    typer.Option("--extra-index-url", metavar="URL", rich_help_panel=_INDEX, help="A further index; may be repeated."),
]
FindLinks = Annotated[
    list[str] | None,
    typer.Option(
        "--find-links",
        "-f",
        metavar="PLACE",
        rich_help_panel=_INDEX,
        help="A folder of this machine, or a page of links.",
    ),
]
TrustedHosts = Annotated[
    list[str] | None,
    typer.Option(
        "--trusted-host", metavar="HOST", rich_help_panel=_INDEX, help="Reached without a trusted certificate."
    ),
]
Certificates = Annotated[
    Path | None, typer.Option("--cert", metavar="FILE", rich_help_panel=_INDEX, help="The CA bundle to trust.")
]
ContractFile = Annotated[
    Path,
    typer.Option(
        "--contract",
        "-c",
        metavar="FILE",
        envvar="IMGCHECK_CONTRACT",
        help="The contract; [dim]imgcheck freeze[/] writes one.",
    ),
]
OptionalContractFile = Annotated[
    Path | None,
    typer.Option(
        "--contract",
        "-c",
        metavar="FILE",
        envvar="IMGCHECK_CONTRACT",
        help="A contract whose runtime, interpreter and import options hold here too.",
    ),
]
CollectedFor = Annotated[
    Path | None,
    typer.Option(
        "--contract",
        "-c",
        metavar="FILE",
        envvar="IMGCHECK_CONTRACT",
        help="Collect what this contract asks for, its probes and smoke lines included; what is usual unless given.",
    ),
]
Interpreter = Annotated[
    str | None,
    typer.Option("--python", metavar="PATH", help="The interpreter in the image; the first on its PATH unless given."),
]
Here = Annotated[
    bool,
    typer.Option(
        "--here", rich_help_panel=_WITHOUT, help="Judge the Python of this environment: in a pod, in conda, in CI."
    ),
]
FactsFile = Annotated[
    Path | None,
    typer.Option(
        "--facts",
        metavar="FILE",
        rich_help_panel=_WITHOUT,
        help="Judge what a collector told elsewhere; [dim]imgcheck collector[/] writes that.",
    ),
]
RootfsFolder = Annotated[
    Path | None,
    typer.Option(
        "--rootfs", metavar="DIR", rich_help_panel=_WITHOUT, help="Judge the files of a system; nothing of it is run."
    ),
]
ArchiveFile = Annotated[
    Path | None,
    typer.Option(
        "--archive",
        metavar="PATH",
        rich_help_panel=_WITHOUT,
        help="Judge the files of an image that [dim]docker save[/] or buildx wrote: a tar, or an OCI layout.",
    ),
]
LocalInterpreter = Annotated[
    str | None,
    typer.Option(
        "--python",
        metavar="PATH",
        rich_help_panel=_WITHOUT,
        help="With --here: the interpreter; of VIRTUAL_ENV or CONDA_PREFIX, or imgcheck's own, unless given.",
    ),
]
Host = Annotated[
    str | None,
    typer.Option(
        "--host",
        "-H",
        metavar="URL",
        envvar="IMGCHECK_HOST",
        rich_help_panel=_RUN,
        help="The engine, such as unix:///run/docker.sock; DOCKER_HOST or the current docker context unless given.",
    ),
]
CacheFolder = Annotated[
    Path | None,
    typer.Option(
        "--cache-dir",
        metavar="DIR",
        envvar="IMGCHECK_CACHE_DIR",
        rich_help_panel=_RUN,
        help="Where facts are kept by content.",
    ),
]
NoCache = Annotated[
    bool,
    typer.Option(
        "--no-cache", envvar="IMGCHECK_NO_CACHE", rich_help_panel=_RUN, help="Collect facts afresh, whatever was kept."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", min=1, envvar="IMGCHECK_JOBS", rich_help_panel=_RUN, help="Imports that run side by side."
    ),
]
Distrust = Annotated[
    bool,
    typer.Option(
        "--distrust",
        envvar="IMGCHECK_DISTRUST",
        rich_help_panel=_RUN,
        help="Hold what the image's Python tells of its distributions against the layers, which nothing in it can "
        "change; all layers are read.",
    ),
]
Deep = Annotated[
    bool,
    typer.Option(
        "--deep",
        envvar="IMGCHECK_DEEP",
        rich_help_panel=_RUN,
        help="Hash every installed file, however large; otherwise those up to 64 KiB and suspected ones.",
    ),
]
Vantage = Annotated[
    int | None,
    typer.Option(
        "--vantage",
        metavar="UID",
        min=1,
        max=(1 << 31) - 1,
        envvar="IMGCHECK_VANTAGE",
        rich_help_panel=_RUN,
        help="Import every module as this user as well, with group 0: clusters may run images as any uid.",
    ),
]
Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        metavar="CHECK",
        envvar="IMGCHECK_SELECT",
        rich_help_panel=_VERDICT,
        autocompletion=complete_checks,
        help="Only these checks: a name, a code, or IC3 for all.",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="CHECK",
        envvar="IMGCHECK_IGNORE",
        rich_help_panel=_VERDICT,
        autocompletion=complete_checks,
        help="All but these checks.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict", envvar="IMGCHECK_STRICT", rich_help_panel=_VERDICT, help="What could not be verified fails the run."
    ),
]
StrictBase = Annotated[
    bool,
    typer.Option(
        "--strict-base",
        envvar="IMGCHECK_STRICT_BASE",
        rich_help_panel=_VERDICT,
        help="What the base image has too fails the run.",
    ),
]
Format = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="FORMAT",
        rich_help_panel=_OUT,
        autocompletion=complete_formats,
        help="On standard output: text, json, junit, sarif, github, summary, gitlab, tap, markdown or html.",
    ),
]
OutputFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", rich_help_panel=_OUT, help="Write it to a file instead."),
]
Reports = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        metavar="FORMAT=FILE",
        rich_help_panel=_OUT,
        help="A further report, as junit=out.xml; repeat it.",
    ),
]
SaveFacts = Annotated[
    Path | None,
    typer.Option(
        "--save-facts",
        metavar="FILE",
        envvar="IMGCHECK_SAVE_FACTS",
        rich_help_panel=_OUT,
        help="Keep all that was seen; imgcheck report judges it again, without an engine.",
    ),
]
Verbose = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        rich_help_panel=_OUT,
        help="List what is only counted otherwise; -vv also tells each program started and each request to the engine.",
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", rich_help_panel=_OUT, help="No progress; the verdict in a few lines.")
]
ColorChoice = Annotated[
    Color, typer.Option("--color", rich_help_panel=_OUT, help="Colours; NO_COLOR and FORCE_COLOR are honoured.")
]
BuildArgs = Annotated[
    list[str] | None,
    typer.Option(
        "--build-arg",
        metavar="NAME=VALUE",
        rich_help_panel=_BUILD,
        help="A value for an ARG; NAME alone takes the environment's.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target", metavar="STAGE", rich_help_panel=_BUILD, help="The stage to build; the last unless given."
    ),
]
Platform = Annotated[
    str | None,
    typer.Option("--platform", metavar="OS/ARCH", rich_help_panel=_BUILD, help="One platform to build and check for."),
]
Network = Annotated[
    str | None,
    typer.Option(
        "--network", metavar="MODE", rich_help_panel=_BUILD, help="Network of RUN instructions: default, none or host."
    ),
]
Secrets = Annotated[
    list[str] | None,
    typer.Option(
        "--secret", metavar="id=…,src=…", rich_help_panel=_BUILD, help="A secret for RUN --mount=type=secret."
    ),
]
Ssh = Annotated[
    list[str] | None,
    typer.Option("--ssh", metavar="ID[=SOCKET]", rich_help_panel=_BUILD, help="An SSH agent for RUN --mount=type=ssh."),
]
Labels = Annotated[
    list[str] | None,
    typer.Option("--label", metavar="NAME=VALUE", rich_help_panel=_BUILD, help="A label of the image."),
]
BuildContexts = Annotated[
    list[str] | None,
    typer.Option(
        "--build-context", metavar="NAME=VALUE", rich_help_panel=_BUILD, help="A further named build context."
    ),
]
CacheFrom = Annotated[
    list[str] | None,
    typer.Option("--cache-from", metavar="SOURCE", rich_help_panel=_BUILD, help="Where layers may come from."),
]
CacheTo = Annotated[
    list[str] | None,
    typer.Option("--cache-to", metavar="TARGET", rich_help_panel=_BUILD, help="Where layers are kept."),
]
AddHosts = Annotated[
    list[str] | None,
    typer.Option("--add-host", metavar="HOST:IP", rich_help_panel=_BUILD, help="A name for RUN instructions."),
]
Ulimits = Annotated[
    list[str] | None,
    typer.Option("--ulimit", metavar="NAME=SOFT:HARD", rich_help_panel=_BUILD, help="A limit for RUN instructions."),
]
ShmSize = Annotated[
    str | None,
    typer.Option("--shm-size", metavar="SIZE", rich_help_panel=_BUILD, help="Size of /dev/shm for RUN instructions."),
]
Builder = Annotated[
    str | None,
    typer.Option("--builder", metavar="NAME", rich_help_panel=_BUILD, help="The buildx builder; Podman builds itself."),
]
Pull = Annotated[bool, typer.Option("--pull", rich_help_panel=_BUILD, help="Ask registries for newer images.")]
NoBuildCache = Annotated[
    bool, typer.Option("--no-build-cache", rich_help_panel=_BUILD, help="Build every layer anew (docker's --no-cache).")
]


def wanted(
    image: str | None, *, here: bool, python: str | None, facts: Path | None, rootfs: Path | None, archive: Path | None
) -> Wanted:
    """What is judged; there is one of it.

    Raises:
        UsageError: none is named, or several, or an option belongs to another.
    """
    from imgcheck.errors import UsageError  # noqa: PLC0415
    from imgcheck.subjects import Archive, Here, Recorded, Rootfs  # noqa: PLC0415

    named: dict[str, Wanted | None] = {
        "IMAGE": image,
        "--here": Here(python=python) if here else None,
        "--facts": Recorded(path=facts) if facts else None,
        "--rootfs": Rootfs(folder=rootfs) if rootfs else None,
        "--archive": Archive(path=archive) if archive else None,
    }
    given = {name: value for name, value in named.items() if value}
    if len(given) != 1:
        raise UsageError(
            f"{' and '.join(given)} exclude each other" if given else "nothing is named that is to be judged",
            remedy=f"give one of {', '.join(named)}",
        )
    if python and not here:
        raise UsageError("--python names an interpreter for --here", remedy="an image's is named in its contract")
    return next(iter(given.values()))


def run_options(
    host: str | None,
    cache_dir: Path | None,
    no_cache: bool,
    jobs: int | None = None,
    select: list[str] | None = None,
    ignore: list[str] | None = None,
    strict: bool = False,
    strict_base: bool = False,
    deep: bool = False,
    vantage: int | None = None,
    save_facts: Path | None = None,
    distrust: bool = False,
) -> RunOptions:
    """What every command can be told, settled."""
    from imgcheck.ending import current_ending  # noqa: PLC0415
    from imgcheck.pipeline import RunOptions  # noqa: PLC0415

    if save_facts:
        from imgcheck.report.files import Destination, check_destination  # noqa: PLC0415

        check_destination(Destination(format="facts", path=save_facts))
    return RunOptions(
        host=host,
        cache_folder=cache_dir,
        use_cache=not no_cache,
        jobs=jobs,
        selection=selection(select, ignore),
        strict=strict,
        strict_base=strict_base,
        deep=deep,
        vantage=vantage,
        distrust=distrust,
        save_facts=save_facts,
        ending=current_ending(),
    )


def selection(select: list[str] | None, ignore: list[str] | None) -> Selection:
    from imgcheck.selecting import Selection  # noqa: PLC0415

    return Selection(select=names(select), ignore=names(ignore))


def resolving(no_resolve: bool, timeout: float | None) -> Resolving:
    """Whether install steps are resolved before a build, and for how long."""
    from imgcheck.planning import Resolving  # noqa: PLC0415

    return Resolving(wanted=not no_resolve, **({"seconds": timeout} if timeout else {}))


def spelled_out(arguments: Sequence[str]) -> list[str]:
    """The arguments with the value that --prove-rebuild may leave out; a parser would take the next operand for it."""
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    return [f"{one}=build" if one == _PROVE_REBUILD and index < end else one for index, one in enumerate(words)]


def lock_beside(requirements: Path) -> Path:
    """requirements.in -> requirements.txt; a file of another ending -> its name with .lock.txt."""
    return requirements.with_suffix(".txt" if requirements.suffix == ".in" else ".lock.txt")


def progress(quiet: bool) -> Progress:
    """Progress on stderr, as every command shows it."""
    from imgcheck.delivery import Output  # noqa: PLC0415

    return Output.of("text", None, None, verbose=0, quiet=quiet, color="auto").progress


def finish(text: str, exit_code: int) -> NoReturn:
    """Shows an answer, which may hold words of an image or an index, and ends with its status."""
    from imgcheck.report.untrusted import neutral  # noqa: PLC0415

    typer.echo("\n".join(map(neutral, text.splitlines())))
    raise typer.Exit(exit_code)


def names(values: Sequence[str] | None) -> tuple[str, ...]:
    """Options that may be repeated, or hold several names by commas."""
    return tuple(name.strip() for value in values or () for name in value.split(",") if name.strip())


def pairs(option: str, values: Sequence[str] | None) -> dict[str, str]:
    """NAME=VALUE options by name; the last of a name counts."""
    found = {}
    for one in values or ():
        name, equals, value = one.partition("=")
        if not name or not equals:
            raise typer.BadParameter(f"{one!r} is not NAME=VALUE", param_hint=option)
        found[name] = value
    return found
