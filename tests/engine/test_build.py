"""Real builds on a base of a few megabytes, made of this machine's own shell."""

from __future__ import annotations

import io
import re
import shutil
import tarfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from imgcheck import process
from imgcheck.build.builder import WorkingImage, built
from imgcheck.build.options import BuildOptions
from imgcheck.build.plan import BuildPlan, plan_build
from imgcheck.contract.model import Contract
from imgcheck.engines.docker import DockerEngine
from imgcheck.engines.endpoint import Endpoint, settle
from imgcheck.errors import BuildError, RegistryOutOfReachError

pytestmark = pytest.mark.engine

PROGRAMS = ("sh", "cat", "ls", "sleep", "stat")
CONSTRAINTS = "numpy==1.26.4\nprotobuf==5.29.3\n"
READ = "cat /etc/imgcheck/constraints.txt; echo pip=$PIP_CONSTRAINT uv=$UV_CONSTRAINT build=$PIP_BUILD_CONSTRAINT"


def archive_of_this_machines_shell() -> bytes:
    """A file system that runs `sh`: a few programs, the libraries they load, and root's name."""
    files: dict[str, bytes] = {"etc/passwd": b"root:x:0:0::/:/bin/sh\n", "etc/group": b"root:x:0:\n"}
    for name in PROGRAMS:
        program = shutil.which(name)
        assert program, f"this machine has no {name}"
        libraries = re.findall(r"(/\S+) \(0x", process.run(("ldd", program)).output)
        files |= {path.lstrip("/"): Path(path).read_bytes() for path in libraries}
        files[f"bin/{name}"] = Path(program).read_bytes()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755
            tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


@pytest.fixture(scope="module")
def endpoint() -> Endpoint:
    return settle(None)


@pytest.fixture(scope="module")
def engine(endpoint: Endpoint) -> Iterator[DockerEngine]:
    engine = DockerEngine(endpoint)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def mark() -> str:
    """The label of every image of this run: the base has it, and all built on it inherit it."""
    return f"imgcheck-test=build-{uuid.uuid4().hex[:8]}"


