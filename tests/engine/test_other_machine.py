"""An image for another machine than the engine's: its files are judged, and what must run is not verified."""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests.engine.conftest import Run

pytestmark = pytest.mark.engine
AARCH64 = (183).to_bytes(2, "little")
"""EM_AARCH64, which the ELF specification has at offset 18 (e_machine)."""
CONTRACT = 'imgcheck: 1\npins: {pip: "%s"}\nimports: true\nnative: true\n'


@pytest.fixture(scope="module")
def image(root_image: str, docker: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The root image with an interpreter for arm64."""
    path = tmp_path_factory.mktemp("arm64") / "tree.tar"
    container = docker("create", root_image, "true")
    docker("export", "-o", str(path), container)
    docker("rm", container)
    find = "readlink -e /usr/bin/python3 /usr/local/bin/python3 || true"
    pythons = docker("run", "--rm", root_image, "sh", "-c", find).split()
    assert pythons
    tree = path.with_name("arm64.tar")
    with tarfile.open(path) as old, tarfile.open(tree, "w") as new:
        for member in old:
            content: IO[bytes] | None = old.extractfile(member) if member.isreg() else None
            if f"/{member.name}" in pythons:
                assert content
                elf = content.read()
                content = io.BytesIO(elf[:18] + AARCH64 + elf[20:])
            new.addfile(member, content)
    name = "imgcheck-test/arm64:1"
    docker("import", "--platform", "linux/arm64", str(tree), name)
    path.unlink()
    tree.unlink()
    yield name
    docker("rmi", name)


@pytest.fixture(scope="module")
def version(root_image: str, docker: Callable[..., str]) -> str:
    return docker("run", "--rm", root_image, "python3", "-c", "import pip; print(pip.__version__)")


def checks(imgcheck: Run, image: str, folder: Path, pin: str, *more: str) -> tuple[int, dict[str, Any], list[str]]:
    (folder / "c.yaml").write_text(CONTRACT % pin, "utf-8")
    report = folder / "report.json"
    done = imgcheck("check", image, "-c", str(folder / "c.yaml"), "--report", f"json={report}", *more)
    told = json.loads(report.read_text("utf-8"))
    return done.code, {one["name"]: one for one in told["checks"]}, told["notices"]


def test_its_files_are_judged_and_the_rest_is_not_verified(
    imgcheck: Run, image: str, version: str, tmp_path: Path
) -> None:
    code, found, notices = checks(imgcheck, image, tmp_path, version)
    assert code == 0
    reason = "the image is for arm64, and this engine runs amd64 without emulation (binfmt)"
    assert found["moved-pin"]["state"] == "kept"
    assert found["missing-file"]["examined"] > 500
    assert found["unimportable-module"]["state"] == "unverified"
    assert f"{reason}: judged by its files alone" in notices
    assert checks(imgcheck, image, tmp_path, version, "--strict")[0] == 1
    assert checks(imgcheck, image, tmp_path, "1.0")[0] == 1
    left = subprocess.run(["docker", "ps", "-aq", "--filter", f"ancestor={image}"], capture_output=True, check=True)
    assert left.stdout == b""
