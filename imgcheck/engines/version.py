"""The engine in one line, for `imgcheck --version`: it is told, and its absence is no failure."""

from __future__ import annotations

from contextlib import closing

from imgcheck.engines.docker import DockerEngine
from imgcheck.engines.endpoint import settle
from imgcheck.errors import ImgcheckError


def engine_version(host: str | None = None) -> str:
    try:
        with closing(DockerEngine(settle(host))) as engine:
            info = engine.info()
    except ImgcheckError as error:
        return f"none ({error.message})"
    return f"{info.name} {info.version} ({info.architecture}) at {engine.endpoint.shown}"
