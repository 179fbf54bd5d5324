"""What ages: architectures, PTX instruction sets and drivers by CUDA version. Data only, each table with its source.

Up to CUDA 13.5; each table says with what it was compared. What is newer than these tables is told as not verified,
never as kept.
"""

from __future__ import annotations

from typing import Final

AS_OF: Final = "2026-11, CUDA 13.5"

# Compute capability (times ten) -> the first CUDA toolkit that compiles for it. Compared 2026-11: up to 90 with
# MinVersionForOffloadArch of https://github.com/llvm/llvm-project/blob/main/clang/lib/Basic/Cuda.cpp (what is older
# than 9.0 counts as 9.0); from 75 on with ptxas 13.5, by the oldest PTX that it takes for the target (sm_100 by its
# toolkit's release notes: its PTX 8.6 is older). 101 is the name of 110 before CUDA 13.
FIRST_TOOLKIT: Final[dict[int, tuple[int, int]]] = {
    **dict.fromkeys((30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70), (9, 0)),
    72: (9, 1),
    75: (10, 0),
    80: (11, 0),
    86: (11, 1),
    87: (11, 4),
    88: (13, 0),
    89: (11, 8),
    90: (11, 8),
    100: (12, 8),
    101: (12, 8),
    103: (12, 9),
    107: (13, 4),
    110: (13, 0),
    120: (12, 8),
    121: (12, 9),
}

# CUDA major -> the oldest compute capability (times ten) that its libraries still run on.
# Release notes of 11.0 (Kepler sm_30), 12.0 (sm_35, sm_37) and 13.0 (Maxwell, Pascal, Volta): "removed". Compared
# 2026-11: 11 and 12 with MaxVersionForOffloadArch of clang (as above), 13 with the targets of ptxas 13.5.
TOOLKIT_FLOOR: Final[dict[int, int]] = {11: 35, 12: 50, 13: 75}

# Architectures of integrated GPUs: machine code fits exactly, not within a major version.
# CUDA C++ Programming Guide, "Binary compatibility": "not supported between desktop and Tegra".
EXACT_ONLY: Final = frozenset({32, 53, 62, 72, 87, 88, 101, 110})

# An `f` target runs on these. CUDA C++ Programming Guide, "Family-specific features". Compared 2026-11: each pair tried
# with ptxas 13.5, which no longer knows 101; that 110 is its new name: PTX ISA manual, "Target ISA notes".
FAMILIES: Final[dict[int, frozenset[int]]] = {
    100: frozenset({100, 103, 107}),
    101: frozenset({101, 110}),
    103: frozenset({103, 107}),
    107: frozenset({107}),
    110: frozenset({110}),
    120: frozenset({120, 121}),
    121: frozenset({121}),
}

# PTX instruction set -> CUDA whose driver compiles it. PTX ISA manual, "Release notes", table "PTX release history".
# Compared 2026-11: every row with cuda/bindings/utils/_ptx_utils.py of cuda-bindings 13.5.0.
PTX_CUDA: Final[dict[str, tuple[int, int]]] = {
    "6.0": (9, 0),
    "6.1": (9, 1),
    "6.2": (9, 2),
    "6.3": (10, 0),
    "6.4": (10, 1),
    "6.5": (10, 2),
    "7.0": (11, 0),
    "7.1": (11, 1),
    "7.2": (11, 2),
    "7.3": (11, 3),
    "7.4": (11, 4),
    "7.5": (11, 5),
    "7.6": (11, 6),
    "7.7": (11, 7),
    "7.8": (11, 8),
    "8.0": (12, 0),
    "8.1": (12, 1),
    "8.2": (12, 2),
    "8.3": (12, 3),
    "8.4": (12, 4),
    "8.5": (12, 5),
    "8.6": (12, 7),
    "8.7": (12, 8),
    "8.8": (12, 9),
    "9.0": (13, 0),
    "9.1": (13, 1),
    "9.2": (13, 2),
    "9.3": (13, 3),
    "9.4": (13, 4),
    "9.5": (13, 5),
}

# Driver branch -> the CUDA version it came with. CUDA release notes, "CUDA Toolkit and Corresponding Driver Versions",
# which name no branch for 12.7 and are read here up to 13.2. Compared 2026-11: 418 to 595 with copies of that table of
# CUDA 13.1 and 13.2; 565, 610 and 615 with what nvidia-smi prints for drivers 565.57.01, 610.43.02 and 615.71.09.
BRANCH_CUDA: Final[dict[int, tuple[int, int]]] = {
    418: (10, 1),
    440: (10, 2),
    450: (11, 0),
    455: (11, 1),
    460: (11, 2),
    465: (11, 3),
    470: (11, 4),
    495: (11, 5),
    510: (11, 6),
    515: (11, 7),
    520: (11, 8),
    525: (12, 0),
    530: (12, 1),
    535: (12, 2),
    545: (12, 3),
    550: (12, 4),
    555: (12, 5),
    560: (12, 6),
    565: (12, 7),
    570: (12, 8),
    575: (12, 9),
    580: (13, 0),
    590: (13, 1),
    595: (13, 2),
    610: (13, 3),
    615: (13, 4),
}

# CUDA major -> the oldest driver branch that runs its libraries (minor-version compatibility).
# https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html, table 1; compared 2026-11.
LEAST_BRANCH: Final[dict[int, int]] = {11: 450, 12: 525, 13: 580}
