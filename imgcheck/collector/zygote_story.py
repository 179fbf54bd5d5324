"""The program of a bare interpreter whose forks import one module each and tell its whole story.

It expects: the namespace in which zygote_report.py and zygote.py (all but its start) were run; its `do_imports` takes
the place of theirs. Results: an answer as `tell` gives it, with "heard" (what was done, by kind), "loaded" (names of
modules) and "peak_memory" (bytes). The rules of zygote_report.py hold here too.
"""

import sys
from posix import O_RDONLY, O_RDWR, O_WRONLY, _exit, close, getpid
from posix import open as open_file
from posix import read as read_file

TYPE_CHECKING = False  # type checkers take the name for true
if TYPE_CHECKING:
    from typing import Any

    # Their sources have been run before, in this namespace.
    from imgcheck.collector.zygote import Link, import_one  # noqa: TC004
    from imgcheck.collector.zygote_report import MESSAGE_LIMIT, folder, modules, shown  # noqa: TC004

MOST_OF_A_KIND = 50
LONGEST_STATUS = 1 << 14
# event: the kind that it is told under, and which of its arguments
EVENTS = {
    "os.mkdir": ("files", 0),
    "os.rename": ("files", 1),
    "os.link": ("files", 1),
    "os.symlink": ("files", 1),
    "os.truncate": ("files", 0),
    "os.remove": ("removed", 0),
    "os.rmdir": ("removed", 0),
    "socket.bind": ("bound", 1),
    "ctypes.dlopen": ("libraries", 0),
    "subprocess.Popen": ("commands", 1),
    "os.posix_spawn": ("commands", 1),
    "os.exec": ("commands", 1),
    "os.system": ("commands", 0),
}
PATHS = {"files", "removed"}


class Story:
    """What an import does, heard by an audit hook of this process alone: it is too dear for a whole sweep."""

    def __init__(self) -> None:
        self.heard: dict[str, list[str]] = {}
        self.before = frozenset(modules)

    def listen(self, event: str, arguments: "tuple[Any, ...]") -> None:
        """Nothing that it raises may come out."""
        try:
            if event == "open":
                self.opened(*arguments)
            elif event in EVENTS:
                kind, place = EVENTS[event]
                value = arguments[place]
                self.add(kind, words(value) if kind == "commands" else shown(value))
        except Exception:
            return

    def opened(self, path: object, _mode: object, flags: object) -> None:
        if type(flags) is int and flags & (O_WRONLY | O_RDWR) and type(path) is not int:  # an open file's number
            self.add("files", shown(path))

    def add(self, kind: str, text: str) -> None:
        if not text or (kind in PATHS and not is_worth_telling(text)):
            return
        if kind in PATHS and not text.startswith("/"):
            text = (folder() or "") + "/" + text
        told = self.heard.setdefault(kind, [])
        if text not in told and len(told) < MOST_OF_A_KIND:
            told.append(text)

    def end(self) -> "dict[str, Any]":
        new = [one for one in list(modules) if type(one) is str and one not in self.before]
        return {
            "heard": dict(self.heard),
            "loaded": [one for one in new if modules.get(one) is not None],
            "peak_memory": peak_memory(),
        }


def words(command: object) -> str:
    if type(command) in (list, tuple):
        return " ".join([shown(one) for one in command])[:MESSAGE_LIMIT]  # type: ignore[attr-defined]  # it is one
    return shown(command)


def is_worth_telling(path: str) -> bool:
    """Neither the bytecode that the import system itself keeps, nor what keeps nothing."""
    return path != "/dev/null" and "/__pycache__" not in path and ".pyc" not in path[-40:]


def peak_memory() -> int:
    """The most resident bytes that this process ever had; 0 where the kernel does not tell."""
    try:
        number = open_file("/proc/self/status", O_RDONLY)
    except OSError:
        return 0
    try:
        text = read_file(number, LONGEST_STATUS)
    finally:
        close(number)
    _, found, rest = text.partition(b"VmHWM:")
    return int(rest.split()[0]) * 1024 if found else 0


def do_imports(link: "Link", command: "dict[str, Any]", _parent: int) -> None:
    """In place of that of zygote.py."""
    mine = getpid()
    link.send("started")
    story = Story()
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(story.listen)
    name = command["names"][0]
    answer = import_one(name, mine)
    link.send("module", name, dict(answer, **story.end()))
    _exit(0)
