"""Times first, layers where times leave it open."""

from __future__ import annotations

from typing import Any

import pytest

from imgcheck.diagnosis.steps import by_layers, by_time, removal_by_layers
from imgcheck.facts.layers import Layer, LayerFacts, Written
from imgcheck.facts.model import Distribution, ImageFacts, Step
from tests.checks.build_facts import SITE, dist

INFO = f"{SITE}/protobuf-3.20.1.dist-info"
FOLDER = INFO.lstrip("/")


def image(*steps: tuple[int, str]) -> ImageFacts:
    history = tuple(
        Step(created=at, command=command, empty=command.startswith(("ENV", "WORKDIR"))) for at, command in steps
    )
    return ImageFacts(reference="a", digest="b", os="linux", architecture="amd64", size=1, history=history)


def protobuf(at: int, **more: Any) -> Distribution:
    return dist("protobuf 3.20.1", installer="pip", installed_at=at, **more)


THREE = ((100, "RUN one"), (200, "RUN two"), (200, "ENV A=b"), (300, "RUN three"))


@pytest.mark.parametrize(
    ("at", "step"),
    [
        pytest.param(99, 0, id="before-the-first-end"),
        pytest.param(101, 1, id="in-the-second"),
        pytest.param(199, 1, id="a-second-before-its-end"),
        pytest.param(300, 3, id="the-last-has-no-rival"),
    ],
)
def test_the_first_step_that_ended_no_earlier(at: int, step: int) -> None:
    assert by_time(image(*THREE), protobuf(at)).step == step


@pytest.mark.parametrize(
    ("steps", "one", "why"),
    [
        pytest.param(THREE, protobuf(200), "same second", id="the-next-step-began-then"),
        pytest.param(
            ((100, "RUN one"), (200, "RUN two"), (200, "RUN three")), protobuf(150), "same second", id="equal"
        ),
        pytest.param(THREE, protobuf(301), "newer than the last step", id="too-new"),
        pytest.param(THREE, protobuf(0), "carries no time", id="no-time"),
        pytest.param(THREE, dist("a 1", installer="conda", installed_at=150), "conda does not write", id="conda"),
        pytest.param(((0, "RUN one"), (200, "RUN two")), protobuf(150), "steps without a time", id="reproducible"),
        pytest.param(((300, "RUN one"), (200, "RUN two")), protobuf(150), "do not rise", id="cached-elsewhere"),
        pytest.param(((100, ""),), protobuf(50), "fewer than two steps", id="squashed"),
        pytest.param((*THREE, (400, "COPY /v /opt/venv # buildkit")), protobuf(150), "step 5 copies", id="copied-venv"),
        pytest.param(
            (*THREE, (400, "WORKDIR /opt"), (401, "ADD x.tar venv/lib")), protobuf(150), "step 6 copies", id="workdir"
        ),
        pytest.param((*THREE, (400, "/bin/sh -c #(nop) COPY dir:abc in / ")), protobuf(150), "copies", id="classic"),
    ],
)
def test_what_leaves_it_open(steps: Any, one: Distribution, why: str) -> None:
    traced = by_time(image(*steps), one)
    assert traced.step is None
    assert why in traced.how


def test_a_copy_elsewhere_leaves_nothing_open() -> None:
    steps = (*THREE, (400, "COPY requirements.txt /opt/train/requirements.txt # buildkit"))
    assert by_time(image(*steps), protobuf(150)).step == 1


def layers(*each: Layer) -> LayerFacts:
    return LayerFacts(layers=each)


def wrote(step: int | None, *, time: int = 5, size: int = 4, **more: Any) -> Layer:
    return Layer(step=step, written=(Written(path=f"{FOLDER}/INSTALLER", time=time, size=size),), **more)


def test_a_layer_that_only_changes_owners_is_passed_over() -> None:
    assert by_layers(layers(Layer(step=0), wrote(2), wrote(4)), protobuf(5)).step == 2


def test_a_later_installation_counts() -> None:
    assert by_layers(layers(wrote(1), wrote(3, time=9)), protobuf(9)).step == 3
    gone_between = layers(wrote(1), Layer(step=2, removed=(FOLDER,)), wrote(3))
    assert by_layers(gone_between, protobuf(5)).step == 3
    hidden = layers(wrote(1), wrote(3, emptied=(SITE.lstrip("/"),)))
    assert by_layers(hidden, protobuf(5)).step == 3


def test_layers_that_do_not_know() -> None:
    assert by_layers(layers(Layer(step=0)), protobuf(5)).how == "no layer lists its metadata"
    assert by_layers(layers(wrote(None)), protobuf(5)).step is None


def test_who_removed_it() -> None:
    assert removal_by_layers(layers(wrote(1), Layer(step=4, removed=("opt/venv",))), INFO).step == 4
    assert removal_by_layers(layers(wrote(1)), INFO).how == "no layer takes its metadata away"
    back_again = layers(wrote(1), Layer(step=2, removed=(FOLDER,)), wrote(3))
    assert removal_by_layers(back_again, INFO).step is None
