"""The CUDA side of an image: which files hold GPU code, which CUDA each library is of, and whom that concerns."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from imgcheck.diagnosis.gpu_code import numbers
from imgcheck.facts.model import Distribution, Facts
from imgcheck.facts.native import GpuCode, NativeFile

# Libraries whose SONAME carries the CUDA major version: CUDA release notes, "CUDA toolkit major component versions".
_CUDA_MAJOR: Final = re.compile(r"lib(?:cudart|cublas|cublasLt|nvrtc|nvJitLink|cupti|nvblas)\.so\.(\d+)(?:\.\d+)*")
# NVIDIA's own wheels of toolkit parts: they keep most GPU code outside .nv_fatbin, and are judged by their CUDA.
_TOOLKIT_WHEEL: Final = re.compile(r"nvidia-(?!ml-py|dali|modelopt|nvtiff|nvimgcodec)[a-z0-9-]+")
_SUFFIX: Final = re.compile(r"-cu(\d\d)$")
# Wheels of toolkit parts that are versioned as the toolkit is, since CUDA 13 without a suffix.
_AS_TOOLKIT: Final = re.compile(r"nvidia-(?:cuda-(?:runtime|nvrtc|cupti|nvcc)|cublas|nvjitlink|nvtx|nvvm)")


@dataclass(frozen=True, kw_only=True)
class GpuLibrary:
    """A file with GPU code that is no part of NVIDIA's toolkit."""

    file: NativeFile
    code: GpuCode


def gpu_libraries(facts: Facts) -> tuple[GpuLibrary, ...]:
    files = facts.native.files if facts.native else ()
    return tuple(
        GpuLibrary(file=one, code=one.gpu)
        for one in files
        if one.gpu and one.gpu.containers and not is_toolkit_wheel(one.distribution)
    )


def is_toolkit_wheel(distribution: str) -> bool:
    return bool(_TOOLKIT_WHEEL.fullmatch(distribution.lower().replace("_", "-")))


def cuda_majors(file: NativeFile) -> frozenset[int]:
    """The CUDA majors whose libraries a file names."""
    found = (_CUDA_MAJOR.fullmatch(one.name) for one in file.needed)
    return frozenset(int(one[1]) for one in found if one)


def users_by_cuda(facts: Facts) -> Mapping[int, tuple[str, ...]]:
    """CUDA major -> distributions, files of folders and toolkits that are of it, or need its libraries.

    One that has variants for several takes the one that the driver runs: the oldest counts.
    """
    needs: defaultdict[str, set[int]] = defaultdict(set)
    for file in facts.native.files if facts.native else ():
        needs[file.distribution or file.name] |= cuda_majors(file)
    found: defaultdict[int, set[str]] = defaultdict(set)
    for owner, majors in needs.items():
        if majors:
            found[min(majors)].add(owner)
    for distribution in facts.inventory.distributions:
        major = toolkit_major(distribution)
        if major:
            found[major].add(distribution.canonical_name)
    for toolkit in facts.native.toolkits if facts.native else ():
        found[numbers(toolkit.version)[0]].add(toolkit.path)
    return {major: tuple(sorted(names)) for major, names in sorted(found.items())}


def toolkit_major(distribution: Distribution) -> int | None:
    """The CUDA that one of NVIDIA's toolkit wheels is for; None for any other, or where its name does not tell."""
    name = distribution.canonical_name
    if not is_toolkit_wheel(name):
        return None
    suffix = _SUFFIX.search(name)
    if suffix:
        return int(suffix[1])
    version = numbers(distribution.version)
    return version[0] if _AS_TOOLKIT.fullmatch(name) and version else None


def driver_symbols(file: NativeFile) -> Iterator[str]:
    """Functions of the driver that a file links directly."""
    names = {one.name for one in file.needed}
    if any(name.startswith("libcuda.so") for name in names):
        yield from (symbol for symbol in file.undefined if re.fullmatch(r"cu[A-Z]\w+", symbol))
