"""Changes to a contract's text at the places that change and nowhere else: comments, order and quotes stay as they are.

Writing the file anew from parsed values, even with a round-trip parser, moves the comments of what is removed or added.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from packaging.utils import canonicalize_name
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from imgcheck.contract.tree import compose
from imgcheck.contract.wording import is_plain, quoted
from imgcheck.contract.wording import key as key_text
from imgcheck.contract.wording import value as value_text
from imgcheck.errors import ContractError

Pair = tuple[Node, Node]

_COLON = re.compile(r"\s*:")
_ALIAS = re.compile(r"\s*(\*[^\s,}\]]+)")
_PROPERTIES = re.compile(r"([&!]\S*\s+)*")


class ContractEditor:
    """Edits of one text, kept until `result`. All places are those of the text as it was."""

    def __init__(self, text: str, file: str) -> None:
        node = compose(text, file)
        if not isinstance(node, MappingNode) or node.flow_style:
            raise ContractError(f"{file}: cannot be edited: it is one {{…}}", remedy="Write a line for each key.")
        self._file = file
        self._root = node
        self._original = text
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._text = text if text.endswith("\n") else text + self._newline
        self._edits: list[tuple[int, int, str]] = []

    def result(self) -> str:
        if not self._edits:
            return self._original
        parts, done = [], 0
        for start, end, new in sorted(self._edits, key=lambda edit: edit[:2]):
            parts += [self._text[done:start], new]
            done = end
        new = "".join([*parts, self._text[done:]])
        return new if self._original.endswith("\n") else new.removesuffix(self._newline)

    def set_text(self, path: tuple[str, ...], new: str) -> None:
        """Replace the text at a key that is there, within its quotes."""
        mapping = self._root
        for part in path[:-1]:
            pair = _find(mapping, part)
            assert pair is not None
            assert isinstance(pair[1], MappingNode)
            mapping = pair[1]
        found = _find(mapping, path[-1])
        assert found is not None
        self._replace(found, new)

    def add_to_base(self, name: str, new: str) -> None:
        """A further key of `base`, which is there."""
        pair = _find(self._root, "base")
        assert pair is not None
        assert isinstance(pair[1], MappingNode)
        last = pair[1].value[-1]
        end = self._span(last)[1]
        if pair[1].flow_style:
            self._edits.append((end, end, f", {name}: {quoted(new)}"))
        else:
            self._insert_line(self._line_end(end), f"{self._indent(last)}{name}: {quoted(new)}")

    def add_at_top(self, *lines: str) -> None:
        """Lines after `imgcheck` and `extends`."""
        pairs = filter(None, (_find(self._root, "imgcheck"), _find(self._root, "extends")))
        index = max(self._line_end(self._span(pair)[1]) for pair in pairs)
        for line in lines:
            self._insert_line(index, line)

    def set_pins(self, old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
        """Make `pins`, which are `old` by canonical name, say `new`.

        Returns:
            The comments that stood behind removed pins, by name.
        """
        return self._set("pins", old, new, _canonical)

    def set_os_packages(self, old: Mapping[str, str], new: Mapping[str, str]) -> None:
        """Make `os_packages`, which are `old`, say `new`."""
        self._set("os_packages", old, new, _plain)

    def _set(
        self, key: str, old: Mapping[str, str], new: Mapping[str, str], name_of: Callable[[Pair], str]
    ) -> dict[str, str]:
        added = {name: new[name] for name in sorted(new.keys() - old.keys())}
        section = _find(self._root, key)
        if section is None:
            self._append([f"{key}:", *_lines(added)] if added else [])
            return {}
        pins = section[1]
        if not isinstance(pins, MappingNode) or not pins.value or (pins.flow_style and old.keys() != new.keys()):
            self._rewrite(section, new)
            return {}
        for pair in pins.value:
            name = name_of(pair)
            if name in old and name in new and old[name] != new[name]:
                self._replace(pair, new[name])
        self._insert(pins, added, name_of)
        if not new:
            self._insert_after_colon(section[0], " {}")
        gone = [pair for pair in pins.value if name_of(pair) in old.keys() - new.keys()]
        comments = {name_of(pair): self._remove(pair) for pair in gone}
        return {name: comment for name, comment in comments.items() if comment}

    def _insert(self, pins: MappingNode, added: Mapping[str, str], name_of: Callable[[Pair], str]) -> None:
        """Each behind the greatest smaller name; the smallest above the first and the comment that belongs to it."""
        indent = self._indent(pins.value[0])
        for name, version in added.items():
            smaller = [pair for pair in pins.value if name_of(pair) < name]
            before = max(smaller, key=name_of) if smaller else None
            index = self._line_end(self._span(before)[1]) if before else self._above(pins.value[0])
            self._insert_line(index, f"{indent}{key_text(name)}: {value_text(version)}")

    def _rewrite(self, section: Pair, new: Mapping[str, str]) -> None:
        """Nothing, `{}` or `{a: 1, b: 2}` to a line for each pin, which can have a comment of its own."""
        start, end = self._span(section)
        if "#" in self._text[start:end]:
            raise ContractError(
                f"{self._file}:{section[0].start_mark.line + 1}: {section[0].value}: cannot be edited: "
                "comments stand inside {…}",
                remedy=f"Write the {section[0].value} one a line.",
            )
        self._edits.append((self._colon(section[0]), end, "" if new else " {}"))
        for line in _lines(dict(sorted(new.items()))):
            self._insert_line(self._line_end(end), line)

    def _replace(self, pair: Pair, new: str) -> None:
        start, end = self._span(pair)
        self._edits.append((start, end, _in_style(pair[1], new)))

    def _remove(self, pair: Pair) -> str:
        end = self._span(pair)[1]
        line_end = self._line_end(end)
        self._edits.append((self._line_start(pair[0].start_mark.index), line_end, ""))
        return self._text[end:line_end].strip()

    def _append(self, lines: list[str]) -> None:
        for line in ["", *lines] if lines else []:
            self._insert_line(len(self._text), line)

    def _insert_after_colon(self, node: Node, text: str) -> None:
        index = self._colon(node)
        self._edits.append((index, index, text))

    def _insert_line(self, index: int, line: str) -> None:
        self._edits.append((index, index, line + self._newline))

    def _span(self, pair: Pair) -> tuple[int, int]:
        """Where the value's own text is: without anchor or tag, and of an alias the alias itself."""
        key, node = pair
        colon = self._colon(key)
        alias = _ALIAS.match(self._text, colon)
        if alias:
            return alias.span(1)
        start, end = node.start_mark.index, node.end_mark.index
        if start == end:
            return colon, colon
        properties = _PROPERTIES.match(self._text, start, end)
        return (properties.end() if properties else start), len(self._text[:end].rstrip())

    def _colon(self, key: Node) -> int:
        """Just behind the colon of a key."""
        match = _COLON.match(self._text, key.end_mark.index)
        return match.end() if match else int(key.end_mark.index)

    def _above(self, pair: Pair) -> int:
        """The start of a pair's line, and of the comment lines right above it."""
        index = self._line_start(pair[0].start_mark.index)
        while index and self._text[self._line_start(index - 1) : index].lstrip().startswith("#"):
            index = self._line_start(index - 1)
        return index

    def _indent(self, pair: Pair) -> str:
        return " " * int(pair[0].start_mark.column)

    def _line_start(self, index: int) -> int:
        return self._text.rfind("\n", 0, index) + 1

    def _line_end(self, index: int) -> int:
        return self._text.find("\n", index) + 1 or len(self._text)


def _lines(pins: Mapping[str, str]) -> list[str]:
    return [f"  {key_text(name)}: {value_text(version)}" for name, version in pins.items()]


def _in_style(node: Node, new: str) -> str:
    """Quoted as the old text was. What had no quotes and could have used them does not get any now."""
    style = node.style if isinstance(node, ScalarNode) else None
    if style == "'":
        return "'" + new.replace("'", "''") + "'"
    if style == '"':
        return quoted(new)
    return value_text(new) if value_text(node.value) == node.value or not is_plain(new) else new


def _find(mapping: MappingNode, name: str) -> Pair | None:
    return next(((key, node) for key, node in mapping.value if key.value == name), None)


def _canonical(pair: Pair) -> str:
    return canonicalize_name(str(pair[0].value))


def _plain(pair: Pair) -> str:
    return str(pair[0].value)
