"""Locks in a real base, with an index on this machine's disk: wheels made here, in the pages of a simple index."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import Ran, Run
from tests.wheels import make_wheel, simple_index

pytestmark = pytest.mark.engine
PIP = "pip install -q --no-index --find-links /wheels"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simple index, one release of it yanked."""
    folder = tmp_path_factory.mktemp("index")
    wheels = folder / "wheels"
    make_wheel(wheels, "wirebuf 4.25.3")
    make_wheel(wheels, "wirebuf 3.20.1")
    make_wheel(wheels, "boardwriter 2.5.1", "wirebuf<=3.20.1")
    make_wheel(wheels, "teamtool 1.0", "boardwriter")
    make_wheel(wheels, "teamtool 1.1")
    make_wheel(
        wheels, "harmless 1.0", "windowsonly; sys_platform == 'win32'", "extended; extra == 'more'", extras=("more",)
    )
    make_wheel(wheels, "harmless 1.1")
    make_wheel(wheels, "extended 3.0", "sealed", "numarr")
    make_wheel(wheels, "numarr 2.0")
    make_wheel(wheels, "fastmath 3.0", "numarr>=2")
    make_wheel(wheels, "tooyoung 1.0", python=">=3.99")
    simple_index(folder / "simple", wheels, {"harmless-1.1-py3-none-any.whl": "broken"})
    return folder / "simple"


@pytest.fixture(scope="module")
def base(docker: Callable[..., str], root_image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("base")
    make_wheel(folder / "wheels", "wirebuf 4.25.3")
    make_wheel(folder / "wheels", "numarr 1.26.4")
    make_wheel(folder / "wheels", "sealed 2.6.0a0+vendor", "wirebuf>=4")  # no index has it
    (folder / "Dockerfile").write_text(
        f"FROM {root_image}\nRUN python3 -m venv /opt/venv\nENV PATH=/opt/venv/bin:$PATH\nCOPY wheels /wheels\n"
        f"RUN {PIP} wirebuf numarr sealed==2.6.0a0+vendor\n"
    )
    name = f"imgcheck-test/lock-{uuid.uuid4().hex[:8]}:1"
    docker("build", "-q", "-t", name, str(folder))
    yield name
    docker("rmi", "-f", name)


@pytest.fixture
def lock(imgcheck: Run, base: str, index: Path, tmp_path: Path) -> Callable[..., Ran]:
    (tmp_path / "c.yaml").write_text(
        f"imgcheck: 1\nbase: {{image: {base}}}\npins:\n  wirebuf: 4.25.3\n  numarr: 1.26.4\n", "utf-8"
    )

    def run(text: str, *arguments: str, command: str = "lock", url: str = "") -> Ran:
        (tmp_path / "r.in").write_text(text, "utf-8")
        chosen = ("-c", str(tmp_path / "c.yaml"), "-q", "--index-url", url or f"file://{index}")
        return imgcheck(command, str(tmp_path / "r.in"), *chosen, *arguments, cwd=tmp_path)

    return run


def test_extras_markers_yanked_releases_and_the_base_s_own(lock: Any, tmp_path: Path) -> None:
    done = lock("harmless[more]\n", "--generate-hashes")
    assert done.code == 0, done.out + done.err
    text = (tmp_path / "r.txt").read_text("utf-8")
    names = [line.partition("==")[0] for line in text.splitlines() if line and line[0] not in "# "]
    assert names == ["extended", "harmless"]
    assert "harmless==1.0" in text
    assert text.count("--hash=sha256:") == 2
    assert lock("harmless[more]\n", "--generate-hashes", "--check").code == 0
    assert "harmless" in lock("extended\n", "--check").out


def test_two_culprits_at_once_and_the_fix_of_one(lock: Any, tmp_path: Path) -> None:
    done = lock("# bad\nteamtool==1.0\nfastmath\n")
    assert done.code == 1, done.out + done.err
    assert "r.in:2: boardwriter 2.5.1 needs wirebuf<=3.20.1 (asked for by teamtool==1.0)" in done.out
    assert "the contract pins wirebuf==4.25.3" in done.out
    assert "r.in:3: fastmath 3.0 needs numarr>=2" in done.out
    assert "teamtool 1.1 fits (resolved)" in done.out
    fixed = lock("# bad\nteamtool==1.0\n", "--apply", command="fix")
    assert fixed.code == 0, fixed.out + fixed.err
    assert (tmp_path / "r.in").read_text("utf-8") == "# bad\nteamtool==1.1\n"
    assert "teamtool==1.1" in (tmp_path / "r.txt").read_text("utf-8")


def test_what_cannot_be_resolved_is_told_in_the_resolver_s_words(lock: Any) -> None:
    done = lock("tooyoung\n")
    assert done.code == 1
    assert "tooyoung" in done.out


def test_an_index_out_of_reach_is_worth_a_retry(lock: Any) -> None:
    assert lock("harmless\n", url="http://127.0.0.1:9/simple").code == 75
