"""The contract's JSON Schema, for editors that complete and check while one types."""

from __future__ import annotations

from typing import Any

from imgcheck.contract.model import SCHEMA_VERSION, Contract


def json_schema() -> dict[str, Any]:
    """The schema of one contract file."""
    schema = _as_written(Contract.model_json_schema())
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": f"imgcheck contract, version {SCHEMA_VERSION}",
    }


def _as_written(part: Any) -> Any:
    """Free text may be written without quotes: an editor sees a number in `torch: 1.10`, the loader the text."""
    if isinstance(part, list):
        return [_as_written(one) for one in part]
    if not isinstance(part, dict):
        return part
    found = {key: _as_written(value) for key, value in part.items()}
    if found.get("type") == "string" and not {"pattern", "format", "enum", "const"} & found.keys():
        found["type"] = ["string", "number", "boolean"]
    return found
