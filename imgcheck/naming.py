"""Options under their other names: IMGCHECK_* variables, and keys of a settings file. Declared once, named alike.

The command tree is click's, or the copy of click that typer brings along.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_PREFIX: Final = "IMGCHECK_"
_NOT_SETTINGS: Final = frozenset({"help", "version", "install-completion", "show-completion"})


def every_option_named(command: Any) -> Any:
    """Gives each option its variable: --cache-dir is IMGCHECK_CACHE_DIR, whatever the command."""
    for _, option in _options(command):
        if not option.envvar:
            option.envvar = _PREFIX + _name(option).upper().replace("-", "_")
            option.show_envvar = False
    return command


def known_options(command: Any) -> frozenset[str]:
    """The names that a settings file may use."""
    return frozenset(_name(option) for _, option in _options(command))


def defaults_of(command: Any, settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Click's default map: by command, the settings that are options of it."""
    found: dict[str, dict[str, Any]] = {}
    for name, option in _options(command):
        if _name(option) in settings and option.name:
            found.setdefault(name, {})[option.name] = settings[_name(option)]
    return found


def _options(command: Any) -> Iterator[tuple[str, Any]]:
    """Those of all commands, with the command's name."""
    for name, one in getattr(command, "commands", {}).items():
        for parameter in one.params:
            if parameter.param_type_name == "option" and _name(parameter) not in _NOT_SETTINGS:
                yield name, parameter


def _name(option: Any) -> str:
    return str(max(option.opts, key=len)).lstrip("-")
