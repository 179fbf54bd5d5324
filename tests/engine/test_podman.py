"""Podman, root's and an ordinary user's: judged and built as with Docker, nothing left."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import ROOT, Ran, Run

pytestmark = pytest.mark.engine
CONTRACT = """\
imgcheck: 1
base: {image: %s}
pins: {setuptools: "%s"}
imports: {require: [pip]}
runtime:
  read_only: true
  user: "1000:0"
  memory: 1GiB
  tmpfs: [{path: /tmp, size: 64MiB}]
probes:
  - name: web
    start: [python3, -m, http.server, "8099"]
    http: {port: 8099, path: /, status: 200}
"""
WORKING = "imgcheck-test/podman:1"


@dataclass(frozen=True)
class Served:
    address: str
    rootless: bool

    def __call__(self, *arguments: str) -> str:
        command = ("podman", "--url", self.address, *arguments)
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def belongings(self) -> set[str]:
        told = [
            self("ps", "-aq", "--filter", "label=imgcheck"),
            self("volume", "ls", "-q", "--filter", "label=imgcheck"),
            *(self("images", "-q", f"docker.io/imgcheck/{name}") for name in ("working", "derived", "base")),
        ]
        return set(" ".join(told).split())


@pytest.fixture(scope="module", params=["root", "rootless"])
def podman(
    request: pytest.FixtureRequest, root_image: str, docker: Callable[..., str], tmp_path_factory: Any
) -> Served:
    flags = ["--rootless"] if request.param == "rootless" else []
    done = subprocess.run([ROOT / "scripts/podman", *flags], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 75:
        pytest.skip("scripts/podman says why there is no Podman here")
    served = Served(done.stdout.strip(), rootless=bool(flags))
    saved = tmp_path_factory.mktemp("saved") / "root.tar"
    docker("save", "-o", str(saved), root_image)
    saved.chmod(0o644)
    served("load", "-i", str(saved))
    return served


@pytest.fixture
def folder(root_image: str, docker: Callable[..., str], tmp_path: Path) -> Path:
    version = docker(
        "run", "--rm", root_image, "python3", "-c", "import importlib.metadata as m; print(m.version('setuptools'))"
    )
    (tmp_path / "kept.yaml").write_text(CONTRACT % (root_image, f"=={version}"))
    (tmp_path / "broken.yaml").write_text(CONTRACT % (root_image, "==1.0"))
    return tmp_path


@pytest.fixture
def on_podman(podman: Served, imgcheck: Run) -> Iterator[Callable[..., Ran]]:
    before = podman.belongings()
    yield lambda command, *more, **options: imgcheck(command, "--host", podman.address, *more, **options)
    assert podman.belongings() == before


def test_an_image_is_judged_as_docker_judges_it(
    podman: Served, on_podman: Callable[..., Ran], imgcheck: Run, root_image: str, folder: Path
) -> None:
    def judged(command: Callable[..., Ran], name: str) -> Any:
        report = folder / f"{name}.json"
        done = command("check", root_image, "-c", str(folder / "kept.yaml"), "--no-cache", "--report", f"json={report}")
        assert done.code == 0, done.out + done.err
        return json.loads(report.read_text("utf-8"))

    ours, theirs = judged(on_podman, "podman"), judged(imgcheck, "docker")

    def checks(report: Any) -> list[tuple[str, str, int]]:
        return [(one["name"], one["state"], one["examined"]) for one in report["checks"]]

    assert checks(ours) == checks(theirs)
    unlimited = "runtime.memory was not in force: this engine cannot limit it"
    limits = podman("info", "--format", "{{.Host.CgroupControllers}}")
    assert (unlimited in ours["notices"]) == ("memory" not in limits)
    assert unlimited not in theirs["notices"]


def test_a_build_is_constrained_judged_and_tagged(
    podman: Served, on_podman: Callable[..., Ran], root_image: str, folder: Path
) -> None:
    dockerfile = folder / "Dockerfile"
    dockerfile.write_text(
        f"ARG BASE={root_image}\nFROM ${{BASE}} AS made\nRUN cat $PIP_CONSTRAINT > /made\nFROM {root_image}\n"
        "COPY --from=made /made /made\nRUN cat $UV_CONSTRAINT /made\n"
    )
    arguments = ("-t", WORKING, "--no-resolve", "--select", "IC1", str(folder))
    done = on_podman("build", "-c", str(folder / "kept.yaml"), *arguments)
    assert done.code == 0, done.out + done.err
    assert (
        podman("run", "--rm", "--network=none", f"docker.io/{WORKING}", "cat", "/made")
        .split("\n")[-1]
        .startswith("setuptools==")
    )
    podman("rmi", f"docker.io/{WORKING}")

    done = on_podman("build", "-c", str(folder / "broken.yaml"), *arguments)
    assert done.code == 1, done.out + done.err
    assert "moved-pin" in done.out
    assert "was not tagged" in done.out
    assert podman("images", "-q", f"docker.io/{WORKING}") == ""

    dockerfile.write_text(f"FROM {root_image}\nRUN echo words of it && exit 3\n")
    done = on_podman("build", "-c", str(folder / "kept.yaml"), *arguments)
    assert done.code == 3, done.out + done.err
    assert f"{dockerfile}:2: RUN echo words of it && exit 3 failed: exit status 3" in done.err
    assert "words of it" in done.err
