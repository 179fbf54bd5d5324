"""Findings get their causes: of the Dockerfile where it is known, by step numbers where it is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from imgcheck.blaming import BuildSource, blame
from imgcheck.build.dockerfile import parse_syntax
from imgcheck.build.stages import resolve
from imgcheck.errors import CollectorError
from imgcheck.facts.layers import Layer, LayerFacts
from imgcheck.facts.model import Distribution, Facts, Step
from imgcheck.outcome import Cause, CheckResult, CheckState, Fault, Finding, FindingState
from tests.checks.build_facts import SITE, dist, facts

BASE = (Step(created=100, command="RUN /bin/sh -c base", empty=False),)
HISTORY = (
    *BASE,
    Step(created=150, command="COPY requirements.txt /r.txt # buildkit", empty=False),
    Step(created=200, command="RUN /bin/sh -c pip install -r /r.txt # buildkit", empty=False),
    Step(created=300, command="RUN /bin/sh -c true # buildkit", empty=False),
)
TEXT = "FROM base\nCOPY requirements.txt /r.txt\nRUN pip install -r /r.txt\nRUN true\n"


def seen(*distributions: Distribution, history: tuple[Step, ...] = HISTORY) -> Facts:
    found = facts(*distributions)
    return found.model_copy(update={"image": found.image.model_copy(update={"history": history})})


def result(fault: Fault, state: FindingState = FindingState.BROKEN) -> CheckResult:
    finding = Finding(code="IC101", name="moved-pin", fault=fault, state=state)
    return CheckResult(code="IC101", name="moved-pin", summary="", state=CheckState.BROKEN, findings=(finding,))


def moved(requirement: str = "writer 2.5 requires protobuf<4") -> Fault:
    cause = Cause(requirement=requirement)
    return Fault(subject="protobuf", summary="it moved", cause=cause, blame=("protobuf",))


def no_layers() -> LayerFacts:
    raise AssertionError("times decide")


def source(context: Path, text: str = TEXT) -> BuildSource:
    dockerfile = resolve(parse_syntax(text, file="Dockerfile"), build_args={}, platform="linux/amd64")
    return BuildSource(dockerfile=dockerfile, target=dockerfile.target(None), context=context)


def protobuf(at: int = 180) -> Distribution:
    return dist("protobuf 3.20.1", installer="pip", installed_at=at)


WRITER = dist("writer 2.5", "protobuf<4", installer="pip", installed_at=190)
TOOL = dist("tool 1.0", "writer>=2", installer="pip", installed_at=190)


def test_the_step_and_the_line_that_asked_for_it(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("six\ntool\n", "utf-8")
    image = seen(protobuf(), WRITER, TOOL)
    (told,) = blame([result(moved())], image, None, source(tmp_path), no_layers)
    cause = told.findings[0].fault.cause
    assert cause.step == "RUN pip install -r /r.txt"
    assert str(cause.step_location) == "Dockerfile:3"
    assert cause.requirement == "writer 2.5 requires protobuf<4, which tool 1.0 requires"
    assert str(cause.location) == f"{tmp_path}/requirements.txt:2"


def test_a_run_line_that_names_it(tmp_path: Path) -> None:
    text = TEXT.replace("-r /r.txt", "'Writer>=2'")
    (told,) = blame([result(moved())], seen(protobuf(), WRITER), None, source(tmp_path, text), no_layers)
    assert str(told.findings[0].fault.cause.location) == "Dockerfile:3"


def test_without_a_dockerfile_the_step_has_a_number() -> None:
    baseline = seen(history=BASE)
    (told,) = blame([result(moved())], seen(protobuf(), WRITER), baseline, None, no_layers)
    assert told.findings[0].fault.cause.step == "RUN pip install -r /r.txt (step 3 of 4)"
    (of_base,) = blame([result(moved())], seen(protobuf(at=50), WRITER), baseline, None, no_layers)
    assert of_base.findings[0].fault.cause.step == "RUN base (step 1 of 4, in the base)"


def test_the_later_of_two_did_it() -> None:
    unmet = replace(moved(), blame=("writer", "protobuf"))
    early = dist("writer 2.5", installer="pip", installed_at=50)
    (told,) = blame([result(unmet)], seen(protobuf(), early), None, None, no_layers)
    assert "step 3 of 4" in told.findings[0].fault.cause.step


def test_what_was_removed_is_told_by_the_layers() -> None:
    path = f"{SITE}/protobuf-4.dist-info"
    baseline = seen(dist("protobuf 4", metadata_path=path), history=BASE)
    layers = LayerFacts(layers=(Layer(step=0), Layer(step=3, removed=(path.lstrip("/"),))))
    (told,) = blame([result(moved())], seen(WRITER), baseline, None, lambda: layers)
    cause = told.findings[0].fault.cause
    assert cause.step == "RUN true (step 4 of 4)"
    assert cause.how == "its layer takes the files away"


def test_what_cannot_be_told_is_told_as_such() -> None:
    def unread() -> LayerFacts:
        raise CollectorError("the layers cannot be read: cut short")

    conda = dist("protobuf 3.20.1", installer="conda")
    (told,) = blame([result(moved())], seen(conda, WRITER), None, None, unread)
    cause = told.findings[0].fault.cause
    assert not cause.step
    assert cause.how.startswith(
        "the step cannot be told: the layers cannot be read: cut short (by times it cannot: conda"
    )


def test_what_is_inherited_or_never_was_there_is_left_alone() -> None:
    inherited = result(moved(), FindingState.INHERITED)
    assert blame([inherited], seen(protobuf(), WRITER), None, None, no_layers) == (inherited,)
    (told,) = blame([result(moved())], seen(WRITER), seen(history=BASE), None, no_layers)
    assert replace(told.findings[0].fault.cause, path=()) == moved().cause


def test_a_venv_from_another_image(tmp_path: Path) -> None:
    text = "FROM base\nCOPY requirements.txt /r.txt\nCOPY --from=other/image:1 /v /opt\nRUN true\n"
    history = (*HISTORY[:2], Step(created=200, command="COPY /v /opt # buildkit", empty=False), HISTORY[3])
    layers = LayerFacts(
        layers=(
            Layer(step=0),
            Layer.model_validate(
                {
                    "step": 2,
                    "written": [{"path": f"{SITE}/protobuf-3.20.1.dist-info/RECORD".lstrip("/"), "time": 1, "size": 1}],
                }
            ),
        )
    )
    (told,) = blame(
        [result(moved())], seen(protobuf(), WRITER, history=history), None, source(tmp_path, text), lambda: layers
    )
    assert told.findings[0].fault.cause.step == "COPY --from=other/image:1 /v /opt, from the image other/image:1"
