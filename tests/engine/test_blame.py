"""Real builds on a small base, with wheels made here: which step is named, and in which way it was found."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import Run
from tests.wheels import make_wheel

pytestmark = pytest.mark.engine

PIP = "pip install -q --no-index --find-links /wheels"


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("context")
    wheels = folder / "wheels"
    make_wheel(wheels, "wirebuf 4.25.3")
    make_wheel(wheels, "wirebuf 3.20.1")
    make_wheel(wheels, "numarr 1.26.4")
    make_wheel(wheels, "boardwriter 2.5.1", "wirebuf<=3.20.1")
    make_wheel(wheels, "teamtool 1.0", "boardwriter")
    make_wheel(wheels, "harmless 1.0")
    make_wheel(wheels, "hollow 1.0", files={})
    make_wheel(wheels, "tensors 2.6.0+cu124")
    make_wheel(wheels, "tensors 2.6.0+cpu")
    (folder / "requirements.txt").write_text("harmless\n# the culprit is one step away\nteamtool\n", "utf-8")
    return folder


@pytest.fixture(scope="module")
def base(docker: Callable[..., str], root_image: str, context: Path) -> Iterator[str]:
    name = f"imgcheck-test/blame-{uuid.uuid4().hex[:8]}:1"
    (context / "base.Dockerfile").write_text(
        f"FROM {root_image}\nRUN python3 -m venv /opt/venv\nENV PATH=/opt/venv/bin:$PATH\n"
        f"COPY wheels /wheels\nRUN {PIP} wirebuf==4.25.3 numarr tensors==2.6.0+cu124\n"
    )
    docker("build", "-q", "-t", name, "-f", str(context / "base.Dockerfile"), str(context))
    yield name
    docker("rmi", "-f", name)


@pytest.fixture
def findings(imgcheck: Run, docker: Callable[..., str], base: str, context: Path, tmp_path: Path) -> Iterator[Any]:
    """Builds a Dockerfile, which must break its contract, and gives what was found by subject."""
    contract = tmp_path / "contract.yaml"
    pins = '{wirebuf: "4.25.3", numarr: "1.26.4"}'
    contract.write_text(
        f"imgcheck: 1\nbase: {{image: {base}}}\npins: {pins}\nrequires: true\nprotect: [tensors]\n", "utf-8"
    )
    tag = f"imgcheck-test/blamed-{uuid.uuid4().hex[:8]}:1"

    def build(text: str, *arguments: str, engine_builds: bool = False) -> dict[str, Any]:
        dockerfile, report = tmp_path / "Dockerfile", tmp_path / "report.json"
        dockerfile.write_text(f"FROM {base}\n{text}", "utf-8")
        chosen = ("-c", str(contract), "--report", f"json={report}")
        if engine_builds:  # an image that another tool builds
            docker("build", "-q", "-t", tag, "-f", str(dockerfile), *arguments, str(context))
            done = imgcheck("check", tag, *chosen)
        else:
            done = imgcheck("build", "-f", str(dockerfile), *chosen, *arguments, str(context))
        assert done.code == 1, done.out + done.err
        found = json.loads(report.read_text("utf-8"))["findings"]
        broken = [one for one in found if one["state"] == "broken"]
        return {one["subject"]: one for one in broken if one["name"] != "duplicate-metadata"}

    yield build
    if docker("images", "-q", tag):
        docker("rmi", "-f", tag)


def test_of_three_steps_the_second_is_guilty(findings: Any) -> None:
    moved = findings(
        f"ARG TOKEN=abc\nRUN {PIP} harmless; sleep 1\nCOPY requirements.txt /r.txt\n"
        f"RUN PIP_CONSTRAINT= {PIP} --password=hunter2 -r /r.txt || PIP_CONSTRAINT= {PIP} -r /r.txt; sleep 1\n"
        "RUN sleep 1; touch /last\n"
    )["wirebuf"]
    cause = moved["cause"]
    assert cause["step"].startswith("RUN PIP_CONSTRAINT= pip install")
    assert "hunter2" not in json.dumps(moved)
    assert cause["step_location"]["line"] == 5
    assert cause["requirement"] == "boardwriter 2.5.1 requires wirebuf<=3.20.1, which teamtool 1.0 requires"
    assert (Path(cause["location"]["file"]).name, cause["location"]["line"]) == ("requirements.txt", 3)
    assert cause["how"] == "its installer wrote its files while this step ran"


def test_a_venv_that_is_copied_from_another_stage_is_told_by_the_layers(findings: Any, base: str) -> None:
    found = findings(
        f"RUN true\nFROM {base} AS made\nRUN PIP_CONSTRAINT= {PIP} boardwriter\n"
        f"FROM {base} AS final\nRUN {PIP} harmless\nCOPY --from=made /opt/venv /opt/venv\n"
    )
    cause = found["wirebuf"]["cause"]
    assert cause["step"].startswith("COPY --from=made /opt/venv /opt/venv (stage final), from ")
    assert "Dockerfile:4 RUN PIP_CONSTRAINT= pip install" in cause["step"]
    assert cause["step_location"]["line"] == 7
    assert cause["how"].startswith("the layers' file lists tell it")


def test_steps_that_removed_a_pin_brought_an_empty_distribution_and_replaced_a_build(findings: Any) -> None:
    found = findings(f"RUN {PIP} hollow\nRUN pip uninstall -q -y numarr\nRUN {PIP} tensors==2.6.0+cpu\n")
    rebuilt = found["tensors"]
    assert rebuilt["summary"] == "tensors 2.6.0+cu124 of the base was replaced by another build, 2.6.0+cpu"
    assert rebuilt["cause"]["step_location"]["line"] == 4
    assert rebuilt["cause"]["location"]["line"] == 4
    assert found["numarr"]["cause"]["step"] == "RUN pip uninstall -q -y numarr"
    assert found["numarr"]["cause"]["how"] == "its layer takes the files away"
    assert found["hollow"]["cause"]["step_location"]["line"] == 2


def test_without_the_dockerfile_steps_have_numbers_and_build_arguments_names(findings: Any) -> None:
    text = f"ARG LEVEL\nARG WANTED\nRUN PIP_CONSTRAINT= {PIP} $WANTED\n"
    arguments = ("--build-arg", "WANTED=boardwriter==2.5.1", "--build-arg", "LEVEL=s3cret-value")
    moved = findings(text, *arguments, engine_builds=True)["wirebuf"]
    assert moved["cause"]["step"].startswith(f"RUN PIP_CONSTRAINT= {PIP} $WANTED (step ")
    assert "s3cret-value" not in json.dumps(moved)
