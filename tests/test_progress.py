from __future__ import annotations

import re
from io import StringIO

import pytest

from imgcheck.progress import LiveProgress, PlainProgress, Progress, QuietProgress, progress_for


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def tell(progress: Progress, clock: Clock) -> None:
    with progress.step("Building"):
        progress.line("#7 [red]RUN[/] \x1b[2Jpip")
        clock.now += 3
    with progress.step("Importing modules"):
        for done in range(0, 5400, 600):
            clock.now += 4
            progress.advance(min(done, 5312), 5312, "torch\x1b]0;x")
    progress.note("reused\x07")


def test_plain_lines_at_the_start_the_end_and_each_ten_seconds() -> None:
    stream, clock = StringIO(), Clock()
    tell(PlainProgress(stream, clock=clock), clock)
    assert stream.getvalue().splitlines() == [
        "Building ...",
        r"  #7 [red]RUN[/] \x1b[2Jpip",
        "Building: done in 3.0 s",
        "Importing modules ...",
        r"Importing modules 1200/5312  100/s  torch\x1b]0;x",
        r"Importing modules 3000/5312  125/s  torch\x1b]0;x",
        r"Importing modules 4800/5312  133/s  torch\x1b]0;x",
        "Importing modules 4800/5312: done in 36 s",
        r"reused\x07",
    ]


def test_a_step_that_fails_says_so_and_lets_the_error_pass() -> None:
    stream = StringIO()
    progress = PlainProgress(stream, clock=Clock())
    with pytest.raises(KeyboardInterrupt), progress.step("Building"):
        raise KeyboardInterrupt
    assert stream.getvalue().splitlines()[-1] == "Building: stopped after 0.0 s"


def test_counts_without_a_total() -> None:
    stream, clock = StringIO(), Clock()
    progress = PlainProgress(stream, clock=clock)
    with progress.step("Pulling"):
        clock.now += 11
        progress.advance(7)
    assert "Pulling 7\n" in stream.getvalue()


def test_advancing_outside_a_step_is_harmless() -> None:
    stream = StringIO()
    for progress in (PlainProgress(stream), LiveProgress(stream)):
        progress.advance(1, 2)
    assert not stream.getvalue()


def test_live_progress_leaves_one_line_a_step_and_passes_other_lines(capsys: pytest.CaptureFixture[str]) -> None:
    stream, clock = Terminal(), Clock()
    tell(LiveProgress(stream, clock=clock), clock)
    told = stream.getvalue()
    assert "✓ Building" in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", told)
    assert r"[red]RUN[/] \x1b[2Jpip" in told
    assert "\x1b[2J" not in told
    assert "\x1b]0;" not in told
    assert "\x07" not in told
    assert capsys.readouterr() == ("", "")


def test_live_progress_gives_the_terminal_back_when_a_step_fails() -> None:
    stream = Terminal()
    progress = LiveProgress(stream, color=False)
    with pytest.raises(KeyboardInterrupt), progress.step("outer"), progress.step("inner"):
        raise KeyboardInterrupt
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stream.getvalue())
    assert "✗ inner" in shown
    assert "✗ outer" in shown
    assert stream.getvalue().rindex("\x1b[?25h") > stream.getvalue().rindex("\x1b[?25l")


def test_print_to_stdout_stays_on_stdout_while_bars_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with LiveProgress(Terminal()).step("Building"):
        print("mine")  # noqa: T201
    assert capsys.readouterr().out == "mine\n"


@pytest.mark.parametrize(
    ("stream", "quiet", "term", "kind"),
    [
        pytest.param(Terminal(), False, "xterm", LiveProgress, id="terminal"),
        pytest.param(Terminal(), False, "dumb", PlainProgress, id="dumb-terminal"),
        pytest.param(StringIO(), False, "xterm", PlainProgress, id="log"),
        pytest.param(Terminal(), True, "xterm", QuietProgress, id="quiet"),
    ],
)
def test_which_progress(stream: StringIO, quiet: bool, term: str, kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", term)
    assert type(progress_for(stream, quiet=quiet, color=True)) is kind


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    tell(QuietProgress(), Clock())
    assert capsys.readouterr() == ("", "")
