"""Names of machines. Data only: e_machine in the System V ABI's registry (https://www.sco.com/developers/gabi/)."""

from __future__ import annotations

from typing import Final

ELF_MACHINES: Final[dict[int, str]] = {
    3: "i386",
    8: "mips",
    20: "ppc",
    21: "ppc64",
    22: "s390x",
    40: "arm",
    62: "x86_64",
    183: "aarch64",
    243: "riscv",
    258: "loongarch",
}


def machine_name(number: int) -> str:
    return ELF_MACHINES.get(number, f"machine {number}")
