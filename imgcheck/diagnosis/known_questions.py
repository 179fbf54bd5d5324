"""What distributions say of their own build once they are imported: expressions as data, each with its source.

None of them needs a GPU or its driver. What a version has to fit is the rule that its own maker checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

ARCHITECTURES: Final = "architectures"
Side = Literal["compiled", "loaded"]


@dataclass(frozen=True, kw_only=True)
class Question:
    """One expression.

    Args:
        distribution: whose module it is, by canonical name.
        module: what is imported first.
        about: ARCHITECTURES, or the library whose version it tells, as libcudnn.
        side: of a library, the version it was compiled against or the one that is loaded.
        expression: Python; the module's package and ctypes are at hand. Versions are lists of numbers.
    """

    distribution: str
    module: str
    about: str
    expression: str
    side: Side = "compiled"


def _torch(about: str, expression: str, side: Side = "compiled") -> Question:
    return Question(distribution="torch", module="torch", about=about, expression=expression, side=side)


# torch: torch/cuda/__init__.py (get_arch_list), torch/backends/cudnn/__init__.py (_init: same major, and not an older
# minor), torch/csrc/cuda/nccl.cpp (version: of the header), https://github.com/pytorch/pytorch; read 2026-11.
# NCCL: ncclGetVersion, nccl.h (NCCL_VERSION: X*10000 + Y*100 + Z). cuBLAS: cublasGetProperty, library_types.h.
QUESTIONS: Final = (
    _torch(ARCHITECTURES, "(torch._C._cuda_getArchFlags() or '').split() if torch.version.cuda else []"),
    _torch("libcudnn", "list(torch._C._cudnn.getCompileVersion()) if torch.version.cuda else []"),
    _torch("libcudnn", "list(torch._C._cudnn.getRuntimeVersion()) if torch.version.cuda else []", "loaded"),
    _torch("libnccl", "list(torch.cuda.nccl.version())[:3] if torch.version.cuda else []"),
    _torch(
        "libnccl",
        "[(ctypes.CDLL('libnccl.so.2').ncclGetVersion(ctypes.byref(one)), "
        "[one.value // 10000, one.value // 100 % 100, one.value % 100])[1] for one in [ctypes.c_int()]][0] "
        "if torch.version.cuda else []",
        "loaded",
    ),
    _torch("libcublas", "[int(one) for one in (torch.version.cuda or '').split('.') if one]"),
    _torch(
        "libcublas",
        "[(ctypes.CDLL('libcublas.so.' + torch.version.cuda.split('.')[0]).cublasGetProperty(part, "
        "ctypes.byref(one)), one.value)[1] for one in [ctypes.c_int()] for part in range(3)] "
        "if torch.version.cuda else []",
        "loaded",
    ),
)
