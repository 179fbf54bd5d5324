"""`imgcheck init`: the first files of a repository, none of them written over another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from imgcheck.contract.loader import parse_contract
from imgcheck.contract.schema import SCHEMA_NAME, schema_text
from imgcheck.contract.wording import MODELINE
from imgcheck.errors import UsageError
from imgcheck.report.files import write_report

CiKind = Literal["github", "gitlab", "jenkins", "buildkite", "none"]
_CI_FILES: Final[Mapping[str, tuple[str, str]]] = {
    "github": ("github.yml", ".github/workflows/imgcheck.yml"),
    "gitlab": ("gitlab.yml", ".gitlab/imgcheck.yml"),
    "jenkins": ("jenkins.groovy", "Jenkinsfile.imgcheck"),
    "buildkite": ("buildkite.yml", ".buildkite/imgcheck.yml"),
}
_HOOKS: Final = ".pre-commit-config.yaml"


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What was asked for. Paths are from the folder, with forward slashes."""

    base: str
    dockerfile: str = "Dockerfile"
    contract: str = "contracts/base.yaml"
    image: str = "my/train"
    ci: CiKind = "none"
    hooks: bool = True


@dataclass(frozen=True, kw_only=True)
class Started:
    """What was written, what was there already, what is left to do by hand, and the command to go on with."""

    written: tuple[str, ...]
    kept: tuple[str, ...]
    by_hand: tuple[str, ...]
    following: str

    def told(self) -> str:
        lines = [f"wrote {one}" for one in self.written]
        lines += [f"left alone: {one} is there already" for one in self.kept]
        return "\n".join((*lines, *self.by_hand, f"next: {self.following}"))


def start(wish: Wish, folder: Path) -> Started:
    """Writes what is not there.

    Raises:
        UsageError: the base is no reference, or a file cannot be written.
    """
    if not wish.base.strip() or any(one.isspace() or not one.isprintable() for one in wish.base):
        raise UsageError(f"{wish.base!r} is no image reference", remedy="Name the base as FROM does: python:3.11-slim.")
    texts = {wish.contract: _contract(wish), _beside(wish.contract): schema_text()}
    by_hand = []
    if wish.ci != "none":
        template, path = _CI_FILES[wish.ci]
        texts[path] = _filled(template, wish)
        if wish.ci == "gitlab":
            by_hand.append(f"add to .gitlab-ci.yml:\n  include:\n    - local: {path}")
    if wish.hooks:
        entry = _filled("pre-commit.yml", wish)
        texts[_HOOKS] = f"repos:\n{entry}"
        if (folder / _HOOKS).exists() and "imgcheck" not in (folder / _HOOKS).read_text("utf-8", "replace"):
            by_hand.append(f"add to {_HOOKS}, under repos:\n{entry.rstrip()}")
    kept = [one for one in texts if (folder / one).exists()]
    for name, text in texts.items():
        if name not in kept:
            _write(folder / name, text)
    return Started(
        written=tuple(one for one in texts if one not in kept),
        kept=tuple(kept),
        by_hand=tuple(by_hand),
        following=f"imgcheck freeze {wish.base} -o {wish.contract}",
    )


def _beside(contract: str) -> str:
    """The schema that the contract's first line names, for editors."""
    return str(PurePosixPath(contract).with_name(SCHEMA_NAME))


def _contract(wish: Wish) -> str:
    text = f"{MODELINE}\n{_template('contract.yml')}".replace("@BASE@", json.dumps(wish.base))
    parse_contract(text, wish.contract)
    return text


def _filled(template: str, wish: Wish) -> str:
    context = str(Path(wish.dockerfile).parent)
    values = {"CONTRACT": wish.contract, "DOCKERFILE": wish.dockerfile, "IMAGE": wish.image, "CONTEXT": context}
    text = _template(template)
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def _template(name: str) -> str:
    return files("imgcheck.templates").joinpath(name).read_text("utf-8")


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_report(text, path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
