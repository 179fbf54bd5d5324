"""The collector as one file that needs no imgcheck beside it: what a contract asks for, written into it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from imgcheck import __version__
from imgcheck.checks import CHECKS, Needs
from imgcheck.contract.loader import load_contract
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.asking import asked_of
from imgcheck.diagnosis.run_lines import runs_of
from imgcheck.engines.engine import Container, ContainerSpec, Executable
from imgcheck.engines.local import image_of
from imgcheck.engines.recorded import key_of
from imgcheck.errors import CollectorError, UsageError
from imgcheck.facts.archive import collector_digest, standalone_archive
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.facts.layers import LayerFacts
from imgcheck.facts.model import ImageFacts
from imgcheck.probes import resolve

_USUAL: Final = Contract.model_validate({"imgcheck": 1, "imports": True})
ELSEWHERE: Final = image_of("elsewhere", {"machine": "", "os": "linux", "workdir": "", "env": []})
"""An environment of which nothing is known yet."""


class _AskedError(CollectorError):
    """It was asked; there is nobody to answer."""


@dataclass
class _Noting:
    """A runner that keeps the requests that it is sent."""

    requests: dict[str, dict[str, Any]] = field(default_factory=dict)

    @contextmanager
    def run(self, spec: ContainerSpec) -> Iterator[Container]:
        request = json.loads(spec.stdin)
        kept = {name: value for name, value in request.items() if name not in {"secret", "python", "scratch"}}
        self.requests.setdefault(key_of(kept), kept)
        raise _AskedError("noted")
        yield

    def find_executable(self, _image: ImageFacts, names: tuple[str, ...]) -> Executable:
        return Executable(names[0])

    def layers(self, _image: ImageFacts) -> LayerFacts:
        raise _AskedError("noted")

    def close(self) -> None:
        """Nothing is open."""


def write_collector(path: Path, contract_path: Path | None, *, deep: bool, jobs: int | None) -> tuple[str, ...]:
    """Writes it, and returns the names of the jobs that it does.

    Raises:
        UsageError: it cannot be written.
        ContractError: the contract cannot be used.
    """
    contract = load_contract(contract_path) if contract_path else None
    requests = requests_of(contract, deep=deep, jobs=jobs)
    made = {
        "imgcheck": __version__,
        "collector": collector_digest(),
        "variables": dict(contract.runtime.env) if contract else {},
        "requests": requests,
    }
    try:
        path.write_bytes(standalone_archive(json.dumps(made, indent=1).encode()))
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    return tuple(dict.fromkeys(str(one["job"]) for one in requests))


def requests_of(contract: Contract | None, *, deep: bool, jobs: int | None) -> list[dict[str, Any]]:
    """What a collector asks for this contract, as far as no answer decides that; without one, what is usual."""
    noting = _Noting()
    collector = Collector(
        engine=noting,
        cache=FactsCache(folder=Path(), enabled=False),
        runtime=(contract or _USUAL).runtime,
        deep=deep,
        jobs=jobs,
    )
    needs = {one.needs for one in CHECKS if contract is None or one.applies(contract)} | {Needs.INVENTORY}
    for need, ask in _askings(collector, contract or _USUAL):
        if need in needs:
            with suppress(_AskedError):
                ask()
    return list(noting.requests.values())


def _askings(collector: Collector, contract: Contract) -> Iterator[tuple[Needs, Callable[[], object]]]:
    yield Needs.INVENTORY, lambda: collector.inventory(ELSEWHERE)
    yield Needs.FILES, lambda: collector.files(ELSEWHERE)
    for need in (Needs.SURROUNDINGS, Needs.WRITABLE):
        yield need, lambda: collector.surroundings(ELSEWHERE, asked_of(contract, ELSEWHERE))
    scripts, imports = contract.script_options, contract.import_options
    if scripts:
        yield Needs.SURROUNDINGS, lambda: collector.script_runs(ELSEWHERE, scripts)
    if imports:
        for need in (Needs.IMPORTS, Needs.LOADS):
            yield need, lambda: collector.imports(ELSEWHERE, imports)
    yield Needs.STATEMENTS, lambda: collector.statements(ELSEWHERE)
    yield Needs.NATIVE, lambda: collector.native(ELSEWHERE, contract.native_options.folders)
    yield Needs.OS_PACKAGES, lambda: collector.os_packages(ELSEWHERE)
    yield Needs.TOOLCHAIN, lambda: collector.toolchain(ELSEWHERE)
    if contract.kernels:
        capabilities = contract.gpu.capabilities if contract.gpu else ()
        yield Needs.KERNELS, lambda: collector.kernels(ELSEWHERE, contract.kernels, capabilities)
    for need, programs in ((Needs.PROBES, resolve(contract)), (Needs.RUNS, runs_of(contract))):
        for one in programs:
            yield need, partial(collector.probe, ELSEWHERE, one)
