"""What a check is: a value with two functions. A check never touches an engine, a file or a clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from imgcheck.contract.model import Contract
from imgcheck.facts.model import Facts
from imgcheck.outcome import Judgement


class Needs(str, Enum):
    """The facts a check reads. Of the image itself the engine tells; where there is none, nobody does."""

    INVENTORY = "inventory"
    IMAGE = "the image's configuration"
    IMPORTS = "imports"
    FILES = "files"
    SURROUNDINGS = "surroundings"
    WRITABLE = "what may be written"
    STATEMENTS = "import statements"
    TOGETHER = "imports together"
    RUNS = "smoke lines and artefacts"
    LOADS = "library loads"
    NATIVE = "native files"
    OS_PACKAGES = "OS packages"
    TOOLCHAIN = "the toolchain"
    KERNELS = "kernels"
    PROBES = "probes"
    SELFCHECKS = "self-checks"
    PLAN = "the Dockerfile"
    REBUILD = "a rebuild"
    OUTSIDE = "the layers"


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check.

    Args:
        code: never reused, families by hundreds.
        name: the fault, in words; also the name of its file and of its page under docs/checks.
        summary: one sentence that says what is wrong when the check is broken.
        needs: the facts it reads.
        applies: whether this contract asks for it.
        judge: what was examined, and what was wrong.
        inheritable: a base that has the very same fault excuses it. False where the contract promises it by name.
    """

    code: str
    name: str
    summary: str
    needs: Needs
    applies: Callable[[Contract], bool]
    judge: Callable[[Contract, Facts], Judgement]
    inheritable: bool = True
