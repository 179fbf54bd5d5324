"""Kinds of single values that several parts of the contract have, each with its rule and its message."""

from __future__ import annotations

import re
import warnings
from pathlib import PurePosixPath
from typing import Annotated, Any

from packaging.utils import canonicalize_name, is_normalized_name
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

_SIZE = re.compile(r"(\d+)\s*(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)?", re.IGNORECASE)
_UNITS = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_UNITS |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}


class Model(BaseModel):
    """Frozen, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def _bytes(value: Any) -> Any:
    if isinstance(value, int):
        return value
    match = _SIZE.fullmatch(str(value).strip())
    if not match:
        raise ValueError(f"{value!r} is no size; write 512MB or 1GiB")
    return int(match[1]) * _UNITS[(match[2] or "B").lower()]


def regular_expression(text: str) -> str:
    """The text itself.

    Raises:
        ValueError: it is no regular expression.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of sets within sets, which a later Python may have
            re.compile(text)
    except RecursionError:
        raise ValueError(f"{text[:40]!r}... is no regular expression: it is nested too deeply") from None
    except (re.error, OverflowError) as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from None
    return text


def _absolute(text: str) -> str:
    if not PurePosixPath(text).is_absolute():
        raise ValueError(f"{text!r} must be an absolute path inside the image")
    return text


def _distribution(text: str) -> str:
    name = canonicalize_name(text)
    if not is_normalized_name(name):
        raise ValueError(f"{text!r} is no distribution name (PEP 508)")
    return name


DistributionName = Annotated[str, AfterValidator(_distribution)]
Size = Annotated[int, BeforeValidator(_bytes, json_schema_input_type=int | str), PlainSerializer(int)]
ImagePath = Annotated[str, AfterValidator(_absolute)]
Seconds = Annotated[float, Field(gt=0, le=24 * 3600)]
Command = Annotated[tuple[str, ...], Field(min_length=1)]
Pattern = Annotated[str, AfterValidator(regular_expression)]
