"""What most jobs begin with: the interpreter, its distributions, every module of them."""

from __future__ import annotations

from typing import Any, Dict

from imgcheck.collector.distributions import find_distributions
from imgcheck.collector.interpreter import interpreter_facts
from imgcheck.collector.modules import enumerate_modules

Facts = Dict[str, Any]


def look(python: str) -> tuple[Facts, list[Facts], list[Facts]]:
    """The facts of interpreter.py, distributions.py and modules.py."""
    interpreter = interpreter_facts(python)
    distributions = find_distributions(interpreter["path"])
    modules = enumerate_modules(distributions, interpreter["path"], interpreter["extension_suffixes"])
    return interpreter, distributions, modules
