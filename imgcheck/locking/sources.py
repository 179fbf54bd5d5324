"""Where packages come from: the user's pip settings, by options, PIP_* variables and configuration, for a container.

Folders on this machine are mounted read-only at the same path; files (a CA bundle, constraints) are put in.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from imgcheck import process
from imgcheck.errors import UsageError
from imgcheck.there import is_file, is_folder

CA_PATH: Final = "/.imgcheck/ca.pem"
_PROXIES: Final = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
)
_HANDED_ON: Final = (
    "index-url", "extra-index-url", "find-links", "trusted-host", "no-index", "timeout", "default-timeout", "retries",
    "pre", "prefer-binary", "only-binary", "no-binary", "use-feature", "use-deprecated", "keyring-provider", "proxy",
)  # fmt: skip
_SETTING: Final = re.compile(r"(?P<section>global|install|:env:)\.(?P<name>[\w-]+)='(?P<value>.*)'")


@dataclass(frozen=True, kw_only=True)
class IndexOptions:
    """What the command line says."""

    index_url: str | None = None
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    trusted_hosts: tuple[str, ...] = ()
    cert: Path | None = None
    constraints: tuple[Path, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Sources:
    """What the container gets.

    Args:
        environment: PIP_* and proxy variables.
        folders: of this machine, mounted at the same path.
        certificates: the CA bundle's content.
        constraints: further constraint files of the user's.
    """

    environment: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    certificates: bytes = b""
    constraints: tuple[Path, ...] = ()


def settle_sources(options: IndexOptions, environ: Mapping[str, str] = os.environ) -> Sources:
    """Options win over variables, those over pip's configuration, as pip has it; lists of options add to nothing below.

    Raises:
        UsageError: a file or folder that is named is not there.
    """
    settings = {**configured(), **_from_environment(environ)}
    given = {
        "index-url": options.index_url or "",
        "extra-index-url": " ".join(options.extra_index_urls),
        "find-links": " ".join(options.find_links),
        "trusted-host": " ".join(options.trusted_hosts),
    }
    settings |= {name: value for name, value in given.items() if value}
    environment = {f"PIP_{name.upper().replace('-', '_')}": settings[name] for name in _HANDED_ON if name in settings}
    environment |= {name: environ[name] for name in _PROXIES if environ.get(name)}
    certificates = _certificates(options.cert or settings.get("cert") or environ.get("SSL_CERT_FILE"))
    if certificates:
        environment |= dict.fromkeys(("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"), CA_PATH)
    listed = settings.get("constraint", "").split()
    return Sources(
        environment=environment,
        folders=_folders(settings),
        certificates=certificates,
        constraints=(*options.constraints, *(Path(one) for one in listed if is_file(Path(one)))),
    )


def configured() -> dict[str, str]:
    """Pip's configuration files, as `pip config list` tells them; empty without pip."""
    answer = process.run((sys.executable, "-m", "pip", "config", "list"), env={"PIP_NO_COLOR": "1"})
    found: dict[str, str] = {}
    for match in map(_SETTING.fullmatch, answer.output.splitlines() if answer.exit_code == 0 else ()):
        if match and match["section"] != ":env:":
            found[match["name"].replace("_", "-")] = match["value"].replace("\\n", " ").strip()
    return found


def _from_environment(environ: Mapping[str, str]) -> dict[str, str]:
    names = (name for name in environ if name.startswith("PIP_") and environ[name])
    return {name.removeprefix("PIP_").lower().replace("_", "-"): environ[name] for name in names}


def _certificates(path: str | Path | None) -> bytes:
    if not path:
        return b""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"the CA bundle {path} cannot be read: {error.strerror}") from None


def _folders(settings: Mapping[str, str]) -> tuple[str, ...]:
    """Pages of an index on disk point to files beside its folder as well, so that the one above is mounted."""
    indexes = [_local(one) for name in ("index-url", "extra-index-url") for one in settings.get(name, "").split()]
    found = [_local(one) for one in settings.get("find-links", "").split()]
    found += [str(Path(one).parent) if Path(one).parent != Path("/") else one for one in indexes if one]
    return tuple(sorted({one for one in found if one}))


def _local(place: str) -> str:
    """The folder of a file:// address, or a path; empty for what lies elsewhere."""
    address = urlsplit(place)
    if address.scheme and address.scheme != "file":
        return ""
    path = Path(unquote(address.path) if address.scheme else place)
    if not (is_file(path) or is_folder(path)):
        return ""  # pip passes over it, too
    return str(path.resolve())
