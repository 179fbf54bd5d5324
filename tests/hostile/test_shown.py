"""What a hostile image says, in names, versions, errors and logs, is text in every report."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from imgcheck.report import RENDERERS
from tests.engine.conftest import BuildImage, Run
from tests.hostile.behaviours import SAMPLES
from tests.small_wheels import install

pytestmark = pytest.mark.engine

LIVING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
COMMANDS = re.compile(r"^\s*::(?!(?:error|warning|notice) |notice::BROKEN)|##(?:vso|teamcity)?\[", re.MULTILINE)
MARKUP = re.compile(r"<script>alert|<img src=x|<a [^>]*forged|<img [^>]*forged")
VERSION = "1.0\x1b[2J\u202e<script>alert(1)</script>##[error]x"
EVIL = "evil::error::forged <img src=x onerror=alert(1)> [a](http://forged.example) ![b](http://forged.example)"


@pytest.fixture(scope="module")
def shouting(build_image: BuildImage, root_image: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    context = tmp_path_factory.mktemp("shouting")
    info = install(context / "site", "shouts", "1.0", {"shouts.py": SAMPLES["says_commands"].source})
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: shouts\nVersion: {VERSION}\nRequires-Dist: {EVIL}\n")
    with (info / "RECORD").open("a") as record:
        record.write(
            "gone/::error::forged <script>alert(1)<!-- \x1b[2J##[error].py,sha256=x,1\n../../../../etc/passwd,,\n"
        )
    copy = "import shutil, sysconfig; shutil.copytree('/in', sysconfig.get_path('purelib'), dirs_exist_ok=True)"
    return build_image(f'FROM {root_image}\nCOPY site /in\nRUN ["python3", "-c", "{copy}"]\n', context)


def test_hostile_text_is_text_in_every_report(
    imgcheck: Run, shouting: str, tmp_path: Path, docker: Callable[..., str]
) -> None:
    (tmp_path / "contract.yaml").write_text(
        'imgcheck: 1\npins: {shouts: "1.0"}\nimports: {exclude: ["pip*", "setuptools*", "pkg_resources*", "wheel*"]}\n'
    )
    wanted = [one for name in RENDERERS for one in ("--report", f"{name}={tmp_path / name}")]
    done = imgcheck("check", shouting, "-c", str(tmp_path / "contract.yaml"), "-v", *wanted)
    assert done.code == 1, done.err
    told = {name: (tmp_path / name).read_text("utf-8") for name in RENDERERS}
    told |= {"stdout": done.out, "stderr": done.err}
    for name, text in told.items():
        assert not LIVING.search(text), name
        assert not COMMANDS.search(text), (name, COMMANDS.search(text))
    assert "root:x:0" not in "".join(told.values())
    assert not MARKUP.search(told["html"])
    for name in ("markdown", "summary"):
        assert not MARKUP.search(MarkdownIt("commonmark", {"html": True}).render(told[name])), name
    assert "forged" in told["json"]
