"""IC505: something installed compiles while a program runs, and the image lacks what it needs for that."""

from __future__ import annotations

from collections.abc import Iterator

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract
from imgcheck.diagnosis.jit_users import JIT_USERS, JitUser, Tool
from imgcheck.diagnosis.requirements import label
from imgcheck.facts.model import Distribution, Facts
from imgcheck.facts.toolchain import Compiler, ToolchainFacts
from imgcheck.outcome import Fault, Judgement

_WAYS = {
    Tool.C: "Install gcc and libc6-dev and Python's headers (python3-dev), or set CC to a compiler",
    Tool.CXX: "Install g++ and Python's headers (python3-dev), or set CXX to a compiler",
    Tool.NVCC: "Install the CUDA compiler of the same major version as torch, and set CUDA_HOME",
    Tool.NINJA: "Install ninja (a wheel, or Debian's ninja-build)",
    Tool.LDCONFIG: "Install libc-bin, or set TRITON_LIBCUDA_PATH to the folder that the runtime mounts libcuda into",
    Tool.USER: "Add the user to /etc/passwd, or set USER in the image or in runtime.env",
    Tool.TRITON_CACHE: "Set TRITON_CACHE_DIR to a folder that the user can write to",
    Tool.INDUCTOR_CACHE: "Set TORCHINDUCTOR_CACHE_DIR to a folder that the user can write to",
    Tool.EXTENSIONS_CACHE: "Set TORCH_EXTENSIONS_DIR to a folder that the user can write to",
}
_CACHES = {Tool.TRITON_CACHE: "triton", Tool.INDUCTOR_CACHE: "inductor", Tool.EXTENSIONS_CACHE: "extensions"}
_PROGRAMS = {Tool.NVCC: "nvcc", Tool.NINJA: "ninja", Tool.LDCONFIG: "ldconfig"}


def judge(contract: Contract, facts: Facts) -> Judgement:
    if facts.toolchain is None:
        return Judgement(examined=0, unit="run-time compilers")
    users = list(_users(contract, facts))
    return Judgement(
        examined=len(users),
        unit="run-time compilers",
        faults=tuple(
            _fault(contract, facts.toolchain, user, brings, tool, lack)
            for user, brings in users
            for tool in user.tools
            if (lack := _lack(facts.toolchain, tool)) is not None
        ),
        passed_over=() if users else (("nothing installed compiles at run time, as far as is known", 1),),
    )


def _users(contract: Contract, facts: Facts) -> Iterator[tuple[JitUser, Distribution]]:
    """What the contract names, or all that is installed and is looked at unasked."""
    named = contract.jit if isinstance(contract.jit, tuple) else ()
    for user in JIT_USERS:
        found = next(filter(None, map(facts.inventory.find, sorted(user.distributions))), None)
        if found and (user.name in named or (user.unasked and not named)):
            yield user, found


def _lack(found: ToolchainFacts, tool: Tool) -> str | None:
    """What is there in place of a tool; None where it is there."""
    if tool in {Tool.C, Tool.CXX}:
        return _compiler(found.c if tool is Tool.C else found.cxx)
    if tool is Tool.USER:
        return None if found.user else f"uid {found.uid} is not in /etc/passwd, and no variable names the user"
    if tool in _CACHES:
        cache = found.caches.get(_CACHES[tool])
        return f"{cache.path} cannot be written to" if cache and not cache.writable else None
    return None if found.programs.get(_PROGRAMS[tool]) else f"there is no {_PROGRAMS[tool]}"


def _compiler(compiler: Compiler) -> str | None:
    if not compiler.path:
        return "there is none on PATH"
    return f"{compiler.path} does not compile an extension" if compiler.error else None


def _fault(
    contract: Contract, found: ToolchainFacts, user: JitUser, brings: Distribution, tool: Tool, lack: str
) -> Fault:
    errors = {Tool.C: found.c.error, Tool.CXX: found.cxx.error}
    return Fault(
        subject=f"{user.name} -> {tool.value}",
        summary=f"{label(brings)} needs {tool.value} when {user.what}, and {lack}",
        expected=tool.value,
        actual=lack,
        remedy=f"{_WAYS[tool]}; or take {user.name} out of what the contract asks for under jit.",
        location=contract.where("jit"),
        evidence=errors.get(tool, ""),
        identity="missing",
    )


CHECK = Check(
    code="IC505",
    name="missing-toolchain",
    summary="Something compiles while a program runs, and the image lacks what it needs for that",
    needs=Needs.TOOLCHAIN,
    applies=lambda contract: bool(contract.jit),
    judge=judge,
)
