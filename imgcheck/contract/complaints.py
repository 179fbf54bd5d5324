"""pydantic's errors in plain words, each at its line and key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from imgcheck.contract.model import Contract
from imgcheck.contract.near_miss import did_you_mean
from imgcheck.contract.problem import Keys, Problem
from imgcheck.contract.tree import Listing, Scalar, Table, Tree, describe
from imgcheck.outcome import Location

_Wording = Callable[[str, Mapping[str, Any]], str]

_KINDS = {
    "bool_parsing": "true, false",
    "bool_type": "true, false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "string_type": "text",
    "tuple_type": "a list",
}
"""Errors that say: a value of another kind is wanted."""

_WORDS: dict[str, _Wording] = {
    "missing": lambda _shown, _context: "is missing",
    "int_parsing": lambda shown, _context: f"{shown} is not a whole number",
    "int_type": lambda shown, _context: f"{shown} is not a whole number",
    "int_from_float": lambda shown, _context: f"{shown} is not a whole number",
    "int_parsing_size": lambda shown, _context: f"{shown} is too large",
    "float_parsing": lambda shown, _context: f"{shown} is not a number",
    "float_type": lambda shown, _context: f"{shown} is not a number",
    "bool_parsing": lambda shown, _context: f"{shown} is neither true nor false",
    "bool_type": lambda shown, _context: f"{shown} is neither true nor false",
    "greater_than": lambda shown, context: f"{shown} must be more than {context['gt']:g}",
    "greater_than_equal": lambda shown, context: f"{shown} must be at least {context['ge']:g}",
    "less_than": lambda shown, context: f"{shown} must be less than {context['lt']:g}",
    "less_than_equal": lambda shown, context: f"{shown} must be at most {context['le']:g}",
    "too_short": lambda _shown, _context: "must not be empty",
    "string_too_short": lambda _shown, _context: "must not be empty",
    "string_pattern_mismatch": lambda shown, context: f"{shown} must match {context['pattern']}",
    "literal_error": lambda shown, context: f"{shown} must be {context['expected']}",
    "value_error": lambda _shown, context: str(context["error"]),
}


@dataclass(frozen=True, kw_only=True)
class _Place:
    """What an error speaks of. `chosen`: it ends at one choice of a union, not at a key."""

    keys: Keys
    where: Location
    tree: Tree | None
    chosen: bool


def explain(error: ValidationError, root: Table) -> list[Problem]:
    """Every error of a validation as a problem of the file."""
    problems: list[Problem] = []
    choices: dict[Keys, tuple[_Place, list[str]]] = {}
    for one in error.errors(include_url=False):
        place = _place(one, root)
        if place.chosen and one["type"] in _KINDS:
            choices.setdefault(place.keys, (place, []))[1].append(_KINDS[one["type"]])
        else:
            problems.append(Problem(where=place.where, keys=place.keys, text=_text(one, place)))
    return problems + list(_unmet_choices(choices, problems))


def _unmet_choices(choices: dict[Keys, tuple[_Place, list[str]]], problems: list[Problem]) -> Iterator[Problem]:
    """A union refuses once for each choice; only where no choice had the right kind is that the problem."""
    for keys, (place, wanted) in choices.items():
        if not any(one.keys[: len(keys)] == keys for one in problems):
            yield Problem(where=place.where, keys=keys, text=_wanted(place, wanted))


def _place(error: ErrorDetails, root: Table) -> _Place:
    tree: Tree | None = root
    keys: list[str | int] = []
    where, chosen = root.where, False
    for number, part in enumerate(error["loc"]):
        found = _child(tree, part)
        if found:
            where, tree = found
            keys.append(part)
            chosen = False
        elif error["type"] == "missing" and number == len(error["loc"]) - 1:
            keys.append(part)
            tree = None
        elif part != "[key]":
            chosen = True
    return _Place(keys=tuple(keys), where=where, tree=tree, chosen=chosen)


def _child(tree: Tree | None, part: str | int) -> tuple[Location, Tree] | None:
    if isinstance(tree, Table) and part in tree.entries:
        entry = tree.entries[str(part)]
        return entry.where, entry.value
    if isinstance(tree, Listing) and isinstance(part, int):
        return tree.items[part].where, tree.items[part]
    return None


def _text(error: ErrorDetails, place: _Place) -> str:
    kind = error["type"]
    if kind == "extra_forbidden":
        return _unknown_key(error["loc"])
    if isinstance(place.tree, Scalar) and place.tree.text is None:
        return "is empty; give it a value, or delete the line"
    if kind in _WORDS:
        shown = describe(place.tree) if place.tree else ""
        return _WORDS[kind](shown, error.get("ctx", {}))
    if kind in _KINDS:
        return _wanted(place, [_KINDS[kind]])
    return error["msg"].removeprefix("Value error, ").removeprefix("Input ")


def _wanted(place: _Place, kinds: list[str]) -> str:
    if isinstance(place.tree, Scalar) and place.tree.text is None:
        return "is empty; give it a value, or delete the line"
    shown = describe(place.tree) if place.tree else "missing"
    return f"must be {' or '.join(dict.fromkeys(kinds))}, and is {shown}"


def _unknown_key(loc: tuple[str | int, ...]) -> str:
    key = str(loc[-1])
    known = list(_model_at(loc[:-1]).model_fields)
    guess = did_you_mean(key, known)
    if guess:
        return f"is not a known key{guess}"
    homes = [name for name, model in _parts() if key in model.model_fields]
    if homes:
        return f"is not a known key here; it belongs under {' or '.join(map(repr, homes))}"
    return f"is not a known key; known here: {', '.join(known)}"


def _model_at(loc: tuple[str | int, ...]) -> type[BaseModel]:
    model: type[BaseModel] = Contract
    for part in loc:
        if part in model.model_fields:
            model = _model_in(model.model_fields[str(part)].annotation) or model
    return model


def _parts() -> Iterator[tuple[str, type[BaseModel]]]:
    for name, field in Contract.model_fields.items():
        model = _model_in(field.annotation)
        if model:
            yield name, model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model in a field's type: Probe in tuple[str | Probe, ...]."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for one in get_args(annotation) if (model := _model_in(one))), None)
