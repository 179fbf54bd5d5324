"""`runtime: !include pod.yaml`: what a Kubernetes object says of how a container runs, as the contract's own keys.

Source: the Kubernetes API reference, PodSpec v1 and quantities. Every entry keeps the line of the object's file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from imgcheck.contract.tree import Entry, Listing, Scalar, Table, Tree, describe
from imgcheck.errors import ContractError
from imgcheck.outcome import Location

_TEMPLATES: Final[Mapping[str, tuple[str, ...]]] = {
    "Pod": ("spec",),
    "PodTemplate": ("template", "spec"),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
    "Job": ("spec", "template", "spec"),
    "Deployment": ("spec", "template", "spec"),
    "StatefulSet": ("spec", "template", "spec"),
    "DaemonSet": ("spec", "template", "spec"),
    "ReplicaSet": ("spec", "template", "spec"),
}
"""By kind, where the pod's specification is."""
_QUANTITY: Final = re.compile(r"([0-9.]+(?:[eE][+-]?[0-9]+)?)(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?")
_SCALE: Final[Mapping[str, Decimal]] = {
    "": Decimal(1),
    "m": Decimal("0.001"),
    **{letter: Decimal(1000**power) for power, letter in enumerate("kMGTP", 1)},
    **{f"{letter}i": Decimal(1024**power) for power, letter in enumerate("KMGTP", 1)},
}
_READ_ONLY_VOLUMES: Final = ("configMap", "secret", "projected", "downwardAPI")
_SHM: Final = "/dev/shm"  # noqa: S108 - where a cluster mounts memory that processes share
_VARIABLE: Final = re.compile(r"\$\(([A-Za-z_][\w.-]*)\)")


@dataclass
class Included:
    """The runtime, and what of the object could not be taken along."""

    runtime: Table
    left_out: list[str] = field(default_factory=list)


def runtime_of(root: Table, container: str) -> Included:
    """The runtime of a pod's container: the named one, or the only one.

    Raises:
        ContractError: it is no object with a pod in it, or has no such container.
    """
    pod = _pod(root)
    chosen = _container(pod, container)
    taken = _Taken(where=root.where)
    _user(taken, pod, chosen)
    _words(taken, chosen)
    _variables(taken, chosen)
    _volumes(taken, pod, chosen)
    _limits(taken, chosen)
    hostname = pod.entries.get("hostname")
    if hostname:
        taken.put("hostname", hostname.value, hostname.where)
    return Included(runtime=Table(where=root.where, entries=taken.entries), left_out=taken.left_out)


@dataclass
class _Taken:
    where: Location
    entries: dict[str, Entry] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def put(self, key: str, value: Tree, where: Location) -> None:
        self.entries[key] = Entry(where=where, written=key, value=value)

    def text(self, key: str, text: str, where: Location) -> None:
        self.put(key, Scalar(where=where, text=text), where)


def _pod(root: Table) -> Table:
    kind = root.text("kind") or ""
    if kind not in _TEMPLATES:
        known = ", ".join(_TEMPLATES)
        raise ContractError(f"{root.where}: kind: {kind or 'nothing'!r} holds no pod that is known; there are {known}")
    table = root
    for key in _TEMPLATES[kind]:
        entry = table.entries.get(key)
        if entry is None or not isinstance(entry.value, Table):
            raise ContractError(f"{table.where}: {key}: is missing: a {kind} has {'.'.join(_TEMPLATES[kind])}")
        table = entry.value
    return table


def _container(pod: Table, name: str) -> Table:
    found = [one for one in _items(pod, "containers") if isinstance(one, Table)]
    names = [one.text("name") or "" for one in found]
    if not name and len(found) == 1:
        return found[0]
    if name in names:
        return found[names.index(name)]
    there = ", ".join(names) or "none"
    if name:
        raise ContractError(f"{pod.where}: containers: there is no container {name!r}; there are: {there}")
    raise ContractError(
        f"{pod.where}: containers: has {len(found)} containers: {there}",
        remedy="name one behind the file: runtime: !include pod.yaml#trainer",
    )


def _user(taken: _Taken, pod: Table, chosen: Table) -> None:
    """The container's own security context goes before the pod's."""
    contexts = [one for one in (_table(chosen, "securityContext"), _table(pod, "securityContext")) if one]
    uid, gid = (_first(contexts, key) for key in ("runAsUser", "runAsGroup"))
    if uid:
        taken.text("user", f"{_text(uid)}:{_text(gid)}" if gid else _text(uid), uid.where)
    elif gid:
        taken.left_out.append(f"{gid.where}: runAsGroup, for there is no runAsUser")
    read_only = _first(contexts, "readOnlyRootFilesystem")
    if read_only:
        taken.put("read_only", read_only.value, read_only.where)
    groups = [item for one in contexts for item in _items(one, "supplementalGroups")]
    fs_group = _first(contexts, "fsGroup")
    groups += [fs_group.value] if fs_group else []
    if groups:
        taken.put("groups", Listing(where=groups[0].where, items=tuple(groups)), groups[0].where)


