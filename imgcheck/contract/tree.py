"""YAML as a tree of text: every scalar exactly as it is written, with its line. What it means is for the model.

So `torch: 1.10` stays "1.10", which a loader that makes numbers would turn into 1.1.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, ReusedAnchorWarning, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from imgcheck.contract.problem import Keys, Problem
from imgcheck.errors import ContractError
from imgcheck.outcome import Location

_CONTRACT = "A contract is keys and values: write 'imgcheck: 1' and what the image promises."
MOST_NODES = 50_000
"""Beyond any contract; aliases of aliases ("billion laughs") reach it at once."""
_TAG = "tag:yaml.org,2002:"
_TAGS = {f"{_TAG}{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq", "timestamp", "value")}
INCLUDE = "!include"
_MAY_INCLUDE: Keys = ("runtime",)
_PLAIN_WORDS = {
    "found character '\\t' that cannot start any token": "a tab is used for indentation; use spaces",
    "mapping values are not allowed here": "a ':' where none can be: a wrong indentation, or a text that needs quotes",
    "but found another document": "there is a second document ('---'); a contract is one",
}


@dataclass(frozen=True, kw_only=True)
class Scalar:
    """Text as written; None is a plain null, ~ or nothing. `included`: it names a file, after !include."""

    where: Location
    text: str | None
    included: bool = False


@dataclass(frozen=True, kw_only=True)
class Listing:
    where: Location
    items: tuple[Tree, ...]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A key with its value; `written` is the key as the file has it."""

    where: Location
    written: str
    value: Tree


@dataclass(frozen=True, kw_only=True)
class Table:
    where: Location
    entries: Mapping[str, Entry]

    def text(self, key: str) -> str | None:
        """The text at `key`; None where there is none, or something else."""
        entry = self.entries.get(key)
        return entry.value.text if entry and isinstance(entry.value, Scalar) else None


Tree = Scalar | Listing | Table


