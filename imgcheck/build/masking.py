"""A build step's command as it may be shown: secrets and the values of build arguments left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

MASK: Final = "***"
_LENGTH: Final = 240
_NAME: Final = (
    r"[\w.-]*(?:passw(?:or)?d|passwd|passphrase|secret|token|credential|api[_-]?key|private[_-]?key|auth)[\w.-]*"
)
_WORD: Final = r"(?:\"[^\"]*\"|'[^']*'|[^\s'\";&|]+)"
_ASSIGNED: Final = re.compile(rf"(?i)(?<![\w$]){_NAME}=(?!=)(?P<value>{_WORD})")
_OPTION: Final = re.compile(rf"(?i)(?<!\S)--?{_NAME}[ =](?P<value>{_WORD})")
_USER: Final = re.compile(r"(?<=://)(?P<value>[^/\s@]+)(?=@)")
_HEADER: Final = re.compile(
    r"(?i)\b(?:authorization|x-[\w-]*token)\s*:\s*(?:(?:bearer|basic|token)\s+)?(?P<value>[^\s'\"]+)"
)
_CURL_USER: Final = re.compile(rf"(?<!\S)(?:-u|--user)[ =](?P<value>{_WORD})(?=.*://)", re.DOTALL)
_KNOWN_FORM: Final = re.compile(
    # GitHub, GitLab, Slack, AWS, PyPI, Hugging Face: forms that their own documentation gives to secret scanners
    r"(?P<value>\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abpr]-[\w-]{10,}|AKIA[0-9A-Z]{16}"
    r"|pypi-[\w-]{16,}|hf_\w{20,}))"
)
_FORMS: Final = (_ASSIGNED, _OPTION, _USER, _HEADER, _CURL_USER, _KNOWN_FORM)


def shown_command(text: str, arguments: Mapping[str, str] | None = None) -> str:
    """A command in one line, of a bounded length.

    Args:
        text: the command.
        arguments: build arguments whose values may have been put into it; each is shown as its name.
    """
    plain = " ".join(text.split())
    for name, value in sorted((arguments or {}).items(), key=lambda pair: -len(pair[1])):
        if len(value) > 2:
            plain = re.sub(rf"(?<![\w.-]){re.escape(value)}(?![\w.-])", f"${name}", plain)
    for form in _FORMS:
        plain = form.sub(_masked, plain)
    return plain if len(plain) <= _LENGTH else f"{plain[: _LENGTH - 1]}…"


def _masked(match: re.Match[str]) -> str:
    start, end = match.span("value")
    value = match["value"]
    if value.startswith("$"):  # a variable's name says nothing
        return match[0]
    return match[0][: start - match.start()] + MASK + match[0][end - match.start() :]
