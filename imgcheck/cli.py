"""Commands: arguments in, pipeline called, report out, exit code. Nothing is decided here.

Heavy imports happen when a command runs, so that help and completion are quick.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from imgcheck import __version__, cli_workspace, options
from imgcheck.ending import Ending
from imgcheck.errors import ExitCode, ImgcheckError
from imgcheck.interrupts import hear
from imgcheck.naming import defaults_of, every_option_named, known_options
from imgcheck.settings import read_settings

EPILOG = (
    "Exit codes: 0 kept · 1 broken · 2 usage or contract wrong · 3 the image did not build · 4 a check could not run · "
    "5 nothing was checked · 75 engine, registry or index out of reach (worth a retry) · 130 interrupted\n\n"
    "Every option is also a variable, as IMGCHECK_CACHE_DIR is for --cache-dir, and a key of \\[tool.imgcheck] in "
    "pyproject.toml. --install-completion makes the shell complete commands, options and checks."
)

app = typer.Typer(
    name="imgcheck",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from imgcheck.engines.version import engine_version  # noqa: PLC0415

        typer.echo(f"imgcheck {__version__}")
        typer.echo(f"engine   {engine_version()}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the versions of imgcheck and engine.", is_eager=True, callback=_show_version
        ),
    ] = False,
) -> None:
    """Build training images against a contract, and fail the build before any GPU time is spent.

    [bold]imgcheck init[/]                                [dim]a first contract and pipeline[/]
    [bold]imgcheck freeze[/] BASE -o base.yaml            [dim]what the base promises[/]
    [bold]imgcheck build[/] -c base.yaml -t my/train:1 .  [dim]tagged only when it keeps that[/]
    [bold]imgcheck check[/] my/train:1 -c base.yaml       [dim]judge an image that exists[/]
    [bold]imgcheck explain[/] moved-pin                   [dim]what a check means, and what helps[/]
    [bold]imgcheck imports[/] my/train:1 torch.nn         [dim]one module's whole story[/]
    [bold]imgcheck probe[/] ray-dashboard my/train:1      [dim]start a program, hear all it says[/]
    """


@app.command(no_args_is_help=True, rich_help_panel=options.MAKE)
def build(
    contract: options.ContractFile,
    context: Annotated[Path, typer.Argument(metavar="CONTEXT", help="The folder that COPY copies from.")],
    tag: Annotated[
        list[str] | None, typer.Option("--tag", "-t", help="Name of the image; given only when the contract is kept.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", help="The Dockerfile; CONTEXT/Dockerfile unless given.")
    ] = None,
    keep_failed: Annotated[
        bool, typer.Option("--keep-failed", help="Keep a broken image under a name of its own, to look into it.")
    ] = False,
    no_plan: Annotated[
        bool, typer.Option("--no-plan", help="Do not read the Dockerfile and requirement files for trouble first.")
    ] = False,
    no_resolve: options.NoResolve = False,
    resolve_timeout: options.ResolveTimeout = None,
    prove_rebuild: options.ProveRebuild = None,
    build_arg: options.BuildArgs = None,
    target: options.Target = None,
    platform: options.Platform = None,
    network: options.Network = None,
    secret: options.Secrets = None,
    ssh: options.Ssh = None,
    label: options.Labels = None,
    build_context: options.BuildContexts = None,
    cache_from: options.CacheFrom = None,
    cache_to: options.CacheTo = None,
    add_host: options.AddHosts = None,
    ulimit: options.Ulimits = None,
    shm_size: options.ShmSize = None,
    builder: options.Builder = None,
    pull: options.Pull = False,
    no_build_cache: options.NoBuildCache = False,
    host: options.Host = None,
    cache_dir: options.CacheFolder = None,
    no_cache: options.NoCache = False,
    jobs: options.Jobs = None,
    deep: options.Deep = False,
    vantage: options.Vantage = None,
    distrust: options.Distrust = False,
    select: options.Select = None,
    ignore: options.Ignore = None,
    strict: options.Strict = False,
    strict_base: options.StrictBase = False,
    format_name: options.Format = "text",
    output: options.OutputFile = None,
    report: options.Reports = None,
    save_facts: options.SaveFacts = None,
    verbose: options.Verbose = 0,
    quiet: options.Quiet = False,
    color: options.ColorChoice = options.Color.AUTO,
) -> None:
    """Build an image with the contract's constraints in force, check it, and tag it when the contract is kept.

    The Dockerfile is not edited: every FROM of the contract's base is given a derived base that carries the merged
    constraints file and sets PIP_CONSTRAINT and UV_CONSTRAINT.

    [dim]imgcheck build -c contracts/base.yaml -f dockerfiles/train.Dockerfile -t my/train:1 dockerfiles/train[/]
    """
    from imgcheck import pipeline  # noqa: PLC0415
    from imgcheck.build.options import BuildOptions  # noqa: PLC0415
    from imgcheck.building import BuildRequest  # noqa: PLC0415
    from imgcheck.delivery import Output  # noqa: PLC0415

    out = Output.of(format_name, output, report, verbose=verbose, quiet=quiet, color=color.value)
    request = BuildRequest(
        context=context,
        dockerfile=file,
        tags=tuple(tag or ()),
        keep_failed=keep_failed,
        plan=not no_plan,
        resolving=options.resolving(no_resolve, resolve_timeout),
        prove_rebuild=prove_rebuild.value if prove_rebuild else None,
        options=BuildOptions(
            build_args=tuple(build_arg or ()),
            build_contexts=tuple(build_context or ()),
            labels=tuple(label or ()),
            secrets=tuple(secret or ()),
            ssh=tuple(ssh or ()),
            cache_from=tuple(cache_from or ()),
            cache_to=tuple(cache_to or ()),
            add_hosts=tuple(add_host or ()),
            ulimits=tuple(ulimit or ()),
            target=target,
            platform=platform,
            network=network,
            shm_size=shm_size,
            builder=builder,
            no_cache=no_build_cache,
            pull=pull,
        ),
    )
    run_options = options.run_options(
        host, cache_dir, no_cache, jobs, select, ignore, strict, strict_base, deep, vantage, save_facts, distrust
    )
    result = pipeline.build(request, contract, run_options, out.progress)
    out.deliver(result, cache_dir)
    raise typer.Exit(result.exit_code)


@app.command(no_args_is_help=True, rich_help_panel=options.MAKE)
def plan(
    contract: options.ContractFile,
    context: Annotated[Path, typer.Argument(metavar="CONTEXT", help="The folder that COPY copies from.")],
    file: Annotated[
        Path | None, typer.Option("--file", "-f", help="The Dockerfile; CONTEXT/Dockerfile unless given.")
    ] = None,
    build_arg: options.BuildArgs = None,
    target: options.Target = None,
    platform: options.Platform = None,
    network: options.Network = None,
    build_context: options.BuildContexts = None,
    no_resolve: options.NoResolve = False,
    resolve_timeout: options.ResolveTimeout = None,
    host: options.Host = None,
    cache_dir: options.CacheFolder = None,
    no_cache: options.NoCache = False,
    select: options.Select = None,
    ignore: options.Ignore = None,
    strict: options.Strict = False,
    format_name: options.Format = "text",
    output: options.OutputFile = None,
    report: options.Reports = None,
    verbose: options.Verbose = 0,
    quiet: options.Quiet = False,
    color: options.ColorChoice = options.Color.AUTO,
) -> None:
    """Read a Dockerfile and its requirement files for what goes round the contract, without building.

    What its install steps ask for is resolved in the base, under the contract's constraints, unless --no-resolve.

    [dim]imgcheck plan -c contracts/base.yaml -f dockerfiles/train.Dockerfile dockerfiles/train[/]
    """
    from imgcheck import pipeline  # noqa: PLC0415
    from imgcheck.build.options import BuildOptions  # noqa: PLC0415
    from imgcheck.building import BuildRequest  # noqa: PLC0415
    from imgcheck.delivery import Output  # noqa: PLC0415

    out = Output.of(format_name, output, report, verbose=verbose, quiet=quiet, color=color.value)
    given = BuildOptions(
        build_args=tuple(build_arg or ()),
        build_contexts=tuple(build_context or ()),
        target=target,
        platform=platform,
        network=network,
    )
    resolving = options.resolving(no_resolve, resolve_timeout)
    request = BuildRequest(context=context, dockerfile=file, resolving=resolving, options=given)
    run_options = options.run_options(host, cache_dir, no_cache, None, select, ignore, strict)
    result = pipeline.plan(request, contract, run_options, out.progress)
    out.deliver(result, cache_dir)
    raise typer.Exit(result.exit_code)


@app.command(no_args_is_help=True, rich_help_panel=options.MAKE)
def check(
    contract: options.ContractFile,
    image: Annotated[str | None, typer.Argument(metavar="[IMAGE]", help="A tag, a digest or an image ID.")] = None,
    here: options.Here = False,
    python: options.LocalInterpreter = None,
    facts: options.FactsFile = None,
    rootfs: options.RootfsFolder = None,
    archive: options.ArchiveFile = None,
    host: options.Host = None,
    cache_dir: options.CacheFolder = None,
    no_cache: options.NoCache = False,
    jobs: options.Jobs = None,
    deep: options.Deep = False,
    vantage: options.Vantage = None,
    distrust: options.Distrust = False,
    select: options.Select = None,
    ignore: options.Ignore = None,
    strict: options.Strict = False,
    strict_base: options.StrictBase = False,
    format_name: options.Format = "text",
    output: options.OutputFile = None,
    report: options.Reports = None,
    save_facts: options.SaveFacts = None,
    verbose: options.Verbose = 0,
    quiet: options.Quiet = False,
    color: options.ColorChoice = options.Color.AUTO,
) -> None:
    """Judge an image that exists against a contract; or, without an engine, an environment, or an image's files.

    [dim]imgcheck check my/train:1 -c contracts/base.yaml --report json=report.json[/]
    [dim]imgcheck check --here -c contracts/base.yaml[/]
    [dim]imgcheck check --facts facts.jsonl -c contracts/base.yaml[/]
    [dim]imgcheck check --archive image.tar -c contracts/base.yaml[/]
    """
    from imgcheck import pipeline  # noqa: PLC0415
    from imgcheck.delivery import Output  # noqa: PLC0415

    wanted = options.wanted(image, here=here, python=python, facts=facts, rootfs=rootfs, archive=archive)
    out = Output.of(format_name, output, report, verbose=verbose, quiet=quiet, color=color.value)
    run_options = options.run_options(
        host, cache_dir, no_cache, jobs, select, ignore, strict, strict_base, deep, vantage, save_facts, distrust
    )
    result = pipeline.check(wanted, contract, run_options, out.progress)
    out.deliver(result, cache_dir)
    raise typer.Exit(result.exit_code)


@app.command(no_args_is_help=True, rich_help_panel=options.MAKE)
def collector(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")],
    contract: options.CollectedFor = None,
    deep: options.Deep = False,
    jobs: options.Jobs = None,
) -> None:
    """Write the collector as one file, for a place without imgcheck and without an engine.

    It needs a Python of 3.8 or newer there and nothing else, and prints what [bold]imgcheck check --facts[/] judges.

    [dim]imgcheck collector -o imgcheck-collector.pyz -c contracts/base.yaml[/]
    """
    from imgcheck.standalone import write_collector  # noqa: PLC0415

    written = write_collector(output, contract, deep=deep, jobs=jobs)
    typer.echo(f"wrote {output}; it tells: {', '.join(written)}")
    typer.echo(f"there:  python {output.name} > facts.jsonl")
    typer.echo("here:   imgcheck check --facts facts.jsonl -c CONTRACT")


@app.command(no_args_is_help=True, rich_help_panel=options.CONTRACTS)
def freeze(
    image: Annotated[str, typer.Argument(metavar="BASE", help="The base image.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The contract to write, or to renew.")],
    only: Annotated[list[str] | None, typer.Option(metavar="NAMES", help="Pin only these, by commas.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(metavar="NAMES", help="Pin all but these, by commas.")] = None,
    os_packages: Annotated[
        bool,
        typer.Option("--os-packages", help="Promise OS packages of CUDA, cuDNN, NCCL, libc and libstdc++, too."),
    ] = False,
    python: options.Interpreter = None,
    host: options.Host = None,
    cache_dir: options.CacheFolder = None,
    no_cache: options.NoCache = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a contract from what a base image holds, and a constraints file beside it.

    An existing contract is renewed: comments, waivers, probes and loosened specifiers stay, and what changed is told.

    [dim]imgcheck freeze registry.example/ml/base:2026.11 -o contracts/base.yaml --exclude pip,setuptools[/]
    """
    from imgcheck import freezing  # noqa: PLC0415
    from imgcheck.delivery import Output  # noqa: PLC0415

    out = Output.of("text", None, None, verbose=0, quiet=quiet, color="auto")
    run_options = options.run_options(host, cache_dir, no_cache)
    request = freezing.FreezeRequest(
        only=options.names(only), exclude=options.names(exclude), interpreter=python, os_packages=os_packages
    )
    typer.echo(freezing.told(freezing.freeze(image, output, request, run_options, out.progress)))


