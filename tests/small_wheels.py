"""Distributions of a few small files, laid out as pip installs them; and the file facts of a folder that holds them."""

from __future__ import annotations

import base64
import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from imgcheck.collector.distributions import find_distributions
from imgcheck.collector.files import look_at_files
from imgcheck.collector.job_inventory import distribution_facts, outside
from imgcheck.collector.locations import Locations
from imgcheck.collector.modules import enumerate_modules
from imgcheck.collector.programs import python_scripts
from imgcheck.facts.collect import FILE_ANSWERS
from imgcheck.facts.files import FileFacts
from imgcheck.facts.model import Distribution, Facts, Inventory
from tests.checks.build_facts import facts, python

SUFFIXES = (".cpython-311-x86_64-linux-gnu.so", ".abi3.so", ".so")


def record_line(site: Path, relative: str) -> str:
    data = (site / relative).read_bytes()
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    return f"{relative},sha256={digest},{len(data)}"


def install(
    site: Path, name: str, version: str, files: Mapping[str, str], metadata: Mapping[str, str] | None = None
) -> Path:
    """Writes files and metadata, RECORD last; `metadata` are further files of .dist-info. Returns that folder."""
    info = site / f"{name}-{version}.dist-info"
    plain = {relative: text.encode() for relative, text in files.items()}
    told = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        "INSTALLER": "pip\n",
        **(metadata or {}),
    }
    plain |= {f"{info.name}/{key}": text.encode() for key, text in told.items()}
    for relative, data in plain.items():
        path = site / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    lines = [record_line(site, relative) for relative in plain]
    (info / "RECORD").write_text("\n".join([*lines, f"{info.name}/RECORD,,", ""]))
    return info


def facts_of(*folders: Path, deep: bool = False) -> Facts:
    """What the collector tells of these folders of sys.path, and what the checks read of it."""
    path = [str(folder) for folder in folders]
    interpreter = {"path": path, "prefix": str(folders[-1].parent), "extension_suffixes": SUFFIXES}
    found = find_distributions(path)
    parts: dict[str, Any] = {plural: [] for plural in FILE_ANSWERS.values()}

    def take(kind: str, told: dict[str, Any]) -> None:
        parts[FILE_ANSWERS[kind]].append(told["path"] if kind == "leftover" else told)

    parts |= look_at_files(interpreter, found, take, deep=deep)
    modules = enumerate_modules(found, path, SUFFIXES)
    several = tuple(Distribution.model_validate(_with_modules(one, modules, path)) for one in found)
    plain = facts(*several, interpreter=python(path=tuple(path), prefix=str(folders[-1].parent)))
    return plain.model_copy(
        update={
            "files": FileFacts.model_validate(parts),
            "inventory": Inventory(
                interpreter=plain.inventory.interpreter, distributions=several, cpu_seconds=plain.inventory.cpu_seconds
            ),
        }
    )


def _with_modules(one: dict[str, Any], modules: list[dict[str, Any]], path: list[str]) -> dict[str, Any]:
    own = [
        (found["module"], found["kind"], found["group"]) for found in modules if found["distribution"] == one["name"]
    ]
    told = distribution_facts(one, own)
    return told if own else told | python_scripts(outside(one), Locations(path), sys.stdlib_module_names)
