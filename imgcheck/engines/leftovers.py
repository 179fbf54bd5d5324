"""What runs of imgcheck have on an engine: containers and volumes by their label, images by their working names."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from docker.errors import APIError, NotFound

from imgcheck.run_mark import PATTERN, RunMark, parse_mark

LABEL: Final = "imgcheck"
RUN_LABEL: Final = "imgcheck.run"
_WORKING: Final = re.compile(rf"(?:localhost/)?imgcheck/(?:working|base|derived):({PATTERN})-[0-9a-f]+")
_OURS: Final = {"label": LABEL}
Kind = Literal["container", "volume", "image"]


@dataclass(frozen=True, kw_only=True)
class Belonging:
    """Something that a run made. `made` is when, in seconds since the epoch, as far as the engine tells."""

    kind: Kind
    name: str
    run: RunMark | None
    made: float

    def is_left(self, now: float, patience: float) -> bool:
        """Whether its run is over. Of one that says nothing of its run the age is all that is known."""
        return self.run.is_over(now, patience) if self.run else bool(self.made) and now - self.made > patience


def belongings(api: Any, ours: Mapping[str, str] = _OURS) -> Iterator[Belonging]:
    """All of every run, containers first: they hold volumes and images. Images have no labels of a run.

    Raises:
        APIError, RequestException: the engine does not tell.
    """
    for one in api.containers(all=True, filters=ours):
        labels = one.get("Labels") or {}
        yield Belonging(kind="container", name=one["Id"], run=_run(labels), made=float(one.get("Created") or 0))
    for one in (api.volumes(filters=ours) or {}).get("Volumes") or ():
        made = _seconds(str(one.get("CreatedAt") or ""))
        yield Belonging(kind="volume", name=one["Name"], run=_run(one.get("Labels") or {}), made=made)
    for one in api.images(filters={"reference": ["imgcheck/*", "localhost/imgcheck/*"]}) if ours == _OURS else ():
        for name in one.get("RepoTags") or ():
            match = _WORKING.fullmatch(name)
            if match:
                yield Belonging(kind="image", name=name, run=parse_mark(match[1]), made=0)


def clock(api: Any) -> float:
    """The time, by this machine or by the engine's, whichever is earlier: nothing may look older than it is."""
    told = str(api.info().get("SystemTime") or "")
    return min(time.time(), _seconds(re.sub(r"(\.\d{6})\d+", r"\1", told)) or time.time())


def discard(api: Any, one: Belonging) -> bool:
    """Removes it; whether it is gone. What is in use after all, or goes already, is left alone."""
    try:
        match one.kind:
            case "container":
                api.remove_container(one.name, force=True, v=True)
            case "volume":
                api.remove_volume(one.name)
            case "image":
                api.remove_image(one.name)
    except NotFound:
        return True
    except APIError as error:
        return "in progress" in str(error.explanation)  # another connection is at it
    return True


def _run(labels: dict[str, str]) -> RunMark | None:
    return parse_mark(labels.get(RUN_LABEL, ""))


def _seconds(told: str) -> float:
    with suppress(ValueError):
        return datetime.fromisoformat(told.replace("Z", "+00:00")).timestamp()
    return 0
