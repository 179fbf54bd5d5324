"""Labels of a built image."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from imgcheck import __version__, process
from imgcheck.build.dockerfile import parse_syntax
from imgcheck.build.labels import git_revision, image_labels
from imgcheck.build.stages import resolve
from imgcheck.facts.model import ImageFacts
from tests.build.fakes import BASE, BASE_DIGEST, BASE_ID, contract, image


def labels(context: Path, base: ImageFacts | None = None, user: Mapping[str, str] | None = None) -> dict[str, str]:
    text = "FROM a\nCOPY r.txt /\nRUN pip install -r /r.txt\n"
    dockerfile = resolve(parse_syntax(text, file="Dockerfile"), build_args={}, platform="linux/amd64")
    return image_labels(
        contract(), base or image(), dockerfile, dockerfile.target(None), context=context, user=user or {}
    )


def git(folder: Path, *arguments: str) -> str:
    identity = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = process.run(("git", "-C", str(folder), *arguments), env={**identity, "GIT_CONFIG_GLOBAL": "/dev/null"})
    assert done.exit_code == 0, done.output
    return done.output.strip()


def test_labels_name_contract_base_and_requirements(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("six\n")
    assert labels(tmp_path) == {
        "org.opencontainers.image.base.name": BASE,
        "org.opencontainers.image.base.digest": BASE_ID,
        "imgcheck.contract": "sha256:" + "c" * 64,
        "imgcheck.requirements": f"r.txt=sha256:{hashlib.sha256(b'six' + bytes([10])).hexdigest()}",
        "imgcheck.version": __version__,
    }


def test_the_registrys_digest_of_the_base_is_preferred(tmp_path: Path) -> None:
    base = image(repo_digests=(f"registry.example/ml/base@{BASE_DIGEST}",))
    assert labels(tmp_path, base)["org.opencontainers.image.base.digest"] == BASE_DIGEST


def test_the_users_own_label_wins(tmp_path: Path) -> None:
    assert labels(tmp_path, user={"imgcheck.version": "mine", "a": "b"})["imgcheck.version"] == "mine"


def test_a_label_of_the_base_is_not_inherited_as_ours(tmp_path: Path) -> None:
    base = image(labels={"org.opencontainers.image.revision": "of the base", "other": "x"})
    made = labels(tmp_path, base)
    assert made["org.opencontainers.image.revision"] == ""
    assert "other" not in made


def test_the_revision_is_the_commit_and_tells_changes(tmp_path: Path) -> None:
    assert git_revision(tmp_path) == ""
    git(tmp_path, "init", "-q")
    assert git_revision(tmp_path) == ""
    (tmp_path / "a").write_text("1")
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "-q", "-m", "one")
    git(tmp_path, "tag", "v1")
    commit = git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "untracked").write_text("")
    assert git_revision(tmp_path) == commit
    (tmp_path / "a").write_text("2")
    assert git_revision(tmp_path) == f"{commit}-dirty"


def test_no_git_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_revision(tmp_path) == ""
