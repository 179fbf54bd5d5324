"""Images by their files alone beside the same images on a real engine: the same facts, the same findings."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

pytestmark = pytest.mark.engine
READ = ("--select", "IC1,IC2,IC306,IC308,IC4,IC5,IC8")
CONTRACT = """\
imgcheck: 1
pins: {pip: 1.0, absent: "2.0"}
requires: true
imports: true
native: true
os_packages: {libc6: ">=2", absent: "1"}
image: {max_size: 9GB, user: ml, commands: [git, python3], files: [/etc/passwd, /no], env: {MODE: offline}}
assets: [/opt/data/closed/one]
"""
DOCKERFILE = """\
FROM {base}
ENV PATH=/opt/venv/bin:$PATH MODE=online LD_LIBRARY_PATH=/opt/lib:/nowhere
RUN python3 -m venv /opt/venv && useradd -m ml && mkdir -p /opt/data/closed /opt/lib \
 && touch /opt/data/closed/one && chmod 700 /opt/data/closed
RUN cd /opt/venv/lib/python3*/site-packages && rm pip/_internal/cli/main.py && rm -r pip/_vendor/rich \
 && echo "import nowhere_at_all" >> pip/__init__.py && chmod 600 pip/_internal/self_outdated_check.py \
 && ln pip/py.typed pip/hard.py && ln -s /no/such pip/dangling.py && echo /no/such > more.pth \
 && printf '#!/no/python\\nprint()\\n' > /opt/venv/bin/dead && chmod 755 /opt/venv/bin/dead
RUN rm -rf /usr/share/doc && mkdir /usr/share/doc && touch /usr/share/doc/one
USER ml
"""


@pytest.fixture(scope="module")
def image(root_image: str, docker: Callable[..., str]) -> Iterator[str]:
    """A few layers with whiteouts, links, an own user and damage."""
    name = "imgcheck-test/files:1"
    text = DOCKERFILE.format(base=root_image)
    subprocess.run(["docker", "buildx", "build", "-q", "-t", name, "-"], input=text, text=True, check=True)
    yield name
    docker("rmi", name)


@pytest.fixture(scope="module")
def archive(image: str, docker: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "image.tar"
    docker("save", image, "-o", str(path))
    return path


def told(folder: Path) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """Facts that reading tells, without what is measured, and findings by check."""
    facts = json.loads((folder / "facts.json").read_text("utf-8"))["facts"]
    kept = {name: facts[name] for name in ("inventory", "files", "statements", "native", "os_packages")}
    for one in kept.values():
        one.pop("cpu_seconds", None)
    kept["inventory"]["interpreter"].pop("stdlib")  # with a few private names that this one does not have
    report = json.loads((folder / "report.json").read_text("utf-8"))
    found: dict[str, list[Any]] = {}
    for one in report["findings"]:
        if one["name"] != "unwritable-path":  # that needs the image's own user
            found.setdefault(one["name"], []).append((one["subject"], one["state"], one["summary"], one["actual"]))
    return kept, found


def differing(one: Any, other: Any, place: str = "") -> list[str]:
    """Where two facts differ, so that a failure tells what and not all of it."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = sorted({*one, *other})
        return [told for name in names for told in differing(one.get(name), other.get(name), f"{place}.{name}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [
            told
            for number, pair in enumerate(zip(one, other, strict=True))
            for told in differing(*pair, f"{place}[{number}]")
        ]
    return [] if one == other else [f"{place}: {str(one)[:300]} and {str(other)[:300]}"]


def judged(imgcheck: Callable[..., Any], folder: Path, *what: str) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    folder.mkdir(exist_ok=True)
    (folder / "c.yaml").write_text(CONTRACT, "utf-8")
    kept = ("--save-facts", str(folder / "facts.json"), "--report", f"json={folder / 'report.json'}")
    done = imgcheck("check", *what, "-c", str(folder / "c.yaml"), *READ, *kept, "-q")
    assert done.code == 1, done.out + done.err
    return told(folder)


@pytest.fixture(scope="module")
def by_engine(image: str, imgcheck: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    return judged(imgcheck, tmp_path_factory.mktemp("engine"), image)


def test_what_docker_saves_tells_what_a_container_tells(
    archive: Path, by_engine: Any, imgcheck: Callable[..., Any], tmp_path: Path
) -> None:
    facts, findings = judged(imgcheck, tmp_path, "--archive", str(archive))
    assert differing(facts, by_engine[0]) == []
    assert findings == by_engine[1]
    assert {"moved-pin", "missing-file", "altered-file", "dangling-path", "dead-script", "image-config"} <= set(
        findings
    )
    assert {"moved-os-package", "missing-command", "image-file", "dangling-environment"} <= set(findings)


def test_so_does_an_oci_layout_whose_layers_are_packed(
    archive: Path, by_engine: Any, imgcheck: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "layout"
    packed(archive, folder)
    facts, findings = judged(imgcheck, tmp_path, "--archive", str(folder))
    assert differing(facts, by_engine[0]) == []
    assert findings == by_engine[1]


def packed(archive: Path, folder: Path) -> None:
    """What docker saved as an OCI layout: layers by turns zstd and gzip, each under its new digest."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (folder / "manifest.json").unlink()
    index = json.loads((folder / "index.json").read_text("utf-8"))
    manifest_file = blob(folder, index["manifests"][0]["digest"])
    manifest = json.loads(manifest_file.read_text("utf-8"))
    for number, layer in enumerate(manifest["layers"]):
        plain = blob(folder, layer["digest"])
        data = plain.read_bytes()
        plain.unlink()
        small = gzip.compress(data, 1) if number % 2 else zstandard.ZstdCompressor(level=1).compress(data)
        layer["digest"] = written(folder, small)
    index["manifests"][0]["digest"] = written(folder, json.dumps(manifest).encode())
    (folder / "index.json").write_text(json.dumps(index), "utf-8")


def blob(folder: Path, digest: str) -> Path:
    return folder / "blobs" / digest.replace(":", "/")


def written(folder: Path, data: bytes) -> str:
    digest = "sha256:" + hashlib.sha256(data).hexdigest()
    blob(folder, digest).write_bytes(data)
    return digest
