"""Commands for people's own workspace: the first files, the contract's oddities, and what this machine lacks."""

from __future__ import annotations

import sys
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from imgcheck import options


class Ci(str, Enum):
    GITHUB = "github"
    GITLAB = "gitlab"
    JENKINS = "jenkins"
    BUILDKITE = "buildkite"
    NONE = "none"


def register(app: typer.Typer) -> None:
    """Adds them, in the order in which a person needs them."""
    for command in (init, doctor, clean):
        app.command(rich_help_panel=options.SETUP)(command)
    app.command(rich_help_panel=options.CONTRACTS, no_args_is_help=True)(lint)


def init(
    base: Annotated[str | None, typer.Option(metavar="IMAGE", help="The base image; asked for unless given.")] = None,
    dockerfile: Annotated[
        str | None, typer.Option("--dockerfile", "-f", metavar="FILE", help="The Dockerfile; Dockerfile unless given.")
    ] = None,
    ci: Annotated[Ci | None, typer.Option(help="Whose pipeline to write; none unless given.")] = None,
    contract: Annotated[str, typer.Option("--contract", "-c", metavar="FILE", help="The contract to write.")] = (
        "contracts/base.yaml"
    ),
    image: Annotated[str, typer.Option(metavar="NAME", help="The image's name in the pipeline.")] = "my/train",
    no_hooks: Annotated[bool, typer.Option("--no-hooks", help="Write no pre-commit configuration.")] = False,
) -> None:
    """Write a first contract, a pipeline and a pre-commit hook; what is there already is left alone.

    [dim]imgcheck init[/]                                              asks
    [dim]imgcheck init --base python:3.11-slim --ci github[/]          takes flags
    """
    from imgcheck.initialising import Wish, start  # noqa: PLC0415

    asks = base is None
    if base is None:
        if not sys.stdin.isatty():
            raise typer.BadParameter("name the base image; nobody is here to be asked", param_hint="--base")
        base = typer.prompt("Base image, as FROM names it", err=True)
    if asks and dockerfile is None:
        dockerfile = typer.prompt("Dockerfile", default="Dockerfile", err=True)
    if asks and ci is None:
        ci = Ci(typer.prompt("CI (github, gitlab, jenkins, buildkite, none)", default="none", err=True))
    wish = Wish(
        base=base,
        dockerfile=dockerfile or "Dockerfile",
        contract=contract,
        image=image,
        ci=(ci or Ci.NONE).value,
        hooks=not no_hooks,
    )
    typer.echo(start(wish, Path.cwd()).told())


def doctor(host: options.Host = None, cache_dir: options.CacheFolder = None) -> None:
    """Tell what works on this machine, and how to get the rest: engine, buildx, login, CA bundle, disk, cgroups."""
    from imgcheck.doctoring import examine, exit_code  # noqa: PLC0415
    from imgcheck.report.health import render_health  # noqa: PLC0415

    found = examine(host, cache_dir)
    typer.echo(render_health(found), nl=False)
    raise typer.Exit(exit_code(found))


def clean(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FOLDER]…", help="Where reports, contracts and locks are written; here unless given.", exists=True
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be removed.")] = False,
    older_than: Annotated[
        float,
        typer.Option(
            metavar="HOURS", min=0, help="The age at which what a run of another machine made counts as left behind."
        ),
    ] = 24,
    host: options.Host = None,
    cache_dir: options.CacheFolder = None,
) -> None:
    """Remove what killed runs left behind: containers, volumes, working names of images, temporary files.

    Nothing of a run that is still at work, and nothing that imgcheck did not make, is touched.

    [dim]imgcheck clean --dry-run[/]
    """
    from imgcheck import cleaning  # noqa: PLC0415
    from imgcheck.engines.docker import DockerEngine  # noqa: PLC0415
    from imgcheck.engines.endpoint import settle  # noqa: PLC0415

    engine = DockerEngine(settle(host))
    found = cleaning.find(engine, cache_dir, folders or [Path.cwd()], older_than * 3600)
    gone = found if dry_run else cleaning.clean(engine, found)
    engine.close()
    typer.echo("\n".join((*gone.lines(), f"{'would remove' if dry_run else 'removed'} {gone.told}")))
    if gone.problem:
        raise gone.problem


def lint(
    contracts: Annotated[list[Path], typer.Argument(metavar="CONTRACT…", help="Contract files.")],
    facts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Saved facts of an image: tells unused waivers and pins, too.")
    ] = None,
    strict: options.Strict = False,
) -> None:
    """Tell what is odd in a contract, with lines: waivers that end or are unused, pins and probes that mean nothing.

    [dim]imgcheck lint contracts/base.yaml --facts facts.json[/]
    """
    from imgcheck.linting import lint as remarks  # noqa: PLC0415

    today = date.today()  # noqa: DTZ011 - a waiver's end date is the owner's local date
    found = [one for path in contracts for one in remarks(path, facts, today)]
    fails = any(one.level == "error" or strict for one in found)
    options.finish("\n".join(map(str, found)) or f"nothing odd in {', '.join(map(str, contracts))}", int(fails))
