"""The stand-in for the driver's libraries, loaded by the real loader and read by pyelftools."""

from __future__ import annotations

import ctypes
import io
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile

from imgcheck.facts.stand_in import can_stand_in, stand_in
from tests.native_builds import compiled, library, needs_compiler

HERE = platform.machine()
NAMES = ["cuInit", "cuDeviceGetCount", *(f"cuFunction{number}" for number in range(600))]

pytestmark = pytest.mark.skipif(not can_stand_in(HERE), reason="another machine")


def test_its_functions_return_what_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "libcuda.so.1"
    path.write_bytes(stand_in("libcuda.so.1", NAMES, HERE, 34))
    loaded = ctypes.CDLL(str(path))
    assert {getattr(loaded, name)() for name in NAMES} == {34}
    with pytest.raises(AttributeError):
        _ = loaded.cuNeverHeardOf


def test_one_without_functions_can_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "libnvidia-ml.so.1"
    path.write_bytes(stand_in("libnvidia-ml.so.1", (), HERE, 12))
    ctypes.CDLL(str(path))


@needs_compiler
@pytest.mark.parametrize("known", [True, False])
def test_the_loader_takes_it_for_what_another_library_needs_and_misses_what_it_has_not(
    tmp_path: Path, known: bool
) -> None:
    real = library(tmp_path / "real" / "libcuda.so.1", "int cuInit(void) { return 0; }")
    user = compiled(tmp_path / "user.so", "int cuInit(void); int use(void) { return cuInit(); }", libraries=(real,))
    place = tmp_path / "stand_in"
    place.mkdir()
    (place / "libcuda.so.1").write_bytes(stand_in("libcuda.so.1", ["cuInit"] if known else ["cuOther"], HERE, 34))
    code = f"import ctypes, os; print(ctypes.CDLL({str(user)!r}, os.RTLD_NOW).use())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"LD_LIBRARY_PATH": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout == "34\n") is known
    assert ("undefined symbol: cuInit" in done.stderr) is not known


@pytest.mark.parametrize(("machine", "name"), [("x86_64", "EM_X86_64"), ("aarch64", "EM_AARCH64")])
def test_a_reader_of_elf_finds_its_name_and_its_functions(machine: str, name: str) -> None:
    elf = ELFFile(io.BytesIO(stand_in("libcuda.so.1", ["cuInit", "cuA"], machine, 34)))
    assert elf["e_machine"] == name
    (dynamic,) = (one for one in elf.iter_segments() if isinstance(one, DynamicSegment))
    assert [getattr(one, "soname", "") for one in dynamic.iter_tags("DT_SONAME")] == ["libcuda.so.1"]
    assert [one.name for one in dynamic.iter_symbols()] == ["", "cuA", "cuInit"]
