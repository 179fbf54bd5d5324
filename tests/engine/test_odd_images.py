"""Images that are not as one expects, and what is said of them; Ctrl-C at work."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import BuildImage, Run

pytestmark = pytest.mark.engine
Docker = Callable[..., str]
CONTRACT = "imgcheck: 1\nimports: true\n"
PIP_ONLY = 'imgcheck: 1\nimports: {exclude: ["pip._*", "setuptools", "pkg_resources"]}\n'


@pytest.fixture
def contract_of(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        (tmp_path / "contract.yaml").write_text(text, "utf-8")
        return str(tmp_path / "contract.yaml")

    return write


def report_of(imgcheck: Run, image: str, contract: str) -> tuple[int, Any]:
    done = imgcheck("check", image, "-c", contract, "--format", "json", "-q")
    assert done.out, done.err
    return done.code, json.loads(done.out)


def running(docker: Docker) -> set[str]:
    return set(docker("ps", "-aq", "--filter", "label=imgcheck").split())


def volumes(docker: Docker) -> set[str]:
    return set(docker("volume", "ls", "-q", "--filter", "label=imgcheck").split())


def test_an_image_without_python_is_told(
    imgcheck: Run, build_image: BuildImage, contract_of: Callable[[str], str]
) -> None:
    empty = build_image('FROM scratch\nCOPY a /a\nCMD ["/a"]\n', a=b"x")
    done = imgcheck("check", empty, "-c", contract_of(CONTRACT))
    assert done.code == 2
    assert f"{empty} has no python3 on its PATH" in done.err
    assert "python: /opt/conda/bin/python" in done.err


def test_an_interpreter_that_stayed_in_the_builder_is_told(
    imgcheck: Run, build_image: BuildImage, contract_of: Callable[[str], str], tmp_path: Path
) -> None:
    with tarfile.open(tmp_path / "venv.tar", "w") as archive:
        link = tarfile.TarInfo("usr/local/bin/python3")
        link.type, link.linkname = tarfile.SYMTYPE, "/home/builder/bin/python3.11"
        archive.addfile(link)
    odd = build_image("FROM scratch\nADD venv.tar /\n", **{"venv.tar": (tmp_path / "venv.tar").read_bytes()})
    done = imgcheck("check", odd, "-c", contract_of(CONTRACT))
    assert done.code == 2
    assert "/usr/local/bin/python3 is a link to /home/builder/bin/python3.11, which is not in the image" in done.err
    assert "make the virtual environment in the final stage" in done.err


def test_an_image_for_another_machine_is_told(
    imgcheck: Run, build_image: BuildImage, contract_of: Callable[[str], str]
) -> None:
    header = (
        b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 183, 1, 0, 64, 0, 0, 64, 56, 1, 64, 0, 0)
    )
    program = header + struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 120, 120, 4096)
    other = build_image("FROM scratch\nENV PATH=/bin\nCOPY python3 /bin/python3\n", python3=program)
    done = imgcheck("check", other, "-c", contract_of(CONTRACT))
    assert done.code == 2, done.err
    assert "cannot be executed" in done.err
    assert "another machine" in done.err


def test_shell_entrypoint_user_and_workdir_do_not_matter(
    imgcheck: Run, build_image: BuildImage, root_image: str, contract_of: Callable[[str], str]
) -> None:
    odd = build_image(
        f"FROM {root_image}\nRUN mkdir /work && rm -f /bin/sh /bin/bash /bin/dash\n"
        'USER 4321\nWORKDIR /work\nENTRYPOINT ["/bin/false"]\n'
    )
    code, report = report_of(imgcheck, odd, contract_of(PIP_ONLY))
    assert code == 0
    assert next(one for one in report["checks"] if one["name"] == "crashing-import")["examined"] > 0


def test_of_two_pythons_the_contract_names_one(
    imgcheck: Run, build_image: BuildImage, root_image: str, contract_of: Callable[[str], str]
) -> None:
    two = build_image(f"FROM {root_image}\nRUN python3 -m venv --without-pip /opt/bare\nENV PATH=/opt/bare/bin:$PATH\n")
    code, report = report_of(imgcheck, two, contract_of(CONTRACT))
    assert code == 1
    assert "no importable module" in json.dumps(report).lower()
    code, _ = report_of(imgcheck, two, contract_of(PIP_ONLY + "python: /usr/bin/python3\n"))
    assert code == 0


def test_an_unknown_user_names_the_key(imgcheck: Run, root_image: str, contract_of: Callable[[str], str]) -> None:
    done = imgcheck("check", root_image, "-c", contract_of(CONTRACT + "runtime: {user: nobody-here}\n"))
    assert done.code == 2, done.err
    assert "runtime.user" in done.err


def test_the_runtime_is_the_clusters(imgcheck: Run, root_image: str, contract_of: Callable[[str], str]) -> None:
    script = (
        "import os; assert os.getuid() == 1234; assert os.getcwd() == '/data'; assert os.environ['HOME'] == '/nowhere';"
        "write = lambda path: os.access(path, os.W_OK);"
        "print('root', write('/etc'), 'data', write('/data'), 'out', write('/out'))"
    )
    text = (
        "imgcheck: 1\nprobes:\n"
        f'  - {{name: vantage, run: ["{{python}}", -c, "{script}"], output: "root False data False out True"}}\n'
        'runtime: {user: "1234", workdir: /data, env: {HOME: /nowhere}, read_only: true, '
        "mounts: [{path: /data, read_only: true}, {path: /out}, {path: /tmp}]}\n"
    )
    code, report = report_of(imgcheck, root_image, contract_of(text))
    assert code == 0, json.dumps(report)


def test_a_registry_that_does_not_answer_is_worth_a_retry(imgcheck: Run, contract_of: Callable[[str], str]) -> None:
    done = imgcheck("check", "127.0.0.1:9/train:1", "-c", contract_of(CONTRACT))
    assert done.code == 75, done.err
    assert "127.0.0.1:9/train:1" in done.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nothing_behind(
    number: signal.Signals, base_image: str, contract: Path, docker: Docker, tmp_path: Path
) -> None:
    before, volumes_before = running(docker), volumes(docker)
    command = ["imgcheck", "check", base_image, "-c", str(contract), "--cache-dir", str(tmp_path)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ},
        # shells start what runs in the background with SIGINT ignored, and so would this be
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # no threads here
    )
    with process:
        deadline = time.monotonic() + 60
        while running(docker) <= before and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(number)
        assert process.stderr
        told = process.stderr.read()
    assert process.returncode == 130, told
    assert "interrupted" in told
    assert running(docker) <= before
    assert volumes(docker) <= volumes_before
