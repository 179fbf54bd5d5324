"""What compiles while a program runs, and what it needs for that. Data only, each entry with its source."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Tool(str, Enum):
    """What may be needed."""

    C = "a C compiler"
    CXX = "a C++ compiler"
    NVCC = "nvcc"
    NINJA = "ninja"
    LDCONFIG = "ldconfig"
    USER = "a name for the user"
    TRITON_CACHE = "a writable Triton cache"
    INDUCTOR_CACHE = "a writable Inductor cache"
    EXTENSIONS_CACHE = "a writable extensions cache"


@dataclass(frozen=True, kw_only=True)
class JitUser:
    """A way of compiling at run time.

    Args:
        name: by which a contract may ask for it.
        distributions: what brings it; any of them.
        tools: what it needs.
        unasked: it is looked at where such a distribution is installed; otherwise only where the contract names it.
        what: what happens when, for people.
    """

    name: str
    distributions: frozenset[str]
    tools: tuple[Tool, ...]
    what: str
    unasked: bool = True


# triton: python/triton/runtime/build.py (compiler, Python.h), third_party/nvidia/backend/driver.py (ldconfig -p), and
# runtime/cache.py. torch: torch/_inductor/cpp_builder.py and codecache.py (cache_dir: getpass.getuser), and
# torch/utils/cpp_extension.py (ninja, nvcc). deepspeed: op_builder/builder.py; flashinfer: flashinfer/jit/.
# Repositories: triton-lang/triton, pytorch/pytorch, deepspeedai/DeepSpeed, flashinfer-ai/flashinfer. The rows
# were written down from knowledge of them, and not compared line by line.
JIT_USERS: Final = (
    JitUser(
        name="triton",
        distributions=frozenset({"triton", "pytorch-triton", "triton-windows"}),
        tools=(Tool.C, Tool.LDCONFIG, Tool.TRITON_CACHE),
        what="the first Triton kernel compiles its launcher",
    ),
    JitUser(
        name="torch-compile",
        distributions=frozenset({"torch"}),
        tools=(Tool.CXX, Tool.USER, Tool.INDUCTOR_CACHE),
        what="torch.compile builds CPU code",
    ),
    JitUser(
        name="torch-extensions",
        distributions=frozenset({"torch"}),
        tools=(Tool.CXX, Tool.NINJA, Tool.EXTENSIONS_CACHE),
        what="torch.utils.cpp_extension builds what it is given",
        unasked=False,
    ),
    JitUser(
        name="cuda-extensions",
        distributions=frozenset({"deepspeed", "flashinfer-python"}),
        tools=(Tool.CXX, Tool.NVCC, Tool.NINJA, Tool.EXTENSIONS_CACHE),
        what="its CUDA operators are built at their first use",
    ),
)
