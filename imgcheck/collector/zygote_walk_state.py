"""What imports leave in a walker beside modules: undone after each turn, done again for who would have it by itself.

The second part of a walker's program, after zygote_report.py and zygote.py (see zygote_walk.py); the rules of
zygote_report.py hold here too.
"""

import sys
from _operator import is_ as is_same
from _signal import getsignal, signal  # type: ignore[import-not-found]  # typeshed has no stub of it
from posix import chdir, getppid, listdir, putenv, unsetenv

try:
    from _thread import _count as count_threads
except ImportError:  # no threads left can be seen, so none are

    def count_threads() -> int:
        return 0


TYPE_CHECKING = False  # type checkers take the name for true
if TYPE_CHECKING:
    from typing import Any

    # Their sources have been run before, in this namespace.
    from imgcheck.collector.zygote import Link, identity  # noqa: TC004
    from imgcheck.collector.zygote_report import (  # noqa: TC004  # noqa: TC004
        SIGNALS,
        folder,
        has_children,
        modules,
        own_threads,
        public_builtins,
        variables,
    )

BOOTSTRAP = ("_frozen_importlib", "_frozen_importlib_external")
OF_DISTUTILS = ("_distutils_hack", "_virtualenv")  # whose finders know that name alone
GUARDED = ("os", "posix", "io", "_io", "_imp", "_thread", "_weakref", "marshal", "zipimport")


class Effects:
    """Environment, sys.path, finders, working directory, signal handlers, new builtins, modules that nobody imported.

    An effect belongs to the module whose body did it, and to all that imported it: they are its carriers. Who meets a
    carrier has the effect; nobody else has.

    In the same way a module carries the names of the suspects it imported, unless it had imported the entry of their
    cycle before ("+" and its name): then they are what they are in the walk.
    """

    def __init__(self) -> None:
        self.loaded: dict[str, Any] = {}  # modules that came by the import system
        self.places: dict[str, int] = {}  # those that are being executed
        self.fresh = frozenset(modules)
        self.others = 0
        self.planted: dict[str, Any] = {}
        self.base = self.now = self.snapshot()
        self.on_path = names_on_path()
        self.known: list[tuple[Any, Any]] = []  # what was before, and after
        self.active: set[int] = set()
        self.carried: dict[str, set[int | str]] = {}
        self.entries: dict[int | str, str] = {}  # of the cycles of suspects

    def snapshot(self) -> "tuple[Any, ...]":
        return (
            dict(variables),
            list(sys.path),
            folder(),
            [getsignal(one) for one in SIGNALS],
            added_builtins(),
            self.added_modules(),
            list(sys.meta_path),
            list(sys.path_hooks),
        )

    def nowhere(self, name: str) -> bool:
        """Whether this top-level name can be none of a fresh interpreter's, whatever a module did to the finders."""
        if self.on_path is None or name in self.on_path:
            return False
        return all(same_items(listed, self.base[inside]) for inside, listed in shared_lists())

    def count_others(self) -> int:
        return len(modules) - len(self.loaded) - len(self.places)

    def added_modules(self) -> "dict[str, Any]":
        others = self.count_others()
        if others != self.others:
            self.others = others
            names = [one for one in set(modules) - self.fresh if one not in self.loaded and one not in self.places]
            self.planted = {one: modules[one] for one in names}
        return self.planted

    def note(self, owner: "str | None") -> None:
        """Whatever differs from the last time is the owner's doing."""
        now = self.snapshot()
        if now == self.now:
            return
        if owner is not None:
            self.active.add(len(self.known))
            self.carried.setdefault(owner, set()).add(len(self.known))
            self.known.append((self.now, now))
        self.now = now

    def meet(self, carrier: str, who: "str | None") -> None:
        """Does again what `import carrier` would have done."""
        self.carry(who, carrier)
        again = [one for one in self.carried[carrier] - self.active if type(one) is int]
        for number in sorted(again):
            self.active.add(number)
            self.change(*self.known[number])

    def change(self, before: "tuple[Any, ...]", after: "tuple[Any, ...]") -> None:
        """Does what made `after` of `before`. To look for planted modules among all again would be dear."""
        planted = dict(self.planted)
        change(self.now, before, after)
        change_dictionary(planted, before[5], after[5])
        self.planted, self.others = planted, self.count_others()
        self.now = self.snapshot()

    def carry(self, who: "str | None", imported: str) -> None:
        effects = self.carried.get(imported)
        if effects and who is not None and who != imported:
            mine = self.carried.setdefault(who, set())
            new = [one for one in effects - mine if type(one) is int or "+" + self.entries.get(one, "") not in mine]
            mine.update(new)

    def undo(self) -> bool:
        """Whether all is as it was at the start."""
        if self.now != self.base:
            self.change(self.now, self.base)
            for inside, listed in shared_lists():
                listed[:] = self.base[inside]
            self.now = self.snapshot()
        self.active.clear()
        return bool(self.now == self.base)