@app.command(no_args_is_help=True, rich_help_panel=options.CONTRACTS)
def lock(
    requirements: Annotated[list[Path], typer.Argument(metavar="REQUIREMENTS…", help="What people wrote.")],
    contract: options.ContractFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The lock; X.txt for X.in unless given.")
    ] = None,
    only_check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail where the lock is stale or contradicts the contract.")
    ] = False,
    generate_hashes: Annotated[bool, typer.Option("--generate-hashes", help="With the hashes of all files.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="With what the base already has.")] = False,
    upgrade: Annotated[bool, typer.Option("--upgrade", "-U", help="Newest versions, whatever the lock says.")] = False,
    upgrade_package: Annotated[
        list[str] | None, typer.Option("--upgrade-package", "-P", metavar="NAME", help="The newest of this one.")
    ] = None,
    pre: Annotated[bool, typer.Option("--pre", help="Pre-releases, too.")] = False,
    resolver: Annotated[options.ResolverName, typer.Option(help="What resolves.")] = options.ResolverName.PIP_TOOLS,
    index_url: options.IndexUrl = None,
    extra_index_url: options.ExtraIndexUrls = None,
    find_links: options.FindLinks = None,
    trusted_host: options.TrustedHosts = None,
    cert: options.Certificates = None,
    constraint: Annotated[
        list[Path] | None, typer.Option("--constraint", metavar="FILE", help="A further constraints file.")
    ] = None,
    network: Annotated[
        str, typer.Option(metavar="MODE", help="The container's network: bridge, host, none.")
    ] = "bridge",
    host: options.Host = None,
    cache_dir: options.CacheFolder = None,
    no_cache: options.NoCache = False,
    quiet: options.Quiet = False,
) -> None:
    """Resolve requirements inside the base image, under the contract, into a lock.

    pip's own variables and configuration on this machine hold there as well, folders and CA bundle included.

    [dim]imgcheck lock requirements.in -c contracts/base.yaml -o requirements.txt[/]
    """
    from imgcheck.locking import lock as locking  # noqa: PLC0415
    from imgcheck.locking.sources import IndexOptions  # noqa: PLC0415

    request = locking.LockRequest(
        inputs=tuple(requirements),
        output=output or options.lock_beside(requirements[0]),
        check=only_check,
        hashes=generate_hashes,
        everything=everything,
        upgrade=upgrade,
        upgrade_packages=options.names(upgrade_package),
        pre=pre,
        ways=not only_check,
        resolver=resolver.value,
        network=network,
        indexes=IndexOptions(
            index_url=index_url,
            extra_index_urls=tuple(extra_index_url or ()),
            find_links=tuple(find_links or ()),
            trusted_hosts=tuple(trusted_host or ()),
            cert=cert,
            constraints=tuple(constraint or ()),
        ),
    )
    result = locking.lock(request, contract, options.run_options(host, cache_dir, no_cache), options.progress(quiet))
    options.finish(locking.shown(result), result.exit_code)


@app.command(no_args_is_help=True, rich_help_panel=options.CONTRACTS)
def fix(
    requirements: Annotated[list[Path], typer.Argument(metavar="REQUIREMENTS…", help="What people wrote.")],
    contract: options.ContractFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The lock; X.txt for X.in unless given.")
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Write the change, whole or not at all.")] = False,
    index_url: options.IndexUrl = None,
    extra_index_url: options.ExtraIndexUrls = None,
    find_links: options.FindLinks = None,
    trusted_host: options.TrustedHosts = None,
    cert: options.Certificates = None,
    network: Annotated[
        str, typer.Option(metavar="MODE", help="The container's network: bridge, host, none.")
    ] = "bridge",
    host: options.Host = None,
    cache_dir: options.CacheFolder = None,
    no_cache: options.NoCache = False,
    quiet: options.Quiet = False,
) -> None:
    """Propose the change that makes requirements suit the contract: culprits moved, the lock made anew.

    [dim]imgcheck fix requirements.in -c contracts/base.yaml --apply[/]
    """
    from imgcheck.locking import fixing  # noqa: PLC0415
    from imgcheck.locking.lock import LockRequest  # noqa: PLC0415
    from imgcheck.locking.sources import IndexOptions  # noqa: PLC0415

    request = LockRequest(
        inputs=tuple(requirements),
        output=output or options.lock_beside(requirements[0]),
        network=network,
        indexes=IndexOptions(
            index_url=index_url,
            extra_index_urls=tuple(extra_index_url or ()),
            find_links=tuple(find_links or ()),
            trusted_hosts=tuple(trusted_host or ()),
            cert=cert,
        ),
    )
    run_options = options.run_options(host, cache_dir, no_cache)
    result = fixing.fix(request, contract, run_options, options.progress(quiet), apply=apply)
    options.finish(fixing.shown(result), result.exit_code)


@app.command(no_args_is_help=True, rich_help_panel=options.LOOK)
def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="An image.")],
    after: Annotated[str, typer.Argument(metavar="B", help="Another image.")],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    host: options.Host = None,
    cache_dir: options.CacheFolder = None,
    no_cache: options.NoCache = False,
    quiet: options.Quiet = False,
) -> None:
    """Show the distributions added, removed, moved and rebuilt between two images.

    [dim]imgcheck diff registry.example/ml/base:2026.11 my/train:1[/]
    """
    from imgcheck import pipeline  # noqa: PLC0415
    from imgcheck.delivery import Output  # noqa: PLC0415
    from imgcheck.report.diff_table import render_diff, render_diff_json  # noqa: PLC0415

    out = Output.of("text", None, None, verbose=0, quiet=quiet, color="auto")
    found = pipeline.diff(before, after, options.run_options(host, cache_dir, no_cache), out.progress)
    typer.echo((render_diff_json if as_json else render_diff)(found, before, after), nl=False)