def compose(text: str, file: str) -> Node | None:
    """The YAML nodes of a text, with their marks; None for an empty one.

    Raises:
        ContractError: it is not YAML; the message has line and column.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ReusedAnchorWarning)
            node: Node | None = YAML(typ="safe", pure=True).compose(text)
    except YAMLError as error:
        raise ContractError(f"{file}:{_syntax_error(error, text)}") from None
    except RecursionError:
        raise ContractError(f"{file}: is nested too deep") from None
    return node


def read_table(text: str, file: str, what: str = _CONTRACT) -> tuple[Table, list[Problem]]:
    """The tree of a file whose whole is a mapping, and what is wrong with its form; `what` says what is wanted."""
    node = compose(text, file)
    if node is None or (isinstance(node, ScalarNode) and not node.value):
        raise ContractError(f"{file}:1: is empty", remedy=what)
    reader = _Reader(file)
    try:
        tree = reader.read(node, ())
    except RecursionError:
        raise ContractError(f"{file}: is nested too deep, once its aliases are followed") from None
    if not isinstance(tree, Table):
        raise ContractError(
            f"{tree.where}: is not a mapping but {describe(tree)}",
            remedy=what,
        )
    return tree, reader.problems


def plain(tree: Tree) -> Any:
    """The tree as dicts, lists and text, for pydantic."""
    if isinstance(tree, Table):
        return {key: plain(entry.value) for key, entry in tree.entries.items()}
    if isinstance(tree, Listing):
        return [plain(item) for item in tree.items]
    return tree.text


def places(tree: Tree, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Location]]:
    """The place of every key and every item of a list, the latter by its number."""
    if isinstance(tree, Table):
        for key, entry in tree.entries.items():
            yield (*keys, entry.written), entry.where
            yield (*keys, key), entry.where
            yield from places(entry.value, (*keys, key))
    elif isinstance(tree, Listing):
        for number, item in enumerate(tree.items):
            yield (*keys, str(number)), item.where
            yield from places(item, (*keys, str(number)))


def describe(tree: Tree) -> str:
    if isinstance(tree, Table):
        return "a mapping"
    if isinstance(tree, Listing):
        return "a list"
    return "empty" if tree.text is None else repr(tree.text)


class _Reader:
    """Nodes to tree; goes on after a problem, so that all are told at once."""

    def __init__(self, file: str) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._open: set[int] = set()
        self._count = 0

    def read(self, node: Node, keys: Keys) -> Tree:
        where = self._where(node)
        self._count += 1
        if self._count > MOST_NODES:
            raise ContractError(f"{where}: has more than {MOST_NODES} values once its aliases are followed")
        if id(node) in self._open:
            self._complain(node, keys, "contains itself, through an alias")
            return Scalar(where=where, text=None)
        if str(node.tag) == INCLUDE and isinstance(node, ScalarNode) and keys == _MAY_INCLUDE:
            return Scalar(where=where, text=str(node.value), included=True)
        if str(node.tag) == INCLUDE:
            self._complain(node, keys, "may not !include: only runtime can, a Kubernetes object's file")
        elif str(node.tag) not in _TAGS:
            self._complain(node, keys, f"has the tag {node.tag}, which means nothing here; leave it out")
        self._open.add(id(node))
        try:
            return self._read_kind(node, keys, where)
        finally:
            self._open.discard(id(node))

    def _read_kind(self, node: Node, keys: Keys, where: Location) -> Tree:
        if isinstance(node, MappingNode):
            return Table(where=where, entries=self._entries(node, keys))
        if isinstance(node, SequenceNode):
            items = (self.read(item, (*keys, number)) for number, item in enumerate(node.value))
            return Listing(where=where, items=tuple(items))
        if "\0" in str(node.value):
            self._complain(node, keys, "holds a null character, which no name, command or variable can have")
        return Scalar(where=where, text=None if str(node.tag) == f"{_TAG}null" else str(node.value))

    def _entries(self, node: MappingNode, keys: Keys) -> dict[str, Entry]:
        merged: dict[str, Entry] = {}
        own: dict[str, Entry] = {}
        for key_node, value_node in node.value:
            if str(key_node.tag) == f"{_TAG}merge":
                merged = {**self._merged(value_node, keys), **merged}
                continue
            key = self._key(key_node, keys)
            if key is None:
                continue
            if key in own:
                first = own[key].where.line
                self._complain(key_node, (*keys, key), f"is written twice; the first is in line {first}")
                continue
            own[key] = Entry(where=self._where(key_node), written=key, value=self.read(value_node, (*keys, key)))
        return {**merged, **own}

    def _merged(self, node: Node, keys: Keys) -> dict[str, Entry]:
        """What `<<: *other` or `<<: [*first, *second]` brings in; the first wins."""
        tree = self.read(node, (*keys, "<<"))
        tables = tree.items if isinstance(tree, Listing) else (tree,)
        found: dict[str, Entry] = {}
        for table in tables:
            if isinstance(table, Table):
                found = {**table.entries, **found}
            else:
                self._complain(node, (*keys, "<<"), f"can merge in mappings only, not {describe(table)}")
        return found

    def _key(self, node: Node, keys: Keys) -> str | None:
        if isinstance(node, ScalarNode) and node.value:
            return str(node.value)
        self._complain(
            node, keys, "has a key that is empty" if isinstance(node, ScalarNode) else "has a key that is no text"
        )
        return None

    def _where(self, node: Node) -> Location:
        return Location(file=self._file, line=node.start_mark.line + 1)

    def _complain(self, node: Node, keys: Keys, text: str) -> None:
        self.problems.append(Problem(where=self._where(node), keys=keys, text=text))


def _syntax_error(error: YAMLError, text: str) -> str:
    """line:column: what is wrong."""
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        what = _PLAIN_WORDS.get(str(error.problem)) or "is not YAML: " + " ".join(
            part for part in (error.context, error.problem) if part
        )
        return f"{mark.line + 1}:{mark.column + 1}: {what}"
    before = text[: getattr(error, "position", 0)]
    column = len(before) - before.rfind("\n")
    return f"{before.count(chr(10)) + 1}:{column}: is not YAML: {getattr(error, 'reason', error)}"
