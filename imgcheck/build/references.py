"""Image references, normalised as the distribution project does: docker.io, library/ and the default tag."""

from __future__ import annotations

import re
from dataclasses import dataclass

_REFERENCE = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._:\[\]/-]*?)(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?"
    r"(?:@(?P<digest>[a-z0-9+._-]+:[0-9a-f]{32,}))?"
)
_PATH = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*")


@dataclass(frozen=True, kw_only=True)
class Reference:
    domain: str
    path: str
    tag: str = ""
    digest: str = ""

    @property
    def repository(self) -> str:
        """As people write it: without docker.io/library."""
        if self.domain != "docker.io":
            return f"{self.domain}/{self.path}"
        return self.path.removeprefix("library/")

    @property
    def context_name(self) -> str:
        """The name of the build context that replaces this reference: BuildKit leaves :latest out."""
        tag = f":{self.tag}" if self.tag and (self.tag != "latest" or self.digest) else ""
        return f"{self.repository}{tag}{f'@{self.digest}' if self.digest else ''}"

    def same_name(self, other: Reference) -> bool:
        """Whether both name the same tag of the same repository, whatever their digests."""
        return (self.domain, self.path, self._named_tag) == (other.domain, other.path, other._named_tag)

    @property
    def _named_tag(self) -> str:
        return self.tag or ("" if self.digest else "latest")


def parse_reference(text: str) -> Reference | None:
    """None where the text is no reference."""
    match = _REFERENCE.fullmatch(text)
    if not match:
        return None
    head, slash, rest = match["name"].partition("/")
    has_domain = bool(slash) and (head == "localhost" or bool(re.search(r"[.:A-Z]", head)))
    domain, path = (head, rest) if has_domain else ("docker.io", match["name"])
    domain = "docker.io" if domain == "index.docker.io" else domain
    if not _PATH.fullmatch(path):
        return None
    if domain == "docker.io" and "/" not in path:
        path = f"library/{path}"
    return Reference(domain=domain, path=path, tag=match["tag"] or "", digest=match["digest"] or "")
