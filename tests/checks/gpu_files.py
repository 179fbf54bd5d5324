"""Native files with GPU code in memory, in few words."""

from __future__ import annotations

from imgcheck.facts.native import DriverCopy, GpuCode, GpuContainer


def code(*containers: str, count: int = 1, problem: str = "") -> GpuCode:
    """Containers, each a list of variants: code("sm_80 sm_90a", "compute_80@8.5")."""
    return GpuCode(
        containers=tuple(GpuContainer(entries=tuple(map(_entry, one.split())), count=count) for one in containers),
        problem=problem,
    )


def _entry(text: str) -> tuple[str, str, str]:
    name, _, version = text.partition("@")
    kind, _, arch = name.partition("_")
    return ({"sm": "sass", "compute": "ptx"}.get(kind, kind), arch, version or "1.7")


def libcuda(path: str, *reached: str, stub: bool = False, **more: object) -> DriverCopy:
    return DriverCopy.model_validate({"path": path, "size": 9000, "reached": reached, "stub": stub, **more})
