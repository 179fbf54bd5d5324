"""The command line lets its end come whatever ends it, and tells what could not be done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from imgcheck import cli, interrupts
from imgcheck.ending import Ending, current_ending
from imgcheck.interrupts import hear, held_back


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch: pytest.MonkeyPatch) -> object:
    before = {one: signal.getsignal(one) for one in interrupts._SIGNALS}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)
    interrupts._heard.clear()


def test_the_end_comes_once_and_problems_are_kept() -> None:
    done: list[str] = []
    ending = Ending()

    def last(name: str, problem: str) -> str:
        done.append(name)
        return problem

    ending.do(lambda: last("first", "it is still there"))
    ending.do(lambda: last("second", ""))
    ending.come()
    ending.come()
    assert done == ["second", "first"]
    assert ending.problems == ["it is still there"]


@pytest.mark.parametrize("ends", [KeyboardInterrupt, ValueError, SystemExit])
def test_a_command_that_ends_in_any_way_lets_its_end_come(
    ends: type[BaseException], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(_path: object) -> None:
        current_ending().do(lambda: "something is left")
        raise ends

    monkeypatch.setattr("imgcheck.trying.offered", work)
    try:
        cli.run(["probes"])
    except ValueError:
        assert ends is ValueError
    said = capsys.readouterr().err
    assert "imgcheck: something is left" in said
    assert "everything it made was removed" not in said


@pytest.mark.parametrize("number", interrupts._SIGNALS)
def test_the_first_interrupts_and_the_second_only_tells(
    number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    signal.signal(number, signal.SIG_DFL)  # these tests may run in the background of a shell, which ignores it
    hear()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), number)
    os.kill(os.getpid(), number)
    assert "once more leaves it for imgcheck clean" in capsys.readouterr().err


def test_what_makes_something_is_not_cut_short() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    hear()
    made: list[str] = []

    def make() -> None:
        with held_back():
            os.kill(os.getpid(), signal.SIGTERM)
            made.append("container")

    with pytest.raises(KeyboardInterrupt):
        make()
    assert made == ["container"]


def test_what_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    hear()
    with held_back():
        os.kill(os.getpid(), signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_while_python_ends_changes_neither_code_nor_words(name: str) -> None:
    program = (
        "import atexit, os, signal, sys\n"
        f"atexit.register(lambda: os.kill(os.getpid(), signal.{name}))\n"
        "sys.argv = ['imgcheck', '--version']\n"
        "from imgcheck.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "imgcheck" in done.stdout
