"""The collector's view of native files: small ones that gcc makes here, and dlopen as the judge of the answers."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile

from imgcheck.collector.native import native_facts
from imgcheck.collector.native_elf import Elf, open_elf, read_elf
from imgcheck.collector.native_guards import is_guarded
from imgcheck.collector.native_loader import Library, Loader, read_cache
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.facts.native import NativeFacts, NativeFile
from tests.local_engine import LocalEngine, an_image
from tests.native_builds import compiled, library, needs_compiler

pytestmark = needs_compiler
USES = "int one(void); int two(void) { return one() + 1; }"


def told(
    site: Path,
    *files: Path,
    modules: tuple[dict[str, Any], ...] = (),
    environment: str = "",
    folders: tuple[str, ...] = (),
) -> dict[str, NativeFile]:
    """Facts of files, each in a distribution named by the folder it lies in, by file name."""
    distributions = [
        {"name": one.parent.name, "location": str(site), "files": [str(one.relative_to(site))], "top_level": []}
        for one in files
    ]
    found: list[Any] = []
    summary = native_facts(distributions, modules, folders, environment, found.append)
    facts = NativeFacts.model_validate({"files": found, **summary})
    return {one.name: one for one in facts.files}


def loads(path: Path, environment: str = "") -> bool:
    """Ground truth: a fresh Python's dlopen, which binds all symbols at once."""
    code = f"import ctypes, os; ctypes.CDLL({str(path)!r}, os.RTLD_NOW)"
    env = {**os.environ, "LD_LIBRARY_PATH": environment}
    return subprocess.run([sys.executable, "-S", "-c", code], env=env, capture_output=True, check=False).returncode == 0


def test_a_library_in_the_runpath_is_found_beside_the_file(tmp_path: Path) -> None:
    one = library(tmp_path / "a/libone.so.1")
    two = compiled(tmp_path / "a/two.so", USES, "-Wl,-rpath,$ORIGIN", libraries=(one,))
    facts = told(tmp_path, two)["two.so"]
    assert (facts.needed[0].name, facts.needed[0].how) == ("libone.so.1", "runpath")
    assert (facts.missing, facts.undefined_count) == ((), 0)
    assert loads(two)


def test_a_library_nowhere_is_missing_and_what_it_would_define_is_undefined(tmp_path: Path) -> None:
    one = library(tmp_path / "a/libone.so.1")
    two = compiled(tmp_path / "a/two.so", USES, libraries=(one,))
    one.unlink()
    facts = told(tmp_path, two)["two.so"]
    (missing,) = facts.missing
    assert (missing.name, missing.needed_by, missing.elsewhere) == ("libone.so.1", str(two), ())
    assert facts.undefined == ("one",)
    assert not loads(two)


def test_a_library_of_another_distribution_is_elsewhere(tmp_path: Path) -> None:
    one = library(tmp_path / "a/libone.so.1")
    two = compiled(tmp_path / "b/two.so", USES, libraries=(one,))
    facts = told(tmp_path, one, two)["two.so"]
    assert [it.elsewhere for it in facts.missing] == [(str(one),)]
    assert (facts.undefined_count, [(it.symbol, it.file) for it in facts.elsewhere]) == (0, [("one", str(one))])


def test_what_a_needed_library_lacks_is_told_with_who_needs_it(tmp_path: Path) -> None:
    deep = library(tmp_path / "a/libdeep.so")
    one = compiled(tmp_path / "a/libone.so", USES, "-Wl,-soname,libone.so", libraries=(deep,))
    two = compiled(
        tmp_path / "a/two.so",
        "int two(void); int three(void) { return two(); }",
        "-Wl,-rpath,$ORIGIN",
        "-Wl,--unresolved-symbols=ignore-in-shared-libs",
        libraries=(one,),
    )
    deep.unlink()
    facts = told(tmp_path, two)["two.so"]
    assert [(it.name, Path(it.needed_by).name) for it in facts.missing] == [("libdeep.so", "libone.so")]


def chained(folder: Path, tag: str) -> tuple[Path, Path]:
    """a/top.so with a path of one kind -> a/libs/libmid.so, without any -> a/libs/libdeep.so."""
    deep = library(folder / "a/libs/libdeep.so")
    mid = compiled(folder / "a/libs/libmid.so", USES, "-Wl,-soname,libmid.so", libraries=(deep,))
    source = "int two(void); int three(void) { return two(); }"
    path = ("-Wl,-rpath,$ORIGIN/libs", tag, "-Wl,--unresolved-symbols=ignore-in-shared-libs")
    return compiled(folder / "a/top.so", source, *path, libraries=(mid,)), mid


@pytest.mark.parametrize(("tag", "found"), [("-Wl,--disable-new-dtags", True), ("-Wl,--enable-new-dtags", False)])
def test_rpath_holds_for_what_is_loaded_through_the_file_and_runpath_does_not(
    tmp_path: Path, tag: str, found: bool
) -> None:
    top, _ = chained(tmp_path, tag)
    facts = told(tmp_path, top)["top.so"]
    assert (facts.missing == ()) is found
    assert loads(top) is found


