"""The example's three outcomes, as scripts/demo shows them: kept, stopped before the build, built and broken."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import Run

pytestmark = pytest.mark.engine
CONTEXT = "dockerfiles/train"


def build(imgcheck: Run, contract: Path, tag: str, *more: str, dockerfile: str = "train") -> Any:
    return imgcheck(
        "build", "--contract", str(contract), "-f", f"dockerfiles/{dockerfile}.Dockerfile", "-t", tag, *more, CONTEXT
    )


def exists(docker: Callable[..., str], reference: str) -> bool:
    return bool(docker("images", "-q", reference))


def belongings(docker: Callable[..., str]) -> set[str]:
    """Containers, working images and volumes of imgcheck that the engine has now."""
    told = [
        docker("ps", "-aq", "--filter", "label=imgcheck"),
        docker("volume", "ls", "-q", "--filter", "label=imgcheck"),
    ]
    told += [docker("images", "-q", f"imgcheck/{name}") for name in ("working", "derived", "base")]
    return set(" ".join(told).split())


@pytest.fixture(scope="module", autouse=True)
def leftovers(docker: Callable[..., str]) -> Callable[[], set[str]]:
    """What was not there before these tests: others of this machine may have been killed in the middle."""
    before = belongings(docker)
    return lambda: belongings(docker) - before


@pytest.fixture(scope="module")
def good(imgcheck: Run, contract: Path, docker: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Any:
    report = tmp_path_factory.mktemp("report") / "good.json"
    done = build(imgcheck, contract, "imgcheck-test/train:good", "--report", f"json={report}")
    return done, json.loads(report.read_text("utf-8"))


def checks(report: Any) -> dict[str, Any]:
    return {check["name"]: check for check in report["checks"]}


def test_a_good_image_is_kept_and_tagged(
    good: Any, docker: Callable[..., str], leftovers: Callable[[], set[str]]
) -> None:
    done, report = good
    assert done.code == 0, done.out + done.err
    assert report["exit_code"] == 0
    states = {name: check["state"] for name, check in checks(report).items()}
    asked = ("moved-pin", "missing-pin", "unmet-requirement", "wrong-python", "empty-distribution", "failed-probe")
    assert {states[name] for name in (*asked, "crashing-import", "hanging-import", "exiting-import")} == {"kept"}
    # one of ray's modules connects to a server at import, which cannot be told without one
    assert states["unimportable-module"] == "unverified"
    assert "broken" not in {finding["state"] for finding in report["findings"]}
    assert checks(report)["unimportable-module"]["examined"] > 5000
    assert checks(report)["failed-probe"]["examined"] == 3
    assert exists(docker, "imgcheck-test/train:good")
    assert not leftovers()


def test_the_image_says_what_it_was_made_of(good: Any, docker: Callable[..., str], base_image: str) -> None:
    labels = json.loads(docker("image", "inspect", "-f", "{{json .Config.Labels}}", "imgcheck-test/train:good"))
    assert labels["org.opencontainers.image.base.name"] == base_image
    assert labels["org.opencontainers.image.base.digest"] == docker("image", "inspect", "-f", "{{.Id}}", base_image)
    assert labels["org.opencontainers.image.revision"]
    assert labels["imgcheck.contract"].startswith("sha256:")
    assert labels["imgcheck.constraints"].startswith("sha256:")
    assert "sha256:" in labels["imgcheck.requirements"]


def test_the_constraints_are_in_force_in_the_image(good: Any, docker: Callable[..., str]) -> None:
    run = ("run", "--rm", "--network", "none", "imgcheck-test/train:good", "sh", "-c")
    assert "protobuf==6.33.6" in docker(*run, "cat $PIP_CONSTRAINT $UV_CONSTRAINT")


def test_a_second_build_of_the_same_collects_nothing_and_says_so(good: Any, imgcheck: Run, contract: Path) -> None:
    done = build(imgcheck, contract, "imgcheck-test/train:good", "-v")
    assert done.code == 0, done.out + done.err
    facts = [line for line in done.out.splitlines() if line.startswith("facts")]
    assert facts
    assert all("reused" in line for line in facts)


def test_a_bad_requirement_is_stopped_by_the_constraints(
    imgcheck: Run, contract: Path, docker: Callable[..., str], leftovers: Callable[[], set[str]]
) -> None:
    bad = ("--build-arg", "REQUIREMENTS=requirements-bad.txt")
    done = build(imgcheck, contract, "imgcheck-test/train:stopped", *bad, "--no-resolve")
    assert done.code == 3, done.out + done.err
    assert "protobuf==6.33.6" in done.err
    assert "tensorboardx 2.5.1" in done.err.lower()
    assert f"{contract}:" in done.err
    assert not exists(docker, "imgcheck-test/train:stopped")
    assert not leftovers()


def test_a_bad_requirement_is_stopped_before_the_build(
    imgcheck: Run, contract: Path, leftovers: Callable[[], set[str]], tmp_path: Path
) -> None:
    report = tmp_path / "stopped.json"
    chosen = ("--build-arg", "REQUIREMENTS=requirements-bad.txt", "--report", f"json={report}")
    done = build(imgcheck, contract, "imgcheck-test/train:stopped", *chosen)
    assert done.code == 1, done.out + done.err
    assert "Building" not in done.err
    (finding,) = [one for one in json.loads(report.read_text("utf-8"))["findings"] if one["state"] == "broken"]
    assert finding["name"] == "unresolvable-requirement"
    assert finding["cause"]["requirement"].startswith("tensorboardx 2.5.1 needs protobuf<=3.20.1")
    assert "fits (resolved)" in finding["remedy"]
    assert not leftovers()


def test_going_round_the_constraints_builds_and_is_broken(
    imgcheck: Run, contract: Path, docker: Callable[..., str], leftovers: Callable[[], set[str]], tmp_path: Path
) -> None:
    report = tmp_path / "bad.json"
    done = build(
        imgcheck,
        contract,
        "imgcheck-test/train:broken",
        "--report",
        f"json={report}",
        dockerfile="train-unconstrained",
    )
    assert done.code == 1, done.out + done.err
    findings = json.loads(report.read_text("utf-8"))["findings"]
    broken = [one for one in findings if one["state"] == "broken"]
    moved = [one for one in broken if one["name"] == "moved-pin"]
    assert [one["subject"] for one in moved] == ["protobuf"]
    assert (moved[0]["expected"], moved[0]["actual"]) == ("6.33.6", "3.20.1")
    assert "tensorboardX 2.5.1" in moved[0]["cause"]["requirement"]
    imports = [one for one in broken if one["name"] == "unimportable-module"]
    assert any("runtime_version" in one["evidence"] for one in imports)
    probes = {one["subject"]: one for one in broken if one["name"] == "failed-probe"}
    assert "dashboard_agent.log" in probes["ray-dashboard"]["evidence"]
    assert not exists(docker, "imgcheck-test/train:broken")
    assert not leftovers()


def test_diff_shows_what_moved(good: Any, imgcheck: Run, base_image: str) -> None:
    done = imgcheck("diff", base_image, "imgcheck-test/train:good", "--json", "-q")
    assert done.code == 0, done.err
    difference = json.loads(done.out)
    assert {one["name"] for one in difference["added"]} == {"humanize", "jsonlines"}
    assert not difference["moved"]
