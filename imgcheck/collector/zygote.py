"""The program of a bare interpreter that is forked once per import. Its source is run; it is never imported.

It expects: the namespace that zygote_report.py was run in, with COMMANDS, ANSWERS (paths of FIFOs), KEY, BYTECODE (the
folder that takes the place of __pycache__, or None) and FRESH (the names of the modules that the interpreter had loaded
before).
Input: commands as marshalled dictionaries, {"do": "fork" | "wait", ...}, each after its length in four bytes.
Results: JSON lists [key, kind, ...], each in a line of its own, whatever else is written between them.
Floor: Python 3.8. The rules of zygote_report.py hold here too.
"""

import sys
from marshal import loads
from posix import O_RDONLY, O_WRONLY, _exit, close, dup2, fork, fstat, getpid, getppid, setsid, wait4
from posix import open as open_file
from posix import read as read_file
from posix import write as write_file

try:
    from gc import freeze
except ImportError:  # no CPython, whose collector writes to each object it looks at

    def freeze() -> None:
        pass


TYPE_CHECKING = False  # type checkers take the name for true
if TYPE_CHECKING:
    from typing import Any

    # Its source has been run before, in this namespace.
    from imgcheck.collector.zygote_report import State, clocks, file_of, listen, loaded, tell, to_json  # noqa: TC004

GIVEN = globals()
TROUBLE = 70  # EX_SOFTWARE
UNNOTICED = {"threads", "network"}  # by siblings in the same process
MOST_LIKELY_KILLED = b"1000"  # for the kernel, when memory runs out: the tested process, never the server

# The frame that imports looks like the one of `python -c`: some modules look at who imports them. The private
# builtins make every import start at the real __import__, even where a parent package has patched it.
importing = {
    "__name__": "__main__",
    "__doc__": None,
    "__package__": None,
    "__spec__": None,
    "__loader__": None,
    "__builtins__": GIVEN["__builtins__"],
}
import_statement = compile("__import__(name)", "<string>", "exec")


class End:
    """One end of a FIFO. A module may close descriptors, or get the same number for a file of its own."""

    def __init__(self, path: str, flags: int) -> None:
        self.path = path
        self.flags = flags
        self.open()

    def open(self) -> None:
        self.number = open_file(self.path, self.flags)
        self.identity = identity(self.number)

    def descriptor(self) -> int:
        if identity(self.number) != self.identity:
            self.open()
        return self.number

    def close(self) -> None:
        if identity(self.number) == self.identity:
            close(self.number)


def identity(number: int) -> "tuple[int, int] | None":
    try:
        status = fstat(number)
    except OSError:
        return None
    return status.st_dev, status.st_ino


class Link:
    """The way from the server to one process and back."""

    def __init__(self, commands: "str | None", answers: str, key: str) -> None:
        self.commands: Any = End(commands, O_RDONLY) if commands else None
        self.answers = End(answers, O_WRONLY)
        self.key = key

    def send(self, *fields: object) -> None:
        data = b"\n" + to_json((self.key, *fields)).encode("ascii") + b"\n"
        while data:
            data = data[write_file(self.answers.descriptor(), data) :]

    def receive(self) -> "dict[str, Any]":
        command: dict[str, Any] = loads(self.read(int.from_bytes(self.read(4), "big")))  # noqa: S302  # from the server
        return command

    def read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = read_file(self.commands.descriptor(), count - len(data))
            if not part:  # the server is gone, or wants this process to go
                _exit(0)
            data += part
        return data

    def drop(self) -> None:
        self.commands.close()
        self.answers.close()


def attempt(name: str) -> "BaseException | None":
    """Imports a module as `import name` does. Returns its exception, or None."""
    try:
        exec(import_statement, dict(importing, name=name))  # noqa: S102
    except BaseException as error:
        return error
    return None


def import_one(name: str, mine: int) -> "dict[str, Any]":
    before, started = State(), clocks()
    error = attempt(name)
    if getpid() != mine:  # a copy that the module itself forked
        _exit(0)
    return tell(name, error, before, started)


def import_alone(link: Link, name: str, keep: bool, mine: int) -> None:
    """Comes back only where the process is to live on, as the zygote of a package."""
    answer = import_one(name, mine)
    keep = keep and "error" not in answer
    if keep:
        answer["loaded"] = submodules(name + ".")
    link.send("module", name, answer)
    if not keep:
        _exit(0)


