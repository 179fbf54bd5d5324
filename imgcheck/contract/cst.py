"""A container-structure-test file as the contract's own words.

Source: https://github.com/GoogleContainerTools/container-structure-test, README and pkg/types/v2.
What has no equivalent is told, never dropped in silence.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from imgcheck.contract.values import Pattern

_MODE: Final = re.compile(r"([-dlcbps])([-r])([-w])([-xsS])([-r])([-w])([-xsS])([-r])([-w])([-xtT])")


class _Cst(BaseModel):
    """Closed to unknown keys, which are in camel case."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, coerce_numbers_to_str=True)


class _Variable(_Cst):
    key: str
    value: str = ""
    is_regex: bool = False


class _CommandTest(_Cst):
    name: str
    setup: tuple[tuple[str, ...], ...] = ()
    teardown: tuple[tuple[str, ...], ...] = ()
    env_vars: tuple[_Variable, ...] = ()
    command: str
    args: tuple[str, ...] = ()
    exit_code: int = 0
    expected_output: tuple[Pattern, ...] = ()
    excluded_output: tuple[Pattern, ...] = ()
    expected_error: tuple[Pattern, ...] = ()
    excluded_error: tuple[Pattern, ...] = ()


class _ExistenceTest(_Cst):
    name: str = ""
    path: str
    should_exist: bool = True
    permissions: str = ""
    uid: int | None = None
    gid: int | None = None
    is_executable_by: Literal["owner", "group", "other", "any", ""] = ""


class _ContentTest(_Cst):
    name: str = ""
    path: str
    expected_contents: tuple[Pattern, ...] = ()
    excluded_contents: tuple[Pattern, ...] = ()


class _MetadataTest(_Cst):
    env: tuple[_Variable, ...] = ()
    env_vars: tuple[_Variable, ...] = ()
    unbound_env_vars: tuple[_Variable, ...] = ()
    labels: tuple[_Variable, ...] = ()
    entrypoint: tuple[str, ...] | None = None
    cmd: tuple[str, ...] | None = None
    exposed_ports: tuple[str, ...] = ()
    unexposed_ports: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    unmounted_volumes: tuple[str, ...] = ()
    workdir: str = ""
    user: str = ""


class CstFile(_Cst):
    """A file of schema 2.0.0."""

    schema_version: Literal["2.0.0"]
    global_env_vars: tuple[_Variable, ...] = ()
    command_tests: tuple[_CommandTest, ...] = ()
    file_existence_tests: tuple[_ExistenceTest, ...] = ()
    file_content_tests: tuple[_ContentTest, ...] = ()
    metadata_test: _MetadataTest | None = None
    license_tests: tuple[dict[str, Any], ...] = ()
    container_run_options: Annotated[dict[str, Any], Field(default_factory=dict)]


def contract_of(tests: CstFile) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The contract's mapping, and a sentence for each thing that is told otherwise or not at all."""
    remarks: list[str] = []
    image: dict[str, Any] = {**_config(tests.metadata_test), "files": _files(tests, remarks)}
    contract: dict[str, Any] = {
        "imgcheck": 1,
        "runtime": _runtime(tests, remarks),
        "image": {key: value for key, value in image.items() if value or key in ("entrypoint", "cmd")},
        "smoke": list(_smoke(tests.command_tests, remarks)),
    }
    if tests.license_tests:
        remarks.append("licenseTests have no equivalent")
    return {key: value for key, value in contract.items() if value}, tuple(remarks)


