"""A contract file to a `Contract`: read, checked for its version, merged with what it extends, then validated."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

from packaging.utils import canonicalize_name
from pydantic import ValidationError

from imgcheck.contract.complaints import explain
from imgcheck.contract.inheritance import merge, repeated_names
from imgcheck.contract.kubernetes import runtime_of
from imgcheck.contract.model import SCHEMA_VERSION, Contract
from imgcheck.contract.near_miss import did_you_mean
from imgcheck.contract.problem import Problem, refuse
from imgcheck.contract.tree import Entry, Scalar, Table, describe, places, plain, read_table
from imgcheck.errors import ContractError
from imgcheck.outcome import Location
from imgcheck.there import is_folder

_Whole = tuple[Table, tuple[str, ...]]
"""A tree, and what of an included object was left out."""
_SUFFIXES = (".yaml", ".yml")
_SCHEMA_HINT = "'imgcheck schema' prints every key with its meaning."


def load_contract(path: Path) -> Contract:
    """Read a contract and all that it extends.

    Raises:
        ContractError: with a line `file:line: key: what is wrong` for each problem.
    """
    return _validated(*_whole(path, ()), str(path))


def parse_contract(text: str, file: str) -> Contract:
    """The contract that one file's text is; what it extends is not read."""
    return _validated(*_table(text, file), file)


def _whole(path: Path, chain: tuple[Path, ...]) -> _Whole:
    """A file's tree, laid over the one it extends."""
    root, left_out = _table(_read(path), str(path))
    entry = root.entries.get("extends")
    if entry is None:
        return root, left_out
    parent = path.parent / _parent_name(entry)
    _refuse_circle(parent, (*chain, path), entry)
    try:
        below, more = _whole(parent, (*chain, path))
    except _NoFileError as error:
        raise ContractError(f"{entry.where}: extends: {error.message}", remedy=error.remedy) from None
    return merge(below, root), (*more, *left_out)


def _parent_name(entry: Entry) -> str:
    if isinstance(entry.value, Scalar) and entry.value.text and entry.value.text.isprintable():
        return entry.value.text
    raise ContractError(f"{entry.where}: extends: must be the name of one contract file")


def _refuse_circle(parent: Path, chain: tuple[Path, ...], entry: Entry) -> None:
    if os.path.realpath(parent) in [os.path.realpath(one) for one in chain]:
        circle = " -> ".join(map(str, (*chain, parent)))
        raise ContractError(f"{entry.where}: extends: goes in a circle: {circle}")


class _NoFileError(ContractError):
    """The file cannot be read at all; told at the line that names it, where one does."""


def _read(path: Path) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise _NoFileError(_not_there(path)) from None
    except IsADirectoryError:
        raise _NoFileError(f"{path}: is a folder; name the contract in it{_list(path)}") from None
    except OSError as error:
        raise _NoFileError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ContractError(
            f"{path}:{line}: is not UTF-8: byte 0x{data[error.start]:02x}", remedy="Save the file as UTF-8."
        ) from None


def _not_there(path: Path) -> str:
    if not is_folder(path.parent):
        return f"{path}: there is no such file; there is no folder {str(path.parent)!r} either"
    near = did_you_mean(path.name, _files_in(path.parent))
    return f"{path}: there is no such file{near or _list(path.parent)}"


def _list(folder: Path) -> str:
    found = [name for name in _files_in(folder) if name.endswith(_SUFFIXES)]
    return f"; there are: {', '.join(found[:10])}" if found else ""


def _files_in(folder: Path) -> list[str]:
    """For a hint; none where the folder may not be read."""
    try:
        return sorted(one.name for one in folder.iterdir() if one.is_file())
    except OSError:
        return []


def _table(text: str, file: str) -> _Whole:
    """One file's tree, its version checked first: another version's keys would only mislead."""
    written, malformed = read_table(text, file)
    _check_version(written)
    included, left_out = _included(written)
    root, respelled = _canonical_pins(included)
    refuse([*malformed, *respelled, *repeated_names(root)])
    return root, left_out


def _included(root: Table) -> tuple[Table, tuple[str, ...]]:
    """With the runtime of a Kubernetes object in the place of its file's name, and what of that was left out.

    Raises:
        ContractError: the file cannot be read, or holds no pod.
    """
    entry = root.entries.get("runtime")
    if entry is None or not isinstance(entry.value, Scalar) or not entry.value.included:
        return root, ()
    name, _, container = (entry.value.text or "").partition("#")
    path = Path(root.where.file).parent / name
    try:
        text = _read(path)
    except _NoFileError as error:
        raise ContractError(f"{entry.where}: runtime: {error.message}", remedy=error.remedy) from None
    table, problems = read_table(text, str(path), "A Kubernetes object is keys and values: apiVersion, kind, spec.")
    refuse(problems)
    included = runtime_of(table, container)
    entries = {**root.entries, "runtime": replace(entry, value=included.runtime)}
    return replace(root, entries=entries), tuple(included.left_out)


def _check_version(root: Table) -> None:
    entry = root.entries.get("imgcheck")
    known = f"this imgcheck knows version {SCHEMA_VERSION}"
    if entry is None:
        where = Location(file=root.where.file, line=1)
        near = next((key for key in root.entries if did_you_mean(key, ["imgcheck"])), None)
        slip = f"; is {near!r} a slip of it?" if near else ""
        raise ContractError(
            f"{where}: imgcheck: the version of the format is missing; {known}{slip}",
            remedy=f"Write 'imgcheck: {SCHEMA_VERSION}' in the first line.",
        )
    if root.text("imgcheck") != str(SCHEMA_VERSION):
        raise ContractError(
            f"{entry.where}: imgcheck: {describe(entry.value)} is no version that is known; {known}",
            remedy=f"Write 'imgcheck: {SCHEMA_VERSION}', or upgrade imgcheck if the contract is newer.",
        )


def _canonical_pins(root: Table) -> tuple[Table, list[Problem]]:
    """The pins by canonical name, so that a file may spell as it likes and extended files still meet."""
    pins = root.entries.get("pins")
    if pins is None or not isinstance(pins.value, Table):
        return root, []
    problems = []
    entries: dict[str, Entry] = {}
    for written, entry in pins.value.entries.items():
        name = canonicalize_name(written)
        if name in entries:
            first = entries[name]
            text = f"is another spelling of {first.written!r} in line {first.where.line}; keep one"
            problems.append(Problem(where=entry.where, keys=("pins", written), text=text))
        entries[name] = entry
    table = replace(pins.value, entries=entries)
    return replace(root, entries={**root.entries, "pins": replace(pins, value=table)}), problems


def _validated(root: Table, left_out: tuple[str, ...], path: str) -> Contract:
    try:
        contract = Contract.model_validate({**plain(root), "imgcheck": SCHEMA_VERSION})
    except ValidationError as error:
        refuse(explain(error, root), remedy=_SCHEMA_HINT)
        raise
    positions = _positions(root, contract, path)
    return contract.written_at(path=path, digest=_digest(contract), positions=positions, left_out=left_out)


def _digest(contract: Contract) -> str:
    """Of the meaning: defaults are left out, so that a new optional key does not change old contracts."""
    meaning = contract.model_dump(mode="json", exclude_defaults=True)
    text = json.dumps(meaning, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _positions(root: Table, contract: Contract, path: str) -> dict[tuple[str, ...], Location]:
    """By keys; a probe also by its name."""
    found = dict(places(root))
    for number, probe in enumerate(contract.probes):
        name = probe if isinstance(probe, str) else probe.name
        found.setdefault(("probes", name), found["probes", str(number)])
    found[()] = Location(file=path)
    return found
