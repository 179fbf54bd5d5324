"""Engines of other machines: ssh, TCP with TLS, and docker contexts; judged and built there."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import certifi
import pytest

from tests.engine.conftest import ROOT, Ran
from tests.engine.remote import ssh_server, tls_server

pytestmark = pytest.mark.engine
TAG = "imgcheck-test/remote:1"
Command = Callable[..., Ran]


def command(environment: dict[str, str], facts: Path) -> Command:
    def run(*arguments: str) -> Ran:
        env = {**os.environ, "IMGCHECK_CACHE_DIR": str(facts), "NO_COLOR": "1", **environment}
        done = subprocess.run(["imgcheck", *arguments], capture_output=True, text=True, cwd=ROOT, check=False, env=env)
        return Ran(code=done.returncode, out=done.stdout, err=done.stderr)

    return run


@pytest.fixture(scope="module")
def by_ssh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The ssh command with settings of its own, as ~/.ssh/config would give them."""
    real = shutil.which("ssh")
    if real is None:
        pytest.skip("there is no ssh command")
    folder = tmp_path_factory.mktemp("ssh")
    settings = folder / "config"
    settings.write_text(f"StrictHostKeyChecking no\nUserKnownHostsFile {folder}/known\nLogLevel ERROR\n")
    wrapper = folder / "ssh"
    wrapper.write_text(f'#!/bin/sh\nexec {real} -F {settings} "$@"\n')
    wrapper.chmod(0o755)
    with ssh_server() as port:
        host = f"ssh://somebody@127.0.0.1:{port}"
        yield {"PATH": f"{folder}:{os.environ['PATH']}", "DOCKER_HOST": host}


@pytest.fixture(scope="module")
def by_tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    folder = tmp_path_factory.mktemp("tls")
    with tls_server(folder) as port:
        yield {
            "DOCKER_HOST": f"tcp://127.0.0.1:{port}",
            "DOCKER_TLS_VERIFY": "1",
            "DOCKER_CERT_PATH": str(folder),
            "REQUESTS_CA_BUNDLE": certifi.where(),  # people behind a proxy have one: it is not the engine's
        }


@pytest.fixture(scope="module")
def by_context(by_tls: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A current context, as `docker context use` leaves it."""
    folder = tmp_path_factory.mktemp("docker")
    certificates = by_tls["DOCKER_CERT_PATH"]
    parts = [
        f"{name}={certificates}/{file}" for name, file in (("ca", "ca.pem"), ("cert", "cert.pem"), ("key", "key.pem"))
    ]
    environment = {**by_tls, "DOCKER_CONFIG": str(folder), "DOCKER_HOST": "", "DOCKER_TLS_VERIFY": ""}
    for arguments in (
        ("create", "elsewhere", "--docker", ",".join([f"host={by_tls['DOCKER_HOST']}", *parts])),
        ("use", "elsewhere"),
    ):
        subprocess.run(
            ["docker", "context", *arguments], check=True, capture_output=True, env={**os.environ, **environment}
        )
    return environment


@pytest.fixture(params=["by_ssh", "by_tls", "by_context"])
def imgcheck(request: pytest.FixtureRequest, tmp_path: Path) -> Command:
    return command(request.getfixturevalue(request.param), tmp_path / "facts")


@pytest.fixture
def contract(root_image: str, tmp_path: Path) -> Path:
    path = tmp_path / "base.yaml"
    path.write_text(f"imgcheck: 1\nbase: {{image: {root_image}}}\nimports: {{require: [pip]}}\n")
    return path


def test_an_image_is_built_and_judged_there(
    imgcheck: Command, docker: Callable[..., str], root_image: str, contract: Path, tmp_path: Path
) -> None:
    (tmp_path / "Dockerfile").write_text(f"FROM {root_image}\nRUN cat $PIP_CONSTRAINT\n")
    options = ("--no-resolve", "--select", "IC1,IC3", "-c", str(contract))
    before = docker("ps", "-aq", "--filter", "label=imgcheck")
    done = imgcheck("build", *options, "-t", TAG, str(tmp_path))
    assert done.code == 0, done.out + done.err
    assert "KEPT" in done.out
    docker("rmi", TAG)
    assert docker("ps", "-aq", "--filter", "label=imgcheck") == before


def test_its_engine_is_told_by_the_name_that_the_user_gave(by_ssh: dict[str, str], tmp_path: Path) -> None:
    done = command(by_ssh, tmp_path)("doctor")
    assert f"at {by_ssh['DOCKER_HOST']}, from DOCKER_HOST" in done.out
    assert "buildx" in done.out


def test_nobody_there_is_said_with_ssh_s_own_words(by_ssh: dict[str, str], tmp_path: Path, contract: Path) -> None:
    nobody = {**by_ssh, "DOCKER_HOST": "ssh://somebody@127.0.0.1:1"}
    done = command(nobody, tmp_path)("check", "any:1", "-c", str(contract))
    assert done.code == 75
    assert "no container engine answers at ssh://somebody@127.0.0.1:1 (from DOCKER_HOST)" in done.err
    assert "refused" in done.err


def test_a_certificate_of_another_authority_is_not_trusted(
    by_tls: dict[str, str], tmp_path: Path, contract: Path
) -> None:
    with tls_server(tmp_path):
        done = command({**by_tls, "DOCKER_CERT_PATH": str(tmp_path)}, tmp_path)("check", "any:1", "-c", str(contract))
    assert done.code == 75
    assert "certificate" in done.err.lower()


def test_certificates_that_are_not_there_are_named(by_tls: dict[str, str], tmp_path: Path, contract: Path) -> None:
    done = command({**by_tls, "DOCKER_CERT_PATH": str(tmp_path)}, tmp_path)("check", "any:1", "-c", str(contract))
    assert done.code == 2
    assert f"{tmp_path} has no ca.pem, cert.pem, key.pem" in done.err
