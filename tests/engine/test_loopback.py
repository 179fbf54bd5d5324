"""Plans, builds and rebuilds against an index on loopback: what is told before, in and after a build."""

from __future__ import annotations

import json
import socket
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import Ran, Run
from tests.loopback_index import LoopbackIndex, loopback_index

pytestmark = pytest.mark.engine

RELEASES = {
    "wirebuf 4.25.3": (),
    "wirebuf 3.20.1": (),
    "numarr 1.26.4": (),
    "numarr 2.0": (),
    "boardwriter 2.5.1": ("wirebuf<=3.20.1",),
    "teamtool 1.0": ("boardwriter",),
    "teamtool 1.1": (),
    "fastmath 3.0": ("numarr>=2",),
    "harmless 1.0": (),
    "quarrel 1.0": ("harmless<1",),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackIndex]:
    with loopback_index(tmp_path_factory.mktemp("index"), RELEASES) as found:
        yield found


@pytest.fixture(scope="module")
def base(
    docker: Callable[..., str], root_image: str, index: LoopbackIndex, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("base")
    (folder / "Dockerfile").write_text(
        f"FROM {root_image}\nRUN python3 -m venv /opt/venv\nENV PATH=/opt/venv/bin:$PATH\n"
        f"RUN {index.pip} wirebuf==4.25.3 numarr==1.26.4\n"
    )
    name = f"imgcheck-test/loopback-{uuid.uuid4().hex[:8]}:1"
    docker("build", "-q", "--network", "host", "-t", name, str(folder))
    yield name
    docker("rmi", "-f", name)


@pytest.fixture
def run(imgcheck: Run, base: str, tmp_path: Path) -> Callable[..., tuple[Ran, Any]]:
    """A command on a Dockerfile of these lines, and its report; requirements are in r.txt."""
    contract = tmp_path / "c.yaml"
    contract.write_text(f"imgcheck: 1\nbase: {{image: {base}}}\npins:\n  wirebuf: 4.25.3\n  numarr: 1.26.4\n", "utf-8")

    def call(command: str, lines: str, *arguments: str, requirements: str = "") -> tuple[Ran, Any]:
        (tmp_path / "r.txt").write_text(requirements, "utf-8")
        (tmp_path / "Dockerfile").write_text(f"FROM {base}\nCOPY r.txt /r.txt\n{lines}", "utf-8")
        report = tmp_path / "report.json"
        report.unlink(missing_ok=True)
        chosen = ("-c", str(contract), "--network", "host", "--report", f"json={report}")
        done = imgcheck(command, *chosen, *arguments, str(tmp_path), cwd=tmp_path)
        return done, json.loads(report.read_text("utf-8")) if report.exists() else None

    return call


def broken(report: Any) -> dict[str, Any]:
    return {one["subject"]: one for one in report["findings"] if one["state"] == "broken"}


def test_a_downgrade_through_a_transitive_requirement_is_told_before_the_build(run: Any, index: LoopbackIndex) -> None:
    done, report = run(
        "plan", f"RUN {index.pip} harmless\nRUN {index.pip} -r /r.txt\n", requirements="# bad\nteamtool==1.0\n"
    )
    assert done.code == 1, done.out + done.err
    found = broken(report)["wirebuf<=3.20.1"]
    assert found["cause"]["step_location"]["line"] == 4
    assert found["cause"]["requirement"] == "boardwriter 2.5.1 needs wirebuf<=3.20.1 (asked for by teamtool==1.0)"
    assert (Path(found["cause"]["location"]["file"]).name, found["cause"]["location"]["line"]) == ("r.txt", 2)
    assert "teamtool 1.1 fits (resolved)" in found["remedy"]
    assert "a base with wirebuf 3.20.1 would fit" in found["remedy"]
    assert found["location"]["line"] == 4


def test_a_build_stops_before_it_begins_and_two_culprits_are_told_at_once(run: Any, index: LoopbackIndex) -> None:
    done, report = run("build", f"RUN {index.pip} -r /r.txt\n", requirements="teamtool==1.0\nfastmath\nharmless\n")
    assert done.code == 1, done.out + done.err
    assert set(broken(report)) == {"wirebuf<=3.20.1", "numarr>=2"}
    assert "Building" not in done.err


def test_what_the_plan_allows_is_built(run: Any, index: LoopbackIndex) -> None:
    done, report = run("build", f"RUN {index.pip} -r /r.txt\n", requirements="harmless\nteamtool\n")
    assert done.code == 0, done.out + done.err
    states = {one["name"]: one["state"] for one in report["checks"]}
    assert states["unresolvable-requirement"] == "kept"


def test_requirements_that_contradict_each_other(run: Any, index: LoopbackIndex) -> None:
    done, report = run("plan", f"RUN {index.pip} harmless==1.0 quarrel\n")
    assert done.code == 1, done.out + done.err
    (found,) = broken(report).values()
    assert "contradict each other" in found["summary"]
    assert "quarrel 1.0 depends on harmless<1" in found["evidence"]


def test_without_an_index_or_time_nothing_is_told_and_nothing_is_kept(run: Any, index: LoopbackIndex) -> None:
    lines = "RUN pip install --retries 0 --index-url http://127.0.0.1:{port}/simple harmless\n"
    silent = socket.create_server(("127.0.0.1", 0))  # takes connections, and never answers
    nobody, slow = lines.format(port=9), lines.format(port=silent.getsockname()[1])
    for text, more, why in (
        (nobody, (), "no index answered"),
        (slow, ("--resolve-timeout", "1"), "not resolved within 1 s"),
    ):
        done, report = run("plan", text, *more)
        assert done.code == 0, done.out + done.err
        (check,) = [one for one in report["checks"] if one["name"] == "unresolvable-requirement"]
        assert check["state"] == "unverified"
        assert why in check["reason"]
    silent.close()
    built, report = run("build", f"RUN {index.pip} harmless --extra-index-url $(echo {index.url})\n")
    (check,) = [one for one in report["checks"] if one["name"] == "unresolvable-requirement"]
    assert (built.code, check["state"]) == (0, "kept"), built.out + built.err
    done, report = run("plan", nobody, "--no-resolve")
    (check,) = [one for one in report["checks"] if one["name"] == "unresolvable-requirement"]
    assert check["state"] == "kept"
    assert check["passed_over"]


def test_a_build_that_fails_in_pip_is_explained_as_a_lock_is(run: Any, index: LoopbackIndex) -> None:
    lines = f"RUN {index.pip} harmless\nRUN true && \\\n  {index.pip} -r /r.txt\n"
    done, _ = run("build", lines, "--no-plan", requirements="fastmath\nteamtool==1.0\n")
    assert done.code == 3, done.out + done.err
    assert "there is no solution under the contract" in done.err
    assert "r.txt:2: boardwriter 2.5.1 needs wirebuf<=3.20.1 (asked for by teamtool==1.0)" in done.err
    assert "r.txt:1: fastmath 3.0 needs numarr>=2" in done.err
    assert "→ teamtool 1.1 fits (resolved)" in done.err


def test_a_release_that_appears_between_two_builds(run: Any, index: LoopbackIndex) -> None:
    index.publish("fickle 1.0")
    index.on_fetch["fickle-1.0-py3-none-any.whl"] = lambda: index.publish("fickle 1.1")
    done, report = run("build", f"RUN {index.pip} fickle\n", "--no-resolve", "--prove-rebuild")
    assert done.code == 1, done.out + done.err
    found = broken(report)["fickle"]
    assert (found["name"], found["summary"]) == ("changed-rebuild", "A second build gives fickle 1.1, the first 1.0")
    assert found["cause"]["step_location"]["line"] == 3


def test_a_fresh_resolution_alone_tells_of_a_new_release(run: Any, index: LoopbackIndex) -> None:
    index.publish("giddy 1.0")
    index.on_fetch["giddy-1.0-py3-none-any.whl"] = lambda: index.publish("giddy 1.1")
    lines = f"RUN {index.pip} giddy\nRUN {index.pip} harmless\n"
    done, report = run("build", lines, "--no-resolve", "--prove-rebuild=resolve")
    assert done.code == 1, done.out + done.err
    assert broken(report)["giddy"]["summary"] == "A fresh resolution gives giddy 1.1, the image has 1.0"
    again, report = run("build", lines, "--no-resolve", "--no-build-cache", "--prove-rebuild=resolve")
    assert again.code == 0, again.out + again.err
    (check,) = [one for one in report["checks"] if one["name"] == "changed-rebuild"]
    assert (check["state"], check["examined"]) == ("kept", 2)


def test_of_three_steps_the_second_is_guilty_though_the_third_asks_for_it_too(run: Any, index: LoopbackIndex) -> None:
    free = f"PIP_CONSTRAINT= {index.pip}"
    lines = f"RUN {index.pip} harmless; sleep 1\nRUN {free} -r /r.txt; sleep 1\nRUN {free} 'wirebuf<4'\n"
    done, report = run("build", lines, requirements="teamtool==1.0\n")
    assert done.code == 1, done.out + done.err
    cause = broken(report)["wirebuf"]["cause"]
    assert cause["step_location"]["line"] == 4
    assert cause["requirement"] == "boardwriter 2.5.1 requires wirebuf<=3.20.1, which teamtool 1.0 requires"
    assert (Path(cause["location"]["file"]).name, cause["location"]["line"]) == ("r.txt", 1)


def test_hashes_that_do_not_match(run: Any, index: LoopbackIndex) -> None:
    wrong = f"harmless==1.0 --hash=sha256:{'0' * 64}\n"
    lines = f"RUN {index.pip} -r /r.txt\n"
    done, report = run("plan", lines, requirements=wrong)
    (check,) = [one for one in report["checks"] if one["name"] == "unresolvable-requirement"]
    assert (done.code, check["state"]) == (0, "unverified"), done.out + done.err
    assert "the hashes of harmless" in check["reason"]
    done, _ = run("build", lines, requirements=wrong)
    assert done.code == 3, done.out + done.err
    assert (
        "Dockerfile:3: the hashes of harmless==1.0 do not match: the requirements say sha256 000000000000" in done.err
    )


@pytest.fixture
def lock(imgcheck: Run, run: Any, index: LoopbackIndex, tmp_path: Path) -> Callable[..., Ran]:
    def call(requirements: str, *arguments: str) -> Ran:
        (tmp_path / "r.in").write_text(requirements, "utf-8")
        chosen = ("-c", str(tmp_path / "c.yaml"), "-q", "--network", "host", "--index-url", index.url)
        return imgcheck("lock", str(tmp_path / "r.in"), *chosen, *arguments, cwd=tmp_path)

    return call


@pytest.mark.parametrize("resolver", ["pip-tools", "uv"])
def test_extras_markers_and_yanked_releases(lock: Any, index: LoopbackIndex, tmp_path: Path, resolver: str) -> None:
    more = ("extended; extra == 'more'", "windowsonly; sys_platform == 'win32'")
    index.publish("optional 1.0", *more, extras=("more",))
    index.yank(index.publish("optional 1.1", *more, extras=("more",)), "broken")
    index.publish("extended 3.0", "numarr", "wirebuf>=4")
    done = lock("optional[more]\n", "--resolver", resolver, "--generate-hashes")
    assert done.code == 0, done.out + done.err
    text = (tmp_path / "r.txt").read_text("utf-8")
    names = [line.split(" ")[0] for line in text.splitlines() if line and line[0] not in "# "]
    assert names == ["extended==3.0", "optional==1.0"]
    assert text.count("--hash=sha256:") == 2
    assert lock("optional[more]\n", "--resolver", resolver, "--generate-hashes", "--check").code == 0


@pytest.mark.parametrize("resolver", ["pip-tools", "uv"])
def test_two_culprits_and_their_ways_out(lock: Any, resolver: str) -> None:
    done = lock("# bad\nteamtool==1.0\nfastmath==3.0\n", "--resolver", resolver)
    assert done.code == 1, done.out + done.err
    assert "needs wirebuf<=3.20.1" in done.out
    assert "r.in:2: " in done.out
    assert "r.in:3: fastmath" in done.out
    assert "teamtool 1.1 fits (resolved)" in done.out
    assert "the contract pins numarr==1.26.4" in done.out


def test_only_yanked_and_other_pythons_are_told_in_plain_words(lock: Any, index: LoopbackIndex) -> None:
    index.publish("tooyoung 1.0", python=">=3.99")
    index.yank(index.publish("regretted 1.0"), "wrong files")
    assert "tooyoung is for Python >=3.99, and this one is 3." in lock("tooyoung>=1\n").out
    assert "regretted: only 1.0 would fit, which its makers have yanked" in lock("regretted\n").out


def test_what_uv_installs_is_resolved_by_uv(run: Any, index: LoopbackIndex) -> None:
    done, report = run("plan", f"RUN uv pip install --index-url {index.url} teamtool==1.0\n")
    assert done.code == 1, done.out + done.err
    (found,) = broken(report).values()
    assert "needs wirebuf<=3.20.1" in found["cause"]["requirement"]
    assert "teamtool 1.1 fits (resolved)" in found["remedy"]
