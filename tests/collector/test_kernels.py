"""Kernels compiled in a process of their own. Stand-ins for numba and Triton answer as those do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from imgcheck.collector.kernels import compile_kernels, lazy_kernels
from imgcheck.facts.kernels import KernelFacts, LazyKernels

NUMBA = {
    "numba/__init__.py": "from numba.core.registry import Dispatcher, njit\n",
    "numba/core/__init__.py": "",
    "numba/core/registry.py": """
class Dispatcher:
    def __init__(self, function):
        self.py_func = function
    def compile(self, signature):
        if "unicode" in signature:
            raise TypeError("cannot determine Numba type\\nof x")
njit = Dispatcher
""",
    "numba/core/sigutils.py": "def normalize_signature(text):\n    return text, None\n",
    "numba/cuda/__init__.py": """
from numba.cuda.dispatcher import CUDADispatcher
def jit(function):
    return CUDADispatcher(function)
def compile_ptx(function, signature, cc):
    if cc == (12, 0):
        raise ValueError("libNVVM cannot compile for it")
""",
    "numba/cuda/dispatcher.py": """
class CUDADispatcher:
    def __init__(self, function):
        self.py_func = function
""",
    "triton/__init__.py": """
from triton.runtime.jit import JITFunction
def compile(source, target):
    if target[1] == 120 or source["constexprs"].get("BLOCK") == 0:
        raise RuntimeError("no %d: %s" % (target[1], source["signature"]))
""",
    "triton/runtime/__init__.py": "",
    "triton/runtime/jit.py": "class JITFunction:\n    def __init__(self, names):\n        self.arg_names = names\n",
    "triton/compiler.py": "def ASTSource(**given):\n    return given\n",
    "triton/backends/__init__.py": "",
    "triton/backends/compiler.py": "def GPUTarget(*given):\n    return given\n",
    "pkg.py": """
import numba, numba.cuda, triton
@numba.njit
def good(x): return x
@numba.cuda.jit
def on_gpu(x): return x
add = triton.JITFunction(["x", "BLOCK"])
def plain(x): return x
""",
    "broken.py": "raise ImportError('no')\n",
    "crash.py": "import os; os.abort()\n",
    "slow.py": "import time; time.sleep(60)\n",
}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in NUMBA.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def compiled(function: str, signature: Any, *capabilities: str, timeout: float = 30) -> KernelFacts:
    found: list[Any] = []
    kernel = {"function": function, "signature": signature}
    request = {"kernels": [kernel], "capabilities": list(capabilities), "timeout": timeout}
    compile_kernels(request, sys.executable, found.append)
    return KernelFacts.model_validate(found[0])


def test_numba_for_the_cpu(site: Path) -> None:
    told = compiled("pkg:good", "float64(float64)")
    assert (told.kind, told.targets, told.error) == ("numba", ("CPU",), "")
    assert compiled("pkg:good", "unicode_type(float64)").error == "TypeError: cannot determine Numba type\nof x"


def test_numba_for_each_gpu(site: Path) -> None:
    assert compiled("pkg:on_gpu", "void(float64[:])", "8.0", "9.0").targets == ("8.0", "9.0")
    assert "libNVVM cannot compile" in compiled("pkg:on_gpu", "void(float64[:])", "8.0", "12.0").error


def test_triton_for_each_gpu_with_types_and_constants(site: Path) -> None:
    told = compiled("pkg:add", {"x": "*fp32", "BLOCK": 128}, "8.0")
    assert (told.kind, told.targets, told.error) == ("triton", ("8.0",), "")
    told = compiled("pkg:add", {"x": "*fp32", "BLOCK": 0}, "8.0")
    assert told.error == "RuntimeError: no 80: {'x': '*fp32', 'BLOCK': 'constexpr'}"


def test_what_is_no_kernel_or_is_not_there(site: Path) -> None:
    told = compiled("pkg:plain", "float64(float64)")
    assert (told.kind, told.targets, told.error) == ("", (), "")
    assert compiled("pkg:gone", "x").error.startswith("AttributeError")
    assert compiled("broken:f", "x").error == "ImportError: no"


def test_a_crash_and_a_timeout_are_told_and_end_nothing_else(site: Path) -> None:
    assert compiled("crash:f", "x").ended == "its process ended with status -6"
    assert compiled("slow:f", "x", timeout=1).ended == "it was not done within 1 seconds"


SOURCE = """
from numba import njit, vectorize
@njit
def a(): pass
@numba.njit(cache=True)
def b(): pass
@njit()
def c(): pass
@njit("float64(float64)")
def d(): pass
@vectorize([float64(float64)])
def e(): pass
@nb.jit(
    nopython=True)
def f(): pass
"""


def test_functions_that_compile_at_their_first_call_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text(SOURCE)
    other = tmp_path / "other.py"
    other.write_text("@njit\ndef a(): pass\n")
    modules = [
        {"module": one.stem, "path": str(one), "distribution": "pkg", "group": "module"} for one in (file, other)
    ]
    (told,) = lazy_kernels(modules)
    assert LazyKernels.model_validate(told) == LazyKernels(distribution="pkg", count=4, sites=("m",))
