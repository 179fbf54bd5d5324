"""Shell text as commands: words with variables replaced, what is set before them, and the line of each.

tree-sitter's bash grammar reads it, errors and all. Nothing is run: what only running would tell is marked as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_SHELLS: Final = frozenset({"sh", "bash", "dash", "ash", "zsh"})


@dataclass(frozen=True, kw_only=True)
class Word:
    """One word. `known`: no part of it is settled only by running; else the text keeps what was written."""

    text: str
    known: bool = True


@dataclass(frozen=True, kw_only=True)
class Command:
    """One simple command.

    Args:
        words: program and arguments.
        variables: set for it: by the script so far, and before its name. None: taken away.
        line: counted from 0 in the text.
        fed: what a pipe or here-document gives it to read, as far as known; None without.
    """

    words: tuple[Word, ...]
    variables: Mapping[str, str | None]
    line: int
    fed: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.words)


@dataclass(frozen=True, kw_only=True)
class Script:
    """The commands in order, and lines that could not be read, with the reason."""

    commands: tuple[Command, ...]
    problems: tuple[tuple[int, str], ...] = ()


def read_shell(text: str, variables: Mapping[str, str]) -> Script:
    """Reads a script; `variables` are those of the environment."""
    reader = _Reader(dict(variables))
    root = _parser().parse(text.encode("utf-8", "surrogatepass")).root_node
    reader.visit(root)
    return Script(commands=tuple(reader.commands), problems=tuple(reader.problems))


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


@dataclass
class _Reader:
    variables: dict[str, str | None]
    commands: list[Command] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)

    def visit(self, node: Node, fed: str | None = None) -> None:
        """In the order of the text; a variable set in a subshell counts from there on, as a branch's does."""
        if node.type == "ERROR" or node.is_missing:
            self.problems.append((node.start_point.row, f"the shell cannot be parsed at {_excerpt(node)!r}"))
        match node.type:
            case "command":
                self._command(node, fed)
            case "variable_assignment":
                self._assign(node, self.variables)
            case "unset_command":
                self._unset(node)
            case "redirected_statement":
                self._redirected(node, fed)
            case "pipeline":
                self._pipeline(node)
            case "heredoc_body" | "comment":
                pass
            case _:
                for child in node.children:
                    self.visit(child)

    def _command(self, node: Node, fed: str | None) -> None:
        own: dict[str, str | None] = {}
        words: list[Word] = []
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._assign(child, own)
            elif child.type in ("heredoc_redirect", "herestring_redirect", "file_redirect"):
                fed = _heredoc(child) if child.type == "heredoc_redirect" else fed
            else:
                inner = child.named_children[0] if child.type == "command_name" and child.named_children else child
                words.extend(self._words(inner))
        for inner in _substitutions(node):
            self.visit(inner)
        if words:
            self.commands.append(
                Command(words=tuple(words), variables={**self.variables, **own}, line=node.start_point.row, fed=fed)
            )
        else:
            self.variables.update(own)

    def _assign(self, node: Node, into: dict[str, str | None]) -> None:
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        word = self._word(value) if value is not None else Word(text="")
        if name is not None:
            into[_text(name)] = word.text if word.known else None if word.text == "" else word.text

    def _unset(self, node: Node) -> None:
        for child in node.named_children:
            self.variables[_text(child)] = None

    def _redirected(self, node: Node, fed: str | None) -> None:
        body = next((_heredoc(child) for child in node.named_children if child.type == "heredoc_redirect"), None)
        for child in node.named_children:
            if child.type == "heredoc_redirect":  # "cat <<EOF && next": what follows hangs on the redirect
                for inner in child.named_children:
                    if inner.type not in ("heredoc_start", "heredoc_body", "heredoc_end"):
                        self.visit(inner)
            elif child.type not in ("file_redirect", "herestring_redirect"):
                self.visit(child, fed if body is None else body)

    def _pipeline(self, node: Node) -> None:
        fed: str | None = None
        for child in node.named_children:
            self.visit(child, fed)
            fed = ""

    # --- words

    def _words(self, node: Node) -> Iterator[Word]:
        """An unquoted variable of several words is several words."""
        word = self._word(node)
        if node.type in ("simple_expansion", "expansion") and word.known:
            yield from (Word(text=part) for part in word.text.split())
        else:
            yield word

    def _word(self, node: Node) -> Word:
        if node.type in ("simple_expansion", "expansion"):
            return self._expansion(node)
        if node.type == "string":
            return self._quoted(node)
        if node.type in ("concatenation", "command_name"):
            return _joined([self._word(child) for child in node.children])
        return _literal_word(node)

    def _quoted(self, node: Node) -> Word:
        """Text between the marks keeps its blanks, which are no nodes."""
        parts: list[Word] = []
        position = node.start_byte + 1
        for child in node.named_children:
            if child.type == "string_content":
                continue
            parts.append(self._literal(node, position, child.start_byte))
            parts.append(self._word(child))
            position = child.end_byte
        parts.append(self._literal(node, position, node.end_byte - 1))
        return _joined(parts)

    @staticmethod
    def _literal(node: Node, start: int, end: int) -> Word:
        raw = (node.text or b"")[start - node.start_byte : end - node.start_byte].decode("utf-8", "replace")
        return Word(text=re.sub(r"\\([$`\"\\\n])", lambda match: "" if match[1] == "\n" else match[1], raw))

    def _expansion(self, node: Node) -> Word:
        """$NAME, ${NAME} and ${NAME:-word}; other operators are kept as written."""
        names = [child for child in node.named_children if child.type == "variable_name"]
        operators = [
            _text(child) for child in node.children if not child.is_named and _text(child) not in ("$", "${", "}")
        ]
        if not names or operators not in ([], [":-"], ["-"]):
            return Word(text=_text(node), known=False)
        value = self.variables.get(_text(names[0]))
        if value:
            return Word(text=value)
        defaults = [child for child in node.named_children if child.type != "variable_name"]
        if operators:
            return _joined([self._word(child) for child in defaults])
        known = _text(names[0]) in self.variables
        return Word(text="" if known else _text(node), known=known)


def _literal_word(node: Node) -> Word:
    text = _text(node)
    match node.type:
        case "word" | "number" | "extglob_pattern" | "regex":
            return Word(text=_ESCAPED.sub(lambda match: "" if match[1] == "\n" else match[1], text))
        case "raw_string":
            return Word(text=text[1:-1])
        case "ansi_c_string" | "translated_string":
            return Word(text=text[2:-1])
        case _:
            return Word(text=text, known=node.child_count == 0)


def _heredoc(node: Node) -> str:
    body = next((child for child in node.named_children if child.type == "heredoc_body"), None)
    return _text(body) if body is not None else ""


def _substitutions(node: Node) -> Iterator[Node]:
    """$(…) and <(…) inside a command's words, at any depth; what they hold is run as well."""
    for child in node.named_children:
        if child.type in ("command_substitution", "process_substitution"):
            yield from child.named_children
        elif child.type != "heredoc_body":
            yield from _substitutions(child)


def _joined(words: list[Word]) -> Word:
    return Word(text="".join(word.text for word in words), known=all(word.known for word in words))


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _excerpt(node: Node) -> str:
    return " ".join(_text(node).split())[:60]


def is_shell(program: str) -> bool:
    return program.rpartition("/")[2] in _SHELLS
