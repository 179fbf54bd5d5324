"""`extends`: a contract built on another. Mappings merge, promises add up, and the nearer file wins.

Lists that are one value, such as a command, are replaced; lists of promises are joined.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from imgcheck.contract.problem import Problem
from imgcheck.contract.tree import Entry, Listing, Scalar, Table, Tree

Path = tuple[str, ...]

JOINED: dict[Path, Path] = {
    ("probes",): ("name",),
    ("waivers",): ("check", "subject"),
    ("runtime", "mounts"): ("path",),
    ("runtime", "tmpfs"): ("path",),
    ("runtime", "groups"): (),
    ("imports", "exclude"): (),
    ("imports", "require"): (),
    ("requires", "allow"): (),
    ("protect",): (),
    ("locks",): (),
    ("constraints", "files"): (),
    ("scripts", "exclude"): (),
    ("selfchecks", "exclude"): (),
    ("smoke",): ("name",),
    ("models",): (),
    ("artifacts",): ("path",),
    ("assets",): (),
    ("image", "commands"): (),
    ("image", "files"): ("path",),
    ("image", "ports"): (),
    ("image", "no_ports"): (),
    ("image", "volumes"): (),
    ("image", "no_volumes"): (),
    ("image", "writable"): (),
}
"""Lists of promises, each with the keys that name an item: an item of the same name is replaced."""

_NAMED_ONCE: tuple[Path, ...] = (("probes",), ("runtime", "mounts"), ("runtime", "tmpfs"), ("smoke",))
_SWITCHES: tuple[Path, ...] = (("requires",), ("imports",), ("scripts",), ("selfchecks",))
"""`true` here asks for the same as an empty mapping, and must not drop the options of the file below."""


def merge(parent: Table, child: Table, path: Path = ()) -> Table:
    """The parent's entries with the child's laid over them."""
    entries = dict(parent.entries)
    for key, entry in child.entries.items():
        below = entries.get(key)
        entries[key] = replace(entry, value=_merged(below, entry, (*path, key))) if below else entry
    return Table(where=child.where, entries=entries)


def repeated_names(root: Table) -> Iterator[Problem]:
    """Items of one file that have the name of an earlier one."""
    for path in _NAMED_ONCE:
        seen: dict[Path, int | None] = {}
        for number, item in enumerate(_items_at(root, path)):
            name = _name(item, JOINED[path])
            if name and name in seen:
                text = f"{' '.join(name)!r} is written twice; the first is in line {seen[name]}"
                yield Problem(where=item.where, keys=(*path, number), text=text)
            elif name:
                seen[name] = item.where.line


def _merged(parent: Entry, child: Entry, path: Path) -> Tree:
    below, above = parent.value, child.value
    if isinstance(below, Table) and isinstance(above, Table):
        return merge(below, above, path)
    if isinstance(below, Listing) and isinstance(above, Listing) and path in JOINED:
        return _joined(below, above, JOINED[path])
    if path in _SWITCHES and isinstance(below, Table) and isinstance(above, Scalar) and above.text == "true":
        return below
    return above


def _joined(below: Listing, above: Listing, names: Path) -> Listing:
    replacements = {name: item for item in above.items if (name := _name(item, names))}
    kept = [replacements.pop(_name(item, names) or (), item) for item in below.items]
    added = [item for item in above.items if not any(item is one for one in kept)]
    return Listing(where=above.where, items=(*kept, *added))


def _name(item: Tree, names: Path) -> Path | None:
    """What names an item of a list; None where nothing does."""
    if not names:
        return None
    if isinstance(item, Table):
        texts = tuple(text for name in names if (text := item.text(name)))
        return texts if len(texts) == len(names) else None
    return (item.text,) if isinstance(item, Scalar) and item.text and len(names) == 1 else None


def _items_at(root: Table, path: Path) -> tuple[Tree, ...]:
    tree: Tree = root
    for key in path:
        if not isinstance(tree, Table) or key not in tree.entries:
            return ()
        tree = tree.entries[key].value
    return tree.items if isinstance(tree, Listing) else ()
