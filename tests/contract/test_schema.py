"""The schema that editors complete and check with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, ValidationError
from ruamel.yaml import YAML

from imgcheck.contract.model import Contract
from imgcheck.contract.schema import SCHEMA_NAME, json_schema, schema_text
from imgcheck.contract.wording import MODELINE

ROOT = Path(__file__).parents[2]


def test_every_key_is_there_and_no_other_is_allowed() -> None:
    schema = json_schema()
    assert set(schema["properties"]) == set(Contract.model_fields)
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["imgcheck"]
    assert schema["properties"]["imgcheck"]["const"] == 1


def test_keys_carry_their_meaning() -> None:
    assert "Another contract" in json_schema()["properties"]["extends"]["description"]


def test_versions_need_no_quotes() -> None:
    pins = json_schema()["properties"]["pins"]["additionalProperties"]
    assert pins["type"] == ["string", "number", "boolean"]


def test_a_date_is_a_date() -> None:
    assert json_schema()["definitions"]["Waiver"]["properties"]["until"]["format"] == "date"


def test_it_is_in_the_form_of_schemastore() -> None:
    schema = json_schema()
    Draft7Validator.check_schema(schema)
    assert schema["$id"].startswith("https://json.schemastore.org/")
    assert "$defs" not in schema_text()
    references = [one for one in walk(schema) if "$ref" in one]
    assert references
    assert all(len(one) == 1 for one in references), "draft 7 ignores what stands beside a reference"


def walk(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        yield part
    for one in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from walk(one)


@pytest.mark.parametrize("path", sorted((ROOT / "contracts").glob("*.yaml")), ids=lambda path: path.name)
def test_the_examples_are_as_the_schema_says(path: Path) -> None:
    Draft7Validator(json_schema()).validate(YAML(typ="safe").load(path))


def test_a_slip_is_seen_by_the_schema() -> None:
    with pytest.raises(ValidationError, match="prbes"):
        Draft7Validator(json_schema()).validate({"imgcheck": 1, "prbes": []})


def test_a_new_contract_names_the_schema_that_lies_beside_it() -> None:
    assert MODELINE.endswith(f"$schema={SCHEMA_NAME}")