@app.command(no_args_is_help=True, rich_help_panel=options.LOOK)
def imports(
    image: Annotated[str, typer.Argument(metavar="IMAGE", help="A tag, a digest or an image ID.")],
    modules: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODULE]…", help="Only these, as names or patterns: foo.bar 'foo.*'", show_default=False
        ),
    ] = None,
    contract: options.OptionalContractFile = None,
    timeout: Annotated[float | None, typer.Option(min=0.1, metavar="SECONDS", help="What one module may take.")] = None,
    tests: Annotated[bool, typer.Option("--tests", help="Import the tests inside packages as well.")] = False,
    python: options.Interpreter = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, with every fact.")] = False,
    host: options.Host = None,
    cache_dir: options.CacheFolder = None,
    no_cache: options.NoCache = False,
    jobs: options.Jobs = None,
    verbose: options.Verbose = 0,
    quiet: options.Quiet = False,
) -> None:
    """Import every module of an image, or some, each as a fresh interpreter would; one alone with its whole story.

    [dim]imgcheck imports my/train:1 torch.nn[/]
    """
    from imgcheck import importing  # noqa: PLC0415
    from imgcheck.delivery import Output, deliver_imports  # noqa: PLC0415

    out = Output.of("text", None, None, verbose=verbose, quiet=quiet, color="auto")
    request = importing.ImportsRequest(
        modules=tuple(modules or ()), contract=contract, timeout=timeout, tests=tests, interpreter=python
    )
    found = importing.imports(image, request, options.run_options(host, cache_dir, no_cache, jobs), out.progress)
    deliver_imports(found, as_json=as_json, full=verbose > 0)
    raise typer.Exit(found.exit_code)


