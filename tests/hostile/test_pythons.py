"""A Python that lies, or something in its place: what is refused, what --distrust finds, and what passes without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import Run
from tests.hostile.conftest import BuildImage
from tests.small_wheels import install

pytestmark = pytest.mark.engine

SITE = "/usr/local/lib/python3.11/dist-packages"
LIE = """
import sys
if "extension_suffixes" in " ".join(sys.orig_argv):
    sys.path[:] = ["/opt/facade" if one.endswith("local/lib/python3.11/dist-packages") else one for one in sys.path]
"""
FORGED = """#!/bin/sh
read -r request
printf '{"secret": "0", "number": 1, "kind": "interpreter", "facts": {}}\\n'
printf '{"secret": "0", "number": 2, "kind": "end", "count": 2}\\n'
"""
FORGED_WITH_SECRET = """#!/usr/bin/python3.11 -IS
import json, subprocess, sys
request = json.loads(sys.stdin.readline())
request["python"] = "/usr/bin/python3.11"
command = ["/usr/bin/python3.11", *sys.argv[1:]]
told = subprocess.run(command, input=(json.dumps(request) + "\\n").encode(), stdout=subprocess.PIPE).stdout
sys.stdout.write(told.decode().replace('"version":"3.20.1"', '"version":"4.25.3"'))
"""
CONTRACT = "imgcheck: 1\npins: {fakebuf: 4.25.3}\n"
SELECT = ("--select", "moved-pin,untrue-answer,altered-file,missing-file", "--no-cache")


@pytest.fixture(scope="module")
def lying(image: BuildImage, root_image: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The pin moved, a facade tells the pinned version, and a file was changed with its time and size kept."""
    context = tmp_path_factory.mktemp("lying")
    install(context / "site", "fakebuf", "3.20.1", {"fakebuf/__init__.py": "VERSION = '3.20.1'\n"})
    install(context / "facade", "fakebuf", "4.25.3", {"fakebuf/__init__.py": "VERSION = '4.25.3'\n"})
    (context / "sitecustomize.py").write_text(LIE, "utf-8")
    (context / "forged").write_text(FORGED, "utf-8")
    (context / "secret").write_text(FORGED_WITH_SECRET, "utf-8")
    for name in ("forged", "secret"):
        (context / name).chmod(0o755)
    return image(
        f"FROM {root_image}\nCOPY site {SITE}\nCOPY facade /opt/facade\nCOPY forged secret /opt/\n"
        "COPY sitecustomize.py /etc/python3.11/sitecustomize.py\n",
        context,
    )


@pytest.fixture(scope="module")
def truthful(image: BuildImage, root_image: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    context = tmp_path_factory.mktemp("truthful")
    install(context / "site", "fakebuf", "4.25.3", {"fakebuf/__init__.py": "VERSION = '4.25.3'\n"})
    return image(f"FROM {root_image}\nCOPY site {SITE}\nRUN rm -rf {SITE}/nothing\n", context)


def judged(imgcheck: Run, image: str, folder: Path, *options: str, more: str = "") -> tuple[int, Any, str]:
    (folder / "contract.yaml").write_text(CONTRACT + more, "utf-8")
    done = imgcheck("check", image, "-c", str(folder / "contract.yaml"), "--format", "json", "-q", *SELECT, *options)
    return done.code, json.loads(done.out) if done.out else {}, done.err


def test_a_site_file_that_lies_passes_and_is_found_with_distrust(imgcheck: Run, lying: str, tmp_path: Path) -> None:
    code, report, _ = judged(imgcheck, lying, tmp_path)
    assert (code, report["findings"]) == (0, [])
    code, report, _ = judged(imgcheck, lying, tmp_path, "--distrust")
    assert code == 1, report
    (found,) = report["findings"]
    assert found["name"] == "untrue-answer"
    assert found["subject"] == "fakebuf"
    assert "fakebuf 3.20.1" in found["summary"]
    assert "says nothing" in found["summary"]


def test_an_image_that_tells_the_truth_is_kept_with_distrust(imgcheck: Run, truthful: str, tmp_path: Path) -> None:
    code, report, _ = judged(imgcheck, truthful, tmp_path, "--distrust")
    assert (code, report["findings"]) == (0, []), report["findings"]
    (check,) = (one for one in report["checks"] if one["name"] == "untrue-answer")
    assert check["examined"] > 1


def test_an_answer_without_the_secret_is_refused(imgcheck: Run, lying: str, tmp_path: Path) -> None:
    code, _, told = judged(imgcheck, lying, tmp_path, more="python: /opt/forged\n")
    assert code == 4
    assert "is not the collector's" in told


def test_a_wrapper_that_knows_the_secret_is_found_with_distrust_alone(
    imgcheck: Run, lying: str, tmp_path: Path
) -> None:
    more = "python: /opt/secret\n"
    code, report, _ = judged(imgcheck, lying, tmp_path, "--distrust", more=more)
    assert code == 1, report["checks"]
    subjects = {one["subject"] for one in report["findings"]}
    assert {"/opt/secret", "fakebuf"} <= subjects, report["findings"]
