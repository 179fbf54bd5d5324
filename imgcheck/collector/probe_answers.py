"""Whether a server does what its probe waits for: a port, an HTTP answer, a line of its log, files.

Floor: Python 3.8.
"""

from __future__ import annotations

import glob
import http.client
import json
import os
import re
import socket
import threading
from typing import Any, Dict, Iterable

from imgcheck.collector.probe_output import TAIL

Probe = Dict[str, Any]
_BODY = 1 << 20
_SECONDS = 10.0
_SHOWN = 2048


def ask(probe: Probe) -> tuple[str, str]:
    """What is not as asked, empty where all is; and what the server answered.

    A server may send a byte now and then: what it says within some seconds counts, and no more.
    """
    seconds = min(_SECONDS, probe["within"])
    answers: list[tuple[str, str]] = []
    thread = threading.Thread(target=lambda: answers.append(_ask(probe, seconds)), daemon=True)
    thread.start()
    thread.join(seconds + 1)
    return answers[0] if answers else ("its answer did not come to an end", "")


def _ask(probe: Probe, seconds: float) -> tuple[str, str]:
    if probe["http"]:
        return _ask_http(probe["http"], seconds)
    if probe["port"]:
        return _ask_port(probe["port"], seconds)
    return "", ""


def missing_files(patterns: Iterable[str]) -> list[str]:
    """Patterns that no file matches which holds something."""
    return [one for one in patterns if not any(_holds(file) for file in glob.glob(one, recursive=True))]


def tails(patterns: Iterable[str]) -> dict[str, str]:
    """The last lines of log files that hold something."""
    return {file: text for file, text in ((file, _tail(file)) for file in log_files(patterns)) if text}


def log_files(patterns: Iterable[str]) -> list[str]:
    return [file for pattern in patterns for file in sorted(glob.glob(pattern))[:8]]


def _ask_port(port: int, seconds: float) -> tuple[str, str]:
    try:
        socket.create_connection(("127.0.0.1", port), seconds).close()
    except OSError as error:
        return f"port {port} is not open", f"port {port}: {error.strerror or error}"
    return "", f"port {port} is open"


def _ask_http(wanted: dict[str, Any], seconds: float) -> tuple[str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", wanted["port"], timeout=seconds)
    try:
        connection.request("GET", wanted["path"], headers={"User-Agent": "imgcheck"})  # Ray 2.48 fails without one
        response = connection.getresponse()
        body = response.read(_BODY).decode("utf-8", "replace")
        headers = {name.lower(): value for name, value in response.getheaders()}
    except (OSError, http.client.HTTPException) as error:
        why = getattr(error, "strerror", None) or repr(error)
        return f"port {wanted['port']} does not answer", f"port {wanted['port']}: {why}"
    finally:
        connection.close()
    return _wrong(wanted, response.status, headers, body), f"HTTP {response.status}: {body[:_SHOWN]}"


def _wrong(wanted: dict[str, Any], status: int, headers: dict[str, str], body: str) -> str:
    """The first thing in which an answer is not as asked; empty where there is none."""
    if status != wanted["status"]:
        return f"its status is {status} and not {wanted['status']}"
    for name, pattern in wanted["headers"].items():
        value = headers.get(name.lower())
        if value is None:
            return f"it has no header {name}"
        if not re.search(pattern, value):
            return f"its header {name} is {value!r}, which does not match {pattern!r}"
    if wanted["body"] and not re.search(wanted["body"], body):
        return f"its body does not match {wanted['body']!r}"
    return _wrong_text(wanted, body, "its body") or _wrong_values(wanted["values"], body)


def _wrong_text(wanted: dict[str, Any], text: str, what: str) -> str:
    for one in wanted["contains"]:
        if one not in text:
            return f"{what} does not contain {one!r}"
    for pattern in wanted["excludes"]:
        found = re.search(pattern, text)
        if found:
            return f"{what} must not match {pattern!r}, and has {found.group()[:200]!r}"
    return ""


def _wrong_values(wanted: dict[str, str], body: str) -> str:
    if not wanted:
        return ""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return "its body is not JSON"
    for place, pattern in wanted.items():
        try:
            value = _value_at(document, place)
        except (LookupError, TypeError, ValueError):
            return f"its body has nothing at {place}"
        text = value if isinstance(value, str) else json.dumps(value)
        if not re.fullmatch(pattern, text, re.DOTALL):
            return f"its body has {text[:200]!r} at {place}, which does not match {pattern!r}"
    return ""


def _value_at(document: Any, place: str) -> Any:
    for key in place.split("."):
        document = document[int(key)] if isinstance(document, list) else document[key]
    return document


def wrong_output(probe: Probe, text: str) -> str:
    """In what the output of a command is not as asked; empty where it is."""
    if probe["output"] and not re.search(probe["output"], text):
        return f"its output does not match {probe['output']!r}"
    return _wrong_text(probe, text, "its output")


def _holds(file: str) -> bool:
    try:
        return os.path.isdir(file) or os.path.getsize(file) > 0
    except OSError:
        return False


def _tail(file: str) -> str:
    try:
        with open(file, "rb") as stream:
            stream.seek(0, os.SEEK_END)
            stream.seek(max(0, stream.tell() - TAIL))
            return stream.read(TAIL).decode("utf-8", "replace")
    except OSError:
        return ""
