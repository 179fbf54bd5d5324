"""The schema that editors complete and check with."""

from __future__ import annotations

from imgcheck.contract.model import Contract
from imgcheck.contract.schema import json_schema


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
    assert json_schema()["$defs"]["Waiver"]["properties"]["until"]["format"] == "date"
