"""Native files of real images: small ones on a Debian root, with libraries that this machine's compiler makes."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.collector.test_native_fatbin import FOLDER as FATBINS
from tests.collector.test_native_fatbin import with_code
from tests.engine.conftest import Run
from tests.native_builds import compiled, library, needs_compiler

pytestmark = [pytest.mark.engine, needs_compiler]
SITE = "/opt/lib"
METADATA = "Metadata-Version: 2.1\nName: vision\nVersion: 1.0\n"


@pytest.fixture
def image(docker: Callable[..., str], root_image: str, tmp_path: Path) -> Iterator[Callable[..., str]]:
    """An image with one distribution, `vision`, that owns one native file, and the source of its package."""
    name = "imgcheck-test/native:1"

    def build(file: Path, source: str = "") -> str:
        folder = tmp_path / "context"
        info = folder / "vision-1.0.dist-info"
        info.mkdir(parents=True)
        (folder / "vision").mkdir()
        (folder / "vision" / file.name).write_bytes(file.read_bytes())
        (folder / "vision" / "__init__.py").write_text(source)
        (info / "METADATA").write_text(METADATA)
        names = (f"vision/{file.name}", "vision/__init__.py", "vision-1.0.dist-info/METADATA")
        (info / "RECORD").write_text("".join(f"{name},,\n" for name in names))
        (folder / "Dockerfile").write_text(f"FROM {root_image}\nCOPY . {SITE}/\nENV PYTHONPATH={SITE}\n")
        docker("build", "-q", "-t", name, str(folder))
        return name

    yield build
    subprocess.run(["docker", "rmi", "-f", name], capture_output=True, check=False)


def findings(
    imgcheck: Run, image: str, contract: Path, promises: str = "native: true", select: str = "IC"
) -> tuple[int, list[Any]]:
    contract.write_text(f"imgcheck: 1\n{promises}\n")
    done = imgcheck("check", image, "-c", str(contract), "--select", select, "--format", "json", "-q")
    assert done.out, done.err
    report = json.loads(done.out)
    return done.code, report["findings"]


def test_a_missing_libgl_is_told_with_the_package_to_install(
    imgcheck: Run, image: Callable[..., str], tmp_path: Path
) -> None:
    gl = library(tmp_path / "libGL.so.1")
    file = compiled(tmp_path / "_cv.so", "int one(void); int two(void) { return one(); }", libraries=(gl,))
    code, (finding,) = findings(imgcheck, image(file), tmp_path / "c.yaml")
    assert (code, finding["name"]) == (1, "missing-library")
    assert finding["summary"].startswith("vision 1.0 needs the shared library libGL.so.1, which is not in the image")
    assert "libgl1" in finding["remedy"]


def test_a_symbol_that_nothing_defines_is_told(imgcheck: Run, image: Callable[..., str], tmp_path: Path) -> None:
    file = compiled(tmp_path / "_ops.so", "int gone_since_2(void); int two(void) { return gone_since_2(); }")
    code, (finding,) = findings(imgcheck, image(file), tmp_path / "c.yaml")
    assert (code, finding["name"]) == (1, "missing-symbol")
    assert "_ops.so needs gone_since_2, which no library of the image defines" in finding["summary"]


SWALLOWS = """
import ctypes, os
try:
    ctypes.CDLL(os.path.join(os.path.dirname(__file__), "_ops.so"))
except OSError:
    pass
"""


def test_a_library_that_an_import_goes_on_without_is_told(
    imgcheck: Run, image: Callable[..., str], tmp_path: Path
) -> None:
    runtime = library(tmp_path / "libcudart.so.12")
    file = compiled(tmp_path / "_ops.so", "int one(void); int two(void) { return one(); }", libraries=(runtime,))
    code, (finding,) = findings(imgcheck, image(file, SWALLOWS), tmp_path / "c.yaml", "imports: true", "IC307")
    assert (code, finding["name"], finding["subject"]) == (1, "swallowed-load", "vision -> _ops.so")
    assert finding["actual"].startswith("libcudart.so.12: cannot open shared object file")
    assert "nvidia-cuda-runtime-cu12" in finding["remedy"]


LOADS = """
import ctypes, os
ctypes.CDLL(os.path.join(os.path.dirname(__file__), "_ops.so")).use()
"""


@pytest.mark.parametrize("function", ["cuInit", "gone_since_2"])
def test_what_lacks_the_driver_alone_is_tried_with_a_stand_in_that_the_image_never_sees(
    imgcheck: Run, docker: Callable[..., str], image: Callable[..., str], tmp_path: Path, function: str
) -> None:
    driver = library(tmp_path / "libcuda.so.1")
    source = f"int {function}(void); int use(void) {{ return {function}(); }}"
    name = image(compiled(tmp_path / "_ops.so", source, libraries=(driver,)), LOADS)
    before = docker("inspect", "-f", "{{.Id}}", name)
    promises = "imports: true\nruntime: {user: '1234'}"
    code, found = findings(imgcheck, name, tmp_path / "c.yaml", promises, "IC301")
    (finding,) = (one for one in found if one["subject"] == "vision")
    if function == "cuInit":
        assert (code, finding["state"]) == (5, "unverified")  # of all that was selected nothing was kept
        assert finding["actual"].endswith("with a stand-in for the driver the import goes through")
    else:
        assert (code, finding["state"]) == (1, "broken")
        assert "undefined symbol: gone_since_2" in finding["actual"]
    assert docker("inspect", "-f", "{{.Id}}", name) == before
    assert docker("run", "--rm", "--entrypoint", "find", name, "/", "-xdev", "-name", "libcuda*") == ""


def test_code_for_no_gpu_of_the_fleet_is_told_and_the_table_shows_it(
    imgcheck: Run, image: Callable[..., str], tmp_path: Path
) -> None:
    name = image(with_code(tmp_path / "_k.so", FATBINS / "plain.fatbin"))
    code, (finding,) = findings(imgcheck, name, tmp_path / "c.yaml", 'gpu: {capabilities: ["8.6", "9.0"]}')
    assert (code, finding["name"], finding["subject"]) == (1, "missing-architecture", "vision -> 9.0")
    assert finding["summary"] == "vision 1.0 has no code for GPUs of capability 9.0: _k.so holds sm_75, sm_80 only"
    table = imgcheck("gpu", name, "--capability", "8.6,9.0", "-q").out
    assert re.search(r"vision 1\.0: _k\.so +- +- +75 80 +yes +no\n", table)


def test_toolchain_packages_and_kernels_are_looked_at_in_one_image(
    imgcheck: Run, image: Callable[..., str], tmp_path: Path
) -> None:
    name = image(compiled(tmp_path / "_x.so", "int one(void) { return 1; }"))
    promises = (
        "os_packages: {bash: installed, libnccl2: 2.*}\njit: true\nkernels: [{function: 'json:dumps', signature: x}]"
    )
    code, found = findings(imgcheck, name, tmp_path / "c.yaml", promises)
    assert code == 1
    assert {(one["name"], one["subject"]) for one in found} == {
        ("moved-os-package", "libnccl2"),
        ("uncompilable-kernel", "json:dumps"),
    }