def _words(taken: _Taken, chosen: Table) -> None:
    workdir = chosen.entries.get("workingDir")
    if workdir:
        taken.put("workdir", workdir.value, workdir.where)
    command = chosen.entries.get("command")
    if command:
        words = (*_items(chosen, "command"), *_items(chosen, "args"))
        taken.put("command", Listing(where=command.where, items=words), command.where)


def _variables(taken: _Taken, chosen: Table) -> None:
    known: dict[str, str] = {}
    entries: dict[str, Entry] = {}
    for one in _items(chosen, "env"):
        name = one.text("name") if isinstance(one, Table) else None
        if not isinstance(one, Table) or name is None:
            continue
        if "value" not in one.entries:
            taken.left_out.append(f"{one.where}: the variable {name}, whose value comes from elsewhere")
            continue
        known[name] = _VARIABLE.sub(lambda found: known.get(found[1], found[0]), one.text("value") or "")
        entries[name] = Entry(where=one.where, written=name, value=Scalar(where=one.where, text=known[name]))
    for one in _items(chosen, "envFrom"):
        taken.left_out.append(f"{one.where}: envFrom, whose variables come from elsewhere")
    if entries:
        where = next(iter(entries.values())).where
        taken.put("env", Table(where=where, entries=entries), where)


def _volumes(taken: _Taken, pod: Table, chosen: Table) -> None:
    volumes = {one.text("name"): one for one in _items(pod, "volumes") if isinstance(one, Table)}
    mounts: list[Tree] = []
    tmpfs: list[Tree] = []
    for one in _items(chosen, "volumeMounts"):
        path = one.text("mountPath") if isinstance(one, Table) else None
        if not isinstance(one, Table) or path is None:
            continue
        if one.text("subPath") or one.text("subPathExpr"):
            taken.left_out.append(f"{one.where}: {path}, which is a part of a volume (subPath)")
            continue
        volume = volumes.get(one.text("name"))
        memory = _memory_of(volume)
        if memory and path == _SHM:
            _put_size(taken, "shm", memory)
        elif memory:
            tmpfs.append(_mapping(one.where, path=path, size=_size_of(memory)))
        elif path == _SHM:
            taken.left_out.append(f"{one.where}: {path}, whose volume is not in memory")
        else:
            mounts.append(_mapping(one.where, path=path, read_only=_is_read_only(one, volume)))
    for key, items in (("mounts", mounts), ("tmpfs", tmpfs)):
        if items:
            taken.put(key, Listing(where=items[0].where, items=tuple(items)), items[0].where)


def _memory_of(volume: Table | None) -> Table | None:
    """The emptyDir of a volume that lives in memory."""
    empty = _table(volume, "emptyDir") if volume else None
    return empty if empty and empty.text("medium") == "Memory" else None


def _size_of(memory: Table) -> str | None:
    limit = memory.entries.get("sizeLimit")
    return str(int(_quantity(limit))) if limit else None


def _put_size(taken: _Taken, key: str, memory: Table) -> None:
    limit = memory.entries.get("sizeLimit")
    if limit:
        taken.text(key, str(int(_quantity(limit))), limit.where)
    else:
        taken.left_out.append(f"{memory.where}: /dev/shm has no sizeLimit, and so half of a node's memory")


def _is_read_only(mount: Table, volume: Table | None) -> str:
    if mount.text("readOnly") == "true" or any(key in (volume.entries if volume else ()) for key in _READ_ONLY_VOLUMES):
        return "true"
    claim = _table(volume, "persistentVolumeClaim") if volume else None
    return "true" if claim and claim.text("readOnly") == "true" else "false"


def _limits(taken: _Taken, chosen: Table) -> None:
    resources = _table(chosen, "resources")
    limits = _table(resources, "limits") if resources else None
    memory, cpus = (limits.entries.get(key) if limits else None for key in ("memory", "cpu"))
    if memory:
        taken.text("memory", str(int(_quantity(memory))), memory.where)
    if cpus:
        taken.text("cpus", f"{_quantity(cpus):f}", cpus.where)


def _quantity(entry: Entry) -> Decimal:
    """As 16Gi, 500m or 1e9.

    Raises:
        ContractError: it is no quantity.
    """
    text = entry.value.text or "" if isinstance(entry.value, Scalar) else ""
    match = _QUANTITY.fullmatch(text)
    if not match or text.count(".") > 1:
        raise ContractError(
            f"{entry.where}: {entry.written}: {describe(entry.value)} is no quantity; write 16Gi or 500m"
        )
    return Decimal(match[1]) * _SCALE[match[2] or ""]


def _mapping(where: Location, **texts: str | None) -> Table:
    entries = {
        key: Entry(where=where, written=key, value=Scalar(where=where, text=text))
        for key, text in texts.items()
        if text is not None
    }
    return Table(where=where, entries=entries)


def _first(tables: list[Table], key: str) -> Entry | None:
    return next((one.entries[key] for one in tables if key in one.entries), None)


def _text(entry: Entry) -> str:
    return entry.value.text or "" if isinstance(entry.value, Scalar) else ""


def _table(table: Table, key: str) -> Table | None:
    entry = table.entries.get(key)
    return entry.value if entry and isinstance(entry.value, Table) else None


def _items(table: Table, key: str) -> Iterator[Tree]:
    entry = table.entries.get(key)
    yield from entry.value.items if entry and isinstance(entry.value, Listing) else ()
