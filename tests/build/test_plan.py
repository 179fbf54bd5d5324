"""Which FROMs are the contract's base, and what the user is told of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.build.options import BuildOptions
from imgcheck.build.plan import BuildPlan, plan_build
from imgcheck.errors import UsageError
from tests.build.fakes import BASE, BASE_DIGEST, BASE_ID, FakeEngine, contract, image


@pytest.fixture
def engine() -> FakeEngine:
    base = image(repo_digests=(f"registry.example/ml/base@{BASE_DIGEST}",))
    other = image("other:1", "sha256:" + "0" * 64)
    return FakeEngine(images={BASE: base, "same:content": base, "other:1": other})


@pytest.fixture
def plan(engine: FakeEngine, tmp_path: Path) -> Planner:
    return Planner(engine, tmp_path)


class Planner:
    def __init__(self, engine: FakeEngine, folder: Path) -> None:
        self.engine = engine
        self.folder = folder

    def __call__(self, text: str, base: str = BASE, **options: object) -> BuildPlan:
        (self.folder / "Dockerfile").write_text(text)
        return plan_build(
            self.engine,
            contract(base={"image": base}),
            self.engine.images[BASE],
            context=self.folder,
            constraints="numpy==1.26.4\n",
            options=BuildOptions(**options),  # type: ignore[arg-type]
        )


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        pytest.param(f"FROM {BASE}", (BASE,), id="by-name"),
        pytest.param(f"ARG B={BASE}\nFROM $B AS b\nFROM b", (BASE,), id="by-argument-and-through-a-stage"),
        pytest.param("FROM same:content", ("same:content",), id="by-content"),
        pytest.param(f"FROM {BASE}@{BASE_DIGEST}", (f"{BASE}@{BASE_DIGEST}",), id="by-digest"),
        pytest.param(f"FROM x@{BASE_DIGEST}", (f"x@{BASE_DIGEST}",), id="by-digest-under-another-name"),
        pytest.param(f"FROM {BASE} AS b\nFROM same:content\nCOPY --from=b / /", (BASE, "same:content"), id="both"),
        pytest.param(f"FROM {BASE} AS unused\nFROM same:content", ("same:content",), id="needed-ones-only"),
        pytest.param(f"FROM --platform=$TARGETPLATFORM {BASE}", (BASE,), id="own-platform"),
    ],
)
def test_the_base_is_found(plan: Planner, text: str, replaced: tuple[str, ...]) -> None:
    assert plan(text).replaced == replaced


def test_the_default_tag_and_registry_go_without_saying(plan: Planner) -> None:
    assert plan("FROM docker.io/library/python:latest", base="python").replaced == ("python",)


def test_a_name_that_the_engine_holds_other_content_under_is_still_the_base(plan: Planner) -> None:
    """It is replaced by the verified content: that is what the digest is for."""
    plan.engine.images["registry.example/ml/base:1"] = image(BASE, BASE_ID)
    assert plan(f"FROM {BASE}").replaced == (BASE,)


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        pytest.param(
            "FROM other:1\nRUN x",
            r"Dockerfile:1: the target is stage 0, which is FROM other:1; the contract's base is registry.example/ml/",
            "write FROM registry.example/ml/base:1",
            id="other-image",
        ),
        pytest.param(
            "ARG BASE=other:1\nFROM ${BASE} AS a\nFROM a AS b",
            r"Dockerfile:2: the target is b, which is FROM a, which is FROM \$\{BASE\} \(other:1\)",
            "give --build-arg BASE=registry.example/ml/base:1",
            id="by-argument",
        ),
        pytest.param(
            f"FROM {BASE} AS build\nFROM scratch\nCOPY --from=build / /",
            r"Dockerfile:2: the target is stage 1, which is FROM scratch",
            "end in a stage FROM registry.example/ml/base:1",
            id="scratch",
        ),
        pytest.param(
            f"FROM {BASE}@sha256:{'1' * 64}",
            r"which is FROM registry.example/ml/base:1@sha256:1111",
            "write FROM",
            id="other-digest",
        ),
    ],
)
def test_a_target_on_another_image_is_an_error(plan: Planner, text: str, message: str, remedy: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        plan(text)
    assert caught.value.remedy.startswith(remedy)


def test_another_target_may_go_back_to_the_base(plan: Planner) -> None:
    assert plan(f"FROM {BASE} AS train\nFROM other:1 AS docs", target="train").replaced == (BASE,)


def test_a_build_context_of_the_users_is_looked_through(plan: Planner) -> None:
    given = plan("FROM name", build_contexts=(f"name=docker-image://{BASE}",))
    assert given.replaced == ("name",)
    with pytest.raises(UsageError, match="FROM name"):
        plan("FROM name", build_contexts=("name=./folder",))
    with pytest.raises(UsageError, match="FROM name"):
        plan("FROM name", build_contexts=("name=docker-image://No Image",))
    with pytest.raises(UsageError, match=r"the build context b=\./folder"):
        plan(f"FROM {BASE} AS b\nFROM b", build_contexts=("b=./folder",))


def test_a_stage_with_the_bases_own_name_is_refused(plan: Planner) -> None:
    with pytest.raises(UsageError, match="Dockerfile:1: the stage 'python' has the name of the base"):
        plan("FROM python AS python\nRUN x", base="python")


def test_the_base_on_another_platform_is_refused(plan: Planner) -> None:
    with pytest.raises(UsageError, match="Dockerfile:1: FROM --platform=linux/arm64"):
        plan(f"FROM --platform=linux/arm64 {BASE}")


@pytest.mark.parametrize(
    ("text", "notices"),
    [
        pytest.param(
            f"FROM other:1 AS tools\nRUN x\nFROM {BASE}\nCOPY --from=tools / /", ["tools is FROM other:1"], id="other"
        ),
        pytest.param(f"FROM other:1 AS files\nFROM {BASE}\nCOPY --from=files / /", [], id="runs-nothing"),
        pytest.param(f"FROM other:1 AS unused\nRUN x\nFROM {BASE}", [], id="not-needed"),
        pytest.param(f"FROM {BASE}\nENV PIP_CONSTRAINT=/x", [":2: ENV sets PIP_CONSTRAINT"], id="env"),
        pytest.param(f"FROM {BASE}\nENV UV_CONSTRAINT /x", [":2: ENV sets UV_CONSTRAINT"], id="old-env"),
        pytest.param(f"FROM {BASE}\nARG PIP_CONSTRAINT", [":2: ARG sets PIP_CONSTRAINT"], id="arg"),
        pytest.param(f"FROM {BASE}\nRUN A=1 PIP_CONSTRAINT= pip install x", [":2: RUN sets PIP_CONSTRAINT"], id="run"),
        pytest.param(f"FROM {BASE}\nRUN <<E\nunset UV_CONSTRAINT\nE", [":2: RUN sets UV_CONSTRAINT"], id="unset"),
        pytest.param(f"FROM {BASE}\nRUN cat $PIP_CONSTRAINT", [], id="read-only"),
        pytest.param(f"FROM {BASE}\nENV MY_PIP_CONSTRAINT=1 A=PIP_CONSTRAINT", [], id="another-name"),
    ],
)
def test_notices(plan: Planner, text: str, notices: list[str]) -> None:
    told = plan(text).notices
    assert len(told) == len(notices)
    assert all(part in notice for part, notice in zip(notices, told, strict=True))


def test_what_cannot_be_planned(plan: Planner, engine: FakeEngine, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"base\.yaml names no base"):
        plan_build(engine, contract(base=None), image(), context=tmp_path, constraints="")
    with pytest.raises(UsageError, match="is no folder"):
        plan_build(engine, contract(), image(), context=tmp_path / "no", constraints="")


def test_an_engine_on_arm_builds_for_arm(plan: Planner) -> None:
    plan.engine.architecture = "aarch64"
    plan.engine.images["r/arm64:1"] = plan.engine.images[BASE]
    assert plan("FROM r/$TARGETARCH:1").replaced == ("r/arm64:1",)
