"""IC805: the image is larger than the contract allows."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.facts.model import Facts
from imgcheck.outcome import Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    most, size = contract.image.max_size or 0, facts.image.size
    if size <= most:
        return Judgement(examined=1, unit="images")
    fault = Fault(
        subject="size",
        summary=f"The image has {_told(size)}, {_told(size - most)} more than the contract allows",
        expected=f"at most {_told(most)}",
        actual=_told(size),
        remedy="Look for caches (pip --no-cache-dir, rm -r /var/lib/apt/lists in the same RUN), for files that a "
        "later step deletes (they stay in their layer), and for what only the build needs (a builder stage).",
        location=contract.where("image", "max_size"),
    )
    return Judgement(examined=1, unit="images", faults=(fault,))


def _told(size: int) -> str:
    return f"{size / 10**9:,.2f} GB" if size >= 10**9 else f"{size / 10**6:,.1f} MB"


CHECK = Check(
    code="IC805",
    name="image-size",
    summary="The image is larger than the contract allows",
    needs=Needs.IMAGE,
    applies=lambda contract: contract.image.max_size is not None,
    judge=judge,
    inheritable=False,
)
