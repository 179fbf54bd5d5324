"""IC606: a file or folder that must be in the image is not, or is empty."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.facts.model import Facts
from imgcheck.facts.surroundings import PathFacts, Surroundings
from imgcheck.outcome import Fault, Judgement


def judge(contract: Contract, facts: Facts) -> Judgement:
    known = facts.surroundings or Surroundings()
    found = [(number, one, known.at(one)) for number, one in enumerate(contract.assets)]
    return Judgement(
        examined=sum(there is not None for _, _, there in found),
        unit="assets",
        faults=tuple(
            Fault(
                subject=asset,
                summary=f"{asset} {wrong}",
                expected="a file or folder that is not empty",
                actual=wrong,
                remedy="Put it into the image in the build: a download at run time needs the network.",
                location=contract.where("assets", str(number)),
            )
            for number, asset, there in found
            if there and (wrong := _wrong(there))
        ),
    )


def _wrong(there: PathFacts) -> str:
    if there.kind in ("missing", "dangling"):
        return "is not in the image" if there.kind == "missing" else "is a link to what is not in the image"
    if there.kind == "closed":
        return "cannot be read by this user"
    if there.kind == "folder":
        return "is an empty folder" if there.entries == 0 else ""
    return "is an empty file" if there.kind == "file" and not there.size else ""


CHECK = Check(
    code="IC606",
    name="missing-asset",
    summary="A file or folder that must be in the image is not",
    needs=Needs.SURROUNDINGS,
    applies=lambda contract: bool(contract.assets),
    judge=judge,
    inheritable=False,
)
