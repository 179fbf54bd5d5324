"""Probes in real containers: hostile ones, the example's, and each built-in one where its product is."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import ROOT, Run

pytestmark = pytest.mark.engine
Docker = Callable[..., str]
Install = Callable[..., str]

DOCKERFILE = """\
ARG ROOT
FROM ${ROOT}
RUN python3 -m venv /opt/venv
ENV VIRTUAL_ENV=/opt/venv PATH=/opt/venv/bin:$PATH
ARG PACKAGES
RUN --mount=type=cache,target=/root/.cache/pip pip install -q $PACKAGES
"""


@pytest.fixture(scope="module")
def installed(docker: Docker, root_image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Install]:
    """Images that have some packages, removed at the end; layers stay in the builder's cache."""
    made: list[str] = []

    def build(*packages: str) -> str:
        folder = tmp_path_factory.mktemp("context")
        (folder / "Dockerfile").write_text(DOCKERFILE, "utf-8")
        name = f"imgcheck-test/probes:{len(made)}"
        arguments = ("--build-arg", f"ROOT={root_image}", "--build-arg", f"PACKAGES={' '.join(packages)}")
        docker("build", "-q", *arguments, "-t", name, str(folder))
        made.append(name)
        return name

    yield build
    if made:
        docker("rmi", "-f", *made)


def tried(imgcheck: Run, name: str, image: str, *more: str) -> tuple[int, Any]:
    done = imgcheck("probe", name, image, "--json", "-q", *more)
    assert done.out, done.err
    return done.code, json.loads(done.out)


def python(text: str) -> str:
    return json.dumps(["{python}", "-c", text])


HOSTILE = f"""\
imgcheck: 1
runtime: {{memory: 256MiB, pids: 64}}
probes:
- {{name: fills-memory, within: 30, run: {python("data = [bytearray(1 << 20) for _ in range(4096)]")}}}
- {{name: wants-network, run: {python("import urllib.request; urllib.request.urlopen('http://weights.example.org/')")}}}
- {{name: forks-away, leftovers: fail,
   run: ["sh", "-c", "setsid sh -c 'sleep 600 & sleep 600' & exit 0"]}}
- {{name: first-on-the-port, http: {{port: 8000}}, start: ["{{python}}", -m, http.server, "8000"]}}
- {{name: second-on-the-port, http: {{port: 8000}}, start: ["{{python}}", -m, http.server, "8000"]}}
- {{name: after-them, needs: [first-on-the-port, forks-away], run: ["true"]}}
- {{name: after-memory, needs: [fills-memory], run: ["true"]}}
"""


def test_hostile_probes_end_with_the_right_finding_and_leave_nothing(
    imgcheck: Run, docker: Docker, root_image: str, tmp_path: Path
) -> None:
    (tmp_path / "c.yaml").write_text(HOSTILE, "utf-8")
    before = docker("ps", "-aq", "--filter", "label=imgcheck")
    done = imgcheck("check", root_image, "-c", str(tmp_path / "c.yaml"), "--select", "IC601", "--format", "json", "-q")
    assert done.code == 1, done.err
    findings = {one["subject"]: one for one in json.loads(done.out)["findings"]}
    assert set(findings) == {"fills-memory", "wants-network", "forks-away: leftovers", "after-memory"}
    assert "the container's memory was full: raise runtime.memory" in findings["fills-memory"]["remedy"]
    assert "It looked for weights.example.org on the network" in findings["wants-network"]["remedy"] or (
        "It looked for the network" in findings["wants-network"]["remedy"]
    )
    assert "sleep 600" in findings["forks-away: leftovers"]["evidence"]
    assert findings["after-memory"]["actual"] == "skipped: needs fills-memory, which is broken"
    assert docker("ps", "-aq", "--filter", "label=imgcheck") == before


