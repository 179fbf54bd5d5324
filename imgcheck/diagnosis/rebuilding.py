"""Whether two installations are the same build: local version, WHEEL tags, origin, installer, and RECORD's hashes."""

from __future__ import annotations

import json
from dataclasses import dataclass

from imgcheck.diagnosis.versions import parse_version
from imgcheck.facts.model import Distribution


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One property that differs. `breaks`: it cannot be the same build."""

    what: str
    before: str
    after: str
    breaks: bool


def differences(before: Distribution, after: Distribution) -> tuple[Difference, ...]:
    """Between a distribution of the base and the one of an image."""
    moved = _public(before) != _public(after)
    pairs = (
        ("version" if moved else "local version", before.version, after.version, True),
        ("WHEEL tags", _tags(before), _tags(after), True),
        (
            "RECORD",
            before.record_digest[:19],
            after.record_digest[:19],
            bool(before.record_digest and after.record_digest),
        ),
        ("origin", _origin(before), _origin(after), False),
        ("installer", before.installer, after.installer, False),
    )
    return tuple(
        Difference(what=what, before=old, after=new, breaks=breaks) for what, old, new, breaks in pairs if old != new
    )


def same_files(before: Distribution, after: Distribution) -> bool:
    """Whether it is proven that nothing differs: by RECORD's hashes, or because nothing was installed since."""
    if before.record_digest and before.record_digest == after.record_digest:
        return True
    untouched = (before.metadata_path, before.installed_at) == (after.metadata_path, after.installed_at)
    return bool(before.installed_at) and untouched and not differences(before, after)


def _public(one: Distribution) -> str:
    version = parse_version(one.version)
    return version.public if version else one.version


def _tags(one: Distribution) -> str:
    return ", ".join(sorted(one.wheel_tags))


def _origin(one: Distribution) -> str:
    """The address of direct_url.json (PEP 610); "an index" without one."""
    try:
        recorded = json.loads(one.direct_url) if one.direct_url else {}
    except ValueError:
        return one.direct_url
    if not isinstance(recorded, dict) or not recorded.get("url"):
        return "an index"
    commit = recorded.get("vcs_info", {}).get("commit_id", "") if isinstance(recorded.get("vcs_info"), dict) else ""
    return f"{recorded['url']}@{commit}" if commit else str(recorded["url"])
