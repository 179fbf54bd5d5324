"""A Python that lies, or something in its place: what is refused, what --distrust finds, and what passes without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import BuildImage, Run
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
LYING_LIBRARY = f"""
import builtins, io, os
def _elsewhere(call):
    def lying(path, *more, **named):
        if isinstance(path, str) and (path + "/").startswith("{SITE}/"):
            path = "/opt/facade" + path[len("{SITE}"):]
        return call(path, *more, **named)
    return lying
for name in ("listdir", "scandir", "stat", "lstat"):
    setattr(os, name, _elsewhere(getattr(os, name)))
builtins.open = io.open = _elsewhere(io.open)
"""
LIARS = {
    "usercustomize": ("root/.local/lib/python3.11/site-packages/usercustomize.py", LIE, ""),
    "a line of a .pth file": (f"{SITE[1:]}/zz_lies.pth", f"import sys; exec({LIE!r})\n", ""),
    "a changed standard library": (
        "opt/more",
        LYING_LIBRARY,
        "RUN cat /opt/more >> /usr/lib/python3.11/json/__init__.py\n",
    ),
}
"""Each a file of the image, what it says, and what is done with it: believed, and found out by --distrust."""
POWERLESS = {
    "PYTHONSTARTUP": ("opt/more.py", LIE, "ENV PYTHONSTARTUP=/opt/more.py\n"),
    "ENTRYPOINT": ("opt/entry", FORGED, 'RUN chmod +x /opt/entry\nENTRYPOINT ["/opt/entry"]\nCMD ["/opt/entry"]\n'),
}
"""None of these is run where Python is asked."""
CONTRACT = "imgcheck: 1\npins: {fakebuf: 4.25.3}\n"
SELECT = ("--select", "moved-pin,untrue-answer,altered-file,missing-file", "--no-cache")


@pytest.fixture(scope="module")
def lying(build_image: BuildImage, root_image: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The pin moved, a facade tells the pinned version, and a file was changed with its time and size kept."""
    context = tmp_path_factory.mktemp("lying")
    install(context / "site", "fakebuf", "3.20.1", {"fakebuf/__init__.py": "VERSION = '3.20.1'\n"})
    install(context / "facade", "fakebuf", "4.25.3", {"fakebuf/__init__.py": "VERSION = '4.25.3'\n"})
    (context / "sitecustomize.py").write_text(LIE, "utf-8")
    (context / "forged").write_text(FORGED, "utf-8")
    (context / "secret").write_text(FORGED_WITH_SECRET, "utf-8")
    for name in ("forged", "secret"):
        (context / name).chmod(0o755)
    return build_image(
        f"FROM {root_image}\nCOPY site {SITE}\nCOPY facade /opt/facade\nCOPY forged secret /opt/\n"
        "COPY sitecustomize.py /etc/python3.11/sitecustomize.py\n",
        context,
    )


@pytest.fixture
def lying_by(
    request: pytest.FixtureRequest, build_image: BuildImage, root_image: str, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """As `lying`, by one of the other ways."""
    path, text, more = request.param
    context = tmp_path_factory.mktemp("lying-by")
    install(context / "site", "fakebuf", "3.20.1", {"fakebuf/__init__.py": "VERSION = '3.20.1'\n"})
    install(context / "facade", "fakebuf", "4.25.3", {"fakebuf/__init__.py": "VERSION = '4.25.3'\n"})
    file = context / "more" / path
    file.parent.mkdir(parents=True)
    file.write_text(text, "utf-8")
    return build_image(f"FROM {root_image}\nCOPY site {SITE}\nCOPY facade /opt/facade\nCOPY more /\n{more}", context)


@pytest.fixture(scope="module")
def truthful(build_image: BuildImage, root_image: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    context = tmp_path_factory.mktemp("truthful")
    install(context / "site", "fakebuf", "4.25.3", {"fakebuf/__init__.py": "VERSION = '4.25.3'\n"})
    return build_image(f"FROM {root_image}\nCOPY site {SITE}\nRUN rm -rf {SITE}/nothing\n", context)


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


@pytest.mark.parametrize("lying_by", LIARS.values(), ids=LIARS, indirect=True)
def test_other_lies_pass_and_are_found_with_distrust(imgcheck: Run, lying_by: str, tmp_path: Path) -> None:
    code, report, told = judged(imgcheck, lying_by, tmp_path)
    assert (code, report["findings"]) == (0, []), told
    code, report, told = judged(imgcheck, lying_by, tmp_path, "--distrust")
    assert code == 1, told
    assert ("untrue-answer", "fakebuf") in {(one["name"], one["subject"]) for one in report["findings"]}


@pytest.mark.parametrize("lying_by", POWERLESS.values(), ids=POWERLESS, indirect=True)
def test_what_is_not_run_where_python_is_asked_changes_nothing(imgcheck: Run, lying_by: str, tmp_path: Path) -> None:
    code, report, told = judged(imgcheck, lying_by, tmp_path)
    assert code == 1, told
    (found,) = report["findings"]
    assert (found["name"], found["subject"]) == ("moved-pin", "fakebuf"), found


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
