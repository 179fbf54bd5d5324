"""Extras that a build step asked pip or uv for, and that the distribution does not have: installers only warn."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Final

from packaging.utils import canonicalize_name

from imgcheck.diagnosis.requirements import label, provided_extras
from imgcheck.facts.model import Facts
from imgcheck.masking import shown_command
from imgcheck.outcome import Cause, Fault

_INSTALL: Final = re.compile(r"\b(?:pip[\d.]*|uv pip)\s+install\b(?P<words>[^&;|]*)")
_ASKED: Final = re.compile(r"(?<![\w.$/-])([A-Za-z0-9][A-Za-z0-9._-]*)\[([A-Za-z0-9][A-Za-z0-9._, -]*)\]")


def asked_extras(facts: Facts) -> Iterator[Fault]:
    """By the commands in the image's history; what a requirements file asks for is not in it."""
    seen: set[tuple[str, str]] = set()
    for step in facts.image.history:
        for install in _INSTALL.finditer(step.command):
            for name, extras in _ASKED.findall(install["words"]):
                for extra in extras.split(","):
                    key = canonicalize_name(name), canonicalize_name(extra.strip())
                    if key not in seen:
                        seen.add(key)
                        yield from _unknown(*key, install[0], facts)


def _unknown(name: str, extra: str, command: str, facts: Facts) -> Iterator[Fault]:
    found = facts.inventory.find(name)
    provided = sorted(provided_extras(found)) if found else []
    if found is None or extra in provided:
        return
    near = difflib.get_close_matches(extra, provided, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"It provides {', '.join(provided) or 'none'}."
    yield Fault(
        subject=f"{name}[{extra}]",
        summary=f"A build step asks for {name}[{extra}], and {label(found)} does not provide that extra: the installer "
        "only warned",
        expected=extra,
        actual=", ".join(provided) or "no extras",
        remedy=f"{hint} What the extra was meant to bring is not installed.",
        cause=Cause(step=shown_command(command)),
        note=True,
    )
