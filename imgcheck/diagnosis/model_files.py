"""What a logged model says of the environment it needs: python_env.yaml, requirements.txt, conda.yaml, MLmodel.

Source: https://mlflow.org/docs/latest/ml/model/dependencies/ and the format of a logged model's folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from packaging.requirements import InvalidRequirement, Requirement
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from imgcheck.contract.model import Contract
from imgcheck.facts.model import Facts
from imgcheck.facts.surroundings import Surroundings

NAMES: Final = ("MLmodel", "python_env.yaml", "requirements.txt", "conda.yaml")
_PICKLED: Final = frozenset({"cloudpickle", "pickle", "joblib"})
# Flavours that store Python objects by pickle unless they say otherwise; mlflow's own documentation of each flavour.
_PICKLING: Final = frozenset(
    {"sklearn", "pytorch", "statsmodels", "pmdarima", "prophet", "langchain", "sktime", "spacy"}
)


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """What a model records.

    Args:
        python: the version it was logged under; empty where it is not told.
        requirements: its requirements.
        unread: lines that are none.
        pickles: it holds pickles, as far as is told; None: not told.
    """

    python: str
    requirements: tuple[Requirement, ...]
    unread: tuple[str, ...]
    pickles: bool | None


def texts_of(contract: Contract) -> Iterator[str]:
    """Files inside the image that may say it."""
    for name in contract.models:
        if PurePosixPath(name).is_absolute():
            yield name
            yield from (f"{name.rstrip('/')}/{one}" for one in NAMES)


def files_of(name: str, facts: Facts) -> Mapping[str, str]:
    """File name -> text, of a model as the contract names it; nothing where nothing is there."""
    if not PurePosixPath(name).is_absolute():
        return facts.model_files.get(name, {})
    texts = {one.path: one.text for one in (facts.surroundings or Surroundings()).texts if one.text is not None}
    found = {one: texts[f"{name.rstrip('/')}/{one}"] for one in NAMES if f"{name.rstrip('/')}/{one}" in texts}
    return found or ({PurePosixPath(name).name: texts[name]} if name in texts else {})


def recorded(files: Mapping[str, str]) -> Recorded:
    """All files together; of Python's version the first that tells."""
    python = ""
    lines: list[str] = []
    pickles: bool | None = None
    for name, text in sorted(files.items(), key=lambda pair: NAMES.index(pair[0]) if pair[0] in NAMES else 9):
        if name.endswith(".txt"):
            lines.extend(text.splitlines())
            continue
        told = _yaml(text)
        if "flavors" in told:
            pickles = _pickles(told["flavors"])
        found, more = _environment(told)
        python = python or found
        if not any(one.endswith(".txt") for one in files):
            lines.extend(more)
    requirements, unread = _parsed(lines)
    return Recorded(python=python, requirements=requirements, unread=unread, pickles=pickles)


def _yaml(text: str) -> dict[str, Any]:
    try:
        told = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _environment(told: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Of python_env.yaml ("python"), of conda.yaml (in "dependencies"), of MLmodel (python_function's)."""
    python = str(told.get("python") or "")
    lines: list[str] = []
    for one in _list(told.get("dependencies")):
        if isinstance(one, dict):
            lines.extend(map(str, _list(one.get("pip"))))
        elif re.match(r"python\s*[=<>]", str(one)):
            python = python or str(one).partition("=")[2].lstrip("= ")
        elif str(one).startswith("-r ") or "==" in str(one):
            lines.append(str(one))
    flavors = told.get("flavors")
    function = flavors.get("python_function") if isinstance(flavors, dict) else None
    if isinstance(function, dict):
        python = python or str(function.get("python_version") or "")
    return python, lines


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _pickles(flavors: Any) -> bool:
    if not isinstance(flavors, dict):
        return False
    for name, options in flavors.items():
        told = options if isinstance(options, dict) else {}
        if told.get("serialization_format") in _PICKLED or told.get("pickled_model") or name in _PICKLING:
            return True
        if name == "python_function" and (told.get("python_model") or told.get("cloudpickle_version")):
            return True
    return False


def _parsed(lines: list[str]) -> tuple[tuple[Requirement, ...], tuple[str, ...]]:
    found, unread = [], []
    for line in lines:
        text = re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip()
        if not text or text.startswith("-"):
            continue
        try:
            found.append(Requirement(text))
        except InvalidRequirement:
            unread.append(text)
    return tuple(found), tuple(unread)
