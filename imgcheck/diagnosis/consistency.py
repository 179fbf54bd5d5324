"""What a requirement can be at odds with beside versions: extras that do not exist, and addresses."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator

from packaging.utils import canonicalize_name

from imgcheck.diagnosis.requirements import Need, label, provided_extras
from imgcheck.facts.model import Distribution
from imgcheck.outcome import Fault


def is_allowed(need: Need, allow: tuple[str, ...]) -> bool:
    """`allow` names a distribution, or "distribution -> requirement"."""
    owner = need.owner.canonical_name
    for entry in allow:
        name, arrow, wanted = (part.strip() for part in entry.partition("->"))
        if canonicalize_name(name) == owner and (not arrow or canonicalize_name(wanted) == need.name):
            return True
    return False


def unknown_extras(need: Need, installed: Distribution) -> Iterator[Fault]:
    """An installer only warns of an extra that does not exist, and goes on without it."""
    provided = sorted(provided_extras(installed))
    asked = sorted(need.requirement.extras) if need.requirement else []
    for extra in asked:
        if canonicalize_name(extra) not in provided:
            yield _unknown_extra(need, installed, extra, provided)


def address_note(need: Need, installed: Distribution) -> Iterator[Fault]:
    """A requirement with a URL is met by presence; where pip recorded another URL, that is worth a word."""
    wanted = need.requirement.url if need.requirement else None
    recorded = _recorded_address(installed)
    if wanted and recorded and _plain(wanted) != _plain(recorded):
        yield Fault(
            subject=f"{need.owner.canonical_name} -> {need.name}",
            summary=f"{label(need.owner)} requires {need.name} from {wanted}, and it came from {recorded}",
            expected=wanted,
            actual=recorded,
            remedy=f"Install {need.name} from there, if the two differ.",
            note=True,
        )


def _unknown_extra(need: Need, installed: Distribution, extra: str, provided: list[str]) -> Fault:
    near = difflib.get_close_matches(canonicalize_name(extra), provided, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"It provides {', '.join(provided) or 'none'}."
    return Fault(
        subject=f"{need.name}[{extra}]",
        summary=f"{need.sentence}, and {label(installed)} does not provide the extra {extra!r}",
        expected=extra,
        actual=", ".join(provided) or "no extras",
        remedy=f"{hint} What the extra was meant to bring is not installed.",
        note=True,
    )


def _recorded_address(installed: Distribution) -> str:
    """direct_url.json (PEP 610), or an egg-link's path."""
    try:
        recorded = json.loads(installed.direct_url)
    except ValueError:
        return ""
    return str(recorded.get("url", "")) if isinstance(recorded, dict) else ""


def _plain(url: str) -> str:
    """Without the scheme's "git+", a revision, a fragment, and what is not told apart by servers."""
    bare = re.sub(r"^\w+\+", "", url).partition("#")[0].lower()
    return re.sub(r"(?<=/)([^/@]+)@[^/]*$", r"\1", bare).removesuffix("/").removesuffix(".git")
