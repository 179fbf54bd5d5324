"""Which checks a selector means, and which of them a run makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Protocol

from imgcheck.errors import UsageError

NOT_SELECTED: Final = "not selected"
NOT_ASKED_FOR: Final = "not asked for by the contract"


class Named(Protocol):
    """What selectors and waivers look at: a check, or a result of one."""

    @property
    def code(self) -> str: ...

    @property
    def name(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class ContractCheck:
    """A check of the contract's own waivers. It needs the other checks' results, so imgcheck.waivers judges it."""

    code: str
    name: str
    summary: str


EXPIRED_WAIVER: Final = ContractCheck(code="IC901", name="expired-waiver", summary="A waiver's end date is past")
UNUSED_WAIVER: Final = ContractCheck(code="IC902", name="unused-waiver", summary="A waiver matches no finding")
CONTRACT_CHECKS: Final = (EXPIRED_WAIVER, UNUSED_WAIVER)


def names(selector: str, check: Named) -> bool:
    """Whether a selector (name, code or prefix of codes such as IC3) means this check."""
    prefix = selector.upper()
    return selector == check.name or (prefix.startswith("IC") and check.code.startswith(prefix))


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which checks a run makes. All unless `select` names some; `ignore` wins over `select`."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def chooses(self, check: Named) -> bool:
        wanted = not self.select or any(names(one, check) for one in self.select)
        return wanted and not any(names(one, check) for one in self.ignore)

    def verify(self, checks: Sequence[Named]) -> None:
        """Refuse a selector that means no check: it would silently check less, or more, than was asked for.

        Raises:
            UsageError: naming the selector and the near miss.
        """
        known = (*checks, *CONTRACT_CHECKS)
        for selector in (*self.select, *self.ignore):
            if not any(names(selector, check) for check in known):
                raise UsageError(f"{selector!r} names no check", remedy=near_miss(selector, known))


def near_miss(selector: str, checks: Iterable[Named]) -> str:
    """What to do about a selector that means no check."""
    words = [word for check in checks for word in (check.name, check.code)]
    close = get_close_matches(selector, words, n=1) or get_close_matches(selector.upper(), words, n=1)
    return f"Did you mean {close[0]}?" if close else "Give a check's name, its code, or a prefix of codes such as IC3."
