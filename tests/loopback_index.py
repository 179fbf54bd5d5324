"""A simple index (PEP 503) on loopback, to which a test adds releases while pip looks on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.wheels import make_wheel, simple_index


@dataclass
class LoopbackIndex:
    """An index that answers on 127.0.0.1; `yanked` holds reasons by file name."""

    folder: Path
    yanked: dict[str, str] = field(default_factory=dict)
    on_fetch: dict[str, Callable[[], object]] = field(default_factory=dict)
    """What is done, once, after a file of this name was fetched."""
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/simple"

    @property
    def pip(self) -> str:
        """A command that installs from it alone."""
        return f"pip install -q --no-cache-dir --index-url {self.url}"

    def publish(self, label: str, *requires: str, **more: Any) -> Path:
        wheel = make_wheel(self.folder / "wheels", label, *requires, **more)
        simple_index(self.folder / "simple", self.folder / "wheels", self.yanked)
        return wheel

    def yank(self, wheel: Path, reason: str) -> None:
        self.yanked[wheel.name] = reason
        simple_index(self.folder / "simple", self.folder / "wheels", self.yanked)

    def fetched(self, name: str) -> None:
        then = self.on_fetch.pop(name, None)
        if then:
            then()


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, index: LoopbackIndex, *arguments: Any, **more: Any) -> None:
        self._index = index
        super().__init__(*arguments, directory=str(index.folder), **more)

    def do_GET(self) -> None:
        super().do_GET()
        self._index.fetched(self.path.rpartition("/")[2])

    def log_message(self, *arguments: Any) -> None:
        """Tests are quiet."""


@contextmanager
def loopback_index(folder: Path, releases: Mapping[str, tuple[str, ...]]) -> Iterator[LoopbackIndex]:
    """The index of a folder, as long as the context lasts; `releases` are labels and what they require."""
    index = LoopbackIndex(folder=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, index)) as server:
        index.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            for label, requires in releases.items():
                index.publish(label, *requires)
            yield index
        finally:
            server.shutdown()
            thread.join()
