"""The program of a walker: a process that imports many modules, one after the other, and watches how.

It expects: the namespace in which zygote_report.py, zygote.py (all but its start), zygote_walk_errors.py and
zygote_walk_state.py were run.
The commands of a walker: {"do": "walk", "names", "packages", "stuck"} and answers to its questions, {"same", "soft"}.
Results: "ready" or "unfit"; for each module "told"; "ask" for a failure that is new; "end" after the last name.
The rules of zygote_report.py hold here too.
"""

from _operator import is_ as is_same

TYPE_CHECKING = False  # type checkers take the name for true
if TYPE_CHECKING:
    from typing import Any

    # Their sources have been run before, in this namespace.
    from imgcheck.collector.zygote import Link
    from imgcheck.collector.zygote_report import kind_of, message_of, modules  # noqa: TC004
    from imgcheck.collector.zygote_walk_errors import PARTIAL, Stuck, all_links, mend_message, not_found  # noqa: TC004
    from imgcheck.collector.zygote_walk_state import Effects

bootstrap = modules["_frozen_importlib"]

# Run under the name of importlib's own file, so that tracebacks and whoever looks at frames see no more than they do
# in a fresh interpreter. CPython looks both up in importlib's namespace at each call.
HOOKS = """
def _find_and_load(name, import_):
    if get_ident() != thread or name in modules:
        return find_and_load(name, import_)
    parent = name.rpartition('.')[0]
    if parent and parent not in modules:
        import_(parent)
        if name in modules:
            return find_and_load(name, import_)
    error = watch.replayed(name)
    if error is not None:
        raise error
    if parent and watch.brings(name):
        return find_and_load(name, import_)
    watch.enters(name)
    try:
        module = find_and_load(name, import_)
    except BaseException as error:
        watch.fails(name, error)
        raise
    watch.leaves(name)
    return module

def _lock_unlock_module(name):
    if get_ident() == thread and watch.stack and not watch.meets(name):
        return None
    return lock_unlock_module(name)
"""


