"""An interpreter told by its files, where it cannot be started: what `interpreter.py` asks a running one.

Sources: getpath ("prefix" from the folder that holds lib/pythonX.Y/os.py, pyvenv.cfg's "home"; Modules/getpath.py of
CPython), `site` (site-packages, .pth files, user site), Debian's own site.py (dist-packages), PEP 3149 and PEP 384
(names of extension modules). What a .pth file would import
is not run, and what that would add is not seen.
Floor: Python 3.8.
"""

from __future__ import annotations

import mmap
import os
import re
import sys
from importlib import machinery
from typing import Any, Dict, Iterable, Iterator

from imgcheck.collector.native_elf import MAGIC, machine_of

_CONFIG = "pyvenv.cfg"
_LANDMARK = "os.py"
_FOLDER = re.compile(r"python(\d+)\.(\d+)t?\Z")
_TAGGED = re.compile(r"[^.]+(\.cpython-\d+t?-[^.]+\.so)\Z")
_LARGEST = 1 << 20
_UNLISTED = ("_msi", "_peg_parser", "_suggestions", "_sysconfig", "_wmi", "xxsubtype")
"""Of several Pythons' standard libraries, as `sys.stdlib_module_names` has them, what may be in no folder on Linux."""
# Names of top-level modules by the minor version of Python 3 ("What's New", docs.python.org; read 2026-11).
_REMOVED = {
    10: ("formatter", "parser", "symbol"),
    11: ("binhex",),
    12: ("asynchat", "asyncore", "distutils", "imp", "smtpd"),
    13: (
        *("aifc", "audioop", "cgi", "cgitb", "chunk", "crypt", "imghdr", "lib2to3", "mailcap", "msilib", "nis"),
        *("nntplib", "ossaudiodev", "pipes", "sndhdr", "spwd", "sunau", "telnetlib", "uu", "xdrlib"),
    ),
}
_ADDED = {9: ("graphlib", "zoneinfo"), 11: ("tomllib",), 14: ("annotationlib", "compression")}
_PRIVATE = ("__p", "__h", "_test", "_xx", "_ctypes_test", "_sysconfigdata")
"""What is there and is not among `sys.stdlib_module_names`."""
_HOME = ".local"

Facts = Dict[str, Any]


def interpreter_by_files(python: str) -> Facts:
    """As interpreter.interpreter_facts tells it. Raises RuntimeError where there is no standard library."""
    config = _config(python)
    own = _prefix_of(python)
    home = config.get("home")
    base, folder = _base(os.path.join(home, os.path.basename(python)) if home else python)
    prefix = own if home else base
    major, minor = folder.rpartition("/")[2][6:].rstrip("t").split(".")
    short = f"{major}.{minor}"
    version = config.get("version") or config.get("version_info", "")
    full = _version(os.path.realpath(python), base, short) or _plain(version, short)
    if not full:
        raise RuntimeError(f"which Python {short} this is cannot be told by the files of {python}")
    machine = machine_by_files(python) or os.uname().machine
    site = _site_folders(prefix, base, folder, short, config)
    return {
        "executable": python,
        "version": full,
        "implementation": "cpython",
        "prefix": prefix,
        "base_prefix": base,
        "path": _search_path(folder, short, site),
        "extension_suffixes": _suffixes(folder),
        "markers": _markers(full, short, machine),
        "platform": f"linux-{machine}",
        "stdlib": sorted(_standard(folder, int(minor))),
        "uid": os.getuid(),
        "gid": os.getgid(),
    }


def machine_by_files(python: str) -> str:
    """Of a program's ELF header; empty where it is none."""
    try:
        with open(python, "rb") as file:
            start = file.read(64)
    except OSError:
        return ""
    return machine_of(start) if start.startswith(MAGIC) else ""


def _config(python: str) -> dict[str, str]:
    """pyvenv.cfg beside the program or above it; empty where it is of no virtual environment."""
    folder = os.path.dirname(python)
    for place in (folder, os.path.dirname(folder)):
        lines = _text(os.path.join(place, _CONFIG)).splitlines()
        pairs = (line.partition("=") for line in lines if "=" in line)
        found = {key.strip().lower(): value.strip() for key, _, value in pairs}
        if "home" in found:
            return found
    return {}


def _prefix_of(python: str) -> str:
    return os.path.dirname(os.path.dirname(python))