@app.command(no_args_is_help=True, rich_help_panel=options.LOOK)
def gpu(
    image: Annotated[str, typer.Argument(metavar="IMAGE", help="A tag, a digest or an image ID.")],
    contract: options.OptionalContractFile = None,
    capability: Annotated[
        list[str] | None, typer.Option(metavar="X.Y", help="A GPU's compute capability; may be repeated.")
    ] = None,
    driver: Annotated[str | None, typer.Option(metavar="VERSION", help="The oldest driver, such as 550.54.")] = None,
    python: options.Interpreter = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    host: options.Host = None,
    cache_dir: options.CacheFolder = None,
    no_cache: options.NoCache = False,
    quiet: options.Quiet = False,
) -> None:
    """Show what an image's libraries have for GPUs: CUDA, architectures, drivers, and on which GPUs they run.

    [dim]imgcheck gpu my/train:1 --capability 8.0 --capability 9.0 --driver 550.54[/]
    """
    from imgcheck import gpu_listing  # noqa: PLC0415
    from imgcheck.delivery import Output  # noqa: PLC0415
    from imgcheck.report.gpu_table import render_gpu  # noqa: PLC0415
    from imgcheck.report.json import render_gpu_json  # noqa: PLC0415

    out = Output.of("text", None, None, verbose=0, quiet=quiet, color="auto")
    request = gpu_listing.GpuRequest(
        contract=contract, capabilities=options.names(capability), driver=driver, interpreter=python
    )
    found = gpu_listing.list_gpu(image, request, options.run_options(host, cache_dir, no_cache), out.progress)
    typer.echo((render_gpu_json if as_json else render_gpu)(found), nl=False)


