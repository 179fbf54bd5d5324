"""The contract's JSON Schema, for editors that complete and check while one types; in the form of SchemaStore."""

from __future__ import annotations

import json
from typing import Any, Final

from imgcheck.contract.model import SCHEMA_VERSION, Contract

SCHEMA_NAME: Final = "imgcheck.schema.json"
"""Its file beside a contract, for editors."""


def schema_text() -> str:
    return json.dumps(json_schema(), indent=2) + "\n"


def json_schema() -> dict[str, Any]:
    """The schema of one contract file."""
    schema = _in_draft_7(_as_written(Contract.model_json_schema()))
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://json.schemastore.org/imgcheck-contract.json",
        **schema,
        "title": f"imgcheck contract, version {SCHEMA_VERSION}",
    }


def _in_draft_7(part: Any) -> Any:
    """As SchemaStore wants it, for editors that know no later draft: definitions, and no other key beside $ref."""
    if isinstance(part, list):
        return [_in_draft_7(one) for one in part]
    if not isinstance(part, dict):
        return part
    found = {"definitions" if key == "$defs" else key: _in_draft_7(value) for key, value in part.items()}
    if isinstance(found.get("$ref"), str):
        reference = found.pop("$ref").replace("#/$defs/", "#/definitions/")
        return {**found, "allOf": [{"$ref": reference}]} if found else {"$ref": reference}
    return found


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
