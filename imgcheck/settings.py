"""Settings: defaults < imgcheck.toml or [tool.imgcheck] in pyproject.toml < environment < flags, merged once.

The first three become typer's default map, so that a flag wins and a bad value is reported as a usage error.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from imgcheck.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib

_PATHS: Final = frozenset({"contract", "cache-dir", "output", "save-facts"})
"""Keys whose paths are from the file, not from the working folder."""


def read_settings(folder: Path, known: Collection[str]) -> dict[str, Any]:
    """Options of the nearest imgcheck.toml, or pyproject.toml with a [tool.imgcheck] table, at or above `folder`.

    Returns:
        Option name -> value; paths are relative to the file.

    Raises:
        UsageError: the file is no TOML, or has a key that is no option.
    """
    for parent in (folder, *folder.parents):
        for path, table in ((parent / "imgcheck.toml", ()), (parent / "pyproject.toml", ("tool", "imgcheck"))):
            found = _table(path, table)
            if found is not None:
                return _checked(path, found, known)
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
    except RecursionError:
        raise UsageError(f"{path}: is nested too deep") from None
    for key in keys:
        document = document.get(key)
        if not isinstance(document, dict):
            return None
    return document if isinstance(document, dict) else None


def _checked(path: Path, table: dict[str, Any], known: Collection[str]) -> dict[str, Any]:
    settings = {}
    for key, value in table.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(sorted(known))}"
            raise UsageError(f"{path}: {key}: there is no such option{hint}")
        settings[key] = str(path.parent / value) if key in _PATHS else value
    return settings
