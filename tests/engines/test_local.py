"""What a runner without containers gives, what it cannot give, and that nothing which it started outlives it."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from imgcheck.engines.engine import Chunk, ContainerSpec, MountSpec
from imgcheck.engines.local import LocalRunner
from imgcheck.errors import UnsuitableImageError

FLEES = """
import os, subprocess, sys, time
one = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print(one.pid, flush=True)
"""


def spec(program: str, **more: object) -> ContainerSpec:
    return ContainerSpec(image="", command=(sys.executable, "-c", program), **more)  # type: ignore[arg-type]


def text(chunks: list[Chunk], stream: int = 1) -> str:
    return b"".join(one.data for one in chunks if one.stream == stream).decode().strip()


def is_there(number: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{number}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False


def test_both_streams_and_the_end_are_told() -> None:
    program = "import sys; print('one'); sys.stderr.write('two'); sys.exit(3)"
    with LocalRunner().run(spec(program)) as container:
        chunks = list(container.output())
        assert (text(chunks), text(chunks, 2), container.wait().exit_code) == ("one", "two", 3)


def test_files_are_where_the_command_and_the_variables_say() -> None:
    program = "import os, sys; print(open(os.environ['PLACE']).read(), os.path.isdir(sys.stdin.readline()))"
    whole = spec(program, files={"one": b"content"}, env={"PLACE": "/.imgcheck/one"})
    with LocalRunner().run(whole) as container:
        container.send(b"/\n")
        assert text(list(container.output())) == "content False"


def test_a_daemon_that_left_the_session_is_ended_and_does_not_hold_the_answer_up() -> None:
    began = time.monotonic()
    with LocalRunner().run(spec(FLEES)) as container:
        number = int(text(list(container.output())))
        assert is_there(number)
    assert not is_there(number)
    assert time.monotonic() - began < 30


def test_what_is_still_running_ends_with_the_context() -> None:
    with LocalRunner().run(spec("import os, time; print(os.getpid(), flush=True); time.sleep(600)")) as container:
        number = int(next(iter(container.output())).data)
    assert not is_there(number)


def test_what_only_a_container_gives_is_remembered() -> None:
    runner = LocalRunner()
    with runner.run(spec("", read_only=True, memory=1 << 30, mounts=(MountSpec(path="/data"),))) as container:
        container.wait()
    with runner.run(spec("", user="1000")) as container:
        container.wait()
    assert runner.left_out == {"read_only", "memory", "mounts", "user"}


def test_a_program_or_folder_that_is_not_there_is_told() -> None:
    with pytest.raises(UnsuitableImageError, match="/nowhere/python cannot be started here"):
        LocalRunner().run(ContainerSpec(image="", command=("/nowhere/python",))).__enter__()
    with pytest.raises(UnsuitableImageError, match="/no/folder: No such file"):
        LocalRunner().run(spec("", workdir="/no/folder")).__enter__()


def test_nothing_is_left_in_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    entered = LocalRunner().run(spec("", files={"one": b""}))
    entered.__enter__()
    assert list(tmp_path.iterdir())
    assert not entered.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert not list(tmp_path.iterdir())