def _base(python: str) -> tuple[str, str]:
    """The prefix of an installation, and the folder of its standard library: sought from the program upwards."""
    for program in dict.fromkeys((os.path.realpath(python), python)):
        prefix = os.path.dirname(program)
        while True:
            for place in ("lib", "lib64"):
                for name in _versions(os.path.join(prefix, place), os.path.basename(program)):
                    folder = os.path.join(prefix, place, name)
                    if os.path.isfile(os.path.join(folder, _LANDMARK)):
                        return prefix, folder
            if prefix in ("/", ""):
                break
            prefix = os.path.dirname(prefix)
    raise RuntimeError(f"{python} has no standard library beside it: no lib/python3.X/os.py on the way up from it")


def _versions(folder: str, program: str) -> list[str]:
    """pythonX.Y of the program's own name first; the newest where it tells none."""
    found = [name for name in _names(folder) if _FOLDER.match(name)]
    found.sort(key=lambda name: [int(part) for part in re.findall(r"\d+", name)], reverse=True)
    return [program] if program in found else found


def _version(program: str, base: str, short: str) -> str:
    """As the program or its library holds it, "3.11.7"; empty where neither does."""
    libraries = [os.path.join(base, place, f"libpython{short}.so.1.0") for place in ("lib", "lib64")]
    libraries += [os.path.join(base, "lib", name, f"libpython{short}.so.1.0") for name in _triplets(base)]
    # a linker may let it be the end of a longer text
    literal = re.compile(rb"(?<![\d.])(" + re.escape(short.encode()) + rb"\.\d+(?:(?:a|b|rc)\d+)?\+?)\0")
    for file in (program, *libraries):
        try:
            with open(file, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                found = literal.search(data)
                told = found[1].decode("ascii") if found else ""
        except (OSError, ValueError):
            continue
        if told:
            return told
    return ""


def _triplets(base: str) -> list[str]:
    return [name for name in _names(os.path.join(base, "lib")) if name.endswith("-linux-gnu")]


def _plain(version: str, short: str) -> str:
    """Of pyvenv.cfg: "3.11.7", or "3.11.7.final.0" as virtualenv writes it."""
    found = re.match(r"\d+\.\d+\.\d+", version)
    return found[0] if found and version.startswith(short + ".") else ""


def _markers(full: str, short: str, machine: str) -> dict[str, str]:
    system = os.uname()
    return {
        "implementation_name": "cpython",
        "implementation_version": full.rstrip("+"),
        "os_name": "posix",
        "platform_machine": machine,
        "platform_release": system.release,
        "platform_system": "Linux",
        "platform_version": system.version,
        "python_full_version": full,
        "platform_python_implementation": "CPython",
        "python_version": short,
        "sys_platform": "linux",
    }


def _suffixes(folder: str) -> list[str]:
    """As importlib.machinery.EXTENSION_SUFFIXES: the tag is read off the standard library's own modules."""
    names = [*_names(os.path.join(folder, "lib-dynload")), *_names(folder)]
    tagged = (_TAGGED.match(name) for name in names)
    own = next((found[1] for found in tagged if found), None)
    return [*([own] if own else []), ".abi3.so", ".so"]


def _standard(folder: str, minor: int) -> set[str]:
    """What is there, and what this Python's own library tells of parts that a system may have left out."""
    known = {*getattr(sys, "stdlib_module_names", sys.builtin_module_names), *_UNLISTED}
    gone = {name for version, names in _REMOVED.items() if version <= minor for name in names}
    later = {name for version, names in _ADDED.items() if version > minor for name in names}
    before = {name for version, names in _REMOVED.items() if version > minor for name in names}
    return ((known | before) - gone - later) | set(_listed(folder))


def _listed(folder: str) -> Iterator[str]:
    """Names of modules in the standard library's folder and in its lib-dynload."""
    for place in (folder, os.path.join(folder, "lib-dynload")):
        for name in _names(place):
            plain = name.partition(".")[0]
            known = name.endswith((".py", ".so")) or ("." not in name and plain.isidentifier())
            if known and not plain.startswith(_PRIVATE):
                yield plain


# --- sys.path


def _search_path(folder: str, short: str, sites: Iterable[str]) -> list[str]:
    named = os.environ.get("PYTHONPATH")
    archive = os.path.join(os.path.dirname(folder), "python" + short.replace(".", "") + ".zip")
    fixed = [archive, folder, os.path.join(folder, "lib-dynload")]
    path = list(dict.fromkeys([*(os.path.abspath(one) for one in named.split(":")), *fixed] if named else fixed))
    known = set(path)
    for site in sites:
        for entry in _with_lines(site):
            if entry not in known and os.path.exists(entry):
                known.add(entry)
                path.append(entry)
    return path


def _with_lines(site: str) -> Iterator[str]:
    """A folder of site, then what its .pth files name."""
    if not os.path.isdir(site):
        return
    yield site
    for name in sorted(one for one in _names(site) if one.endswith(".pth") and not one.startswith(".")):
        for line in _text(os.path.join(site, name)).splitlines():
            plain = line.rstrip()
            if plain and not plain.startswith(("#", "import ", "import\t")):
                yield os.path.abspath(os.path.join(site, plain))


def _site_folders(prefix: str, base: str, folder: str, short: str, config: dict[str, str]) -> Iterator[str]:
    """Where `site` looks, whether or not it is there."""
    virtual = bool(config.get("home"))
    system = config.get("include-system-site-packages", "").lower() == "true"
    if not os.environ.get("PYTHONNOUSERSITE") and (not virtual or system):
        user = os.environ.get("PYTHONUSERBASE") or os.path.join(os.environ.get("HOME") or "/", _HOME)
        yield os.path.join(user, "lib", "python" + short, "site-packages")
    debian = "dist-packages" in _text(os.path.join(folder, "site.py"))
    version = os.path.basename(folder)
    for place in (prefix, base) if virtual and system else (prefix,):
        if debian:
            if virtual:
                yield os.path.join(place, "lib", version, "site-packages")
            yield os.path.join(place, "local/lib", version, "dist-packages")
            yield os.path.join(place, "lib/python3/dist-packages")
            yield os.path.join(place, "lib", version, "dist-packages")
            continue
        if place == "/usr" and os.path.basename(os.path.dirname(folder)) == "lib64":  # Fedora's and RHEL's
            yield os.path.join("/usr/local/lib64", version, "site-packages")
            yield os.path.join("/usr/local/lib", version, "site-packages")
        if os.path.basename(os.path.dirname(folder)) == "lib64":
            yield os.path.join(place, "lib64", version, "site-packages")
        yield os.path.join(place, "lib", version, "site-packages")


# --- names of modules, and the locale


class _Spec:
    """Of importlib.machinery.ModuleSpec what `locations` reads."""

    def __init__(self, origin: str | None, folders: list[str] | None) -> None:
        self.loader = origin
        self.origin = origin
        self.submodule_search_locations = folders


class StillFinder:
    """importlib.machinery.FileFinder for the names of another interpreter's extension modules."""

    def __init__(self, folder: str, suffixes: Iterable[str]) -> None:
        self._folder = folder
        self._endings = (*suffixes, *machinery.SOURCE_SUFFIXES, *machinery.BYTECODE_SUFFIXES)
        self._known = frozenset(_names(folder))

    def find_spec(self, name: str) -> _Spec | None:
        """A package, then a module, then a namespace's portion."""
        place = os.path.join(self._folder, name)
        is_folder = name in self._known and os.path.isdir(place)
        if is_folder:
            for ending in self._endings:
                init = os.path.join(place, "__init__" + ending)
                if os.path.isfile(init):
                    return _Spec(init, [place])
        for ending in self._endings:
            if name + ending in self._known and os.path.isfile(place + ending):
                return _Spec(place + ending, None)
        return _Spec(None, [place]) if is_folder else None


def locale_by_files() -> str:
    """What setlocale would say: whether the locale that variables name is installed (glibc); musl takes any."""
    named = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG") or "C"
    if named.upper() in ("C", "POSIX", "C.UTF-8", "C.UTF8") or any("ld-musl" in name for name in _names("/lib")):
        return ""
    language, _, codeset = named.partition(".")
    spelled = language + ("." + re.sub(r"[^0-9a-z]", "", codeset.lower()) if codeset else "")
    if any(os.path.isdir(os.path.join("/usr/lib/locale", name)) for name in (named, spelled)):
        return ""
    try:
        with open("/usr/lib/locale/locale-archive", "rb") as stream:
            installed = spelled.encode() + b"\0" in stream.read(1 << 28)
    except OSError:
        installed = False
    return "" if installed else "locale.Error: unsupported locale setting"


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (OSError, ValueError):
        return []


def _text(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read(_LARGEST)
    except (OSError, ValueError):
        return ""
