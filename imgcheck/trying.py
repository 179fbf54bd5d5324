"""`imgcheck probe` and `imgcheck probes`: one probe by itself with all that it says, and those that there are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from imgcheck.checks.failed_probe import judge
from imgcheck.contract.loader import load_contract
from imgcheck.contract.model import Contract
from imgcheck.contract.near_miss import did_you_mean
from imgcheck.contract.probes import Probe
from imgcheck.errors import ExitCode, UsageError
from imgcheck.facts.model import Facts
from imgcheck.facts.probes import ProbeFacts
from imgcheck.images import find_image
from imgcheck.outcome import Fault
from imgcheck.pipeline import RunOptions, collector_for, connect
from imgcheck.probes import builtin, builtin_names, resolve, whole
from imgcheck.progress import Progress


@dataclass(frozen=True, kw_only=True)
class Offered:
    """A probe that can be tried."""

    name: str
    about: str
    requires: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    where: str
    """Built in, or the contract's file and line."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One probe of one image: what became of it, and what it means."""

    image: str
    digest: str
    name: str
    about: str
    command: tuple[str, ...]
    told: ProbeFacts
    faults: tuple[Fault, ...]
    notices: tuple[str, ...]

    @property
    def exit_code(self) -> ExitCode:
        kept = all(fault.note for fault in self.faults)
        return ExitCode.KEPT if kept and self.told.reached == "done" else ExitCode.BROKEN


def offered(contract_path: Path | None) -> tuple[Offered, ...]:
    """The built-in probes, and the contract's own."""
    found = [_offer(builtin(name), "built in") for name in builtin_names()]
    if contract_path:
        contract = load_contract(contract_path)
        named = zip(contract.probes, resolve(contract), strict=True)
        own = [(number, probe) for number, (written, probe) in enumerate(named) if not isinstance(written, str)]
        found += [_offer(probe, str(contract.where("probes", str(number)))) for number, probe in own]
    return tuple(found)


def _offer(probe: Probe, where: str) -> Offered:
    return Offered(
        name=probe.name,
        about=probe.about,
        requires=probe.requires,
        options=tuple(probe.options.items()),
        where=where,
    )


def try_probe(
    name: str,
    reference: str,
    contract_path: Path | None,
    given: dict[str, str],
    options: RunOptions,
    progress: Progress,
) -> Trial:
    """Starts one probe of an image that exists; what it needs is not started.

    Raises:
        UsageError: there is no such probe.
    """
    contract = load_contract(contract_path) if contract_path else Contract(imgcheck=1)
    probe = chosen(name, contract, given).model_copy(update={"needs": ()})
    engine = connect(options, progress)
    image = find_image(engine, reference, progress)
    collector = collector_for(contract, engine, options)
    with progress.step(f"Reading what is installed in {image.reference}"):
        inventory = collector.inventory(image)
    with progress.step(f"Starting {name} in {image.reference}"):
        told = collector.probe(image, probe, afresh=True)
    facts = Facts(image=image, inventory=inventory, probes={probe.name: told})
    alone = contract.model_copy(update={"probes": (probe,)})
    return Trial(
        image=image.reference,
        digest=image.digest,
        name=probe.name,
        about=probe.about,
        command=probe.run or probe.start or (),
        told=told,
        faults=judge(alone, facts).faults,
        notices=tuple(collector.notices),
    )


def chosen(name: str, contract: Contract, given: dict[str, str]) -> Probe:
    """The contract's probe of this name, else the built-in one, with the options that were given.

    Raises:
        UsageError: there is neither, or it has no such option.
    """
    own = {one.name: one for one in resolve(contract)}
    written = {one.name: one for one in contract.probes if isinstance(one, Probe)}
    if given:
        used = written[name].use if name in written else name
        if used not in builtin_names():
            raise UsageError(f"probe {name} has no options", remedy="'imgcheck probes' lists those that have")
        before = written[name] if name in written else Probe(name=name, use=name)
        return whole(before.model_copy(update={"options": {**before.options, **given}}), "--option")
    if name in own:
        return own[name]
    if name not in builtin_names():
        known = [*own, *builtin_names()]
        hint = did_you_mean(name, known) or f"; there are {', '.join(known)}"
        raise UsageError(f"there is no probe {name!r}{hint}", remedy="'imgcheck probes -c CONTRACT' lists them")
    return whole(Probe(name=name, use=name), "probe")
