"""A build step's command as it may be shown: secrets and the values of build arguments left out.

What speaks of a secret is masked rather than looked at closely: a masked harmless word costs less than a shown secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

MASK: Final = "***"
_LENGTH: Final = 240
_LOOKED_AT: Final = 4_000
"""Images' histories may hold whole scripts; patterns look at their beginnings, of which the first is shown."""
_TELLING: Final = 6
"""Values of build arguments this long are masked wherever they stand; shorter ones only as whole words."""
_SPEAKS: Final = (
    r"(?:passw(?:or)?d|passphrase|secret|token(?!iz)|credential|api[_-]?key|private[_-]?key|access[_-]?key|auth(?!or)"
    r"|signature|cookie)"
)
_NAME: Final = (
    rf"(?:[\w.-]{{0,100}}{_SPEAKS}[\w.-]{{0,100}}|(?:[\w.-]{{0,100}}[_-])?(?:pass|pwd|key|pat|sig)(?![\w.-]))"
)
_WORD: Final = r"(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s'\";&|]+)"
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE | re.DOTALL)
    for form in (
        # NAME=value, "name": "value", name: value; a quoted name's mark may be escaped
        rf"(?<![\w$]){_NAME}\\?[\"']?\s*(?::(?!//)|=(?!=))\s*\\?(?P<value>{_WORD})",
        rf"^(?:ENV|ARG)\s+{_NAME}\s+(?P<value>[^=\s]+(?:\s[^=]*)?)$",
        rf"(?<!\S)--?{_NAME}[ =](?P<value>(?!-){_WORD})",
        # netrc's words, and settings that a tool takes as words
        rf"\b(?:password|passwd|\w{{0,100}}(?:secret|access)_\w{{0,100}}key\w{{0,100}})\s+(?P<value>(?![-=]){_WORD})",
        r"(?<=://)(?P<value>[^/\s@]+)(?=@)",
        r"\b(?:[\w-]{0,100}(?:token|key|secret|auth)[\w-]{0,100}) *: *(?:(?:bearer|basic) +)?(?P<value>(?!/)[^\s'\"]+)",
        rf"\bcurl\b[^;&|]*?\s(?:-u|--user)[ =]?(?P<value>{_WORD})",
        rf"\b(?:login|sshpass|mysql\w*)\b[^;&|]*?\s-p\s?(?P<value>(?!-){_WORD})",
        rf"\bwandb\s+login\s+(?:--\S+\s+)*(?P<value>(?!-){_WORD})",
        rf"\b(?:echo|printf)\s+(?:-\w\s+)*(?P<value>{_WORD})\s*\|[^;&|]*--(?:password|token)-stdin",
    )
)
_KNOWN_FORM: Final = re.compile(
    # GitHub, GitLab, Slack, AWS, PyPI, Hugging Face, npm, Docker, Google, OpenAI and Anthropic: forms that their own
    # documentation gives to secret scanners; JSON web tokens (RFC 7519) and private keys (RFC 7468)
    r"(?P<value>\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abpr]-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}"
    r"|pypi-[\w-]{16,}|hf_\w{20,}|npm_\w{20,}|dckr_pat_[\w-]{16,}|AIza[\w-]{30,}|sk-[\w-]{16,}"
    r"|eyJ[\w-]{8,}\.[\w-]+\.[\w-]+)"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))",
    re.DOTALL,
)


def shown_command(text: str, arguments: Mapping[str, str] | None = None) -> str:
    """A command in one line, of a bounded length.

    Args:
        text: the command.
        arguments: build arguments whose values may have been put into it; each is shown as its name.
    """
    whole = " ".join(text.split())
    plain = whole if len(whole) <= _LOOKED_AT else whole[:_LOOKED_AT].rpartition(" ")[0]
    for name, value in sorted((arguments or {}).items(), key=lambda pair: -len(pair[1])):
        if len(value) >= _TELLING:
            plain = plain.replace(value, f"${name}")
        elif len(value) > 2:
            plain = re.sub(rf"(?<![\w.-]){re.escape(value)}(?![\w.-])", f"${name}", plain)
    for form in (*_FORMS, _KNOWN_FORM):
        plain = form.sub(_masked, plain)
    cut = len(plain) > _LENGTH or len(whole) > _LOOKED_AT
    return f"{plain[: _LENGTH - 1]}…" if cut else plain


def _masked(match: re.Match[str]) -> str:
    start, end = match.span("value")
    value = match["value"]
    if value.startswith(("$", MASK)):  # a variable's name says nothing
        return match[0]
    return match[0][: start - match.start()] + MASK + match[0][end - match.start() :]
