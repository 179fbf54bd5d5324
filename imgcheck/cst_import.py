"""`imgcheck import-cst`: a container-structure-test file in, a contract's text out, and what is not the same."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from ruamel.yaml import YAML

from imgcheck.contract.cst import CstFile, contract_of
from imgcheck.contract.loader import parse_contract
from imgcheck.contract.near_miss import did_you_mean
from imgcheck.contract.problem import Problem, refuse
from imgcheck.contract.tree import Listing, Table, Tree, plain, read_table
from imgcheck.errors import UsageError
from imgcheck.report.files import write_report

_LARGEST: Final = 1 << 22
_WIDTH: Final = 118


@dataclass(frozen=True, kw_only=True)
class Imported:
    """The contract's text, and a sentence for each thing that is told otherwise or not at all."""

    text: str
    remarks: tuple[str, ...]


def import_cst(path: Path) -> Imported:
    """Reads the file and gives the contract's text.

    Raises:
        UsageError: the file cannot be read.
        ContractError: it is no such file; the message names line and key of each problem.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(_LARGEST)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not UTF-8") from None
    root, problems = read_table(text, str(path))
    refuse(problems)
    try:
        tests = CstFile.model_validate(_without_empty(plain(root)))
    except ValidationError as error:
        refuse([_problem(one, root) for one in error.errors(include_url=False)])
        raise
    contract, remarks = contract_of(tests)
    written = _written(contract, path.name, remarks)
    parse_contract(written, f"the contract made of {path}")
    return Imported(text=written, remarks=remarks)


def write(imported: Imported, path: Path) -> None:
    """The contract as a file, whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        write_report(imported.text, path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None


def _without_empty(tree: Any) -> Any:
    """Keys that were written without a value are as good as not there."""
    if isinstance(tree, dict):
        return {key: _without_empty(value) for key, value in tree.items() if value is not None}
    return [_without_empty(one) for one in tree] if isinstance(tree, list) else tree


def _problem(error: Any, root: Table) -> Problem:
    where, tree, keys = root.where, root, []
    node: Tree = tree
    for part in error["loc"]:
        keys.append(part)
        if isinstance(node, Table) and part in node.entries:
            where, node = node.entries[part].where, node.entries[part].value
        elif isinstance(node, Listing) and isinstance(part, int) and part < len(node.items):
            where, node = node.items[part].where, node.items[part]
    if error["type"] == "extra_forbidden":
        known = [field.alias or name for name, field in CstFile.model_fields.items()]
        text = f"is not a known key of container-structure-test{did_you_mean(str(error['loc'][-1]), known) or ''}"
    else:
        text = error["msg"].removeprefix("Value error, ")
    return Problem(where=where, keys=tuple(keys), text=text)


def _written(contract: dict[str, Any], source: str, remarks: tuple[str, ...]) -> str:
    yaml = YAML()
    yaml.width = _WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)
    buffer = io.StringIO()
    yaml.dump(contract, buffer)
    head = [f"# Made of {source}, a container-structure-test file.", *(f"# Not the same: {one}" for one in remarks)]
    return "\n".join((*head, buffer.getvalue()))
