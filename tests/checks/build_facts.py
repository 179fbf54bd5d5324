"""Facts and contracts in memory, in few words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from imgcheck.contract.model import Contract
from imgcheck.facts.kernels import KernelsFacts
from imgcheck.facts.model import (
    Distribution,
    EntryPoint,
    Facts,
    Frame,
    ImageFacts,
    ImportFacts,
    ImportFailure,
    InterpreterFacts,
    Inventory,
    ModuleFacts,
    Raised,
)
from imgcheck.facts.native import NativeFacts
from imgcheck.facts.os_packages import OsPackages
from imgcheck.facts.probes import ProbeFacts
from imgcheck.facts.statements import StatementFacts
from imgcheck.facts.together import TogetherFacts
from imgcheck.facts.toolchain import ToolchainFacts

SITE = "/opt/venv/lib/python3.11/site-packages"
STDLIB = "/usr/lib/python3.11"
_NAMES = ("asyncio", "ctypes", "dataclasses", "importlib", "json", "lzma", "os", "random", "sys", "tkinter", "winreg")


def a_contract(**promises: Any) -> Contract:
    return Contract.model_validate({"imgcheck": 1, **promises})


def python(version: str = "3.11.7", **more: Any) -> InterpreterFacts:
    minor = ".".join(version.split(".")[:2])
    markers = {
        "implementation_name": "cpython",
        "implementation_version": version,
        "os_name": "posix",
        "platform_machine": "x86_64",
        "platform_python_implementation": "CPython",
        "platform_release": "6.1.0",
        "platform_system": "Linux",
        "platform_version": "#1",
        "python_full_version": version,
        "python_version": minor,
        "sys_platform": "linux",
    }
    facts = {
        "executable": "/opt/venv/bin/python",
        "version": version,
        "implementation": "cpython",
        "prefix": "/opt/venv",
        "base_prefix": "/usr",
        "path": (STDLIB, SITE),
        "markers": markers,
        "extension_suffixes": (".cpython-311-x86_64-linux-gnu.so", ".abi3.so", ".so"),
        "platform": "linux-x86_64",
        "stdlib": _NAMES,
        "uid": 0,
        "gid": 0,
    }
    return InterpreterFacts.model_validate({**facts, **more})


def dist(label: str, *requires: str, modules: Iterable[str | tuple[str, str, str]] = (), **more: Any) -> Distribution:
    """A distribution: dist("tensorboard 2.8.0", "protobuf>=3.6", modules=["tensorboard"])."""
    name, _, version = label.partition(" ")
    facts = {
        "name": name,
        "version": version,
        "location": SITE,
        "metadata_path": f"{SITE}/{name}-{version}.dist-info",
        "kind": "dist-info",
        "has_record": True,
        "files": 9,
        "outside": 0,
        "requires_dist": requires,
        "modules": tuple((one, "source", "module") if isinstance(one, str) else one for one in modules),
    }
    return Distribution.model_validate({**facts, **more})


def script(name: str, value: str) -> EntryPoint:
    return EntryPoint(group="console_scripts", name=name, value=value)


def at(file: str, line: int = 1, text: str = "", function: str = "<module>") -> Frame:
    """A frame; a relative file lies in site-packages."""
    return Frame(
        file=file if file.startswith(("/", "<")) else f"{SITE}/{file}", line=line, function=function, text=text
    )


def stdlib(file: str, function: str = "f") -> Frame:
    return at(f"{STDLIB}/{file}", function=function)


def link(words: str, *, frame: Frame | None = None, name: str | None = None, bases: tuple[str, ...] = ()) -> Raised:
    kind, _, message = words.partition(": ")
    return Raised(type=kind, message=message, name=name, frame=frame, bases=bases)


def raises(words: str, *frames: Frame, chain: Iterable[Raised] = (), **more: Any) -> ImportFailure:
    """What an import raised: raises("TypeError: no", at("a/b.py"))."""
    kind, _, message = words.partition(": ")
    return ImportFailure(type=kind, message=message, frames=frames, chain=tuple(chain), **more)


def module(name: str, of: str, error: ImportFailure | None = None, **more: Any) -> ModuleFacts:
    """An import's verdict: "exception" where it raised, "ok" else, unless `status` says otherwise."""
    path = f"{SITE}/{name.replace('.', '/')}.py"
    status = "exception" if error else "ok"
    return ModuleFacts.model_validate(
        {"module": name, "distribution": of, "path": path, "status": status, "error": error, **more}
    )


def facts(
    *distributions: Distribution,
    modules: Iterable[ModuleFacts] | None = None,
    interpreter: InterpreterFacts | None = None,
    probes: Iterable[ProbeFacts] = (),
    left_out: dict[str, int] | None = None,
    statements: StatementFacts | None = None,
    together: TogetherFacts | None = None,
    native: NativeFacts | None = None,
    os_packages: OsPackages | None = None,
    toolchain: ToolchainFacts | None = None,
    kernels: KernelsFacts | None = None,
    base: Iterable[Distribution] | None = None,
) -> Facts:
    imports = None if modules is None else ImportFacts(modules=tuple(modules), left_out=left_out or {})
    beneath = None if base is None else Inventory(interpreter=python(), distributions=tuple(base), cpu_seconds=0.1)
    return Facts(
        base=beneath,
        image=ImageFacts(reference="team:1", digest="sha256:" + "0" * 64, os="linux", architecture="amd64", size=1),
        inventory=Inventory(interpreter=interpreter or python(), distributions=distributions, cpu_seconds=0.1),
        imports=imports,
        statements=statements,
        together=together,
        native=native,
        os_packages=os_packages,
        toolchain=toolchain,
        kernels=kernels,
        probes={one.name: one for one in probes},
    )
