"""A resolver's words where it found no solution: what ends the run, what is worth showing."""

from __future__ import annotations

from imgcheck.build.failure import installer_words, is_unanswered, is_untrusted
from imgcheck.errors import ImgcheckError, RegistryOutOfReachError, UsageError


def raise_unanswered(log: str) -> None:
    """Where there is no solution because no index could be asked.

    Raises:
        RegistryOutOfReachError: no index answered.
        UsageError: a certificate is not trusted.
    """
    error: ImgcheckError | None = None
    if is_untrusted(log):
        error = UsageError("an index's certificate is not trusted in the base", remedy="give the CA bundle with --cert")
    elif is_unanswered(log):
        error = RegistryOutOfReachError(
            "no index answered from inside the base",
            remedy="run it again when it answers; --network host uses this machine's own network",
        )
    if error is not None:
        error.details = words(log)
        raise error


def words(log: str) -> str:
    """A resolver's own words, without the frames of its traceback."""
    kept: list[str] = []
    inside = False
    for line in log.splitlines():
        begins = line.startswith(("Traceback (most recent", "During handling of", "The above exception was"))
        inside = begins or (inside and (line[:1].isspace() or not line.strip()))
        if line.strip() and not inside:
            kept.append(line)
    return installer_words("\n".join(kept), least=0)