@app.command(no_args_is_help=True, rich_help_panel=options.MAKE)
def report(
    facts: Annotated[Path, typer.Argument(metavar="FACTS", help="What check or build kept by --save-facts.")],
    contract: options.ContractFile,
    select: options.Select = None,
    ignore: options.Ignore = None,
    strict: options.Strict = False,
    strict_base: options.StrictBase = False,
    cache_dir: options.CacheFolder = None,
    format_name: options.Format = "text",
    output: options.OutputFile = None,
    report: options.Reports = None,
    verbose: options.Verbose = 0,
    quiet: options.Quiet = False,
    color: options.ColorChoice = options.Color.AUTO,
) -> None:
    """Judge saved facts against a contract and render the report again. No engine is needed.

    [dim]imgcheck report facts.json -c contracts/base.yaml --format sarif[/]
    """
    from imgcheck.delivery import Output  # noqa: PLC0415
    from imgcheck.reporting import report_again  # noqa: PLC0415

    out = Output.of(format_name, output, report, verbose=verbose, quiet=quiet, color=color.value)
    selection = options.selection(select, ignore)
    result = report_again(facts, contract, selection, strict=strict, strict_base=strict_base)
    out.deliver(result, cache_dir)
    raise typer.Exit(result.exit_code)


@app.command(no_args_is_help=True, rich_help_panel=options.MAKE)
def explain(
    what: Annotated[
        str,
        typer.Argument(
            metavar="CHECK|FINDING",
            autocompletion=options.complete_checks,
            help="A check's name or code, or a finding's id.",
        ),
    ],
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="The JSON report to look in; the last run's else."),
    ] = None,
    cache_dir: options.CacheFolder = None,
    color: options.ColorChoice = options.Color.AUTO,
) -> None:
    """Show a check's page, or all that is known of one finding and the way out of it.

    [dim]imgcheck explain moved-pin[/]
    [dim]imgcheck explain IC101-dbf62716[/]
    """
    from imgcheck.delivery import deliver_explained  # noqa: PLC0415
    from imgcheck.explaining import explain as explained  # noqa: PLC0415
    from imgcheck.read_report import last_report  # noqa: PLC0415

    deliver_explained(explained(what, source or last_report(cache_dir)), color=color.value)


