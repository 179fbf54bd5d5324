"""Files, scripts, variables and what the contract says of the image, in two small real images."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.conftest import Run
from tests.small_wheels import install

pytestmark = pytest.mark.engine
Docker = Callable[..., str]
SELECTED = "IC106,IC2,IC306,IC604,IC605,IC606,IC8"
CONTRACT = """
imgcheck: 1
image: {user: nonroot, commands: [python3, git], files: [{path: /entrypoint.sh, mode: "0755"}], max_size: 1TB}
smoke: [{name: adds, python: "print(40 + 2)", output: "42"}, {name: fails, python: "raise TypeError('no')"}]
artifacts: [/models/good.pkl, /models/bad.pkl]
assets: [/models, /nowhere]
"""
DOCKERFILE = """
FROM {root}
COPY site /usr/local/lib/python3.11/dist-packages
COPY app /workspace
COPY entrypoint.sh /entrypoint.sh
COPY models /models
RUN rm /usr/local/lib/python3.11/dist-packages/lacks/part.py \\
 && printf '#!/build/venv/bin/python3\\n' > /usr/local/bin/moved && chmod 755 /usr/local/bin/moved
ENV LD_PRELOAD=/usr/lib/libtcmalloc.so.4
WORKDIR /workspace
ENTRYPOINT ["/entrypoint.sh"]
"""


@pytest.fixture(scope="module")
def damaged(docker: Docker, root_image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An image with one fault of each kind."""
    folder = tmp_path_factory.mktemp("context")
    site = folder / "site"
    install(site, "lacks", "1", {"lacks/__init__.py": "A = 1\n", "lacks/part.py": "B = 1\n"})
    install(site, "one", "1", {"shared/__init__.py": "A = 1\n"})
    install(site, "two", "1", {"shared/__init__.py": "A = 2\n"})
    install(site, "points", "1", {"points.py": ""}, {"entry_points.txt": "[console_scripts]\npoint = points:gone\n"})
    for name, data in (
        ("app/random.py", b""),
        ("entrypoint.sh", b"#!/bin/sh\r\n"),
        ("models/good.pkl", b"\x80\x04K\x2a."),
        ("models/bad.pkl", b"no pickle"),
        ("Dockerfile", DOCKERFILE.format(root=root_image).encode()),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o755)
    docker("build", "-q", "-t", "imgcheck-test/files:1", str(folder))
    yield "imgcheck-test/files:1"
    docker("rmi", "-f", "imgcheck-test/files:1")


def report_of(imgcheck: Run, image: str, contract: Path, *options: str) -> tuple[int, dict[str, set[str]]]:
    """The exit code, and by check the subjects of what is broken."""
    done = imgcheck("check", image, "-c", str(contract), "--select", SELECTED, "--format", "json", "-q", *options)
    assert done.out, done.err
    broken: defaultdict[str, set[str]] = defaultdict(set)
    for one in json.loads(done.out)["findings"]:
        if one["state"] == "broken":
            broken[one["name"]].add(one["subject"])
    return done.code, dict(broken)


def test_each_fault_is_told_and_nothing_else(imgcheck: Run, damaged: str, tmp_path: Path) -> None:
    contract = tmp_path / "contract.yaml"
    contract.write_text(CONTRACT, "utf-8")
    code, broken = report_of(imgcheck, damaged, contract, "--deep")
    assert code == 1
    assert broken == {
        "missing-file": {"lacks"},
        "contested-file": {"one, two"},
        "shadowed-module": {"random"},
        "dead-script": {"moved", "entrypoint.sh"},
        "unloadable-entry-point": {"points"},
        "failed-smoke": {"fails"},
        "unloadable-artifact": {"/models/bad.pkl"},
        "missing-asset": {"/nowhere"},
        "image-config": {"user"},
        "missing-command": {"git"},
        "dangling-environment": {"LD_PRELOAD"},
    }


def test_a_healthy_image_has_no_finding(imgcheck: Run, root_image: str, tmp_path: Path) -> None:
    contract = tmp_path / "contract.yaml"
    contract.write_text("imgcheck: 1\nimage: {commands: [python3]}\nassets: [/etc]\n", "utf-8")
    assert report_of(imgcheck, root_image, contract) == (0, {})
