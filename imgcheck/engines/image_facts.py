"""What an engine's API says of an image, as facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from imgcheck.facts.model import ImageFacts, Step


def image_facts(reference: str, raw: dict[str, Any], history: list[dict[str, Any]]) -> ImageFacts:
    """From the answers of `GET /images/NAME/json` and `GET /images/NAME/history` (Docker Engine API 1.41)."""
    steps = [
        Step(
            created=int(one.get("Created") or 0),
            command=str(one.get("CreatedBy") or "")[:65_536],
            empty=not one.get("Size"),
        )
        for one in reversed(history)
    ]
    return ImageFacts(
        reference=reference,
        digest=str(raw["Id"]),
        repo_digests=tuple(raw.get("RepoDigests") or ()),
        os=str(raw.get("Os", "")),
        architecture=str(raw.get("Architecture", "")),
        variant=str(raw.get("Variant") or ""),
        size=int(raw.get("Size") or 0),
        **of_config(raw.get("Config") or {}),
        layers=tuple((raw.get("RootFS") or {}).get("Layers") or ()),
        history=tuple(steps),
    )


def of_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """What an image's configuration says: the same keys in the Docker API and in the OCI image specification."""
    return {
        "user": str(config.get("User") or ""),
        "workdir": str(config.get("WorkingDir") or ""),
        "env": tuple(config.get("Env") or ()),
        "entrypoint": _words(config.get("Entrypoint")),
        "command": _words(config.get("Cmd")),
        "labels": dict(config.get("Labels") or {}),
        "ports": tuple(config.get("ExposedPorts") or ()),
        "volumes": tuple(config.get("Volumes") or ()),
    }


def _words(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())