@pytest.mark.parametrize(("tag", "winner"), [("-Wl,--disable-new-dtags", "own"), ("-Wl,--enable-new-dtags", "other")])
def test_ld_library_path_goes_before_runpath_and_after_rpath(tmp_path: Path, tag: str, winner: str) -> None:
    one = library(tmp_path / "own/libone.so")
    library(tmp_path / "other/libone.so")
    two = compiled(tmp_path / "two.so", USES, "-Wl,-rpath,$ORIGIN/own", tag, libraries=(one,))
    facts = told(tmp_path, two, environment=str(tmp_path / "other"))["two.so"]
    assert facts.needed[0].found == str(tmp_path / winner / "libone.so")
    assert facts.needed[0].shadows == (str(one) if winner == "other" else "")


def test_a_library_for_another_machine_is_passed_over(tmp_path: Path) -> None:
    one = library(tmp_path / "own/libone.so")
    foreign = tmp_path / "other/libone.so"
    foreign.parent.mkdir()
    data = bytearray(one.read_bytes())
    data[18:20] = (183).to_bytes(2, "little")
    foreign.write_bytes(data)
    two = compiled(tmp_path / "two.so", USES, "-Wl,-rpath,$ORIGIN/own", libraries=(one,))
    assert told(tmp_path, two, environment=str(foreign.parent))["two.so"].needed[0].found == str(one)
    assert told(tmp_path, foreign)["libone.so"].machine == "aarch64"


VERSIONED = "int one(void) { return 1; }"


def test_a_version_that_the_library_does_not_define_is_told_with_the_newest_that_it_has(tmp_path: Path) -> None:
    script = tmp_path / "map"
    script.write_text("LIB_1.2 { global: one; };\nLIB_1.10 { } LIB_1.2;\n")
    one = library(tmp_path / "a/libone.so", VERSIONED, f"-Wl,--version-script={script}")
    two = compiled(tmp_path / "a/two.so", USES, "-Wl,-rpath,$ORIGIN", libraries=(one,))
    assert told(tmp_path, two)["two.so"].versions == ()
    script.write_text("LIB_1.1 { global: one; };\nLIB_1.1.5 { } LIB_1.1;\n")
    library(tmp_path / "a/libone.so", VERSIONED, f"-Wl,--version-script={script}")
    (lack,) = told(tmp_path, two)["two.so"].versions
    assert (lack.library, lack.version, lack.newest) == (str(one), "LIB_1.2", "LIB_1.1.5")
    assert not loads(two)


def test_symbols_of_the_interpreter_and_weak_ones_are_not_undefined(tmp_path: Path) -> None:
    source = (
        "void *Py_GetVersion(void); int maybe(void) __attribute__((weak)); void *f(void) { return Py_GetVersion(); }"
    )
    file = compiled(tmp_path / "a/ext.so", source + "int g(void) { return maybe ? maybe() : 0; }")
    assert told(tmp_path, file)["ext.so"].undefined == ()
    assert loads(file)


def test_a_file_without_section_headers_is_read_as_the_loader_reads_it(tmp_path: Path) -> None:
    file = compiled(tmp_path / "a/two.so", USES)
    data = bytearray(file.read_bytes())
    data[0x28:0x30] = bytes(8)
    data[0x3A:0x40] = bytes(6)
    file.write_bytes(data)
    assert told(tmp_path, file)["two.so"].undefined == ("one",)


def test_a_damaged_file_is_told_and_no_text_file_is(tmp_path: Path) -> None:
    file = compiled(tmp_path / "a/two.so", USES)
    file.write_bytes(file.read_bytes()[:200])
    script = tmp_path / "a/libscript.so"
    script.write_text("INPUT(-lone)")
    facts = told(tmp_path, file, script)
    assert "cut off or damaged" in facts["two.so"].problem
    assert "libscript.so" not in facts


def test_programs_are_read_and_sources_are_not(tmp_path: Path) -> None:
    program = compiled(tmp_path / "a/tool", "int main(void) { return 0; }", program=True)
    (tmp_path / "a/x.py").write_text("")
    facts = told(tmp_path, program, tmp_path / "a/x.py")
    assert [(it.name, it.program) for it in facts.values()] == [("tool", True)]


def test_files_of_a_named_folder_are_nobody_s(tmp_path: Path) -> None:
    compiled(tmp_path / "lib/own.so", "int f(void) { return 0; }")
    facts = told(tmp_path, folders=(str(tmp_path / "lib"),))
    assert [(it.name, it.distribution) for it in facts.values()] == [("own.so", "")]


GUARDED = {
    "caught": ("try:\n    from pkg import _fast\nexcept ImportError:\n    _fast = None", True),
    "caught, relative": ("try:\n    from ._fast import f\nexcept Exception:\n    f = None", True),
    "later": ("def f():\n    import pkg._fast", True),
    "handler": ("try:\n    import json\nexcept ImportError:\n    from . import _fast", False),
    "always": ("import pkg._fast as fast", False),
    "never": ("_fast = 1", None),
    "another": ("from .sub import _fast", None),
}


