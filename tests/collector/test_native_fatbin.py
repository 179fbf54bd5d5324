"""GPU code read from headers: containers that nvcc made, put into shared objects by the C compiler."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from imgcheck.collector.native_driver import driver_copies, ptx_table
from imgcheck.collector.native_elf import open_elf
from imgcheck.collector.native_fatbin import gpu_code
from tests.native_builds import compiled, library, needs_compiler

pytestmark = needs_compiler
FOLDER = Path(__file__).parent / "fatbins"
HOLD: dict[str, set[tuple[str, str, str]]] = {
    "plain": {("sass", "75", "1.8"), ("sass", "80", "1.8")},
    "ptx": {("ptx", "80", "9.0")},
    "both": {("sass", "80", "1.8"), ("ptx", "80", "9.0")},
    "specific": {("sass", "90a", "1.8"), ("sass", "100f", "1.8")},
    "raw": {("sass", "120", "1.8"), ("ptx", "120", "9.0")},
}


def with_code(path: Path, *containers: Path, section: str = ".nv_fatbin") -> Path:
    """A shared object that holds the containers back to back, zeros up to the next multiple of eight between them."""
    parts = "".join(f'.balign 8\\n.incbin \\"{one}\\"\\n' for one in containers)
    return compiled(path, f'__asm__(".section {section},\\"a\\"\\n{parts}.previous");')


def read(path: Path) -> Any:
    data = open_elf(str(path))
    assert data
    with data:
        return gpu_code(data)


@pytest.mark.parametrize("name", HOLD)
def test_each_form_is_read(tmp_path: Path, name: str) -> None:
    told = read(with_code(tmp_path / "a.so", FOLDER / f"{name}.fatbin"))
    (container,) = told["containers"]
    assert (set(container["entries"]), container["count"], told["problem"]) == (HOLD[name], 1, "")


def test_containers_back_to_back_are_counted_by_what_they_hold(tmp_path: Path) -> None:
    names = ("both", "ptx", "both", "specific", "both")
    told = read(with_code(tmp_path / "a.so", *(FOLDER / f"{name}.fatbin" for name in names)))
    counts = {frozenset(one["entries"]): one["count"] for one in told["containers"]}
    assert counts == {frozenset(HOLD["both"]): 3, frozenset(HOLD["ptx"]): 1, frozenset(HOLD["specific"]): 1}


def test_a_file_without_gpu_code_and_objects_from_before_linking_have_none(tmp_path: Path) -> None:
    assert read(library(tmp_path / "a.so")) is None
    assert read(with_code(tmp_path / "b.so", FOLDER / "ptx.fatbin", section="__nv_relfatbin")) is None


def damaged(tmp_path: Path, place: int, value: bytes) -> Path:
    file = tmp_path / "bad.fatbin"
    data = bytearray((FOLDER / "both.fatbin").read_bytes())
    data[place : place + len(value)] = value
    file.write_bytes(data)
    return file


@pytest.mark.parametrize(
    ("place", "value"),
    [
        pytest.param(4, struct.pack("<H", 2), id="another version"),
        pytest.param(8, struct.pack("<Q", 1 << 40), id="larger than its section"),
        pytest.param(20, struct.pack("<I", 3), id="a short entry header"),
        pytest.param(24, struct.pack("<Q", 1 << 40), id="a payload beyond its container"),
    ],
)
def test_an_unknown_form_is_a_problem_and_no_crash(tmp_path: Path, place: int, value: bytes) -> None:
    told = read(with_code(tmp_path / "a.so", FOLDER / "ptx.fatbin", damaged(tmp_path, place, value)))
    assert "cannot be read to its end" in told["problem"]
    assert sum(one["count"] for one in told["containers"]) >= 1


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_what_nvcc_makes_now_is_read_the_same(tmp_path: Path) -> None:
    command = re.findall(r"`(nvcc .*?) tiny.cu -o both.fatbin`", (FOLDER / "README.md").read_text())[0]
    file = tmp_path / "both.fatbin"
    subprocess.run([*command.split(), str(FOLDER / "tiny.cu"), "-o", str(file)], check=True, capture_output=True)
    (container,) = read(with_code(tmp_path / "a.so", file))["containers"]
    assert [(kind, arch) for kind, arch, _ in container["entries"]] == [("ptx", "80"), ("sass", "80")]


# libcuda in the image -------------------------------------------------------------------------------------------------

INIT = "int cuInit(unsigned flags) { return 34; }"


def test_a_stub_on_the_search_path_is_told_with_the_folder_that_leads_there(tmp_path: Path) -> None:
    stub = library(tmp_path / "stubs/libcuda.so", INIT)
    (told,) = driver_copies([str(stub.parent), "/nowhere"], [])
    assert (told["stub"], told["reached"], told["path"]) == (True, [str(stub.parent)], str(stub))


def test_a_compatibility_driver_says_for_which_hosts_it_is(tmp_path: Path) -> None:
    note = json.dumps({"format": 1, "CUDA version": "13.1", "driver": [535, 550]}).encode() + b"\0"
    owner = b"NVIDIA Corporation\0\0"
    content = struct.pack("<III", 19, len(note), 1) + owner.ljust(20, b"\0") + note
    file = tmp_path / "note"
    file.write_bytes(content)
    source = f'{INIT} __asm__(".section .note.cuda.fwd_compatibility,\\"a\\"\\n.incbin \\"{file}\\"\\n.previous");'
    real = compiled(tmp_path / "compat/libcuda.so.590.44.01", source)
    (tmp_path / "compat/libcuda.so.1").symlink_to(real.name)
    (told,) = driver_copies([str(real.parent)], [])
    assert told["compatibility"] == {"cuda": "13.1", "drivers": [535, 550]}
    assert (told["version"], told["reached"]) == ("590.44.01", [str(real.parent)])


def test_the_image_s_own_ptx_table_is_read_and_not_run(tmp_path: Path) -> None:
    file = tmp_path / "cuda/bindings/utils/_ptx_utils.py"
    file.parent.mkdir(parents=True)
    file.write_text('raise SystemExit\n_table = {"9.0": (13, 0), "9.9": (14, 1), 1: 2}\n')
    assert ptx_table([str(tmp_path)]) == {"9.0": "13.0", "9.9": "14.1"}
    assert ptx_table(["/nowhere"]) == {}
