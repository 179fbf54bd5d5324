"""How a freeze writes YAML: values that every YAML reader takes for the same text, and the text of a new contract."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping

from imgcheck.contract.change import Change, ChangeKind
from imgcheck.contract.model import SCHEMA_VERSION

_SAFE = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+!_-]*")
_SAFE_KEY = re.compile(r"[a-z][0-9a-z-]*")
_WORDS_OF_YAML = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}

MODELINE = "# yaml-language-server: $schema=imgcheck.schema.json"
"""By which editors find the schema that lies beside a contract."""
_BASE = (
    MODELINE
    + """
# What images built on this base promise. `imgcheck build --contract FILE` and `imgcheck check IMAGE --contract FILE`
# hold them to it. Edit it: comments, order and loosened pins survive the next `imgcheck freeze`.
imgcheck: {version}

# The image that was frozen. A tag can move; the digest cannot.
base:
  image: {image}
  digest: {digest}

python: {python}

# A bare version means exactly this one. To let one move, write a specifier: numpy: ">=1.26,<2"
pins:{pins}

# The installed metadata is consistent. To accept a breach: {{allow: [distribution name]}}
requires: true

# Every module of every distribution can be imported. To leave some out: {{exclude: [package.win32]}}
imports: true

# Programs that must start. Your own: {{name: exporter, start: [python, -m, exporter], port: 9400}}
probes:{probes}
"""
)


def value(text: str) -> str:
    """A value, quoted wherever some YAML reader would make a number or a word of it."""
    return text if is_plain(text) and text.count(".") >= 2 else quoted(text)


def is_plain(text: str) -> bool:
    """Whether it needs no quotes for imgcheck's own loader, which keeps 1.10 as it is."""
    return bool(_SAFE.fullmatch(text))


def key(name: str) -> str:
    return name if _SAFE_KEY.fullmatch(name) and name not in _WORDS_OF_YAML else quoted(name)


def quoted(text: str) -> str:
    return json.dumps(text)


def new_contract(
    *, image: str, digest: str, python: str, pins: Mapping[str, str], changes: Iterable[Change], probes: Collection[str]
) -> str:
    """The text of a first freeze."""
    unpinned = [f"  # {change}" for change in changes if change.kind is ChangeKind.NOT_PINNED]
    lines = [f"  {key(name)}: {value(version)}" for name, version in pins.items()]
    return _BASE.format(
        version=SCHEMA_VERSION,
        image=quoted(image),
        digest=quoted(digest),
        python=quoted(python),
        pins=_block(lines, unpinned, empty=" {}"),
        probes=_block([f"  - {name}" for name in probes], [], empty=" []"),
    )


def _block(lines: list[str], comments: list[str], empty: str) -> str:
    return "\n".join(["" if lines else empty, *lines, *comments])
