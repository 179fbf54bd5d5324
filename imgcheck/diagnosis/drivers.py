"""What a driver can do: the CUDA it came with, what it runs by minor-version compatibility, and what an image adds.

https://docs.nvidia.com/deploy/cuda-compatibility/ : libraries of a CUDA major run on every driver from the major's
oldest branch on; PTX of a newer instruction set than the driver's own CUDA is refused; a forward-compatibility package
in the image lends a newer driver's user-space half to data-centre GPUs, on the host branches that its note names.
"""

from __future__ import annotations

from dataclasses import dataclass

from imgcheck.diagnosis.cuda_tables import BRANCH_CUDA, LEAST_BRANCH
from imgcheck.diagnosis.gpu_code import Version, numbers
from imgcheck.facts.native import DriverCopy, NativeFacts

_NEWEST_BRANCH = max(BRANCH_CUDA)


@dataclass(frozen=True, kw_only=True)
class Driver:
    """The fleet's oldest driver, in this image.

    Args:
        version: as the contract gives it.
        cuda: the CUDA that it came with; None for a branch before the table's first.
        at_least: its branch is newer than the table: it can more than `cuda`, and how much is not known.
        lent: the forward-compatibility driver that the image brings for this branch.
    """

    version: str
    cuda: Version | None
    at_least: bool = False
    lent: DriverCopy | None = None

    @property
    def branch(self) -> int:
        return numbers(self.version)[0]

    @property
    def knows(self) -> Version | None:
        """The CUDA that programs get, forward compatibility included."""
        lent = _version(self.lent.compatibility.cuda) if self.lent and self.lent.compatibility else None
        return max((one for one in (self.cuda, lent) if one), default=None)


def driver_of(version: str, native: NativeFacts) -> Driver:
    branch = numbers(version)[0]
    known = [one for one in BRANCH_CUDA if one <= branch]
    cuda = BRANCH_CUDA[max(known)] if known else None
    lent = [one for one in native.drivers if one.compatibility and branch in one.compatibility.drivers]
    newest = max(lent, key=lambda one: _version(one.compatibility.cuda if one.compatibility else ""), default=None)
    return Driver(version=version, cuda=cuda, at_least=branch > _NEWEST_BRANCH, lent=newest)


def runs_major(driver: Driver, major: int) -> bool | None:
    """Whether libraries of a CUDA major run; None where the major is newer than the table and the driver may be too."""
    knows = driver.knows
    if knows and knows[0] >= major:
        return True
    least = LEAST_BRANCH.get(major)
    if least is None:
        return None if driver.at_least or major > max(LEAST_BRANCH) else True
    return driver.branch >= least


def knows_cuda(driver: Driver, cuda: Version) -> bool | None:
    """Whether the driver has what came with a CUDA version; None where its branch is newer than the table."""
    knows = driver.knows
    if knows and knows >= cuda:
        return True
    return None if driver.at_least else False


def branch_for(cuda: Version) -> int | None:
    """The oldest branch that came with a CUDA version, or a newer one."""
    return min((branch for branch, one in BRANCH_CUDA.items() if one >= cuda), default=None)


def least_branch(major: int) -> int | None:
    return LEAST_BRANCH.get(major)


def _version(text: str) -> Version:
    found = (*numbers(text), 0, 0)
    return found[0], found[1]
