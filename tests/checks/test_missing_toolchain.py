from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.missing_toolchain import judge
from imgcheck.facts.model import Distribution
from imgcheck.facts.toolchain import ToolchainFacts
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, dist, facts

TRITON, TORCH = dist("triton 2.1.0"), dist("torch 2.13.0")
ALL: dict[str, Any] = {
    "c": {"path": "/usr/bin/gcc"},
    "cxx": {"path": "/usr/bin/g++"},
    "programs": {"nvcc": "/usr/local/cuda/bin/nvcc", "ninja": "/opt/venv/bin/ninja", "ldconfig": "/sbin/ldconfig"},
    "user": "ml",
    "uid": 1000,
    "caches": {name: {"path": f"/home/ml/{name}", "writable": True} for name in ("triton", "inductor", "extensions")},
}


def judged(*of: Distribution, jit: Any = True, **changed: Any) -> Judgement:
    found = ToolchainFacts.model_validate({**ALL, **changed})
    return judge(a_contract(jit=jit), facts(*of, toolchain=found))


def test_all_that_is_needed_is_kept() -> None:
    judgement = judged(TRITON, TORCH)
    assert (judgement.examined, judgement.unit, judgement.faults) == (2, "run-time compilers", ())


def test_where_nothing_compiles_nothing_is_examined() -> None:
    judgement = judged(dist("numpy 2"), c={"path": ""})
    assert (judgement.examined, judgement.faults) == (0, ())


def test_e03_triton_without_a_c_compiler() -> None:
    (fault,) = judged(TRITON, c={"path": ""}).faults
    assert fault.summary == (
        "triton 2.1.0 needs a C compiler when the first Triton kernel compiles its launcher, and there is none on PATH"
    )
    assert fault.subject == "triton -> a C compiler"
    assert "gcc" in fault.remedy


def test_a_compiler_without_headers_shows_its_words() -> None:
    (fault,) = judged(TRITON, c={"path": "/usr/bin/gcc", "error": "Python.h: No such file"}).faults
    assert fault.actual == "/usr/bin/gcc does not compile an extension"
    assert fault.evidence == "Python.h: No such file"


def test_t02_torch_compile_for_a_user_without_a_name() -> None:
    (fault,) = judged(TORCH, user="", uid=4321).faults
    assert "uid 4321 is not in /etc/passwd" in fault.summary
    assert "/etc/passwd" in fault.remedy


def test_t03_extensions_without_ninja_where_the_contract_names_them() -> None:
    programs = {**ALL["programs"], "ninja": ""}
    assert not judged(TORCH, programs=programs).faults
    (fault,) = judged(TORCH, jit=["torch-extensions"], programs=programs).faults
    assert fault.subject == "torch-extensions -> ninja"


def test_operators_that_are_built_at_first_use_need_nvcc() -> None:
    (fault,) = judged(dist("deepspeed 0.14"), programs={**ALL["programs"], "nvcc": ""}).faults
    assert "there is no nvcc" in fault.summary


def test_a_cache_that_cannot_be_written_to_names_its_variable() -> None:
    caches = {**ALL["caches"], "triton": {"path": "/root/.triton", "writable": False}}
    (fault,) = judged(TRITON, caches=caches).faults
    assert fault.actual == "/root/.triton cannot be written to"
    assert "TRITON_CACHE_DIR" in fault.remedy


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="jit"):
        a_contract(jit=["tritn"])