def submodules(prefix: str) -> "dict[str, str | None]":
    names = [one for one in list(sys.modules) if type(one) is str and one.startswith(prefix) and loaded(one)]
    return {one: file_of(one) for one in names}


def import_siblings(link: Link, names: "list[str]", dear: float, mine: int, parent: int) -> None:
    """One after the other, until one fails or leaves something that the next could notice.

    Only where the first has taken `dear` CPU seconds: it is what it loaded that is worth sharing.
    """
    inside = names[0].split(".")[0] + "."
    held = set(sys.modules)
    for position, name in enumerate(names):
        early = loaded(name)
        answer = import_one(name, mine)
        now = set(sys.modules)
        answer["new"] = [one for one in now - held if type(one) is str and one.startswith(inside)]
        held = now
        link.send("module", name, dict(answer, early=early))
        if position == 0 and answer["cpu"] < dear:
            break
        if "error" in answer or set(answer["side_effects"]) - UNNOTICED or getppid() != parent:
            break
    link.send("end")
    _exit(0)


def become_child(above: Link, command: "dict[str, Any]", parent: int) -> Link:
    """In the fork: leave the parent's session and descriptors, import, and end or become a zygote."""
    above.drop()
    setsid()
    invite_killer()
    link = Link(command["commands"], command["answers"], command["key"])
    standard_error(command["errors"])
    try:
        return do_imports(link, command, parent)
    except BaseException as error:  # the module has broken too much for an answer
        link.send("trouble", "no answer could be made: " + type(error).__name__)
        _exit(TROUBLE)


def do_imports(link: Link, command: "dict[str, Any]", parent: int) -> Link:
    mine = getpid()
    link.send("started")
    if len(command["names"]) > 1:
        import_siblings(link, command["names"], command["dear"], mine, parent)
    import_alone(link, command["names"][0], command["keep"], mine)
    standard_error("/dev/null")  # nobody reads a zygote's
    hold()
    return link


def invite_killer() -> None:
    try:
        number = open_file("/proc/self/oom_score_adj", O_WRONLY)
        write_file(number, MOST_LIKELY_KILLED)
        close(number)
    except OSError:
        pass


def hold() -> None:
    """Modules stay: the garbage collector is not to look at them again, which would also write to them.

    So a zygote's memory is shared with its forks (the gc module's documentation, `gc.freeze`).
    """
    freeze()


def standard_error(path: str) -> None:
    number = open_file(path, O_WRONLY)
    if number != 2:
        dup2(number, 2)
        close(number)


def split(link: Link, command: "dict[str, Any]") -> Link:
    """Forks. The link to serve from now on is returned: the child's in the child."""
    parent = getpid()
    try:
        number = fork()
    except OSError as error:
        link.send("trouble", str(error))
        return link
    if number:
        link.send("forked", number)
        return link
    try:
        return become_child(link, command, parent)
    except BaseException:
        _exit(TROUBLE)


def reap(link: Link, number: int) -> None:
    try:
        _, status, usage = wait4(number, 0)
    except OSError as error:
        link.send("trouble", str(error))
    else:
        link.send("ended", status, usage.ru_utime + usage.ru_stime)


def serve(link: Link) -> None:
    link.send("ready", getpid())
    while True:
        command = link.receive()
        if command["do"] == "fork":
            link = split(link, command)
        else:
            reap(link, command["process"])


def be_plain() -> None:
    """What `python -c` has and the user's own start has not: the working directory on the path, this source."""
    if sys.path[:1] == [""]:
        del sys.path[0]
    del getattr(sys, "orig_argv", [])[2:]
    for name in set(sys.modules) - GIVEN["FRESH"]:
        del sys.modules[name]


def listen_in() -> None:
    """To what leaves no trace in a process. A module cannot see it; it costs less than 1 % of an import."""
    add = getattr(sys, "addaudithook", None)
    if add is not None:
        add(listen)


def keep_bytecode(folder: "str | None") -> None:
    """Where the image brings none: each source is compiled once in a sweep, and nothing is written beside it.

    Of all that tests a module it is the one thing that it can see: in `sys`, and by the `__cached__` of modules.
    """
    if folder:
        sys.pycache_prefix = folder
        sys.dont_write_bytecode = False


be_plain()
listen_in()
keep_bytecode(GIVEN["BYTECODE"])
serve(Link(GIVEN["COMMANDS"], GIVEN["ANSWERS"], GIVEN["KEY"]))
