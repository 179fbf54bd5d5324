"""The resolver's wheels are fetched once, and again where what was kept is damaged."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from imgcheck import process
from imgcheck.errors import RegistryOutOfReachError
from imgcheck.locking.tools import tool_wheels


class Pip:
    """Downloads one wheel, or finds no index."""

    def __init__(self) -> None:
        self.asked = 0
        self.answers = True

    def run(self, command: Sequence[str], **_: Any) -> process.Completed:
        self.asked += 1
        folder = Path(command[command.index("--dest") + 1])
        if not self.answers:
            said = "WARNING: Retrying (Retry(total=0, connect=None)) after connection broken"
            return process.Completed(command=tuple(command), exit_code=1, output=said)
        with zipfile.ZipFile(folder / "pip_tools-7.5-py3-none-any.whl", "w") as wheel:
            wheel.writestr("piptools/__init__.py", "a = 1\n" * 100)
        return process.Completed(command=tuple(command), exit_code=0, output="")


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    played = Pip()
    monkeypatch.setattr(process, "run", played.run)
    return played


def wheels(cache: Path) -> dict[str, bytes]:
    return tool_wheels("pip-tools", "3.11.7", "x86_64", cache)


def test_they_are_fetched_once(pip: Pip, tmp_path: Path) -> None:
    assert wheels(tmp_path) == wheels(tmp_path)
    assert pip.asked == 1


@pytest.mark.parametrize("keep", [0, 10, 200])
def test_what_is_damaged_is_fetched_again(pip: Pip, tmp_path: Path, keep: int) -> None:
    whole = wheels(tmp_path)
    (kept,) = tmp_path.rglob("*.whl")
    kept.write_bytes(kept.read_bytes()[:keep])
    assert wheels(tmp_path) == whole
    assert pip.asked == 2


def test_a_byte_that_changed_is_damage(pip: Pip, tmp_path: Path) -> None:
    whole = wheels(tmp_path)
    (kept,) = tmp_path.rglob("*.whl")
    kept.write_bytes(kept.read_bytes().replace(b"a = 1", b"a = 2", 1))
    assert wheels(tmp_path) == whole


def test_what_was_not_fetched_leaves_nothing(pip: Pip, tmp_path: Path) -> None:
    pip.answers = False
    with pytest.raises(RegistryOutOfReachError):
        wheels(tmp_path)
    assert [one.name for one in tmp_path.rglob("*")] == ["tools"]
