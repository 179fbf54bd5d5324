"""The builder's process, played by a script of answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from imgcheck import process
from imgcheck.build.builder import built
from imgcheck.build.buildx import parse_version
from imgcheck.build.options import BuildOptions
from imgcheck.build.plan import BuildPlan, plan_build
from imgcheck.drafts import maker_of
from imgcheck.errors import BuildError, EngineOutOfReachError, UsageError
from imgcheck.run_mark import this_run
from tests.build.fakes import BASE, BASE_DIGEST, BASE_ID, FakeEngine, contract, image

LABEL = "imgcheck.constraints"


@dataclass
class Docker:
    """Answers of the docker command; a build puts the image on the engine."""

    engine: FakeEngine
    version: tuple[int, str] = (0, "github.com/docker/buildx v0.13.1 abc")
    inspect: tuple[int, str] = (0, "Name: default\nDriver: docker\n")
    bake: tuple[int, str] = (0, "#1 DONE")
    in_force: bool = True
    commands: list[tuple[str, ...]] = field(default_factory=list)
    environment: Mapping[str, str] = field(default_factory=dict)
    definition: dict[str, Any] = field(default_factory=dict)

    def run(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        on_line: Callable[[str], None] | None = None,
    ) -> process.Completed:
        self.commands.append(tuple(command))
        self.environment = env
        code, output = {"version": self.version, "inspect": self.inspect, "bake": self.bake}[command[2]]
        if command[2] == "bake":
            Path(env["TMPDIR"], "dockerfile1").touch()
            self._build(command, on_line)
        return process.Completed(command=tuple(command), exit_code=code, output=output)

    def _build(self, command: Sequence[str], on_line: Callable[[str], None] | None) -> None:
        path = Path(next(part for part in command if part.endswith("bake.json")).removeprefix("--file="))
        self.derived = ""
        self.definition = json.loads(path.read_text())
        assert path.with_name("constraints.txt").stat().st_mtime == 0
        if on_line:
            on_line(self.bake[1])
        self.derived = path.with_name(self.definition["target"]["imgcheck-base"]["dockerfile"]).read_text()
        digest = self.derived.rpartition(f"{LABEL}=")[2].strip()
        name = self.definition["target"]["image"]["tags"][0]
        self.engine.images[name] = image(name, "sha256:9", labels={LABEL: digest} if self.in_force else {})


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def docker(engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> Docker:
    played = Docker(engine)
    monkeypatch.setattr(process, "run", played.run)
    return played


@pytest.fixture
def plan(engine: FakeEngine, tmp_path: Path) -> BuildPlan:
    (tmp_path / "Dockerfile").write_text(f"# syntax=old\nFROM {BASE}\n")
    return plan_build(engine, contract(), image(), context=tmp_path, constraints="x==1\n")


@pytest.fixture(autouse=True)
def _no_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("imgcheck.build.labels.git_revision", lambda _: "")


def test_the_working_names_go_with_the_context(engine: FakeEngine, docker: Docker, plan: BuildPlan) -> None:
    lines: list[str] = []
    with built(engine, plan, environment={"DOCKER_HOST": "unix:///x"}, on_line=lines.append) as working:
        assert working.id == "sha256:9"
        assert working.working_name in engine.images
        assert engine.removed == []
    assert lines == ["#1 DONE"]
    assert docker.environment["DOCKER_HOST"] == "unix:///x"
    ((tagged, base),) = engine.tagged
    assert tagged == BASE_ID
    assert engine.removed == [working.working_name, base.replace("/base:", "/derived:"), base]
    assert docker.commands[-1][:4] == ("docker", "buildx", "bake", "--progress=plain")
    assert docker.commands[-1][-1] == "image"


def test_what_the_builder_leaves_goes_with_the_build(engine: FakeEngine, docker: Docker, plan: BuildPlan) -> None:
    with built(engine, plan, environment={}):
        folder = Path(docker.environment["TMPDIR"])
        assert maker_of(folder) == this_run()  # a killed run's is found by its name
        assert not folder.exists()


def test_a_kept_image_gets_a_name_that_no_clean_removes(engine: FakeEngine, docker: Docker, plan: BuildPlan) -> None:
    with built(engine, plan, environment={}) as working:
        working.keep()
    assert engine.tagged[-1] == (working.id, working.kept_name)
    assert working.kept_name not in engine.removed
    assert len(engine.removed) == 3


def test_an_interrupt_keeps_nothing(engine: FakeEngine, docker: Docker, plan: BuildPlan) -> None:
    def interrupted() -> None:
        with built(engine, plan, environment={}) as working:
            working.keep()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert len(engine.removed) == 3
    assert all("kept" not in name for _, name in engine.tagged)


def test_an_error_inside_the_context_removes_all(engine: FakeEngine, docker: Docker, plan: BuildPlan) -> None:
    with pytest.raises(KeyboardInterrupt), built(engine, plan, environment={}):
        raise KeyboardInterrupt
    assert len(engine.removed) == 3


def test_a_failed_build_is_told_and_leaves_nothing(engine: FakeEngine, docker: Docker, plan: BuildPlan) -> None:
    docker.bake = (1, "ERROR: failed to solve: broken")
    with pytest.raises(BuildError, match="broken"), built(engine, plan, environment={}):
        pytest.fail("there is no image")
    assert len(engine.removed) == 3


def test_constraints_that_were_not_in_force_are_an_error(engine: FakeEngine, docker: Docker, plan: BuildPlan) -> None:
    docker.in_force = False
    with (
        pytest.raises(BuildError, match="constraints were not in force") as caught,
        built(engine, plan, environment={}),
    ):
        pytest.fail("it must not be used")
    assert "(old)" in caught.value.remedy


def test_an_image_that_never_came_is_an_error(
    engine: FakeEngine, docker: Docker, plan: BuildPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Docker, "_build", lambda *_: None)
    with pytest.raises(BuildError, match="the engine has no image"), built(engine, plan, environment={}):
        pytest.fail("there is no image")


def test_another_driver_builds_from_the_registry(engine: FakeEngine, docker: Docker, plan: BuildPlan) -> None:
    docker.inspect = (0, "Driver:        docker-container\n")
    with (
        pytest.raises(UsageError, match="cannot see images that only the engine has"),
        built(engine, plan, environment={}),
    ):
        pytest.fail("it cannot build")
    pinned = f"registry.example/ml/base@{BASE_DIGEST}"
    in_registry = replace(plan, base=image(repo_digests=(pinned,)), options=BuildOptions(builder="mine"))
    with built(engine, in_registry, environment={}):
        assert "--builder=mine" in docker.commands[-1]
    assert docker.derived.startswith(f"FROM {pinned}\n")
    assert engine.tagged == []


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ({"version": (1, "docker: unknown command: docker buildx")}, (UsageError, "has no buildx")),
        ({"version": (0, "buildx 0.11.2")}, (UsageError, r"buildx 0\.11\.2 is too old")),
        ({"inspect": (1, 'ERROR: no builder "x" found')}, (UsageError, "no builder")),
        ({"inspect": (1, "Cannot connect to the Docker daemon")}, (EngineOutOfReachError, "Cannot connect")),
        ({"inspect": (1, "")}, (EngineOutOfReachError, "no answer")),
        (
            {"inspect": (0, "Name:   default\nDriver:   \nLast Activity: now\nError:   Cannot connect to it\n")},
            (EngineOutOfReachError, "does not answer: Cannot connect to it"),
        ),
    ],
)
def test_a_builder_that_cannot_be_used(
    engine: FakeEngine,
    docker: Docker,
    plan: BuildPlan,
    answers: dict[str, tuple[int, str]],
    error: tuple[type[Exception], str],
) -> None:
    vars(docker).update(answers)
    with pytest.raises(error[0], match=error[1]), built(engine, plan, environment={}):
        pytest.fail("it cannot build")


def test_no_docker_command(engine: FakeEngine, plan: BuildPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> process.Completed:
        raise FileNotFoundError

    monkeypatch.setattr(process, "run", missing)
    with pytest.raises(UsageError, match="no docker command"), built(engine, plan, environment={}):
        pytest.fail("it cannot build")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("github.com/docker/buildx 0.13.1+ds1 0.13.1+ds1-3", (0, 13, 1)),
        ("github.com/docker/buildx v0.30.0 abc", (0, 30, 0)),
        ("github.com/docker/buildx v0.0.0+unknown ", (9999, 0, 0)),
        ("github.com/docker/buildx abcdef", (9999, 0, 0)),
    ],
)
def test_versions(text: str, version: tuple[int, int, int]) -> None:
    assert parse_version(text) == version
