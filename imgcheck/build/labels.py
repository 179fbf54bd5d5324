"""Labels of a built image: where it came from, and what it was held to (OCI image-spec annotations, and our own)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from imgcheck import __version__, process
from imgcheck.build.requirements import requirement_files
from imgcheck.build.stages import Dockerfile, Stage
from imgcheck.contract.model import Contract
from imgcheck.facts.model import ImageFacts

REVISION: Final = "org.opencontainers.image.revision"
BASE_NAME: Final = "org.opencontainers.image.base.name"
BASE_DIGEST: Final = "org.opencontainers.image.base.digest"
_DESCRIBED = re.compile(r"[0-9a-f]{40,64}(?:-dirty)?")


def image_labels(
    contract: Contract,
    base: ImageFacts,
    dockerfile: Dockerfile,
    target: Stage,
    *,
    context: Path,
    user: Mapping[str, str],
) -> dict[str, str]:
    """All labels but imgcheck.constraints, which comes with the derived base and so proves that it is underneath."""
    digests = {
        path.relative_to(context).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in requirement_files(dockerfile, target, context)
    }
    ours = {
        REVISION: git_revision(context),
        BASE_NAME: contract.base.image if contract.base else "",
        BASE_DIGEST: base.repo_digests[0].rpartition("@")[2] if base.repo_digests else base.digest,
        "imgcheck.contract": contract.digest,
        "imgcheck.requirements": " ".join(f"{name}=sha256:{digest}" for name, digest in sorted(digests.items())),
        "imgcheck.version": __version__,
    }
    # a label that the base has is inherited: the empty one says that it is not this image's
    return {**{name: value for name, value in ours.items() if value or name in base.labels}, **user}


def git_revision(folder: Path) -> str:
    """The commit, with "-dirty" where tracked files differ from it; empty where there is no git, or no commit."""
    command = ("git", "-C", str(folder), "describe", "--always", "--abbrev=64", "--dirty", "--exclude=*")
    try:
        answer = process.run(command)
    except OSError:
        return ""
    lines = answer.output.splitlines()
    return lines[-1] if answer.exit_code == 0 and lines and _DESCRIBED.fullmatch(lines[-1]) else ""
