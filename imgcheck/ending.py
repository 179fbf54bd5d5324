"""What is done when a command ends, however it ends; and what could not be done is told."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

from imgcheck.interrupts import held_back


@dataclass(frozen=True)
class Ending:
    """Of one command. `problems` says what is left behind, and why."""

    problems: list[str] = field(default_factory=list)
    _stack: ExitStack = field(default_factory=ExitStack, repr=False)

    def do(self, last: Callable[[], str]) -> None:
        """Something to be done at the end; it gives a problem, or nothing."""
        self._stack.callback(lambda: self.problems.extend(filter(None, (last(),))))

    def come(self) -> None:
        with held_back():
            self._stack.close()