def same_items(one: "list[Any]", other: "list[Any]") -> bool:
    return len(one) == len(other) and all(map(is_same, one, other))


def names_on_path() -> "frozenset[str] | None":
    """First parts of all module names that the path has; None where archives or further finders may know others."""
    machinery = modules["_frozen_importlib"], modules["_frozen_importlib_external"]
    own = machinery[0].BuiltinImporter, machinery[0].FrozenImporter, machinery[1].PathFinder
    if not all(one in own or type(one).__module__ in OF_DISTUTILS for one in sys.meta_path):
        return None
    found = {"distutils", *sys.builtin_module_names}
    for place in sys.path:
        try:
            found.update([name.partition(".")[0] for name in listdir(place)])
        except NotADirectoryError:
            return None
        except OSError:  # many paths name what is not there
            continue
    return frozenset(found)


def added_builtins() -> "dict[str, Any]":
    """They are few: the count tells that there is none."""
    if len(public_builtins) == len(at_start):
        return {}
    return {name: value for name, value in public_builtins.items() if name not in at_start and name != "_"}


def change(now: "tuple[Any, ...]", before: "tuple[Any, ...]", after: "tuple[Any, ...]") -> None:
    """Does to `now` what made `after` of `before`."""
    change_dictionary(variables, before[0], after[0], putenv, unsetenv)
    change_dictionary(public_builtins, before[4], after[4])
    change_dictionary(modules, before[5], after[5])
    for inside, listed in shared_lists():
        if before[inside] != after[inside]:
            change_list(listed, now[inside], before[inside], after[inside])
    if before[2] != after[2] and after[2] is not None:
        chdir(after[2])
    for number, old, new in zip(SIGNALS, before[3], after[3]):
        if old is not new and new is not None:
            signal(number, new)


def shared_lists() -> "list[tuple[int, list[Any]]]":
    """With their places in a snapshot."""
    return [(1, sys.path), (6, sys.meta_path), (7, sys.path_hooks)]


def change_list(listed: "list[Any]", now: "list[Any]", before: "list[Any]", after: "list[Any]") -> None:
    new = [one for one in after if one not in before]
    kept = [one for one in now if one in after or one not in before]
    in_front = new and after[: len(new)] == new
    listed[:] = new + kept if in_front else kept + new


def change_dictionary(
    dictionary: "dict[Any, Any]",
    before: "dict[Any, Any]",
    after: "dict[Any, Any]",
    put: "Any" = None,
    drop: "Any" = None,
) -> None:
    for key in set(before) | set(after):
        if key not in after:
            dictionary.pop(key, None)
            if drop is not None:
                drop(key)
        elif key not in before or (before[key] is not after[key] and before[key] != after[key]):
            dictionary[key] = after[key]
            if put is not None:
                put(key, after[key])


class Guard:
    """Tells what a turn left that cannot be undone: then the process is of no more use."""

    def __init__(self, link: "Link") -> None:
        self.parent = getppid()
        self.link = link
        self.held = {name: own_names(modules[name]) for name in BOOTSTRAP + GUARDED if name in modules}
        self.ends = [(number, identity(number)) for number in (0, 1, 2, link.commands.number, link.answers.number)]
        self.environment = modules["os"].environ if "os" in modules else None
        self.threads = count_threads()

    def damage(self) -> "list[str]":
        found = {
            "builtins": any(public_builtins.get(name) is not one for name, one in at_start.items() if name != "_"),
            "importlib": not self.same_names(BOOTSTRAP),
            "library": not self.same_names(GUARDED),
            "modules": sys.modules is not modules,
            "environment": "os" in modules and modules["os"].environ is not self.environment,
            "descriptors": any(identity(number) != one for number, one in self.ends),
            "processes": has_children(own_threads()),
            "parent": getppid() != self.parent,
            "threads": count_threads() > self.threads,
        }
        return [name for name, there in found.items() if there]

    def same_names(self, names: "tuple[str, ...]") -> bool:
        for name in names:
            if name in self.held:
                now = vars(modules[name]) if name in modules else {}
                if not all(map(is_same, map(now.get, self.held[name]), self.held[name].values())):
                    return False
        return True


def own_names(module: "Any") -> "dict[str, Any]":
    """Without those that importlib sets: it renames its halves."""
    return {name: value for name, value in vars(module).items() if not name.startswith("__")}


at_start = dict(public_builtins)
