"""Names of system packages that carry CUDA libraries. Data, as no fact tells it.

Source: NVIDIA's package repositories for Debian and Ubuntu (CUDA Installation Guide for Linux, "Meta Packages" and
"Package Manager Installation"; the installation guides of cuDNN, NCCL and TensorRT).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_CUDA: Final = re.compile(
    r"(?:cuda(?:-[a-z0-9.-]+)?|libcudnn\d*(?:-[a-z0-9-]+)?|libnccl\d*(?:-dev)?|libcu(?:blas|fft|rand|solver|sparse|dss|tensor)"
    r"[a-z0-9.-]*|libnpp[a-z0-9.-]*|libnv(?:infer|jpeg|jitlink|parsers|onnxparsers|rtc)[a-z0-9.-]*|tensorrt[a-z0-9.-]*"
    r"|nvidia-cuda-(?:toolkit|dev)|libcudart[0-9.]*)(?:=.*)?"
)


def cuda_libraries(packages: Iterable[str]) -> tuple[str, ...]:
    """Those of the packages that carry CUDA libraries, in their order."""
    return tuple(one for one in packages if _CUDA.fullmatch(one))
