"""Where shared libraries usually come from. Data only, each table with its source."""

from __future__ import annotations

import re
from typing import Final

from imgcheck.diagnosis.known_modules import LIBRARY_PACKAGES

# Shared library -> package of Debian 12 and Ubuntu (apt-file tells it); that the packages exist was checked with
# apt-cache, the rows were written down from knowledge.
DEBIAN: Final[dict[str, str]] = {
    **LIBRARY_PACKAGES,
    "libGLX.so.0": "libglx0",
    "libGLdispatch.so.0": "libglvnd0",
    "libOpenGL.so.0": "libopengl0",
    "libOSMesa.so.8": "libosmesa6",
    "libOpenCL.so.1": "ocl-icd-libopencl1",
    "libX11.so.6": "libx11-6",
    "libXi.so.6": "libxi6",
    "libaio.so.1": "libaio1",
    "libasound.so.2": "libasound2",
    "libatomic.so.1": "libatomic1",
    "libavcodec.so.59": "libavcodec59",
    "libblas.so.3": "libblas3",
    "libboost_system.so.1.74.0": "libboost-system1.74.0",
    "libcairo.so.2": "libcairo2",
    "libcrypt.so.1": "libcrypt1",
    "libcurl.so.4": "libcurl4",
    "libdbus-1.so.3": "libdbus-1-3",
    "libdrm.so.2": "libdrm2",
    "libexpat.so.1": "libexpat1",
    "libffi.so.8": "libffi8",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libgfortran.so.5": "libgfortran5",
    "libgl2ps.so.1.4": "libgl2ps1.4",
    "libhdf5_serial.so.103": "libhdf5-103-1",
    "libhwloc.so.15": "libhwloc15",
    "libjpeg.so.62": "libjpeg62-turbo",
    "liblapack.so.3": "liblapack3",
    "liblz4.so.1": "liblz4-1",
    "liblzma.so.5": "liblzma5",
    "libmagic.so.1": "libmagic1",
    "libnsl.so.2": "libnsl2",
    "libopenblas.so.0": "libopenblas0",
    "libpng16.so.16": "libpng16-16",
    "libpulse.so.0": "libpulse0",
    "libpython3.11.so.1.0": "libpython3.11",
    "librdmacm.so.1": "librdmacm1",
    "libsox.so.3": "libsox3",
    "libsqlite3.so.0": "libsqlite3-0",
    "libssl.so.3": "libssl3",
    "libcrypto.so.3": "libssl3",
    "libstdc++.so.6": "libstdc++6",
    "libtbb.so.12": "libtbb12",
    "libtiff.so.6": "libtiff6",
    "libusb-1.0.so.0": "libusb-1.0-0",
    "libuuid.so.1": "libuuid1",
    "libwebp.so.7": "libwebp7",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxml2.so.2": "libxml2",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}

# Shared library -> distribution that carries it: the wheels' RECORDs tell it; written down from
# knowledge of them.
WHEELS: Final[dict[str, str]] = {
    "libcublas.so.12": "nvidia-cublas-cu12",
    "libcublas.so.13": "nvidia-cublas",
    "libcublasLt.so.12": "nvidia-cublas-cu12",
    "libcublasLt.so.13": "nvidia-cublas",
    "libcudart.so.11.0": "nvidia-cuda-runtime-cu11",
    "libcudart.so.12": "nvidia-cuda-runtime-cu12",
    "libcudart.so.13": "nvidia-cuda-runtime",
    "libcudnn.so.8": "nvidia-cudnn-cu12 (before 9)",
    "libcudnn.so.9": "nvidia-cudnn-cu12 or nvidia-cudnn-cu13",
    "libcufft.so.11": "nvidia-cufft-cu12",
    "libcufft.so.12": "nvidia-cufft",
    "libcupti.so.12": "nvidia-cuda-cupti-cu12",
    "libcupti.so.13": "nvidia-cuda-cupti",
    "libcurand.so.10": "nvidia-curand-cu12 or nvidia-curand",
    "libcusolver.so.11": "nvidia-cusolver-cu12",
    "libcusolver.so.12": "nvidia-cusolver",
    "libcusparse.so.12": "nvidia-cusparse-cu12 or nvidia-cusparse",
    "libcusparseLt.so.0": "nvidia-cusparselt-cu12 or nvidia-cusparselt-cu13",
    "libiomp5.so": "intel-openmp",
    "libmkl_rt.so.2": "mkl",
    "libnccl.so.2": "nvidia-nccl-cu12 or nvidia-nccl-cu13",
    "libnvJitLink.so.12": "nvidia-nvjitlink-cu12",
    "libnvJitLink.so.13": "nvidia-nvjitlink",
    "libnvToolsExt.so.1": "nvidia-nvtx-cu12",
    "libnvinfer.so.10": "tensorrt-cu12-libs or tensorrt-cu13-libs",
    "libnvrtc.so.12": "nvidia-cuda-nvrtc-cu12",
    "libnvrtc.so.13": "nvidia-cuda-nvrtc",
    "libtbb.so.12": "tbb",
    "libc10.so": "torch",
    "libc10_cuda.so": "a torch that is built for CUDA",
    "libtorch.so": "torch",
    "libtorch_cpu.so": "torch",
    "libtorch_cuda.so": "a torch that is built for CUDA",
    "libtorch_python.so": "torch",
}

# The driver's libraries, which the container runtime mounts at start, and the symbols that are theirs:
# https://github.com/NVIDIA/libnvidia-container, src/nvc_info.c; names by cuda.h, nvml.h, cuviddec.h, nvEncodeAPI.h.
DRIVER_SYMBOLS: Final[dict[str, re.Pattern[str]]] = {
    "libcuda.so": re.compile(r"cu[A-Z]\w+"),
    "libnvidia-ml.so": re.compile(r"nvml[A-Z]\w+"),
    "libnvcuvid.so": re.compile(r"cuvid[A-Z]\w+"),
    "libnvidia-encode.so": re.compile(r"NvEncode\w+"),
}

# What their functions return where there is no driver: CUDA_ERROR_STUB_LIBRARY of cuda.h ("the CUDA driver that the
# application has loaded is a stub library"), NVML_ERROR_LIBRARY_NOT_FOUND of nvml.h.
DRIVER_RESULTS: Final[dict[str, int]] = {"libcuda.so": 34, "libnvidia-ml.so": 12}

# Libraries by which an operator library registers itself: such a file is loaded by name, exports no PyInit_, and is
# no optional plugin. https://docs.pytorch.org/docs/stable/library.html (torch.ops.load_library)
OPERATOR_HOSTS: Final = frozenset({"libtorch.so", "libtorch_cpu.so", "libtorch_python.so", "libc10.so"})


def way_to(library: str) -> str:
    """The sentence that says how to get a library."""
    ways = []
    if library in DEBIAN:
        ways.append(f"install {DEBIAN[library]} (Debian and Ubuntu)")
    if library in WHEELS:
        ways.append(f"install {WHEELS[library]} (a wheel)")
    return " or ".join(ways) or f"install the system package or the wheel that has {library}"
