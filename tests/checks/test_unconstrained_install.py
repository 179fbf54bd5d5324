from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.unconstrained_install import judge
from imgcheck.facts.plan import Download, ImageUse, Install, Place, PlanFacts, Unread, Wanted
from imgcheck.outcome import Fault
from tests.checks.build_facts import a_contract, facts

AT = Place(file="Dockerfile", line=7)
CONTRACT = a_contract(pins={"protobuf": "4.25.3", "numpy": "1.26.4"})


def wanted(text: str, **more: Any) -> Wanted:
    name = text.partition("=")[0]
    return Wanted.model_validate({"text": text, "place": AT, "name": name, "pinned": "==" in text, **more})


def install(*texts: str, **more: Any) -> Install:
    given = {
        "place": AT,
        "tool": "pip",
        "verb": "install",
        "command": "pip install …",
        "on_base": True,
        "image": "base",
    }
    return Install.model_validate({**given, "wanted": [wanted(text).model_dump() for text in texts], **more})


def faults(*installs: Install, **more: Any) -> tuple[Fault, ...]:
    plan = PlanFacts(dockerfile="Dockerfile", instructions=5, installs=installs, **more)
    judgement = judge(CONTRACT, facts().model_copy(update={"plan": plan}))
    assert (judgement.examined, judgement.unit) == (5, "instructions")
    return judgement.faults


def test_locked_requirements_under_the_constraints_are_kept() -> None:
    assert faults(install("six==1.0", "numpy")) == ()


def test_going_round_the_constraints_breaks_the_contract() -> None:
    (fault,) = faults(install("protobuf==3.20.1", bypass="PIP_CONSTRAINT is emptied there"))
    assert fault.summary == "Dockerfile:7 installs without the contract's constraints: PIP_CONSTRAINT is emptied there"
    assert fault.subject == "pip install protobuf==3.20.1"
    assert "asks for protobuf==3.20.1, which the contract pins" in fault.evidence
    assert str(fault.cause.step_location) == "Dockerfile:7"
    assert not fault.note


def test_own_constraint_files_that_name_every_pin_hold_as_well() -> None:
    assert faults(install("six==1.0", bypass="elsewhere", limited=["numpy", "protobuf"])) == ()


def test_another_stage_s_image_is_a_note() -> None:
    (fault,) = faults(install("six==1.0", bypass="its stage is FROM x", on_base=False))
    assert fault.note


@pytest.mark.parametrize(
    ("given", "words"),
    [
        pytest.param(install("six"), "leaves versions open, so that a rebuild may bring others: six", id="open"),
        pytest.param(install("numpy", options=["--upgrade"]), "--upgrade asks for newer versions of", id="upgrade"),
        pytest.param(install("a==1", options=["--force-reinstall"]), "installs anew what the base", id="force"),
        pytest.param(install("a==1", options=["--ignore-installed"]), "puts files over it", id="ignore"),
        pytest.param(install("a==1", options=["--target"]), "a folder of its own", id="target"),
        pytest.param(install(tool="project", verb="poetry install"), "does not obey the contract's", id="poetry"),
        pytest.param(install("scipy=1", tool="conda", verb="conda install"), "does not obey the", id="conda"),
        pytest.param(install("libcudnn9-cuda-12", "git", tool="apt"), "the CUDA libraries libcudnn9-cuda-12", id="apt"),
    ],
)
def test_what_may_change_is_a_note(given: Install, words: str) -> None:
    (fault,) = faults(given)
    assert words in fault.summary
    assert fault.note


def test_no_deps_is_fine_with_a_lock() -> None:
    assert not faults(install("a==1", options=["--no-deps"]))
    assert any("--no-deps leaves out" in fault.summary for fault in faults(install("a", options=["--no-deps"])))


def test_conda_that_moves_a_pin_and_sync_that_removes_them_break_the_contract() -> None:
    (conda,) = faults(install("numpy=2", tool="conda", verb="conda install"))
    (sync,) = faults(install("numpy==1.26.4", verb="sync", tool="uv pip"))
    assert not conda.note
    assert "asks for numpy" in conda.summary
    assert sync.actual == "not named: protobuf"


def test_what_is_not_verified() -> None:
    unread = Unread(place=AT, what="the shell cannot be parsed")
    told = faults(install("a==1", unread=["/r.txt is not found"]), unread=(unread,))
    assert [fault.unverified for fault in told] == [True, True]


def test_images_and_downloads_whose_content_nothing_settles() -> None:
    images = (ImageUse(place=AT, reference="a:latest", tag="latest"), ImageUse(place=AT, reference="b@x", digest=True))
    downloads = (Download(place=AT, address="https://x", checked=False), Download(place=AT, address="y", checked=True))
    told = faults(images=images, downloads=downloads)
    assert [fault.subject for fault in told] == ["a:latest", "https://x"]
    assert "moves with every release" in told[0].summary
    assert all(fault.note for fault in told)
