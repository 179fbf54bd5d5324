"""Tests against a real engine, and those that need gigabytes, run only when they are asked for."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-engine", action="store_true", help="run the tests that need a real container engine")
    parser.addoption("--run-browser", action="store_true", help="run the tests in a real browser, Debian's Chromium")
    parser.addoption("--run-large", action="store_true", help="run the tests that install gigabytes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for name in ("engine", "large", "browser"):
        if config.getoption(f"--run-{name}"):
            continue
        skip = pytest.mark.skip(reason=f"needs --run-{name}")
        for item in items:
            if item.get_closest_marker(name):
                item.add_marker(skip)