def _runtime(tests: CstFile, remarks: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    options = dict(tests.container_run_options)
    user = options.pop("user", None)
    if user:
        found["user"] = str(user)
    if tests.global_env_vars:
        found["env"] = {one.key: one.value for one in tests.global_env_vars}
    remarks.extend(f"containerRunOptions.{name} has no equivalent" for name in options)
    return found


def _config(test: _MetadataTest | None) -> dict[str, Any]:
    if test is None:
        return {}
    found: dict[str, Any] = {
        "user": test.user,
        "workdir": test.workdir,
        "env": {one.key: _value(one) for one in (*test.env, *test.env_vars)}
        | {one.key: {"unset": True} for one in test.unbound_env_vars},
        "labels": {one.key: _value(one) for one in test.labels},
        "ports": list(test.exposed_ports),
        "no_ports": list(test.unexposed_ports),
        "volumes": list(test.volumes),
        "no_volumes": list(test.unmounted_volumes),
    }
    for key, words in (("entrypoint", test.entrypoint), ("cmd", test.cmd)):
        if words is not None:
            found[key] = list(words)
    return found


def _value(variable: _Variable) -> Any:
    return {"matches": variable.value} if variable.is_regex else variable.value


def _files(tests: CstFile, remarks: list[str]) -> list[Any]:
    found: dict[str, dict[str, Any]] = {}
    for one in tests.file_existence_tests:
        found.setdefault(one.path, {"path": one.path}).update(_existence(one, remarks))
    for other in tests.file_content_tests:
        promise = found.setdefault(other.path, {"path": other.path})
        for key, patterns in (("contains", other.expected_contents), ("excludes", other.excluded_contents)):
            if patterns:
                promise[key] = [*promise.get(key, ()), *patterns]
    return [one["path"] if one.keys() == {"path"} else one for one in found.values()]


def _existence(test: _ExistenceTest, remarks: list[str]) -> dict[str, Any]:
    if not test.should_exist:
        return {"exists": False}
    found: dict[str, Any] = {}
    if test.permissions:
        kind, mode = _permissions(test.permissions)
        if mode:
            found["mode"] = mode
        else:
            remarks.append(f"{test.path}: permissions {test.permissions!r} are not understood")
        if kind:
            found["kind"] = kind
    if test.uid is not None:
        found["uid"] = test.uid
    if test.gid is not None:
        found["gid"] = test.gid
    if test.is_executable_by:
        found["executable"] = True
        if test.is_executable_by != "any":
            remarks.append(f"{test.path}: isExecutableBy {test.is_executable_by} became: executable by somebody")
    return found


def _permissions(text: str) -> tuple[str, str]:
    """As `ls -l` shows them: "drwxr-xr-x" is a folder of mode 0755."""
    match = _MODE.fullmatch(text)
    if not match:
        return "", ""
    kind, *bits = match.groups()
    mode = sum(1 << (8 - place) for place, bit in enumerate(bits) if bit not in "-ST")
    mode |= (0o4000 if bits[2] in "sS" else 0) | (0o2000 if bits[5] in "sS" else 0) | (0o1000 if bits[8] in "tT" else 0)
    return {"d": "folder", "-": "file"}.get(kind, ""), f"{mode:04o}"


def _smoke(tests: Iterable[_CommandTest], remarks: list[str]) -> Iterator[dict[str, Any]]:
    names: dict[str, int] = {}
    for test in tests:
        names[test.name] = names.get(test.name, 0) + 1
        name = test.name if names[test.name] == 1 else f"{test.name} ({names[test.name]})"
        found: dict[str, Any] = {"name": name, "run": _command(test)}
        pattern = _output(test)
        if pattern:
            found["output"] = pattern
        if test.env_vars:
            found["env"] = {one.key: one.value for one in test.env_vars}
        if test.teardown:
            remarks.append(f"{test.name}: teardown is not needed, each line has a container of its own")
        if test.expected_error or test.excluded_error:
            remarks.append(f"{test.name}: standard output and standard error are looked at together")
        yield found


def _command(test: _CommandTest) -> list[str]:
    """Setup and another exit code than 0 need a shell of the image's."""
    words = [test.command, *test.args]
    if not test.setup and not test.exit_code:
        return words
    last = f'"$@"; test $? -eq {test.exit_code}' if test.exit_code else 'exec "$@"'
    steps = " && ".join((*(shlex.join(one) for one in test.setup), f"{{ {last}; }}"))
    return ["sh", "-c", steps, "sh", *words]


def _output(test: _CommandTest) -> str:
    """One regular expression for all that must, and must not, match somewhere."""
    wanted = (*test.expected_output, *test.expected_error)
    excluded = (*test.excluded_output, *test.excluded_error)
    if len(wanted) == 1 and not excluded:
        return wanted[0]
    parts = [rf"(?=[\s\S]*(?:{one}))" for one in wanted] + [rf"(?![\s\S]*(?:{one}))" for one in excluded]
    return r"\A" + "".join(parts) if parts else ""