@app.command(no_args_is_help=True, rich_help_panel=options.LOOK)
def probe(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A built-in probe, or one of the contract.")],
    image: Annotated[str, typer.Argument(metavar="IMAGE", help="A tag, a digest or an image ID.")],
    contract: options.OptionalContractFile = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of a built-in probe; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, with every fact.")] = False,
    host: options.Host = None,
    cache_dir: options.CacheFolder = None,
    no_cache: options.NoCache = False,
    quiet: options.Quiet = False,
) -> None:
    """Start one probe in an image, afresh and alone, and tell all that it says.

    [dim]imgcheck probe ray-dashboard my/train:1 -c contracts/base.yaml[/]
    """
    from imgcheck import trying  # noqa: PLC0415
    from imgcheck.delivery import deliver_trial  # noqa: PLC0415

    given = options.pairs("--option", option)
    run_options = options.run_options(host, cache_dir, no_cache)
    trial = trying.try_probe(name, image, contract, given, run_options, options.progress(quiet))
    deliver_trial(trial, as_json=as_json)
    raise typer.Exit(trial.exit_code)


@app.command(rich_help_panel=options.LOOK)
def probes(
    contract: options.OptionalContractFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """List the built-in probes, what each proves, and the contract's own.

    [dim]imgcheck probes -c contracts/base.yaml[/]
    """
    from imgcheck import trying  # noqa: PLC0415
    from imgcheck.report.probe_story import render_offered, render_offered_json  # noqa: PLC0415

    found = trying.offered(contract)
    typer.echo((render_offered_json if as_json else render_offered)(found), nl=False)


@app.command(rich_help_panel=options.CONTRACTS)
def schema() -> None:
    """Print the contract's JSON Schema, for editors.

    [dim]imgcheck schema > contracts/imgcheck.schema.json[/]
    """
    from imgcheck.contract.schema import schema_text  # noqa: PLC0415

    typer.echo(schema_text(), nl=False)


@app.command("import-cst", no_args_is_help=True, rich_help_panel=options.CONTRACTS)
def import_cst(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A container-structure-test file, schema 2.0.0.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The contract to write; standard output else.")
    ] = None,
) -> None:
    """Turn a container-structure-test file into a contract. What has no equivalent is told on standard error."""
    from imgcheck import cst_import  # noqa: PLC0415

    imported = cst_import.import_cst(file)
    for remark in imported.remarks:
        typer.echo(f"not the same: {remark}", err=True)
    if output:
        cst_import.write(imported, output)
    else:
        typer.echo(imported.text, nl=False)


