"""What is done when a command ends, however it ends; and what could not be done is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
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

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """While the command is at work, this is the end that `current_ending` tells of; then it comes."""
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)
            self.come()

    def come(self) -> None:
        with held_back():
            self._stack.close()


_CURRENT: ContextVar[Ending] = ContextVar("ending")


def current_ending() -> Ending:
    """The running command's; where imgcheck is used as a library it is nobody's, and whoever made it lets it come."""
    return _CURRENT.get(None) or Ending()