@pytest.mark.parametrize(("source", "expected"), GUARDED.values(), ids=GUARDED)
def test_how_a_package_imports_its_compiled_module(tmp_path: Path, source: str, expected: bool | None) -> None:
    file = tmp_path / "__init__.py"
    file.write_text(source)
    assert is_guarded("pkg._fast", [("pkg", str(file))]) is expected


def test_a_module_that_lacks_something_is_looked_up_in_its_package(tmp_path: Path) -> None:
    one = library(tmp_path / "pkg/libone.so")
    fast = compiled(tmp_path / "pkg/_fast.so", USES, libraries=(one,))
    one.unlink()
    source = tmp_path / "pkg/__init__.py"
    source.write_text(GUARDED["caught"][0])
    modules = (
        {"module": "pkg._fast", "path": str(fast), "distribution": "pkg"},
        {"module": "pkg", "path": str(source), "distribution": "pkg"},
    )
    facts = told(tmp_path, fast, modules=modules)["_fast.so"]
    assert (facts.module, facts.guarded) == ("pkg._fast", True)


def test_musl_inherits_runpath_and_looks_at_the_environment_first(tmp_path: Path) -> None:
    top, mid = chained(tmp_path, "-Wl,--enable-new-dtags")
    program = Elf("/usr/bin/python3")
    program.machine, program.interpreter, program.program = os.uname().machine, "/lib/ld-musl-x86_64.so.1", True
    library_ = Library()
    loader = Loader(library_, program, "")
    elf = library_.get(str(top))
    assert elf
    closure = loader.closure(elf)
    assert "libdeep.so" not in [name for name, _ in closure.missing]
    library(tmp_path / "env/libmid.so")
    found = Loader(Library(), program, str(tmp_path / "env")).closure(elf).direct["libmid.so"]
    assert found
    assert (found.how, found.elf.path != str(mid)) == ("environment", True)


def test_the_cache_of_this_machine_is_read_as_ldconfig_prints_it() -> None:
    done = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False)
    printed = {line.partition(" => ")[2].strip() for line in done.stdout.splitlines() if " => " in line}
    assert {path for paths in read_cache("/etc/ld.so.cache").values() for path in paths} == printed


def test_a_damaged_cache_is_no_cache(tmp_path: Path) -> None:
    file = tmp_path / "cache"
    file.write_bytes(b"glibc-ld.so.cache1.1" + b"\xff" * 40)
    assert read_cache(str(file)) == {}
    assert read_cache(str(tmp_path / "none")) == {}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> NativeFacts:
    folder = tmp_path_factory.mktemp("facts")
    return Collector(engine=LocalEngine(sys.executable), cache=FactsCache(folder=folder)).native(an_image(), ())


def test_this_environment_is_read_as_pyelftools_reads_it(here: NativeFacts) -> None:
    """The reader is our own for Python 3.8's sake; a library that needs a newer Python is the reference."""
    assert here.files
    for file in sorted(here.files, key=lambda one: Path(one.path).stat().st_size)[:25]:
        with Path(file.path).open("rb") as stream:
            (segment,) = ELFFile(stream).iter_segments(type="PT_DYNAMIC")
            assert isinstance(segment, DynamicSegment)
            tags = list(segment.iter_tags())
            symbols = {
                one.name.encode() for one in segment.iter_symbols() if one["st_shndx"] != "SHN_UNDEF" and one.name
            }
        needed = [getattr(one, "needed", "") for one in tags if one.entry.d_tag == "DT_NEEDED"]
        assert [one.name for one in file.needed] == needed
        data = open_elf(file.path)
        assert data
        with data:
            assert read_elf(data, file.path).defined <= symbols


TOLD, DID = ("is whole", "lacks something"), ("loads", "fails")
OTHERS = re.compile(r"\.cpython-(?!{}{}-)".format(*sys.version_info[:2]))


def test_dlopen_agrees_on_every_file_of_this_environment(here: NativeFacts) -> None:
    """Each in a process of its own; what is told to load must load, and what is told to lack something must not."""
    table: dict[tuple[str, str], list[str]] = {(told, did): [] for told in TOLD for did in DID}
    for file in here.files:
        if file.program or (file.machine, file.bits) != (here.machine, 64) or OTHERS.search(file.name):
            continue
        lacks = bool(file.missing or file.undefined_count or file.versions or file.elsewhere_count)
        table[TOLD[lacks], DID[not dlopens(file.path)]].append(file.name)
    for (told, did), files in table.items():
        sys.stdout.write(f"{told}, {did}: {len(files)}\n")
    assert table["is whole", "fails"] == []
    assert table["lacks something", "loads"] == []


def dlopens(path: str) -> bool:
    child = os.fork()
    if not child:
        try:
            ctypes.CDLL(path, os.RTLD_NOW)
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def test_a_static_program_is_no_library(tmp_path: Path) -> None:
    """Position-independent, and without a loader: only its flags tell."""
    program = compiled(tmp_path / "a/tool", "int main(void) { return 0; }", "-static-pie", program=True)
    assert told(tmp_path, program)["tool"].program