def test_the_examples_probes_run_side_by_side(imgcheck: Run, base_image: str, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("imgcheck: 1\nprobes: [ray-dashboard, tensorboard, mlflow-server]\n", "utf-8")
    command = ("check", base_image, "-c", str(tmp_path / "c.yaml"), "--select", "IC601", "--format", "json", "-q")
    began = time.monotonic()
    done = imgcheck(*command, "--no-cache")
    whole = time.monotonic() - began
    assert done.code == 0, done.out
    sources = json.loads(done.out)["sources"]
    probes = [one["seconds"] for one in sources if one["what"].startswith("probe ")]
    assert len(probes) == 3
    assert whole < 1.3 * max(probes) + sum(one["seconds"] for one in sources if one["what"] == "inventory")


def test_an_exporter_is_read_as_prometheus_does(imgcheck: Run, installed: Install, tmp_path: Path) -> None:
    image = installed("prometheus-client==0.26.0")
    assert tried(imgcheck, "prometheus", image)[0] == 0
    code, told = tried(imgcheck, "prometheus", image, "--option", "metric=gpu_utilization")
    assert code == 1
    assert "there is no metric gpu_utilization; there are: " in told["facts"]["output"]
    serving = python(
        "import http.server as h\n"
        "class H(h.BaseHTTPRequestHandler):\n"
        "    def do_GET(self):\n"
        "        self.send_response(200); self.end_headers(); self.wfile.write(b'gpu_utilization{gpu=0 1\\n')\n"
        "h.HTTPServer(('127.0.0.1', 9400), H).serve_forever()"
    )
    (tmp_path / "c.yaml").write_text(
        f"imgcheck: 1\nprobes:\n- {{use: prometheus, name: exporter, start: {serving}, http: {{port: 9400}}, "
        "options: {url: 'http://127.0.0.1:9400/', metric: gpu_}}\n",
        "utf-8",
    )
    code, told = tried(imgcheck, "exporter", image, "-c", str(tmp_path / "c.yaml"))
    assert code == 1
    assert "no Prometheus could read this line: gpu_utilization{gpu=0 1" in told["facts"]["output"]


CLIENTS = {
    "what the server proxies": ("mlflow-artifacts:/", ""),
    "s3": ("s3://bucket/path", "boto3"),
    "gs": ("gs://bucket/path", "google.cloud.storage"),
    "sftp": ("sftp://host/path", "pysftp"),
    "nobody's": ("bogus://x", "nothing in the image is for bogus: addresses"),
}


@pytest.mark.parametrize(("address", "lacking"), CLIENTS.values(), ids=CLIENTS)
def test_the_mlflow_client_has_what_an_address_needs(
    imgcheck: Run, base_image: str, address: str, lacking: str
) -> None:
    code, told = tried(imgcheck, "mlflow-client", base_image, "--option", f"artifacts={address}")
    assert code == (1 if lacking else 0)
    assert lacking in told["facts"]["output"]


LARGE: dict[str, tuple[str, ...]] = {
    "jupyter-server": ("jupyter-server==2.21.1", "ipykernel"),
    "kfp-executor": ("kfp",),
    "wandb-offline": ("wandb",),
    "ray-dashboard": ("ray[default]==2.48.0", "setuptools<81"),
    "ray-dashboard newest": ("ray[default]",),
    "tensorboard": ("tensorboard==2.14.1", "numpy<2", "setuptools==80.9.0", "six"),
    "tensorboard newest": ("tensorboard",),
    "mlflow-server": ("mlflow==2.22.1", "sqlalchemy<2.1", "setuptools<81"),
    "mlflow-server newest": ("mlflow",),
    "torch-distributed": ("torch==2.13.0", "numpy"),
    "dataloader-workers": ("torch==2.13.0", "numpy"),
    "airflow": ("apache-airflow",),
    "mmengine-registry": ("torch==2.13.0", "mmengine-lite", "opencv-python-headless", "packaging", "setuptools<81"),
}


@pytest.mark.large
@pytest.mark.parametrize(("name", "packages"), LARGE.items(), ids=LARGE)
def test_a_built_in_probe_succeeds_where_its_product_is_whole(
    imgcheck: Run, installed: Install, name: str, packages: tuple[str, ...]
) -> None:
    code, told = tried(imgcheck, name.partition(" ")[0], installed(*packages))
    assert code == 0, told


@pytest.mark.large
def test_a_kernel_that_is_missing_and_an_extension_that_fails_are_told(imgcheck: Run, installed: Install) -> None:
    code, told = tried(imgcheck, "jupyter-server", installed("jupyter-server==2.21.1"))
    assert code == 1
    assert "install ipykernel" in json.dumps(told)


@pytest.mark.large
def test_batches_larger_than_the_shm_are_told(imgcheck: Run, installed: Install) -> None:
    image = installed("torch==2.13.0", "numpy")
    code, told = tried(imgcheck, "dataloader-workers", image, "--option", "batch_mb=64")
    assert code == 1
    assert "raise runtime.shm" in told["findings"][0]["remedy"]


@pytest.mark.large
def test_the_worked_example_of_a_self_check_is_called(
    imgcheck: Run, installed: Install, docker: Docker, tmp_path: Path
) -> None:
    base = installed("torch==2.13.0", "numpy", "setuptools")
    example = "imgcheck-test/probes:selfcheck"
    folder = ROOT / "dockerfiles"
    arguments = ("--build-arg", f"BASE={base}", "-f", str(folder / "selfcheck.Dockerfile"), "-t", example)
    docker("build", "-q", *arguments, str(folder / "selfcheck"))
    (tmp_path / "c.yaml").write_text("imgcheck: 1\nselfchecks: required\n", "utf-8")
    command = ("check", example, "-c", str(tmp_path / "c.yaml"), "--select", "IC602", "--format", "json", "-q")
    done = imgcheck(*command)
    (check,) = [one for one in json.loads(done.out)["checks"] if one["name"] == "failed-selfcheck"]
    assert (done.code, check["state"], check["examined"]) == (0, "kept", 2), done.out
    docker("rmi", "-f", example)
