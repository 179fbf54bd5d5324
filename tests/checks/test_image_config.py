from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.image_config import CHECK, judge
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, facts

CONFIG: dict[str, Any] = {
    "user": "1000:1000",
    "workdir": "/app",
    "env": ("PATH=/usr/bin", "MODE=train"),
    "labels": {"team": "ml"},
    "entrypoint": ("python",),
    "command": ("train.py",),
    "ports": ("8080/tcp",),
    "volumes": ("/data",),
}


def judged(**promises: Any) -> Judgement:
    found = facts()
    image = found.image.model_copy(update=CONFIG)
    return judge(a_contract(image=promises), found.model_copy(update={"image": image}))


def test_it_is_asked_for_by_any_setting() -> None:
    assert not CHECK.applies(a_contract())
    assert not CHECK.applies(a_contract(image={"commands": ["git"]}))
    assert CHECK.applies(a_contract(image={"user": "ml"}))
    assert CHECK.applies(a_contract(image={"no_ports": ["22"]}))
    assert not CHECK.inheritable


def test_an_image_as_promised_is_kept() -> None:
    judgement = judged(
        user="1000:1000",
        workdir="/app/",
        env={"MODE": "train", "PATH": {"matches": "bin$"}, "DEBUG": {"unset": True}},
        labels={"team": "ml"},
        entrypoint=["python"],
        cmd=["train.py"],
        ports=["8080"],
        no_ports=["22"],
        volumes=["/data"],
        no_volumes=["/root"],
    )
    assert (judgement.examined, judgement.unit, judgement.faults) == (12, "settings", ())


@pytest.mark.parametrize(
    ("promise", "subject", "summary"),
    [
        pytest.param({"user": "root"}, "user", "USER of the image is 1000:1000", id="user"),
        pytest.param({"workdir": "/work"}, "workdir", "WORKDIR of the image is /app", id="workdir"),
        pytest.param({"env": {"MODE": "serve"}}, "env.MODE", "ENV MODE of the image is 'train'", id="env"),
        pytest.param({"env": {"GONE": "1"}}, "env.GONE", "ENV GONE of the image is unset", id="env that is not set"),
        pytest.param({"env": {"MODE": {"matches": "^s"}}}, "env.MODE", "says what matches '^s'", id="env pattern"),
        pytest.param({"env": {"MODE": {"unset": True}}}, "env.MODE", "the contract says unset", id="env that must go"),
        pytest.param({"labels": {"team": "web"}}, "labels.team", "LABEL team of the image is 'ml'", id="label"),
        pytest.param({"entrypoint": []}, "entrypoint", "ENTRYPOINT of the image is ['python']", id="entrypoint"),
        pytest.param({"cmd": ["serve.py"]}, "cmd", "CMD of the image is ['train.py']", id="cmd"),
        pytest.param({"ports": ["53/udp"]}, "ports.0", "EXPOSE 53/udp of the image is absent", id="port"),
        pytest.param({"no_ports": ["8080"]}, "no_ports.0", "EXPOSE 8080 of the image is there", id="no port"),
        pytest.param({"volumes": ["/x"]}, "volumes.0", "VOLUME /x of the image is absent", id="volume"),
        pytest.param({"no_volumes": ["/data"]}, "no_volumes.0", "VOLUME /data of the image is there", id="no volume"),
    ],
)
def test_each_setting_that_differs_is_told(promise: dict[str, Any], subject: str, summary: str) -> None:
    (fault,) = judged(**promise).faults
    assert fault.subject == subject
    assert summary in fault.summary


@pytest.mark.parametrize(("user", "kept"), [("", False), ("root", False), ("0:0", False), ("ml", True), ("1000", True)])
def test_nonroot_is_anybody_but_root(user: str, kept: bool) -> None:
    found = facts()
    image = found.image.model_copy(update={"user": user})
    judgement = judge(a_contract(image={"user": "nonroot"}), found.model_copy(update={"image": image}))
    assert bool(judgement.faults) is not kept
