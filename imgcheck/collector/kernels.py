"""Kernels compiled in the image for the signatures that the contract gives: numba's, for CPU and GPU, and Triton's.

Each in a fresh interpreter of its own, which answers on a pipe. No GPU and no driver is needed: numba.cuda compiles to
PTX, Triton to machine code for the capability that is asked for.
Floor: Python 3.8.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import Any, Callable, Dict, Iterable

from imgcheck.collector.sources import read_source

Facts = Dict[str, Any]

_LAZY = re.compile(
    rb"^[ \t]*@(?:\w+\.)*(?:n?jit|vectorize|guvectorize|stencil)[ \t]*(?:\(\s*(?:\w+\s*=|\))|\r?$)", re.MULTILINE
)
_SITES = 3

# Runs in the fresh interpreter: the request is its second argument, the pipe its first.
_COMPILE = r"""
import importlib, json, os, sys, traceback

def main(request):
    module, _, name = request["function"].partition(":")
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    kind = kind_of(found)
    answer = {"kind": kind, "targets": []}
    if kind == "numba":
        found.compile(signature_of(request))
        answer["targets"].append("CPU")
    elif kind == "numba ufunc":
        found.add(signature_of(request))
        answer["targets"].append("CPU")
    elif kind == "numba.cuda":
        from numba import cuda
        for capability in request["capabilities"]:
            answer["at"] = capability
            cuda.compile_ptx(found.py_func, signature_of(request), cc=tuple(map(int, capability.split("."))))
            answer["targets"].append(capability)
    elif kind == "triton":
        for capability in request["capabilities"]:
            answer["at"] = capability
            compile_triton(found, request, int(capability.replace(".", "")))
            answer["targets"].append(capability)
    return answer

def signature_of(request):
    import numba
    from numba.core import sigutils
    return sigutils.normalize_signature(request["signature"])[0] if isinstance(request["signature"], str) else None

def kind_of(found):
    names = {base.__module__.partition(".")[0] + "." + base.__name__ for base in type(found).__mro__}
    modules = {base.__module__ for base in type(found).__mro__}
    if "triton.JITFunction" in names:
        return "triton"
    if any(one.startswith("numba.cuda") for one in modules) and hasattr(found, "py_func"):
        return "numba.cuda"
    if "numba.Dispatcher" in names:
        return "numba"
    if names & {"numba.DUFunc", "numba.GUFunc"}:
        return "numba ufunc"
    return ""

def compile_triton(found, request, capability):
    import triton
    from triton.compiler import ASTSource
    from triton.backends.compiler import GPUTarget
    types = {name: one for name, one in request["signature"].items() if isinstance(one, str)}
    constants = {name: one for name, one in request["signature"].items() if not isinstance(one, str)}
    signature = {name: types.get(name, "constexpr") for name in found.arg_names}
    source = ASTSource(fn=found, signature=signature, constexprs=constants)
    triton.compile(source, target=GPUTarget("cuda", capability, 32))

pipe = os.fdopen(int(sys.argv[1]), "w")
try:
    answer = main(json.loads(sys.argv[2]))
except BaseException as error:
    answer = {"error": "%s: %s" % (type(error).__name__, error), "trace": traceback.format_exc()[-8000:]}
json.dump(answer, pipe)
pipe.flush()
os._exit(0)
"""


def compile_kernels(request: Facts, python: str, emit: Callable[[Facts], None]) -> None:
    """Emits for each kernel {"function", "kind", "targets", "error", "trace", "ended"}, in the request's order."""
    for kernel in request["kernels"]:
        wanted = dict(kernel, capabilities=request["capabilities"])
        emit(dict(_compiled(wanted, python, request["timeout"]), function=kernel["function"]))


def _compiled(wanted: Facts, python: str, seconds: float) -> Facts:
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [python, "-c", _COMPILE, str(writing), json.dumps(wanted)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=(writing,),
    )
    os.close(writing)
    try:
        words = process.communicate(timeout=seconds)[1]
        ended = f"its process ended with status {process.returncode}"
    except subprocess.TimeoutExpired:
        process.kill()
        words = process.communicate()[1]
        ended = f"it was not done within {seconds:g} seconds"
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read(1 << 20)
    facts: Facts = {"kind": "", "targets": [], "error": "", "trace": "", "ended": ""}
    try:
        told = json.loads(answer)
    except (ValueError, RecursionError):
        return dict(facts, ended=ended, trace=words.decode("utf-8", "replace")[-8000:])
    return dict(facts, **{key: told[key] for key in ("kind", "targets", "error", "trace") if key in told})


def lazy_kernels(modules: Iterable[Facts]) -> list[Facts]:
    """Numba functions without a signature, which compile at their first call: {"distribution", "count", "sites"}."""
    found: dict[str, Facts] = {}
    for module in modules:
        if not module["path"].endswith(".py") or module["group"] not in ("module", "vendored"):
            continue
        text = read_source(module["path"]) or b""
        if b"numba" not in text:
            continue
        count = sum(1 for _ in _LAZY.finditer(text))
        if count:
            known = found.setdefault(
                module["distribution"], {"distribution": module["distribution"], "count": 0, "sites": []}
            )
            known["count"] += count
            known["sites"] = [*known["sites"], module["module"]][:_SITES]
    return list(found.values())
