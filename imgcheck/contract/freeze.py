"""Facts of a base image to a contract: a new one, or one that people have edited brought up to date.

Only `write_frozen` touches files.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from imgcheck.constraints import ConstraintLine, installed_conflicts, merge, pin_lines
from imgcheck.contract.change import Change, ChangeKind
from imgcheck.contract.loader import parse_contract
from imgcheck.contract.model import Contract
from imgcheck.contract.os_pinning import pin_os_packages
from imgcheck.contract.pinning import Choice, Installed, choose, installed_versions, left_free
from imgcheck.contract.renewing import BaseFacts, Step, renew
from imgcheck.contract.schema import SCHEMA_NAME, schema_text
from imgcheck.contract.wording import MODELINE, new_contract
from imgcheck.drafts import draft
from imgcheck.errors import UsageError
from imgcheck.facts.model import ImageFacts, Inventory
from imgcheck.facts.os_packages import OsPackages

_DIFFERENCES = (ChangeKind.ADDED, ChangeKind.CHANGED, ChangeKind.REMOVED)


@dataclass(frozen=True, kw_only=True)
class Frozen:
    """Both files' content, what changed, and what contradicts what (sentences)."""

    contract_text: str
    constraints_text: str
    constraints_name: str
    changes: tuple[Change, ...]
    conflicts: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the contract says anything new."""
        return any(change.kind in _DIFFERENCES for change in self.changes)


def freeze(
    image: ImageFacts,
    inventory: Inventory,
    *,
    reference: str,
    path: str,
    only: Collection[str] = (),
    exclude: Collection[str] = (),
    base_constraints: Iterable[ConstraintLine] = (),
    existing: str | None = None,
    inherited: Contract | None = None,
    os_packages: OsPackages | None = None,
) -> Frozen:
    """The contract of a base.

    Args:
        image: the base.
        inventory: what is installed in it.
        reference: the base's name, as a Dockerfile's FROM says it.
        path: the contract's path, which names the constraints file and stands in messages.
        only: distributions to pin, and of an existing contract the only pins that may change.
        exclude: distributions that get no pin.
        base_constraints: lines of the constraints file in the base.
        existing: the text of the contract that is there.
        inherited: the contract that the existing one extends; what it pins is not pinned again.
        os_packages: the base's packages of the operating system, where the contract is to promise them as well.

    Raises:
        UsageError: `only` or `exclude` names what is not installed.
        ContractError: the existing contract cannot be read, or not be edited.
    """
    installed = installed_versions(inventory)
    choice = choose(installed, reference, only, exclude)
    facts = BaseFacts(
        image=image, reference=reference, digest=_digest(image, reference), python=inventory.interpreter.version
    )
    if existing is None:
        step = _new(facts, installed, choice)
    else:
        above = inherited.pins if inherited else {}
        step = renew(existing, path, facts=facts, installed=installed, choice=choice, above=above)
    if os_packages is not None:
        pinned_os = pin_os_packages(step.text, path, os_packages, inherited.os_packages if inherited else {})
        step = replace(step, text=pinned_os.text, changes=(*step.changes, *pinned_os.changes))
    contract = parse_contract(step.text, path)
    lines = [*pin_lines(contract.pins, contract), *_inherited_lines(contract, inherited)]
    base_lines = tuple(base_constraints)
    merged = merge(lines, base=base_lines, environment=inventory.interpreter.markers)
    pinned = {line.name for line in lines}
    unpinned = [line for line in base_lines if line.name not in pinned]
    return Frozen(
        contract_text=step.text,
        constraints_text=merged.text(Path(path).name),
        constraints_name=constraints_name(path),
        changes=(*step.changes, *installed.changes, *left_free(installed, pinned)),
        conflicts=(*step.conflicts, *merged.conflicts, *installed_conflicts(unpinned, inventory)),
    )


def constraints_name(path: str) -> str:
    """The constraints file's name beside a contract: base.yaml -> base.constraints.txt."""
    return f"{Path(path).stem}.constraints.txt"


def write_frozen(frozen: Frozen, path: Path) -> None:
    """Write the contract and, beside it, its constraints; each is whole or not there.

    Raises:
        UsageError: they cannot be written; what was there is as it was.
    """
    target = path.resolve()
    files = {target: frozen.contract_text, target.with_name(frozen.constraints_name): frozen.constraints_text}
    if frozen.contract_text.startswith(MODELINE):
        files[target.with_name(SCHEMA_NAME)] = schema_text()
    _refuse_folders(files)
    drafts: dict[Path, Path] = {}
    try:
        for file, text in files.items():
            drafts[file] = draft(file, text.encode("utf-8", "surrogateescape"))
        for file, ready in reversed(drafts.items()):  # the contract last: it is what says that all is done
            ready.replace(file)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}", remedy="Name a file in a folder that exists and is yours."
        ) from None
    finally:
        for ready in drafts.values():
            ready.unlink(missing_ok=True)


def _refuse_folders(files: Iterable[Path]) -> None:
    """Before anything is replaced: a folder is what a file cannot replace."""
    for file in files:
        if file.is_dir():
            raise UsageError(f"{file} is a folder", remedy="Name the contract file in it.")


def _new(facts: BaseFacts, installed: Installed, choice: Choice) -> Step:
    pins = {name: version for name, version in installed.versions.items() if choice.adds(name)}
    changes = tuple(Change(kind=ChangeKind.ADDED, name=name, new=version) for name, version in pins.items())
    text = new_contract(
        image=facts.reference,
        digest=facts.digest,
        python=facts.minor_python,
        pins=pins,
        changes=(*installed.changes, *left_free(installed, pins)),
        probes=_probes(installed),
    )
    return Step(text=text, changes=changes)


def _inherited_lines(contract: Contract, inherited: Contract | None) -> tuple[ConstraintLine, ...]:
    if inherited is None:
        return ()
    return tuple(line for line in pin_lines(inherited.pins, inherited) if line.name not in contract.pins)


def _digest(image: ImageFacts, reference: str) -> str:
    """The digest that the reference's own repository gives the content; else the image ID."""
    repository = _repository(reference)
    known = (one.partition("@") for one in sorted(image.repo_digests))
    same = [digest for name, _at, digest in known if _repository(name) == repository]
    named = reference.partition("@")[2]
    return named if named in same else next(iter(same), image.digest)


def _repository(reference: str) -> str:
    """Without tag and digest, and as Docker shortens its own: docker.io/library/python:3.11 -> python."""
    name = reference.partition("@")[0]
    head, slash, last = name.rpartition("/")
    short = f"{head}{slash}{last.partition(':')[0]}"
    return re.sub(r"^(index\.)?docker\.io/(library/)?", "", short)


def _probes(installed: Installed) -> tuple[str, ...]:
    """Built-in probes that what is installed calls for."""
    names = installed.versions.keys() | installed.unpinnable
    dashboard = "ray" in names and bool({"aiohttp-cors", "opencensus"} & names)  # what the extra ray[default] brings
    found = {"ray-dashboard": dashboard, "tensorboard": "tensorboard" in names, "mlflow-server": "mlflow" in names}
    return tuple(name for name, wanted in found.items() if wanted)
