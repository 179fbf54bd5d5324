"""Probes as the contract writes them: programs that must start, and commands that must succeed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from imgcheck.contract.values import Command, DistributionName, Model, Pattern, Seconds

_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
_NO_COMMAND = ("port", "http", "log", "then", "stop")
"""What a command has no use for: it ends by itself."""

Port = Annotated[int, Field(ge=1, le=65535)]


class Http(Model):
    """How a server must answer GET on its loopback."""

    port: Port
    path: str = "/"
    status: Annotated[int, Field(ge=100, le=599)] = 200
    body: Pattern = ""
    """A regular expression that the answer's body must match somewhere."""
    contains: tuple[str, ...] = ()
    """Texts that the body must hold."""
    excludes: tuple[Pattern, ...] = ()
    """Regular expressions, none of which may match anywhere in the body."""
    headers: dict[str, Pattern] = Field(default_factory=dict)
    """Headers, each with a regular expression that its value must match somewhere."""
    values: dict[str, Pattern] = Field(default_factory=dict)
    """Places in a JSON body, as runs.0.status, each with a regular expression that the whole value must match."""


class Probe(Model):
    """A program that must start, or a command that must succeed."""

    name: str = Field(pattern=_NAME)
    use: str | None = None
    """A built-in probe that this one is, but for the keys that are written here."""
    options: dict[str, str] = Field(default_factory=dict)
    """What a built-in probe can be told; `imgcheck probes` lists it."""
    about: str = ""
    """What it proves, in a sentence."""
    run: Command | None = None
    """A command that must end with status 0."""
    start: Command | None = None
    """A server to start; it must do what `port`, `http`, `log` and `files` say within `within`, and stay alive."""
    port: Port | None = None
    """A port that must be open."""
    http: Http | None = None
    log: Pattern = ""
    """A regular expression for a line that a server writes, to its output or to `logs`, when it is ready."""
    files: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Files that must be there and not be empty, once the command has ended or the server is ready; patterns too."""
    then: Command | None = None
    """A command that must succeed once the server is ready."""
    stop: Command | None = None
    """A command that must succeed at last, and upon which the server must end. Unset: SIGTERM, and no demand."""
    output: Pattern = ""
    """A regular expression that the output of `run`, or of `then`, must match somewhere."""
    contains: tuple[str, ...] = ()
    """Texts that this output must hold."""
    excludes: tuple[Pattern, ...] = ()
    """Regular expressions, none of which may match anywhere in the output of the program and the command after it."""
    fatal: Pattern = ""
    """A regular expression; a server whose output or log has such a line will never answer, and is not waited for."""
    warns: tuple[Pattern, ...] = ()
    """Regular expressions; lines of the output that match are shown as a warning though the probe succeeds."""
    within: Seconds = 60
    """Seconds until the server is ready, or for each command."""
    alive: Annotated[float, Field(ge=0, le=3600)] = 2
    """Seconds the server must stay alive after its answer."""
    retries: Annotated[int, Field(ge=0, le=10)] = 0
    """How often a failed probe is tried again, each time in a fresh container."""
    env: dict[str, str] = Field(default_factory=dict)
    workdir: str | None = None
    """Where it runs; unset: as `runtime` or the image says."""
    user: str | None = None
    """Who runs it; unset: as `runtime` or the image says."""
    needs: tuple[str, ...] = ()
    """Probes that must have succeeded before; where one has not, this one is skipped."""
    leftovers: Literal["warn", "fail"] = "warn"
    """What it means that processes of the probe are still there after its end."""
    logs: tuple[str, ...] = ()
    """Files whose last lines are shown when the probe fails; patterns are allowed."""
    requires: tuple[DistributionName, ...] = ()
    """Distributions without which the probe makes no sense in an image."""

    @model_validator(mode="before")
    @classmethod
    def _named_as_used(cls, raw: Any) -> Any:
        """A built-in probe needs no name of its own."""
        if isinstance(raw, dict) and "name" not in raw and isinstance(raw.get("use"), str):
            return {**raw, "name": raw["use"]}
        return raw

    @field_validator("workdir")
    @classmethod
    def _is_absolute(cls, text: str | None) -> str | None:
        if text is None or text.startswith(("/", "{scratch}")):
            return text
        raise ValueError(f"{text!r} must be an absolute path inside the image, or begin with {{scratch}}")

    @model_validator(mode="after")
    def _is_one_kind(self) -> Probe:
        if self.use is not None:
            return self
        if (self.run is None) == (self.start is None):
            raise ValueError(f"probe {self.name!r} needs either 'run' or 'start'")
        if self.run and any(getattr(self, key) for key in _NO_COMMAND):
            raise ValueError(f"probe {self.name!r} has 'run', which goes without 'port', 'http', 'log', 'then', 'stop'")
        if self.start and not (self.port or self.http or self.log or self.files):
            raise ValueError(
                f"probe {self.name!r} has 'start', which needs 'port', 'http', 'log' or 'files' to wait for"
            )
        return self
