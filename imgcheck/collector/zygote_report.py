"""What an import did, told in plain values: the first half of the zygote's program (see zygote.py).

Its source is run in a namespace whose `__builtins__` is a private copy of the real ones; it is never imported.
Results: `tell` gives the answer for one import as a dictionary, `to_json` its text.
Floor: Python 3.8. The rule of this file: load nothing that a fresh interpreter has not loaded by itself, trust nothing
that a module can have patched, and run no code of the module. So typing is never loaded: where annotations are
evaluated, what only a type checker knows stands in quotes.
"""

import sys
from _signal import getsignal  # type: ignore[import-not-found]  # typeshed has no stub of it
from posix import O_NONBLOCK, O_RDONLY, close, getcwd, listdir, readlink
from posix import open as open_file
from posix import read as read_file
from time import monotonic, process_time

TYPE_CHECKING = False  # type checkers take the name for true
if TYPE_CHECKING:
    from typing import Any

MESSAGE_LIMIT = 2000
CHAIN_LIMIT = 10
FRAME_LIMIT = 12
SIGNALS = (1, 2, 3, 6, 10, 11, 12, 13, 14, 15, 17)
NETWORK = frozenset(
    ["socket." + one for one in ("connect", "sendto", "sendmsg", "getaddrinfo", "gethostbyname", "gethostbyaddr")]
)
LOADS = {"ctypes.dlopen": 0, "import": 1}  # event: which of its arguments is a file to be loaded, where one is
MOST_HEARD = 10_000
MOST_TOLD = 10

modules = sys.modules
public_builtins = modules["builtins"].__dict__
private_builtins = globals()["__builtins__"]
variables = modules["os"].environ._data if "os" in modules else {}  # noqa: SLF001  # os.environ can be replaced

attempts: "list[str]" = []  # to reach the network, as in "connect example.org:443"
to_load: "list[tuple[str, str]]" = []  # paths of libraries and extension modules to be loaded, and the latter's names


