"""What the contract promises of the image itself: configuration, files, commands, artefacts and smoke lines."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from imgcheck.contract.values import Command, ImagePath, Model, Pattern, Seconds, Size

NONROOT = "nonroot"
"""As `user`: anybody but root."""
_MODE = re.compile(r"0?[0-7]{3,4}")
_PORT = re.compile(r"(\d{1,5})(/(tcp|udp|sctp))?")


def _mode(text: str) -> str:
    if not _MODE.fullmatch(text):
        raise ValueError(f"{text!r} is no mode; write it in octal digits and quotes, '0755'")
    return text


def _port(text: str) -> str:
    match = _PORT.fullmatch(text)
    if not match or not 0 < int(match[1]) < 65536:
        raise ValueError(f"{text!r} is no port; write 8080, or 53/udp")
    return text


Mode = Annotated[str, AfterValidator(_mode)]
Port = Annotated[str, AfterValidator(_port)]


class Value(Model):
    """What a variable or a label must be, where it is not one certain text."""

    matches: Pattern | None = None
    """A regular expression that the value must match somewhere."""
    unset: bool = False
    """It must not be there at all."""

    @model_validator(mode="after")
    def _is_one_kind(self) -> Value:
        if (self.matches is None) != self.unset:
            raise ValueError("write either 'matches' with a regular expression, or 'unset: true'")
        return self


class FilePromise(Model):
    """What is at a path of the image."""

    path: ImagePath
    exists: bool = True
    """false: nothing may be there."""
    kind: Literal["file", "folder"] | None = None
    mode: Mode | None = None
    """Octal digits, in quotes: "0644"."""
    uid: Annotated[int, Field(ge=0)] | None = None
    gid: Annotated[int, Field(ge=0)] | None = None
    executable: bool | None = None
    """Somebody may execute it, or nobody may."""
    contains: tuple[Pattern, ...] = ()
    """Regular expressions, each of which must match somewhere in the file's text."""
    excludes: tuple[Pattern, ...] = ()
    """Regular expressions, none of which may match anywhere in it."""

    @model_validator(mode="after")
    def _is_sensible(self) -> FilePromise:
        if not self.exists and (self.model_fields_set - {"path", "exists"}):
            raise ValueError(f"{self.path} must not exist, so that nothing else can be promised of it")
        return self


class ImagePromises(Model):
    """The image's configuration and contents."""

    user: str | None = None
    """As USER says; `nonroot`: anybody but root."""
    workdir: ImagePath | None = None
    env: dict[str, str | Value] = Field(default_factory=dict)
    """Variables: a text, or {matches: regular expression}, or {unset: true}."""
    labels: dict[str, str | Value] = Field(default_factory=dict)
    entrypoint: tuple[str, ...] | None = None
    cmd: tuple[str, ...] | None = None
    ports: tuple[Port, ...] = ()
    """What EXPOSE must name, as 8080 or 53/udp."""
    no_ports: tuple[Port, ...] = ()
    volumes: tuple[ImagePath, ...] = ()
    no_volumes: tuple[ImagePath, ...] = ()
    commands: tuple[str, ...] = ()
    """Programs that must be on PATH, or absolute paths of programs."""
    files: tuple[ImagePath | FilePromise, ...] = ()
    """Paths that must be there, and more that is promised of them."""
    writable: tuple[ImagePath, ...] = ()
    """Folders that the user must be able to write to."""
    max_size: Size | None = None
    """The size of all layers, unpacked."""


class Smoke(Model):
    """A line that must run, in a fresh process of the image."""

    name: str = Field(min_length=1)
    python: str | None = None
    """Python code."""
    run: Command | None = None
    """A command; {python} is the image's interpreter."""
    output: Pattern = ""
    """A regular expression that the output must match somewhere."""
    env: dict[str, str] = Field(default_factory=dict)
    within: Seconds = 60
    network: Literal["none"] = "none"
    """There is none."""

    @model_validator(mode="after")
    def _is_one_kind(self) -> Smoke:
        if (self.python is None) == (self.run is None):
            raise ValueError(f"smoke {self.name!r} needs either 'python' or 'run'")
        return self


class Artifact(Model):
    """A file that must load with what is installed."""

    path: ImagePath
    loader: Literal["pickle", "joblib", "torch", "safetensors", "onnx"] | None = None
    """What loads it; by its ending unless given."""
    within: Seconds = 120
