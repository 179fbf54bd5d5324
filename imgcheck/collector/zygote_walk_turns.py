"""The last part of a walker's program: the turns of the modules, after a test whether this Python can be watched.

It expects: the namespace in which zygote_walk.py and what that expects were run. The rules of zygote_report.py hold.
"""

import sys
from _thread import get_ident
from posix import _exit, getpid

TYPE_CHECKING = False  # type checkers take the name for true
if TYPE_CHECKING:
    from typing import Any

    # Their sources have been run before, in this namespace.
    from imgcheck.collector.zygote import Link, attempt, hold, reap, split, standard_error  # noqa: TC004
    from imgcheck.collector.zygote_report import State, clocks, file_of, modules, private_builtins, tell  # noqa: TC004
    from imgcheck.collector.zygote_walk import HOOKS, Watch, ancestors, bootstrap  # noqa: TC004
    from imgcheck.collector.zygote_walk_errors import all_links  # noqa: TC004
    from imgcheck.collector.zygote_walk_state import Effects, Guard  # noqa: TC004

OLDEST, NEWEST = (3, 8), (3, 14)
PLANTED = {
    "_walk_a": "import _walk_b",
    "_walk_b": "import _walk_a\ntry:\n    import _walk_missing\nexcept ImportError:\n    pass",
}


