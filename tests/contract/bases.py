"""Base images and what is installed in them, in memory."""

from __future__ import annotations

from imgcheck.facts.model import Distribution, ImageFacts, InterpreterFacts, Inventory

ID = "sha256:" + "a" * 64
REPO_DIGEST = "sha256:" + "b" * 64
OLD_DIGEST = "sha256:" + "c" * 64
REFERENCE = "registry.example/ml/base:2026.11"


def image(*repo_digests: str, reference: str = REFERENCE, env: tuple[str, ...] = (), workdir: str = "") -> ImageFacts:
    return ImageFacts(
        reference=reference,
        digest=ID,
        repo_digests=repo_digests,
        os="linux",
        architecture="amd64",
        size=1,
        env=env,
        workdir=workdir,
    )


def distribution(name: str, version: str, **further: str) -> Distribution:
    location = further.pop("location", "/site")
    path = f"{location}/{name}-{version}.dist-info"
    return Distribution.model_validate(
        {"name": name, "version": version, "location": location, "metadata_path": path, "kind": "dist-info", **further}
    )


def inventory(*distributions: Distribution, python: str = "3.11.7", **versions: str) -> Inventory:
    """Distributions as given, then those given as name=version."""
    named = (distribution(name, version) for name, version in versions.items())
    interpreter = InterpreterFacts(
        executable="/usr/bin/python3",
        version=python,
        implementation="cpython",
        prefix="/usr",
        base_prefix="/usr",
        path=("/site",),
        markers={"python_version": "3.11", "sys_platform": "linux"},
        extension_suffixes=(".so",),
        platform="linux-x86_64",
        uid=0,
        gid=0,
    )
    return Inventory(interpreter=interpreter, distributions=(*distributions, *named), cpu_seconds=0)
