"""`os_packages` of a contract, brought up to a base: what a CUDA stack stands on is added, exact versions follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from imgcheck.contract.change import Change, ChangeKind
from imgcheck.contract.editing import ContractEditor
from imgcheck.contract.loader import parse_contract
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.stack_packages import part_of_stack
from imgcheck.errors import ContractError
from imgcheck.facts.os_packages import OsPackages

_INSTALLED = "installed"


@dataclass(frozen=True, kw_only=True)
class OsPinned:
    """A contract's text, and what of it is new."""

    text: str
    changes: tuple[Change, ...]


def pin_os_packages(text: str, path: str, found: OsPackages, above: Mapping[str, str]) -> OsPinned:
    """Edits the text of a contract.

    Args:
        text: the contract.
        path: its name in messages.
        found: the packages of its base.
        above: what the contract that this one extends promises; it is not written again.

    Raises:
        ContractError: the contract cannot be read, or not be edited.
    """
    contract = parse_contract(text, path)
    wanted = {name: _renewed(version, found.versions(name)) for name, version in contract.os_packages.items()}
    for name, version in found.packages:
        if part_of_stack(name) and name not in above:
            wanted.setdefault(name, version)
    editor = ContractEditor(text, path)
    editor.set_os_packages(contract.os_packages, wanted)
    edited = editor.result()
    _check(edited, path, contract, wanted)
    return OsPinned(text=edited, changes=tuple(_changes(contract.os_packages, wanted)))


def _renewed(wanted: str, versions: tuple[str, ...]) -> str:
    """An exact version follows the base; a pattern, and what is not there any more, stays for people to decide."""
    exact = wanted != _INSTALLED and "*" not in wanted
    return versions[0] if exact and versions and wanted not in versions else wanted


def _check(text: str, path: str, before: Contract, wanted: Mapping[str, str]) -> None:
    """The text says what was meant, and nothing else has changed."""
    try:
        after = parse_contract(text, path)
        rest = {"os_packages"}
        meant = after.os_packages == wanted and after.model_dump(exclude=rest) == before.model_dump(exclude=rest)
    except ContractError:
        meant = False
    if not meant:
        raise ContractError(
            f"{path}: os_packages cannot be edited, because of the anchors, aliases or merge keys in it",
            remedy="Write each package as a plain 'name: version', one a line.",
        )


def _changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for name, version in sorted(new.items()):
        if name not in old:
            yield Change(kind=ChangeKind.ADDED, name=f"os_packages.{name}", new=version)
        elif old[name] != version:
            yield Change(kind=ChangeKind.CHANGED, name=f"os_packages.{name}", old=old[name], new=version)
