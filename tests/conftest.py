"""Tests against a real engine run only when they are asked for."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-engine", action="store_true", help="run the tests that need a real container engine")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--run-engine"):
        return
    skip = pytest.mark.skip(reason="needs --run-engine")
    for item in items:
        if item.get_closest_marker("engine"):
            item.add_marker(skip)