cli_workspace.register(app)


def run(arguments: Sequence[str]) -> int:
    """The whole command line; every early stop becomes a message on stderr and an exit code."""
    hear()
    ending = Ending()
    try:
        with ending.awaited():
            return _finished(arguments, ending)
    except KeyboardInterrupt:  # as its last words were said
        return _interrupted(ending)
    finally:
        for problem in ending.problems:
            sys.stderr.write(f"imgcheck: {problem}\n")


def _finished(arguments: Sequence[str], ending: Ending) -> int:
    try:
        command = every_option_named(typer.main.get_command(app))
        defaults = defaults_of(command, read_settings(Path.cwd(), known_options(command)))
        command.main(args=options.spelled_out(arguments), prog_name="imgcheck", default_map=defaults)
    except ImgcheckError as error:
        _tell(error)
        return error.exit_code
    except SystemExit as stop:  # how typer ends, usage errors and Ctrl-C included
        if stop.code == ExitCode.INTERRUPTED:
            return _interrupted(ending)
        return stop.code if isinstance(stop.code, int) else ExitCode.KEPT
    return ExitCode.KEPT


def _interrupted(ending: Ending) -> int:
    ending.come()
    told = "interrupted" if ending.problems else "interrupted; everything it made was removed"
    sys.stderr.write(f"imgcheck: {told}\n")
    return ExitCode.INTERRUPTED


def _tell(error: ImgcheckError) -> None:
    from imgcheck.report.untrusted import neutral  # noqa: PLC0415

    lines = [*(f"  {line}" for line in error.details.splitlines()), *f"imgcheck: {error.message}".splitlines()]
    if error.remedy:
        lines += f"  → {error.remedy}".splitlines()
    sys.stderr.write("\n".join(neutral(line) for line in lines) + "\n")
