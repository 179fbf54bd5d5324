"""Settings: defaults < imgcheck.toml or [tool.imgcheck] in pyproject.toml < environment < flags, merged once.

The first three become typer's default map, so that a flag wins and a bad value is reported as a usage error.
"""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Any, Final

from imgcheck.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib

KEYS: Final = frozenset(
    {"contract", "host", "no-cache", "cache-dir", "select", "ignore", "strict", "strict-base", "keep-failed", "jobs"}
    | {"no-resolve", "resolve-timeout"}
)


def read_settings(folder: Path) -> dict[str, Any]:
    """Options of the nearest imgcheck.toml, or pyproject.toml with a [tool.imgcheck] table, at or above `folder`.

    Returns:
        Option name with underscores -> value; paths are relative to the file.

    Raises:
        UsageError: the file is no TOML, or has a key that is no option.
    """
    for parent in (folder, *folder.parents):
        for path, table in ((parent / "imgcheck.toml", ()), (parent / "pyproject.toml", ("tool", "imgcheck"))):
            found = _table(path, table)
            if found is not None:
                return _checked(path, found)
        if (parent / ".git").exists():
            break
    return {}


def _table(path: Path, keys: tuple[str, ...]) -> dict[str, Any] | None:
    try:
        document: Any = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from None
    for key in keys:
        document = document.get(key)
        if not isinstance(document, dict):
            return None
    return document if isinstance(document, dict) else None


def _checked(path: Path, table: dict[str, Any]) -> dict[str, Any]:
    settings = {}
    for key, value in table.items():
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(sorted(KEYS))}"
            raise UsageError(f"{path}: {key}: there is no such option{hint}")
        settings[key.replace("-", "_")] = str(path.parent / value) if key in {"contract", "cache-dir"} else value
    return settings
