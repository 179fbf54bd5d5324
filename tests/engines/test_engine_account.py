"""What an engine says of itself: asked once, and not believed where it answers for another."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final

from imgcheck.engines.docker import DockerEngine
from imgcheck.engines.endpoint import settle

ALL: Final = {"MemoryLimit": True, "PidsLimit": True, "CpuCfsQuota": True}
Answers = Mapping[str, Any]


@contextmanager
def engine(answers: Answers, asked: Counter[str]) -> Iterator[DockerEngine]:
    """One whose API has these answers, by the end of the path; all else is not found."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked[self.path] += 1
            found = next((answer for end, answer in answers.items() if self.path.endswith(end)), None)
            body = json.dumps(found or {"message": "page not found"}).encode()
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with closing(DockerEngine(settle(f"tcp://127.0.0.1:{server.server_port}"))) as made:
            yield made
        server.shutdown()


def version(name: str) -> Answers:
    return {"/version": {"ApiVersion": "1.41", "Version": "4.3", "Arch": "amd64", "Components": [{"Name": name}]}}


def test_an_engine_is_asked_once_what_it_is() -> None:
    asked: Counter[str] = Counter()
    with engine(version("Engine"), asked) as made:
        first = made.info()
        before = asked.total()
        assert made.info() is first
    assert (first.name, first.architecture) == ("docker", "amd64")
    assert asked.total() == before


def test_the_limits_of_docker_are_those_it_tells() -> None:
    with engine({**version("Engine"), "/info": {**ALL, "PidsLimit": False}}, Counter()) as made:
        assert made.cannot_limit() == {"pids"}


def test_the_limits_of_podman_are_those_of_its_controllers() -> None:
    own = {"/libpod/info": {"host": {"cgroupControllers": ["memory", "pids"]}}}
    with engine({**own, **version("Podman Engine"), "/info": ALL}, Counter()) as made:
        assert made.cannot_limit() == {"cpus"}


def test_podman_holds_no_limit_that_its_own_api_does_not_tell_of() -> None:
    with engine({"/libpod/info": None, **version("Podman Engine"), "/info": ALL}, Counter()) as made:
        assert made.cannot_limit() == {"memory", "pids", "cpus"}
