"""Packages of the operating system that a CUDA stack stands on. Data only, with its source."""

from __future__ import annotations

import re
from typing import Final

# What it is -> names of packages, without those for development: NVIDIA's repositories for Debian, Ubuntu and RHEL
# (https://developer.download.nvidia.com/compute/cuda/repos/, "libcublas-12-4", "libcudnn9-cuda-12", "libnccl2"), the
# distributions' own for the C and C++ libraries (libc6, libstdc++6 of Debian; glibc, libstdc++ of RHEL; musl, libstdc++
# of Alpine). Written down from knowledge of them.
STACK: Final[dict[str, re.Pattern[str]]] = {
    "CUDA": re.compile(
        r"cuda-(?:cudart|nvrtc|cupti|compat|libraries|nvtx|nvcc|runtime|toolkit)-\d+-\d+"
        r"|lib(?:cublas|cufft|curand|cusolver|cusparse|cufile|npp|nvjitlink|nvjpeg|nvfatbin|nvvm)-\d+-\d+"
    ),
    "cuDNN": re.compile(r"libcudnn\d+(?:-cuda-\d+)?"),
    "NCCL": re.compile(r"libnccl2?"),
    "C library": re.compile(r"libc6|glibc|musl"),
    "C++ library": re.compile(r"libstdc\+\+6?"),
}

# Of these a security update of the distribution is not to be feared: what was built against the old one runs.
# https://sourceware.org/glibc/wiki/Glibc%20Timeline and https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html
COMPATIBLE: Final = frozenset({"C library", "C++ library"})


def part_of_stack(name: str) -> str:
    """What a package is of; empty for any other."""
    return next((part for part, names in STACK.items() if names.fullmatch(name)), "")
