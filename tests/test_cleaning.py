"""What is removed is what runs that are over left, and what keeps it from that is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from imgcheck import cleaning
from imgcheck.engines.docker import DockerEngine
from imgcheck.engines.leftovers import Belonging, Kind, belongings
from imgcheck.errors import EngineOutOfReachError
from imgcheck.run_mark import RunMark, this_run

OVER = replace(this_run(), ticks=1)


def one(kind: Kind, name: str, run: RunMark | None = OVER) -> Belonging:
    return Belonging(kind=kind, name=name, run=run, made=0)


class Played:
    """An engine that has leftovers, and may not answer."""

    def __init__(self, *left: Belonging, stuck: frozenset[str] = frozenset(), answers: bool = True) -> None:
        self.here = list(left)
        self.stuck, self.answers = stuck, answers

    def left(self, _patience: float) -> tuple[Belonging, ...]:
        if not self.answers:
            raise EngineOutOfReachError("no engine")
        return tuple(self.here)

    def discard(self, one: Belonging) -> bool:
        if one.name not in self.stuck:
            self.here.remove(one)
        return one.name not in self.stuck


def swept(engine: Played, cache: Path) -> cleaning.Leftovers:
    return cleaning.sweep(cast("DockerEngine", engine), cache)


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))


def test_what_is_gone_is_counted(tmp_path: Path) -> None:
    for folder in (tmp_path / "tmp", tmp_path / "facts"):
        folder.mkdir(exist_ok=True)
        (folder / f"imgcheck-{OVER}-0123abcd").write_text("12345")
    engine = Played(one("container", "c" * 64), one("container", "d"), one("volume", "v"), one("image", "i:1"))
    gone = swept(engine, tmp_path)
    assert gone.told == "2 containers, 1 volume, 1 image, 2 drafts (10 bytes)"
    assert "container   cccccccccccc" in list(gone.lines())
    assert engine.here == []
    assert swept(engine, tmp_path).told == "nothing"


def test_what_is_in_use_is_not_counted(tmp_path: Path) -> None:
    assert swept(Played(one("volume", "v"), stuck=frozenset("v")), tmp_path).count == 0


def test_files_go_where_no_engine_answers(tmp_path: Path) -> None:
    (tmp_path / f".imgcheck-{OVER}-0123abcd").write_text("")
    gone = swept(Played(answers=False), tmp_path)
    assert (gone.count, str(gone.problem)) == (1, "no engine")


class Api:
    """What an engine lists."""

    labels = ({"imgcheck": "1", "imgcheck.run": str(OVER)}, {"imgcheck": "1", "imgcheck.run": "0ld"})

    def containers(self, **_: object) -> list[dict[str, object]]:
        return [{"Id": str(i), "Labels": labels, "Created": 100} for i, labels in enumerate(self.labels)]

    def volumes(self, **_: object) -> dict[str, object]:
        return {"Volumes": [{"Name": "v", "Labels": self.labels[0], "CreatedAt": "1970-01-01T00:01:40Z"}]}

    def images(self, **_: object) -> list[dict[str, object]]:
        ours = f"imgcheck/working:{OVER}-0123abcd"
        return [{"RepoTags": [ours, "my/train:1"]}, {"RepoTags": ["imgcheck/kept:0123abcd", "imgcheck/working:mine"]}]


def test_belongings_are_told_with_their_runs() -> None:
    assert list(belongings(Api())) == [
        Belonging(kind="container", name="0", run=OVER, made=100),
        Belonging(kind="container", name="1", run=None, made=100),
        Belonging(kind="volume", name="v", run=OVER, made=100),
        Belonging(kind="image", name=f"imgcheck/working:{OVER}-0123abcd", run=OVER, made=0),
    ]


def test_of_what_names_no_run_the_age_counts() -> None:
    nameless = Belonging(kind="volume", name="v", run=None, made=100)
    assert not nameless.is_left(109, patience=10)
    assert nameless.is_left(111, patience=10)
    assert not replace(nameless, made=0).is_left(1e12, patience=10)
