from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.contract.loader import parse_contract
from imgcheck.errors import ContractError, UsageError
from imgcheck.probes import builtin, builtin_names
from imgcheck.trying import chosen, offered

TEXT = """\
imgcheck: 1
probes:
- tensorboard
- {name: exporter, about: It exports, run: [a]}
- {use: ray-dashboard, name: node, within: 7}
"""
CONTRACT = parse_contract(TEXT, "c.yaml")


def test_the_contracts_own_probe_goes_before_a_built_in_one() -> None:
    assert chosen("exporter", CONTRACT, {}).run == ("a",)
    assert chosen("mlflow-server", CONTRACT, {}).start == builtin("mlflow-server").start


def test_an_option_is_given_to_a_built_in_probe_or_to_one_that_uses_it() -> None:
    for name, within in (("ray-dashboard", builtin("ray-dashboard").within), ("node", 7)):
        found = chosen(name, CONTRACT, {"object_store_memory": "9"})
        assert found.start
        assert (found.start[-1], found.within) == ("--object-store-memory=9", within)


def test_what_is_not_there_is_told_with_the_near_miss() -> None:
    with pytest.raises(UsageError, match="there is no probe 'exportr'; did you mean 'exporter'"):
        chosen("exportr", CONTRACT, {})
    with pytest.raises(UsageError, match="probe exporter has no options"):
        chosen("exporter", CONTRACT, {"a": "b"})
    with pytest.raises(ContractError, match="--option: tensorboard has no option 'a'"):
        chosen("tensorboard", CONTRACT, {"a": "b"})


def test_the_list_has_the_built_in_ones_and_the_contracts_own(tmp_path: Path) -> None:
    assert [one.name for one in offered(None)] == list(builtin_names())
    (tmp_path / "c.yaml").write_text(TEXT, "utf-8")
    own = offered(tmp_path / "c.yaml")[len(builtin_names()) :]
    assert [(one.name, one.about, one.where.rpartition("/")[2]) for one in own] == [
        ("exporter", "It exports", "c.yaml:4"),
        ("node", builtin("ray-dashboard").about, "c.yaml:5"),
    ]
