"""IC506: programs of the image load a libcuda that is not the host driver's: a stub for linking, or a copy."""

from __future__ import annotations

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.facts.model import Facts
from imgcheck.facts.native import DriverCopy
from imgcheck.outcome import Fault, Judgement


def judge(_contract: Contract, facts: Facts) -> Judgement:
    if facts.native is None:
        return Judgement(examined=0, unit="native files")
    copies = facts.native.drivers
    return Judgement(
        examined=len(facts.native.files),
        unit="native files",
        faults=tuple(_fault(one) for one in copies if one.reached and not one.compatibility),
        passed_over=tuple(
            (words, count)
            for words, count in (
                ("forward-compatibility drivers", sum(one.compatibility is not None for one in copies)),
                ("stubs off the loader's path", sum(one.stub and not one.reached for one in copies)),
            )
            if count
        ),
    )


def _fault(copy: DriverCopy) -> Fault:
    what = (
        "a stub, made for linking only"
        if copy.stub
        else f"a copy of the driver{f' {copy.version}' * bool(copy.version)}"
    )
    folder = copy.reached[0]
    happens = (
        "every CUDA call fails with error 34, CUDA driver is a stub library"
        if copy.stub
        else "it does not fit the kernel module of a host with another driver"
    )
    return Fault(
        subject=copy.path,
        summary=f"Programs of the image find {what}, in {folder}, in place of the host's libcuda.so.1: {happens}",
        expected="no libcuda where the loader looks: the container runtime brings the host's",
        actual=f"{copy.path}, reached through {', '.join(copy.reached)}",
        remedy=f"Take {folder} out of LD_LIBRARY_PATH and ld.so.conf.d; for linking, name it with -L. "
        + ("" if copy.stub else "Uninstall the driver's user-space package; forward compatibility is cuda-compat's."),
        identity="stub" if copy.stub else "copy",
    )


CHECK = Check(
    code="IC506",
    name="driver-stub",
    summary="Programs load a libcuda of the image in place of the host driver's",
    needs=Needs.NATIVE,
    applies=lambda contract: bool(contract.native or contract.gpu),
    judge=judge,
)