@pytest.fixture(scope="module")
def base(engine: DockerEngine, mark: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    name = f"imgcheck-test/base-{uuid.uuid4().hex[:8]}:1"
    archive = tmp_path_factory.mktemp("base") / "base.tar"
    archive.write_bytes(archive_of_this_machines_shell())
    changes = (f"LABEL {mark}", "ENV OWN=kept PIP_CONSTRAINT=/old.txt", "USER 1000", "WORKDIR /work")
    flags = [f"--change={change}" for change in changes]
    imported = process.run(("docker", "import", *flags, str(archive), name))
    assert imported.exit_code == 0, imported.output
    yield name
    listed = process.run(("docker", "images", "--quiet", "--no-trunc", "--filter", f"label={mark}"))
    for image in sorted(set(listed.output.split())):
        process.run(("docker", "rmi", "--force", image))


class Builds:
    """Builds a Dockerfile on the base and notes the output."""

    def __init__(self, engine: DockerEngine, endpoint: Endpoint, base: str, folder: Path) -> None:
        self.engine = engine
        self.endpoint = endpoint
        self.base = base
        self.folder = folder
        self.lines: list[str] = []

    def plan(self, text: str, isolated: bool = False, **options: Any) -> BuildPlan:
        (self.folder / "Dockerfile").write_text(text)
        raw = {"imgcheck": 1, "base": {"image": self.base}, "constraints": {"build": isolated}}
        facts = self.engine.inspect(self.base)
        assert facts is not None
        return plan_build(
            self.engine,
            Contract.model_validate(raw),
            facts,
            context=self.folder,
            constraints=CONSTRAINTS,
            options=BuildOptions(**options),
        )

    @contextmanager
    def build(self, text: str, isolated: bool = False, **options: Any) -> Iterator[WorkingImage]:
        with self.run(self.plan(text, isolated, **options)) as working:
            yield working

    @contextmanager
    def run(self, plan: BuildPlan) -> Iterator[WorkingImage]:
        environment = self.endpoint.environment
        with built(self.engine, plan, environment=environment, on_line=self.lines.append) as working:
            yield working

    @property
    def output(self) -> str:
        return "\n".join(self.lines)


@pytest.fixture
def builds(engine: DockerEngine, endpoint: Endpoint, base: str, tmp_path: Path) -> Builds:
    return Builds(engine, endpoint, base, tmp_path)


def names_and_leftovers(engine: DockerEngine, mark: str) -> tuple[list[str], str]:
    """Working names, and images of this run that no name holds."""
    ours = [name for name in engine.local_names() if re.match(r"imgcheck/(base|derived|working):", name)]
    filters = ("--filter", f"label={mark}", "--filter", "dangling=true")
    return ours, process.run(("docker", "images", "--quiet", *filters)).output


def test_constraints_are_in_force_in_every_stage_on_the_base(builds: Builds, base: str) -> None:
    text = (
        f"ARG BASE={base}\nFROM $BASE AS tools\nRUN echo tools; {READ}\nUSER 0\nRUN echo made > /made\n"
        f"FROM ${{BASE:-none}} AS train\nCOPY --from=tools /made /made\nRUN echo train $OWN; stat -c %a/%U "
        f"/etc/imgcheck/constraints.txt; {READ}\nRUN <<END\necho heredoc; {READ}\nEND\n"
    )
    with builds.build(text, no_cache=True) as working:
        assert builds.output.count("numpy==1.26.4") == 3
        assert builds.output.count("pip=/etc/imgcheck/constraints.txt uv=/etc/imgcheck/constraints.txt build=\n") == 3
        assert "train kept" in builds.output
        assert "644/root" in builds.output
        assert "PIP_CONSTRAINT=/etc/imgcheck/constraints.txt" in working.image.env
        assert "OWN=kept" in working.image.env
        assert (working.image.user, working.image.workdir) == ("1000", "/work")
        assert working.image.labels["imgcheck.constraints"].startswith("sha256:")
        assert working.image.labels["org.opencontainers.image.base.name"] == base


def test_isolated_builds_are_reached_where_the_contract_wants_it(builds: Builds, base: str) -> None:
    with builds.build(f"FROM {base}\nRUN {READ}\n", isolated=True, no_cache=True):
        assert "build=/etc/imgcheck/constraints.txt" in builds.output


def test_the_same_content_has_the_same_id(builds: Builds, base: str) -> None:
    text = f"FROM {base}\nUSER 0\nCOPY Dockerfile /d\nRUN echo x > /x\n"
    with builds.build(text) as first:
        pass
    time.sleep(1.1)  # the engine's times are in whole seconds
    builds.lines.clear()
    with builds.build(text) as second:
        assert second.id == first.id
        assert second.working_name != first.working_name
        assert len(re.findall(r"^#\d+ CACHED$", builds.output, re.MULTILINE)) == 3


def test_nothing_is_left(builds: Builds, engine: DockerEngine, base: str, mark: str) -> None:
    before = names_and_leftovers(engine, mark)
    with builds.build(f"FROM {base}\nRUN echo one\n"):
        pass
    with pytest.raises(BuildError), builds.build(f"FROM {base}\nRUN exit 3\n"):
        pytest.fail("it does not build")
    assert names_and_leftovers(engine, mark) == before


def test_a_final_tag_outlives_the_working_name(builds: Builds, engine: DockerEngine, base: str) -> None:
    final = f"imgcheck-test/final-{uuid.uuid4().hex[:8]}:1"
    with builds.build(f"FROM {base}\nRUN echo final\n") as working:
        engine.tag(working.id, final)
    image = engine.inspect(final)
    assert image is not None
    assert image.digest == working.id
    assert engine.inspect(working.working_name) is None
    engine.remove_image(final)


def test_a_kept_image_stays_under_a_name_of_its_own(builds: Builds, engine: DockerEngine, base: str) -> None:
    with builds.build(f"FROM {base}\nRUN echo kept\n") as working:
        working.keep()
    assert engine.inspect(working.working_name) is None
    assert engine.inspect(working.kept_name) is not None
    engine.remove_image(working.kept_name)


def test_a_failed_step_is_told_with_its_line(builds: Builds, base: str) -> None:
    text = f"FROM {base}\nRUN echo fine\n\nRUN echo first; \\\n    echo last; exit 7\n"
    with pytest.raises(BuildError) as caught, builds.build(text):
        pytest.fail("it does not build")
    assert "Dockerfile:4: RUN echo first;" in caught.value.message
    assert caught.value.message.endswith("failed: exit code: 7")
    assert "last" in caught.value.details.splitlines()


def test_the_content_is_used_and_not_the_name(builds: Builds, engine: DockerEngine, base: str) -> None:
    """While the plan waits, the name is moved to another image."""
    plan = builds.plan(f"FROM {base}\nRUN echo moved\n")
    with builds.build(f"FROM {base}\nUSER 0\nRUN echo other > /other\n") as other:
        engine.tag(other.id, base)
        try:
            with builds.run(plan) as working:
                layers = plan.base.layers
                assert working.image.layers[: len(layers)] == layers
                assert len(working.image.layers) == len(layers) + 1 + 1  # the constraints file, and an empty RUN
        finally:
            engine.tag(plan.base.digest, base)


def test_options_take_effect(builds: Builds, base: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hidden")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "file").write_text("from the other context")
    text = (
        f'FROM {base} AS wanted\nARG A\nRUN echo "A is $A"; ulimit -n; ls /sys/class/net\nUSER 0\n'
        "RUN --mount=type=secret,id=s cat /run/secrets/s\nCOPY --from=more file /file\nRUN cat /file\n"
        "FROM wanted AS unwanted\nRUN exit 1\n"
    )
    options: dict[str, Any] = {
        "build_args": ("A=${X} %{Y} $Z",),
        "secrets": (f"id=s,src={tmp_path / 'secret'}",),
        "build_contexts": (f"more={tmp_path / 'more'}",),
        "labels": ("mine=${yes}",),
        "target": "wanted",
        "network": "none",
        "ulimits": ("nofile=1234",),
        "shm_size": "65m",
        "no_cache": True,
        "pull": True,
    }
    with builds.build(text, **options) as working:
        assert "A is ${X} %{Y} $Z" in builds.output
        assert re.search(r"^#\d+ [\d.]+ 1234$", builds.output, re.MULTILINE)
        assert "eth0" not in builds.output
        assert "hidden" in builds.output
        assert "from the other context" in builds.output
        assert working.image.labels["mine"] == "${yes}"


def test_a_registry_that_is_not_there_may_be_there_later(builds: Builds, base: str) -> None:
    text = f"FROM registry.invalid/tools:1 AS tools\nRUN x\nFROM {base}\nCOPY --from=tools / /\n"
    plan = builds.plan(text)
    assert "tools is FROM registry.invalid/tools:1" in plan.notices[0]
    with pytest.raises(RegistryOutOfReachError, match=r"Dockerfile:1: the registry did not answer"), builds.run(plan):
        pytest.fail("it does not build")


def test_an_interrupt_ends_the_build_and_leaves_nothing(
    builds: Builds, engine: DockerEngine, base: str, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = names_and_leftovers(engine, mark)

    def interrupt(line: str) -> None:
        if "sleeping now" in line and "RUN" not in line:
            raise KeyboardInterrupt

    plan = builds.plan(f"FROM {base}\nRUN echo sleeping now; sleep 60\n", no_cache=True)
    started = time.monotonic()
    with (
        pytest.raises(KeyboardInterrupt),
        built(engine, plan, environment=builds.endpoint.environment, on_line=interrupt),
    ):
        pytest.fail("it was interrupted")
    assert time.monotonic() - started < 30
    time.sleep(2)
    assert names_and_leftovers(engine, mark) == before