class Watch:
    """Which module bodies are being executed, which of them were met half way, and which imports failed."""

    def __init__(self, link: "Link", effects: "Effects") -> None:
        self.link = link
        self.effects = effects
        self.stack: list[str] = []  # module bodies that are being executed, the outermost first
        self.open_suspects: list[str] = []  # of cycles whose entry is being executed
        self.firsts: list[int] = []  # for each of the stack the number of these at its start
        self.lows: list[int] = []  # for each the lowest place in the stack that was met during it
        self.places = effects.places
        self.loaded = effects.loaded
        self.by_parents: set[str] = set()
        self.suspects: set[str] = set()
        self.exempt: dict[str, list[str]] = {}  # who is a suspect if that package is one
        self.kept: dict[str, list[tuple[str, Any]]] = {}  # finished, but half way until that one is finished
        self.keeper: dict[str, str] = {}
        self.failures: dict[int, tuple[BaseException, str]] = {}  # known exceptions, and the module that is to blame
        self.soft: dict[int, BaseException] = {}
        self.softly: set[str] = set()  # modules that failed by these
        self.missing: set[str] = set()  # names that no finder knows
        self.replays: dict[str, tuple[BaseException, Any]] = {}
        self.stuck_names: set[str] = set()
        self.stuck_in: set[str] = set()
        self.seen: list[Any] = []  # the modules after the last turn, in their order
        self.begin_turn()

    def begin_turn(self) -> None:
        self.redo = self.retried = self.swallowed = False
        self.stuck: str | None = None
        self.orphaned: list[str] = []
        self.last = next(reversed(modules), None)  # whatever comes, comes after it

    # ------------------------------------------------------------ called by the hooks

    def enters(self, name: str) -> None:
        self.effects.note(self.stack[-1] if self.stack else None)
        if name in self.softly:
            self.retried = True
        above = self.lowest_ancestor(name)
        if self.stack and above < self.lows[-1]:  # a package that is half way is met through its submodule
            self.lows[-1] = above
        self.places[name] = len(self.stack)
        self.lows.append(len(self.stack))
        self.firsts.append(len(self.open_suspects))
        self.stack.append(name)
        for parent in ancestors(name):
            if parent in self.effects.carried:
                self.effects.meet(parent, name)

    def brings(self, name: str) -> bool:
        """Whether a package of it puts the module there itself, as `collections` does with `collections.abc`."""
        carriers = [one for one in ancestors(name) if one in self.effects.carried]
        if not carriers:
            return False
        importer = self.stack[-1] if self.stack else None
        self.effects.note(importer)
        for one in carriers:
            self.effects.meet(one, importer)
        return name in modules

    def leaves(self, name: str) -> None:
        self.effects.note(name)
        place, low = self.pop(name)
        self.loaded[name] = modules.get(name)
        if "." not in name:
            self.take_as_they_are(name + ".")
        above = self.lowest_ancestor(name)
        if low < place:
            self.judge(name, low)
        if above < place:
            self.by_parents.add(name)
        if name in self.stuck_in:
            self.swallowed = True
        self.let_go(name, low, place)
        self.keep(name, min(low, above), place)

    def meets(self, name: str) -> bool:
        """An import met a module that importlib takes for half way. False where it only looks so."""
        if name in self.effects.carried:
            self.effects.meet(name, self.stack[-1])
        place = self.places.get(self.keeper.get(name, name))
        if place is not None and place < self.lows[-1]:
            self.lows[-1] = place
        return name in self.places or not (name in self.keeper or name in self.effects.carried)

    def replayed(self, name: str) -> "BaseException | None":
        if name not in self.replays:
            return None
        if name in self.effects.carried:
            self.effects.meet(name, self.stack[-1] if self.stack else None)
        error, traceback = self.replays[name]
        root = self.failures[id(error)][1]
        if root in self.stuck_names:
            self.stuck = self.stuck or root
            self.stuck_in.update(self.stack)
        return error.with_traceback(traceback)

    def learn(self, name: str) -> None:
        """A module that ends or hangs its process is not executed any more."""
        if name not in self.replays:
            error = Stuck(name)
            self.stuck_names.add(name)
            self.replays[name] = error, None
            self.failures[id(error)] = error, name

    def fails(self, name: str, error: BaseException) -> None:
        self.places.pop(name, None)  # it is not among the modules any more
        self.effects.note(name)
        place, low = self.pop(name)
        self.let_go(name, low, place)
        links = all_links(error)
        for one in links:
            mend_message(one, self.places)
        if not_found(name, error):
            self.take_for_missing(name, error)
        elif (low < place and not self.is_inside(name, low)) or self.is_soft(links):
            self.take_for_soft(name, error)
        else:
            self.find_root(name, error, self.roots(links))

    # ------------------------------------------------------------ cycles

    def pop(self, name: str) -> "tuple[int, int]":
        place, low = len(self.stack) - 1, self.lows.pop()
        self.stack.pop()
        self.places.pop(name, None)
        if self.lows and low < self.lows[-1]:
            self.lows[-1] = low
        first = self.firsts.pop()
        if low == place:
            self.close_cycle(name, first)
        if self.stack:
            self.effects.carry(self.stack[-1], name)
        return place, low

    def lowest_ancestor(self, name: str) -> int:
        """The place of the outermost package of a module that is half way; beyond the stack where there is none."""
        return min([self.places[one] for one in ancestors(name) if one in self.places] or [len(self.stack) + 1])

    def is_inside(self, name: str, low: int) -> bool:
        """Whether what was met half way is met by every import of the module: by way of a parent package of it."""
        return self.lowest_ancestor(name) <= low

    def judge(self, name: str, low: int) -> None:
        """A module of a cycle that was entered elsewhere: by itself it might not load."""
        mine = [name, *self.exempt.pop(name, [])]
        if self.is_inside(name, low):
            self.exempt.setdefault(self.stack[self.lowest_ancestor(name)], []).extend(mine)
        else:
            self.suspects.update(mine)
            self.open_suspects += mine
            for one in mine:
                self.effects.carried.setdefault(one, set()).add(one)
                mark(modules.get(one), True)

    def close_cycle(self, entry: str, first: int) -> None:
        """A module that was entered before all others of its cycle has finished."""
        mine = self.open_suspects[first:]
        if mine:
            del self.open_suspects[first:]
            self.effects.entries.update(dict.fromkeys(mine, entry))
            self.effects.carried[entry] = self.effects.carried.get(entry, set()).difference(mine) | {"+" + entry}

    def keep(self, name: str, low: int, place: int) -> None:
        """While what it met, or a package of it, is half way, meeting this module is meeting that one (Tarjan)."""
        if low < place and mark(modules.get(name), True):
            self.keeper[name] = self.stack[low]
            self.kept.setdefault(self.stack[low], []).append((name, modules.get(name)))
        elif self.effects.carried.get(name):
            mark(modules.get(name), True)

    def let_go(self, name: str, low: int, place: int) -> None:
        for one, module in self.kept.pop(name, ()):
            if low < place:
                self.keeper[one] = self.stack[low]
                self.kept.setdefault(self.stack[low], []).append((one, module))
            else:
                self.keeper.pop(one, None)
                mark(module, bool(self.effects.carried.get(one)))

    # ------------------------------------------------------------ failures

    def is_soft(self, links: "list[BaseException]") -> bool:
        return any(id(one) in self.soft or PARTIAL in message_of(one) for one in links)

    def roots(self, links: "list[BaseException]") -> "list[str]":
        """The modules whose failures are among these."""
        return [self.failures[id(one)][1] for one in links if id(one) in self.failures]

    def take_for_soft(self, name: str, error: BaseException) -> None:
        """It may be true for this way into a cycle only. One that is known is as true as before for all others."""
        if id(error) not in self.failures:
            self.soft[id(error)] = error
        self.softly.add(name)

    def find_root(self, name: str, error: BaseException, roots: "list[str]") -> None:
        """Whose failure it is: a known one's, or its own, if the server says that it is so alone as well."""
        named = [one for one in roots if one]
        if not named and not (roots and isinstance(error, ImportError)):
            if not self.is_same_alone(name, error):
                return
            named = [name]
        self.failures[id(error)] = error, named[0] if named else ""
        self.replays[name] = error, error.__traceback__
        self.orphaned.append(name + ".")

    def take_for_missing(self, name: str, error: BaseException) -> None:
        """No finder knows it; where that does not settle it, the server says whether it is so alone as well."""
        nowhere = "." not in name and self.effects.nowhere(name)
        if nowhere or name in self.missing or self.is_same_alone(name, error):
            self.missing.add(name)
            self.failures[id(error)] = error, ""

    def is_same_alone(self, name: str, error: BaseException) -> bool:
        self.link.send("ask", name, kind_of(error), message_of(error))
        answer = self.link.receive()
        if not answer["same"]:
            self.redo = self.redo or not answer["soft"]
            self.take_for_soft(name, error)
        return bool(answer["same"])

    # ------------------------------------------------------------ between two turns

    def end_turn(self) -> None:
        """What a failed package had loaded is not there when the package is imported again: so it fails again."""
        if self.orphaned and next(reversed(modules), None) is not self.last:
            for name in [one for one in list(modules) if type(one) is str and one.startswith(tuple(self.orphaned))]:
                del modules[name]
                self.loaded.pop(name, None)
        for kept in self.kept.values():
            for name, module in kept:
                mark(module, bool(self.effects.carried.get(name)))
        for one in (
            self.kept,
            self.keeper,
            self.exempt,
            self.stack,
            self.lows,
            self.firsts,
            self.open_suspects,
            self.places,
            self.stuck_in,
        ):
            one.clear()

    def take_as_they_are(self, prefix: str) -> None:
        """What a package puts in the place of its own submodules while it loads is what others are to have."""
        for name in [one for one in self.loaded if one.startswith(prefix)]:
            self.loaded[name] = modules.get(name)

    def put_back(self) -> None:
        """Modules that one of another package has replaced: who does not import that one has the first."""
        if not all(map(is_same, modules.values(), self.seen)):  # a dictionary keeps the order of its first entries
            for name in [name for name, module in self.loaded.items() if modules.get(name) is not module]:
                if self.loaded[name] is not None:
                    modules[name] = self.loaded[name]
        self.seen = list(modules.values())


def ancestors(name: str) -> "list[str]":
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def mark(module: "Any", half_way: bool) -> bool:
    try:
        object.__getattribute__(module, "__dict__")["__spec__"]._initializing = half_way  # noqa: SLF001
    except BaseException:
        return False
    return True
