"""What Podman is told, and its words for a failure. The outputs were written by podman 4.3."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from imgcheck import process
from imgcheck.build.backend import Order
from imgcheck.build.dockerfile import parse_syntax
from imgcheck.build.failure import explain
from imgcheck.build.options import BuildOptions
from imgcheck.build.plan import plan_build
from imgcheck.build.podman import Podman
from imgcheck.build.podman_output import read_failure
from imgcheck.build.stages import Dockerfile, resolve
from imgcheck.errors import BuildError, EngineOutOfReachError, ImgcheckError, RegistryOutOfReachError, UsageError
from tests.build.fakes import BASE, FakeEngine, contract, image

OUTPUTS = Path(__file__).parent / "outputs"
HOST = "unix:///run/podman/podman.sock"


def order(folder: Path, text: str, options: BuildOptions | None = None) -> Order:
    (folder / "Dockerfile").write_text(text)
    plan = plan_build(FakeEngine(), contract(), image(), context=folder, constraints="numpy==1\n", options=options)
    return Order(
        plan=plan,
        base="docker.io/imgcheck/base:x",
        image_name="imgcheck/working:x",
        derived_name="imgcheck/derived:x",
        constraints_digest="sha256:1",
        folder=folder,
    )


def commands(monkeypatch: pytest.MonkeyPatch, order: Order, codes: Sequence[int] = (0, 0)) -> list[tuple[str, ...]]:
    ran: list[tuple[str, ...]] = []

    def run(
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> process.Completed:
        assert env is None
        assert on_line is None
        ran.append(tuple(command))
        return process.Completed(command=tuple(command), exit_code=codes[len(ran) - 1], output="")

    monkeypatch.setattr(process, "run", run)
    Podman(endpoint=HOST).build(order, None)
    return ran


def test_the_derived_base_is_built_and_put_in_the_place_of_every_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"ARG BASE={BASE}\nFROM $BASE AS a\nRUN x\nFROM {BASE}\nCOPY --from=a /x /x\n"
    options = BuildOptions(
        build_args=("A=b",),
        labels=("l=m",),
        secrets=("id=ca,src=ca",),
        add_hosts=("h=1.2.3.4",),
        target="1",
        no_cache=True,
        network="host",
    )
    derived, built = commands(monkeypatch, order(tmp_path, text, options))
    assert derived[:4] == ("podman", "--url", HOST, "build")
    assert "--tag=docker.io/imgcheck/derived:x" in derived
    assert f"--file={tmp_path}/base-x" in derived
    assert (tmp_path / "base-x").read_text().startswith("FROM docker.io/imgcheck/base:x\nCOPY --chmod=0644 ")
    assert f"--file={tmp_path}/image-x" in built  # by a name that the service's own folder cannot have
    assert (tmp_path / "image-x").read_text() == text
    given = "container-image://docker.io/imgcheck/derived:x"
    assert {f"--build-context=$BASE={given}", f"--build-context={BASE}={given}"} < set(built)
    wanted = {"--build-arg=A=b", "--label=l=m", "--secret=id=ca,src=ca", "--add-host=h:1.2.3.4", "--target=1"}
    assert wanted | {"--no-cache", "--network=host", "--tag=docker.io/imgcheck/working:x"} < set(built)
    assert built[-1] == str(tmp_path)


def test_the_dockerfile_s_own_dockerignore_is_handed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = order(tmp_path, f"FROM {BASE}\n")
    assert not any("ignorefile" in one for one in commands(monkeypatch, wanted)[1])
    (tmp_path / "Dockerfile.dockerignore").write_text("*\n")
    assert f"--ignorefile={tmp_path}/Dockerfile.dockerignore" in commands(monkeypatch, wanted)[1]


def test_without_a_derived_base_nothing_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(commands(monkeypatch, order(tmp_path, f"FROM {BASE}\n"), codes=(125,))) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(BuildOptions(pull=True), "--pull: Podman would look", id="pull"),
        pytest.param(
            BuildOptions(cache_from=("type=registry,ref=r/c",)), "a build's cache in a repository", id="cache"
        ),
    ],
)
def test_what_podman_has_in_another_way_is_refused(tmp_path: Path, options: BuildOptions, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Podman(endpoint=HOST).refuse_unknown(order(tmp_path, f"FROM {BASE}\n", options).plan)


def test_without_its_command_the_way_out_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="there is no podman command here"):
        Podman(endpoint=HOST).build(order(tmp_path, f"FROM {BASE}\n"), None)


def told(output: str, text: str) -> ImgcheckError:
    dockerfile: Dockerfile = resolve(parse_syntax(text, file="Dockerfile"), build_args={}, platform="linux/amd64")
    return explain(read_failure(output, dockerfile), output, dockerfile=dockerfile, contract=contract())


def recorded(name: str) -> str:
    return (OUTPUTS / f"podman-{name}.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "text", "kind", "message"),
    [
        pytest.param(
            "command",
            "# x\nARG X=1\nFROM a AS a\nARG X\nRUN echo hi $X \\\n  && false\nFROM a\n",
            BuildError,
            "Dockerfile:5: RUN echo hi $X && false failed: exit status 1",
            id="command",
        ),
        pytest.param(
            "copy",
            "FROM a\nCOPY nope /x\n",
            BuildError,
            "Dockerfile:2: COPY nope /x: there is no nope to copy",
            id="copy",
        ),
        pytest.param(
            "registry",
            "FROM registry.example/nosuch/thing:1\n",
            RegistryOutOfReachError,
            "Dockerfile:1: the registry did not answer",
            id="registry",
        ),
        pytest.param(
            "heredoc",
            "FROM a\nRUN <<E\necho hi\nE\n",
            BuildError,
            "this Podman does not know here-documents",
            id="heredoc",
        ),
    ],
)
def test_a_failure_is_told_by_its_line(name: str, text: str, kind: type[ImgcheckError], message: str) -> None:
    error = told(recorded(name), text)
    assert type(error) is kind
    assert message in error.message


def test_the_command_s_own_words_are_kept() -> None:
    assert "hi 1" in told(recorded("command"), "FROM a\nRUN true\n").details


def test_an_engine_that_went_away() -> None:
    words = "Cannot connect to Podman. Please verify your connection to the Linux system\nError: unable to connect\n"
    assert isinstance(told(words, "FROM a\n"), EngineOutOfReachError)


def test_the_derived_base_s_own_failure_names_no_line_of_the_user_s() -> None:
    words = (
        "STEP 1/4: FROM docker.io/imgcheck/base:x\nSTEP 2/4: COPY --chmod=0644 constraints.txt "
        "/etc/imgcheck/constraints.txt\nError: writing blob: no space left on device\n"
    )
    assert told(words, "FROM a\n").message == "the derived base: the engine's disk is full"