def to_json(value: "Any") -> str:
    """JSON of plain values: a fresh interpreter has not loaded the json module."""
    kind = type(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is float:
        return repr(value)
    if kind is str:
        return '"' + escaped(value) + '"'
    if kind is dict:
        return "{" + ",".join([to_json(key) + ":" + to_json(one) for key, one in value.items()]) + "}"
    return "[" + ",".join([to_json(one) for one in value]) + "]"


def escaped(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return text
    data = text.encode("utf-16-be", "surrogatepass")
    return "".join([f"\\u{data[i]:02x}{data[i + 1]:02x}" for i in range(0, len(data), 2)])


def tell(name: str, error: "BaseException | None", before: "State", started: "tuple[float, float]") -> "dict[str, Any]":
    """The answer for one import: `before` is the State, `started` the clocks, taken before it."""
    answer: dict[str, Any] = {
        "cpu": process_time() - started[0],
        "wall": monotonic() - started[1],
        "file": file_of(name),
        "side_effects": left_changed(before),
    }
    unloaded = refused(to_load[before.to_load :])
    if unloaded:
        answer["unloaded"] = unloaded
    if error is not None:
        answer["error"] = describe(error)
        answer["exit_code"] = exit_code(error)
    return answer


def clocks() -> "tuple[float, float]":
    return process_time(), monotonic()


def exit_code(error: BaseException) -> "int | None":
    """The status an interpreter ends with when this exception reaches its top; None where it is no exit."""
    if not isinstance(error, SystemExit):
        return None
    try:
        code = error.code
        return 0 if code is None else int.__index__(code) & 255 if isinstance(code, int) else 1
    except BaseException:
        return 1


def loaded(name: str) -> bool:
    return modules.get(name) is not None


def file_of(name: str) -> "str | None":
    """`__file__` as the module's dictionary holds it: an attribute access may run code of the module."""
    try:
        return plain(object.__getattribute__(modules[name], "__dict__")["__file__"])
    except BaseException:
        return None


def plain(value: object) -> "str | None":
    """A string as a real one, None otherwise: a subclass may bring methods of its own."""
    return str.__str__(value)[:MESSAGE_LIMIT] if isinstance(value, str) else None


def describe(error: BaseException) -> "dict[str, object]":
    """All that is told of an exception. It may be hostile: its methods are tried, never trusted."""
    links = chain(error)
    return {
        "type": kind_of(error),
        "bases": [base.__name__ for base in type(error).__mro__[1:-1]],
        "message": message_of(error),
        "name": attribute(error, "name"),
        "path": attribute(error, "path"),
        "chain": [
            {
                "type": kind_of(one),
                "message": message_of(one),
                "name": attribute(one, "name"),
                "frame": (frames_of(one) or [None])[-1],
            }
            for one in links
        ],
        "frames": frames_of(error)[-FRAME_LIMIT:],
    }


def chain(error: "BaseException | None") -> "list[BaseException]":
    """The exception, then what it was raised from or while handling what, the deepest last.

    `raise ... from None` is looked through: behind "please install x" stands the failed import of x.
    """
    found: list[BaseException] = []
    while error is not None and len(found) < CHAIN_LIMIT and not [one for one in found if one is error]:
        found.append(error)
        error = error.__cause__ if error.__cause__ is not None else error.__context__
    return found


def kind_of(error: BaseException) -> str:
    return str.__str__(type(error).__name__)


def message_of(error: BaseException) -> str:
    try:
        return str.__str__(str(error))[:MESSAGE_LIMIT]
    except BaseException:
        return "<exception str() failed>"  # the words of the traceback module


def attribute(error: BaseException, name: str) -> "str | None":
    """ImportError.name and .path."""
    if not isinstance(error, ImportError):
        return None
    try:
        return plain(getattr(error, name))
    except BaseException:
        return None


def frames_of(error: BaseException) -> "list[Any]":
    """The traceback without this file's own frames and the import system's; where a syntax error is, last."""
    found: list[Any] = []
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        ours = step.tb_frame.f_globals.get("__builtins__") is private_builtins
        if not ours and not code.co_filename.startswith("<frozen importlib"):
            found.append({"file": code.co_filename, "line": step.tb_lineno, "function": code.co_name})
        step = step.tb_next
    if isinstance(error, SyntaxError):
        line = error.lineno if type(error.lineno) is int else None
        found.append({"file": plain(error.filename), "line": line, "function": None})
    return found


def listen(event: str, arguments: "tuple[Any, ...]") -> None:
    """An audit hook (PEP 578): it hears every event, so it has to be quick, and nothing it raises may come out."""
    if event in NETWORK and len(attempts) < MOST_HEARD:
        try:
            place = ":".join([one for one in map(shown, arguments[:2]) if one])
            attempts.append(event[len("socket.") :] + " " + place)
        except Exception:
            return
    elif event in LOADS and len(to_load) < MOST_HEARD:
        try:
            path = shown(arguments[LOADS[event]])
            if "/" in path:
                to_load.append((path, shown(arguments[0]) if event == "import" else ""))
        except Exception:
            return


def refused(heard: "list[tuple[str, str]]") -> "list[str]":
    """Files that were to be loaded and are in no mapping: the loader refused them, or they were unloaded again.

    A name without a folder is no file of a distribution; an extension module that is there needs no look.
    """
    try:
        paths = list(dict.fromkeys([path for path, name in heard if not loaded(name)]))
        mappings = mapped() if paths else set()
        files = [(path, real_path(path)) for path in paths] if mappings else []
    except BaseException:
        return []
    return [path for path, file in files if file and file not in mappings][:MOST_TOLD]


def mapped() -> "set[str]":
    """Files that this process has mapped; empty where the kernel does not tell."""
    try:
        number = open_file("/proc/self/maps", O_RDONLY)
    except OSError:
        return set()
    parts: list[bytes] = []
    try:
        while not parts or parts[-1]:
            parts.append(read_file(number, 1 << 16))
    finally:
        close(number)
    lines = b"".join(parts).split(b"\n")
    return {line[line.index(b"/") :].decode("utf-8", "surrogateescape") for line in lines if b"/" in line}


def real_path(path: str) -> str:
    """Through links; empty where there is no file that can be read."""
    try:
        number = open_file(path, O_RDONLY | O_NONBLOCK)
    except (OSError, ValueError):
        return ""
    try:
        return readlink("/proc/self/fd/" + repr(number))
    except OSError:
        return ""
    finally:
        close(number)


def shown(value: object) -> str:
    """A host, a port, a path, or the pair of an address; empty for what is none. No code of the module is run."""
    kind = type(value)
    if kind is int:
        return repr(value)
    if kind is tuple:
        return ":".join([shown(one) for one in value[:2]])  # type: ignore[index]  # it is one
    if issubclass(kind, bytes):
        return bytes.decode(value, "utf-8", "backslashreplace")[:MESSAGE_LIMIT]  # type: ignore[arg-type]  # it is one
    return str.__str__(value)[:MESSAGE_LIMIT] if issubclass(kind, str) else ""


class State:
    """What an import can leave changed in its process, beside the modules."""

    def __init__(self) -> None:
        self.threads = len(own_threads())
        self.to_load = len(to_load)
        self.parts: dict[str, Any] = {
            "directory": folder(),
            "environment": dict(variables),
            "path": list(sys.path),
            "builtins": dict(public_builtins),
            "finders": [id(one) for one in sys.meta_path],
            "signals": [getsignal(one) for one in SIGNALS],
            "network": len(attempts),
        }

    def changes(self, before: "State") -> "dict[str, object]":
        """What differs by name: variables, entries, the new directory, numbers of signals; True where none is told."""
        found: dict[str, object] = {}
        for name, value in self.parts.items():
            if value != before.parts[name]:
                found[name] = self.told(name, before)
        return found

    def told(self, name: str, before: "State") -> object:
        if name == "environment":
            return self.changed_variables(before)
        if name == "path":
            return self.changed_entries(before)
        if name == "signals":
            return self.changed_signals(before)
        if name == "network":
            return list(dict.fromkeys(attempts[before.parts[name] :]))[:MOST_TOLD]
        return self.parts[name] if name == "directory" else True

    def changed_entries(self, before: "State") -> "list[str]":
        """Of sys.path: "+/added", "-/removed"; neither where only the order is another."""
        old, new = ([shown(one) for one in state.parts["path"]] for state in (before, self))
        found = ["+" + one for one in new if one not in old] + ["-" + one for one in old if one not in new]
        return found[:MOST_TOLD]

    def changed_signals(self, before: "State") -> "list[int]":
        old, new = before.parts["signals"], self.parts["signals"]
        return [number for number, one, other in zip(SIGNALS, old, new) if one != other]

    def changed_variables(self, before: "State") -> "list[str]":
        old, new = before.parts["environment"], self.parts["environment"]
        names = [name for name in set(old) | set(new) if old.get(name) != new.get(name)]
        return sorted([name.decode("utf-8", "backslashreplace") for name in names])


def folder() -> "str | None":
    try:
        return getcwd()
    except OSError:
        return None


def left_changed(before: State) -> "dict[str, object]":
    """What the import left, as far as it can be told: the module may have broken what is looked at."""
    try:
        found = State().changes(before)
    except BaseException:
        return {"unreadable": True}
    threads = own_threads()
    new = len(threads) - max(1, before.threads)  # what others left in a shared process is not this import's
    if new > 0:
        found["threads"] = new
    if has_children(threads):
        found["processes"] = True
    return found


def own_threads() -> "list[str]":
    try:
        return listdir("/proc/self/task")
    except OSError:
        return []


def has_children(threads: "list[str]") -> bool:
    """False where the kernel does not tell."""
    for thread in threads:
        try:
            number = open_file("/proc/self/task/" + thread + "/children", O_RDONLY)
        except OSError:
            continue
        try:
            if read_file(number, 1):
                return True
        finally:
            close(number)
    return False