class Walk:
    """A walker's life."""

    def __init__(self, link: "Link") -> None:
        self.link = link
        self.mine = getpid()
        self.effects = Effects()
        self.watch = Watch(link, self.effects)
        reason = self.unfit()
        if reason:
            link.send("unfit", reason)
            _exit(0)
        self.guard = Guard(link)
        link.send("ready")

    def unfit(self) -> str:
        """Why this Python cannot be watched."""
        if sys.implementation.name != "cpython" or not OLDEST <= sys.version_info[:2] <= NEWEST:
            return "{} {}.{} is not known".format(sys.implementation.name, *sys.version_info[:2])
        names = set(vars(bootstrap)) & {"_find_and_load", "_lock_unlock_module", "ModuleSpec"}
        if len(names) != 3:
            return "importlib has not all of its functions"
        self.install()
        return "" if self.sees_a_cycle() else "importlib does not call its functions"

    def install(self) -> None:
        space = {
            "__name__": "importlib._bootstrap",
            "__builtins__": private_builtins,
            "find_and_load": bootstrap._find_and_load,  # noqa: SLF001
            "lock_unlock_module": bootstrap._lock_unlock_module,  # noqa: SLF001
            "get_ident": get_ident,
            "thread": get_ident(),
            "modules": modules,
            "watch": self.watch,
        }
        exec(compile(HOOKS, "<frozen importlib._bootstrap>", "exec"), space)  # noqa: S102
        for name in ("_find_and_load", "_lock_unlock_module"):
            setattr(bootstrap, name, space[name])

    def sees_a_cycle(self) -> bool:
        watch = self.watch
        watch.end_turn()
        watch.missing.add("_walk_missing")  # there is nobody to ask yet
        sys.meta_path.insert(0, Planter)
        try:
            error = attempt("_walk_a")
        finally:
            sys.meta_path.remove(Planter)
        seen = list(watch.loaded), watch.suspects, [root for _, root in watch.failures.values()]
        well = error is None and seen == (["_walk_b", "_walk_a"], {"_walk_b"}, [""])
        for name in PLANTED:
            modules.pop(name, None)
        watch.end_turn()
        for one in (watch.loaded, watch.suspects, watch.failures, watch.missing):
            one.clear()
        self.effects.carried.clear()
        self.effects.entries.clear()
        return well

    def move(self, link: "Link") -> None:
        """In a fork of a walker: it knows what that one knew, and is watched for itself."""
        self.link = self.watch.link = link
        self.mine = getpid()
        self.guard = Guard(link)
        link.send("ready")

    def go_on(self) -> None:
        try:
            while True:
                self.obey(self.link.receive())
        except BaseException as error:  # a module has broken too much
            self.link.send("trouble", "the walk could not go on: " + type(error).__name__)
            _exit(0)

    def obey(self, command: "dict[str, Any]") -> None:
        what = command["do"]
        if what == "fork":
            self.link = split(self.link, command)
        elif what == "wait":
            reap(self.link, command["process"])
        elif what == "rest":
            standard_error("/dev/null")  # nobody reads it any more
            hold()
        else:
            for name in command["stuck"]:
                self.watch.learn(name)
            for name in command["names"]:
                self.take_turn(name)
            self.link.send("end")

    def take_turn(self, name: str) -> None:
        watch = self.watch
        watch.begin_turn()
        there = name in modules
        below, error = self.load_parents(name)
        by_parents = name in modules and not there
        before, started = State(), clocks()
        if below is None:
            error = attempt(name)
        if getpid() != self.mine:  # a copy that the module itself forked
            _exit(0)
        if there and error is None:
            answer: dict[str, Any] = {"file": file_of(name), "side_effects": {}}
        else:
            answer = tell(name, error, before, started)
        how, root = self.judge(name, error, there, by_parents)
        damage = self.clean_up(there)
        met = sorted(
            [one for one in self.effects.carried.get(name, ()) if type(one) is str and one != name and one[0] != "+"]
        )
        self.link.send("told", name, answer, how, root, below, met, watch.redo, damage)
        if damage or watch.redo:
            _exit(0)

    def load_parents(self, name: str) -> "tuple[str | None, BaseException | None]":
        """The first parent package that fails, and how."""
        for parent in ancestors(name):
            if parent not in modules:
                error = attempt(parent)
                if error is not None:
                    return parent, error
            elif parent in self.effects.carried:
                self.effects.meet(parent, None)
        return None, None

    def judge(
        self, name: str, error: "BaseException | None", there: bool, by_parents: bool
    ) -> "tuple[str, str | None]":
        """How it went, and who is to blame."""
        watch = self.watch
        how, root = "before" if there else "own", None
        links = [] if error is None else all_links(error)
        roots = watch.roots(links)
        if watch.stuck is not None:
            how, root = "stuck", watch.stuck
        elif watch.retried or name in watch.softly or watch.is_soft(links):
            how, root = "soft", next(filter(None, roots), None)
        elif error is not None:
            how, root = ("failed", next(filter(None, roots), "")) if roots else ("unknown", None)
        elif name in watch.suspects:
            how = "touched"
        elif by_parents or name in watch.by_parents:
            how = "parents"
        elif modules.get(name) is None or name not in watch.loaded:
            how = "unknown"
        return how, root

    def clean_up(self, there: bool) -> "list[str]":
        """Whatever of the turn should not be met by others; what cannot be undone is told."""
        watch = self.watch
        watch.end_turn()
        if there and not watch.stuck:
            return []
        hold()
        try:
            damage = self.guard.damage()
            self.effects.note(None)
            if not self.effects.undo():
                damage.append("effects")
            if watch.swallowed:
                damage.append("swallowed")
            watch.put_back()
        except BaseException:
            return ["unreadable"]
        return damage


class Planter:
    """Finds and loads the modules of the test."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> "Any":
        return bootstrap.ModuleSpec(name, Planter) if name in PLANTED else None

    @staticmethod
    def create_module(_spec: object) -> None:
        return None

    @staticmethod
    def exec_module(module: "Any") -> None:
        exec(PLANTED[module.__name__], module.__dict__)  # noqa: S102


walks: "list[Walk]" = []


def do_imports(link: "Link", _command: "dict[str, Any]", _parent: int) -> "Link":
    """In place of that of zygote.py: this interpreter's forks are walkers, and so are theirs."""
    link.send("started")
    if walks:
        walks[0].move(link)
    else:
        walks.append(Walk(link))
        walks[0].go_on()
    return link
