"""Facts on what surrounds the distributions, in memory."""

from __future__ import annotations

from typing import Any

from imgcheck.facts.model import Distribution, Facts, InterpreterFacts, ModuleFacts
from imgcheck.facts.surroundings import EntryPointFacts, PathFacts, ScriptFacts, Shadow, Surroundings
from tests.checks.build_facts import SITE, facts


def path(name: str, kind: str = "missing", **more: Any) -> PathFacts:
    plain = {"mode": 0o755, "uid": 0, "gid": 0, "size": 1, "writable": False, "nearest": "/"}
    return PathFacts.model_validate({"path": name, "kind": kind, **plain, **more})


def shadow(name: str, file: str, why: str = "entry script", **more: Any) -> Shadow:
    plain = {"hidden": f"/usr/lib/python3.11/{name}.py", "namespace": False, "same": False}
    return Shadow.model_validate({"name": name, "path": file, "why": why, **plain, **more})


def a_script(
    file: str, interpreter: str = "/opt/venv/bin/python", state: str = "fine", target: str = ""
) -> ScriptFacts:
    return ScriptFacts.model_validate({"path": file, "interpreter": interpreter, "state": state, "target": target})


def entry(of: Distribution, line: str, group: str = "console_scripts", **more: Any) -> EntryPointFacts:
    """An entry point as metadata writes it: entry(dist, "mlflow = mlflow.cli:cli")."""
    name, _, value = line.partition(" = ")
    module = value.partition(":")[0]
    plain = {"module": module, "found": f"{SITE}/{module.replace('.', '/')}.py", "binds": True}
    told = {"distribution": of.metadata_path, "group": group, "name": name, "value": value, **plain, **more}
    return EntryPointFacts.model_validate(told)


def surrounded(
    *distributions: Distribution,
    env: dict[str, str] | None = None,
    modules: tuple[ModuleFacts, ...] | None = None,
    interpreter: InterpreterFacts | None = None,
    **known: Any,
) -> Facts:
    """Facts of an image that sets `env`, with these surroundings."""
    found = facts(*distributions, modules=modules, interpreter=interpreter)
    image = found.image.model_copy(update={"env": tuple(f"{name}={value}" for name, value in (env or {}).items())})
    around = Surroundings(environment=(("HOME", "/root"), *(env or {}).items()), **known)
    return found.model_copy(update={"image": image, "surroundings": around})
