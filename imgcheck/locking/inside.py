"""Resolves requirements in a container of the base image; standard library only, Python 3.8 and newer.

It expects: this file beside a folder `tools` of wheels, and on standard input a line of JSON {"secret", "folder",
"scratch", "memory", "resolver", "environment", "stubs", "seconds"}, then a line for each question {"texts",
"arguments", "seed"}: requirement files by relative path, the resolver's arguments, and a lock.
Result: lines {"secret", "kind": "log"|"end"|"late"|"compiled", ...}, the questions in their order; "end" carries the
resolver's exit status and what it wrote; "late", after which nothing comes, that it took longer than `seconds` (null:
no limit); "compiled", once, an archive of the resolver's byte code, which as `compiled.zip` spares the next run time.

`stubs` are distributions that the base has, as METADATA: wheels without modules stand for them, so that a resolver can
choose what no index has. `seed` is the lock as it is, which a resolver prefers to newer versions.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from typing import Any

_LIMIT = 16 * 2**20
_BUILD = "999999999"
"""A build tag: of two wheels of a version and a tag, the higher one wins (binary distribution format)."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
_WRITTEN = 315532800
"""The same in seconds: byte code holds for a source of that time and size (PEP 3147)."""
_BOOTSTRAP = "import runpy,sys; sys.path[:] = sys.argv[1:2] + [one for one in sys.path if one]; "
_BOOTSTRAP += "sys.argv = ['pip-compile'] + sys.argv[2:]; runpy.run_module('piptools', run_name='__main__')"


def main() -> None:
    request = json.loads(sys.stdin.readline())
    scratch = request["scratch"]
    # memory, for a thousand small files; it may not hold programs, which uv is
    tools = os.path.join(scratch if request["resolver"] == "uv" else request["memory"], "tools")
    _unpack(os.path.join(request["folder"], "tools"), tools)
    stubs = os.path.join(scratch, "stubs")
    digests = _make_stubs(stubs, request["stubs"], _best_tag(tools))
    environment = dict(os.environ, **request["environment"])
    cache, compiled = os.path.join(scratch, "cache"), os.path.join(scratch, "compiled")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # images often set it
    environment.update(PIP_CACHE_DIR=cache, UV_CACHE_DIR=cache, PYTHONPYCACHEPREFIX=compiled)
    archive = os.path.join(request["folder"], "compiled.zip")
    known = os.path.exists(archive)
    if known:
        with zipfile.ZipFile(archive) as wanted:
            wanted.extractall(compiled)
    until = None if request["seconds"] is None else time.monotonic() + request["seconds"]
    # not "for line in": that reads ahead
    for number, line in enumerate(iter(sys.stdin.readline, "")):
        question = json.loads(line)
        folder = os.path.join(scratch, f"in-{number}")
        for name, text in question["texts"].items():
            _write(os.path.join(folder, name), text)
        output = os.path.join(scratch, f"lock-{number}.txt")
        if question["seed"]:
            _write(output, question["seed"])
        command = [*_command(request, tools), *question["arguments"], "--find-links", stubs, "--output-file", output]
        status = _run(command, environment, folder, request["secret"], until)
        if status is None:
            _send(request["secret"], "late")
            return
        if not known and os.path.isdir(compiled):
            _send(request["secret"], "compiled", archive=_archive_of(compiled))
            known = True
        _send(request["secret"], "end", status=status, text=_read(output) if status == 0 else "", digests=digests)


def _command(request: dict[str, Any], tools: str) -> list[str]:
    if request["resolver"] == "uv":
        found = [os.path.join(folder, "uv") for folder, _, names in os.walk(tools) if "uv" in names]
        program = next(one for one in found if os.path.basename(os.path.dirname(one)) == "scripts")
        os.chmod(program, 0o755)  # noqa: S103 - a program in a throw-away container
        return [program, "pip", "compile"]
    return [sys.executable, "-c", _BOOTSTRAP, tools, "compile"]


def _unpack(wheels: str, into: str) -> None:
    for name in sorted(os.listdir(wheels)):
        with zipfile.ZipFile(os.path.join(wheels, name)) as wheel:
            wheel.extractall(into)
            for one in wheel.namelist():
                if one.endswith(".py"):
                    os.utime(os.path.join(into, one), (_WRITTEN, _WRITTEN))


def _archive_of(folder: str) -> str:
    """Base64 of an archive of the tools' byte code."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for above, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(above, name)
                archive.write(path, os.path.relpath(path, folder))
    return base64.b64encode(content.getvalue()).decode()


def _best_tag(tools: str) -> str:
    """The tag that this Python likes best: of two wheels of a version the stub is chosen, and nothing fetched."""
    sys.path.insert(0, tools)
    from packaging.tags import sys_tags  # noqa: PLC0415 - it is there only now

    return str(next(iter(sys_tags())))


def _make_stubs(folder: str, stubs: list[dict[str, str]], tag: str) -> list[str]:
    os.makedirs(folder)
    digests = []
    for one in stubs:
        stem = one["name"].replace("-", "_") + "-" + one["version"]
        path = os.path.join(folder, stem + "-" + _BUILD + "-" + tag + ".whl")
        about = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: " + tag + "\n"
        with zipfile.ZipFile(path, "w") as wheel:
            for name, text in (("METADATA", one["metadata"]), ("WHEEL", about), ("RECORD", "")):
                wheel.writestr(zipfile.ZipInfo(stem + ".dist-info/" + name, _EPOCH), text)
        with open(path, "rb") as file:
            digests.append(hashlib.sha256(file.read()).hexdigest())
    return digests


def _run(command: list[str], environment: dict[str, str], folder: str, secret: str, until: float | None) -> int | None:
    """The exit status; None where it was ended because its time was over."""
    late = threading.Event()
    with subprocess.Popen(
        command,
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        timer = threading.Timer(0 if until is None else max(0, until - time.monotonic()), _end, (process, late))
        if until is not None:
            timer.start()
        assert process.stdout is not None
        for line in process.stdout:
            _send(secret, "log", line=line.decode("utf-8", "replace").rstrip("\r\n")[:4096])
        status = process.wait()
        timer.cancel()
    return None if late.is_set() else status


def _end(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    """Ends a resolver and what it started: an interpreter that builds metadata holds the pipe open, too."""
    late.set()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(_LIMIT)
    except OSError:
        return ""


def _send(secret: str, kind: str, **fields: Any) -> None:
    sys.stdout.write(json.dumps(dict(fields, secret=secret, kind=kind)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
