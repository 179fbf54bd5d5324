"""Builders' real output, told in plain words. The outputs were written by pip, uv and BuildKit themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.build.buildx_output import read_failure
from imgcheck.build.dockerfile import parse_syntax
from imgcheck.build.failure import explain
from imgcheck.build.stages import Dockerfile, resolve
from imgcheck.contract.model import Contract
from imgcheck.errors import (
    BuildError,
    EngineOutOfReachError,
    ImgcheckError,
    RegistryOutOfReachError,
    UnresolvableBuildError,
    UsageError,
)
from tests.build.fakes import contract

OUTPUTS = Path(__file__).parent / "outputs"


def told(output: str, held: Contract | None = None) -> ImgcheckError:
    dockerfile: Dockerfile = resolve(parse_syntax("FROM a\n", file="Dockerfile"), build_args={}, platform="linux/amd64")
    return explain(read_failure(output), output, dockerfile=dockerfile, contract=held or contract())


def recorded(name: str) -> str:
    return (OUTPUTS / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "message", "remedy"),
    [
        pytest.param(
            "pip-direct",
            "Dockerfile:2: the build asks for protobuf>=6, and the contract pins protobuf==5.29.3 (base.yaml:5)",
            "ask for what protobuf==5.29.3 meets",
            id="pip-direct",
        ),
        pytest.param(
            "pip-depends",
            "Dockerfile:2: grpcio-status 1.74.0 needs protobuf<7.0.0 and >=6.31.1, "
            "and the contract pins protobuf==5.29.3 (base.yaml:5)",
            "choose a version of grpcio-status that accepts protobuf==5.29.3",
            id="pip-depends",
        ),
        pytest.param(
            "uv-direct",
            "Dockerfile:3: the build asks for protobuf>=6, and the contract pins protobuf==5.29.3 (base.yaml:5)",
            "ask for what protobuf==5.29.3 meets",
            id="uv-direct",
        ),
        pytest.param(
            "uv-depends",
            "Dockerfile:3: grpcio-status==1.74.0 needs protobuf>=6.31.1,<7.0.0, "
            "and the contract pins protobuf==5.29.3 (base.yaml:5)",
            "choose a version of grpcio-status that accepts protobuf==5.29.3",
            id="uv-depends",
        ),
        pytest.param(
            "pip-isolated",
            "Dockerfile:3: building /src/pk from source needs numpy>=2, and the contract pins numpy==1.26.4 "
            "(base.yaml:6): pip before 26.2 puts PIP_CONSTRAINT in force inside isolated builds as well",
            "update pip in the image to 26.2 or newer; or build that one wheel without them and install it with them: "
            "RUN PIP_CONSTRAINT= pip wheel --no-deps -w /tmp/wheels /src/pk",
            id="pip-isolated",
        ),
        pytest.param(
            "pip-own",
            "Dockerfile:2: the requirements contradict each other, whatever the contract pins",
            "the installer's own words",
            id="no-pin-in-it",
        ),
        pytest.param(
            "pip-absent",
            "Dockerfile:2: six==99: no index in reach has it; there are 1.12.0,",
            "ask for one of these",
            id="pip-absent",
        ),
        pytest.param(
            "uv-absent", "Dockerfile:3: no index has six==99 for this Python", "check the name", id="uv-absent"
        ),
        pytest.param("command", "failed: exit code: 7", "", id="command"),
        pytest.param(
            "copy", "Dockerfile:2: COPY nosuch.txt /x: there is no nosuch.txt to copy", "paths count", id="copy"
        ),
        pytest.param(
            "syntax", "Dockerfile:2: dockerfile parse error on line 2: unknown instruction: RUNN", "", id="syntax"
        ),
        pytest.param(
            "from-absent",
            "Dockerfile:1: there is no image 127.0.0.1:5011/team/tools:9",
            "check the name",
            id="from-absent",
        ),
        pytest.param(
            "from-private", "Dockerfile:1: there is no image 127.0.0.1:5011/private/tools:9", "check", id="from-private"
        ),
        pytest.param(
            "pip-certificate",
            "the server's certificate is not trusted there",
            "give the build the CA",
            id="certificate",
        ),
    ],
)
def test_what_a_retry_cannot_mend(name: str, message: str, remedy: str) -> None:
    error = told(recorded(name))
    assert type(error) in (BuildError, UnresolvableBuildError)
    unresolvable = name in ("pip-direct", "pip-depends", "pip-own", "uv-direct", "uv-depends")
    assert isinstance(error, UnresolvableBuildError) == unresolvable
    assert message in error.message
    assert error.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("pip-offline", "an index or server did not answer", id="pip"),
        pytest.param("uv-offline", "an index or server did not answer", id="uv"),
        pytest.param("from-offline", "the registry did not answer: registry.invalid/team/tools:9: dial tcp", id="dns"),
        pytest.param(
            "from-busy", "the registry did not answer: 127.0.0.1:5011/busy/tools:9: unexpected", id="status-503"
        ),
    ],
)
def test_what_a_retry_may_mend(name: str, message: str) -> None:
    error = told(recorded(name))
    assert type(error) is RegistryOutOfReachError
    assert message in error.message


def test_an_installer_s_unknown_words_are_whole_however_long() -> None:
    many = "\n".join(f"      row {number}" for number in range(200))
    error = told(step_output(f"Collecting x\nERROR: an unheard-of trouble\n{many}\nbye"))
    assert error.details.startswith("ERROR: an unheard-of trouble\n      row 0")
    assert error.details.endswith("row 199\nbye")
    short = told(step_output("\n".join(f"line {number}" for number in range(100))))
    assert short.details.splitlines()[0] == "line 60"


def test_the_log_of_the_failed_step_is_shown() -> None:
    error = told(recorded("command"))
    assert "after" in error.details
    assert "[image" not in error.details
    step = read_failure(recorded("command"))
    assert (step.line, step.title) == (2, "RUN echo before && echo after >&2 && exit 7")


def step_output(log: str) -> str:
    """A failed RUN as plain progress shows it."""
    lines = "".join(f"#5 0.{number} {line}\n" for number, line in enumerate(log.splitlines()))
    reason = 'process "/bin/sh -c x" did not complete successfully: exit code: 1'
    place = f"Dockerfile:2\n{'-' * 20}\n   2 | >>> RUN x\n{'-' * 20}\n"
    return f"#5 [image 2/2] RUN x\n{lines}#5 ERROR: {reason}\n{place}ERROR: failed to solve: {reason}\n"


UV_BUILD = """error: Failed to resolve requirements from `build-system.requires`
  cause: No solution found when resolving: `setuptools`, `numpy>=2`
  cause: Because you require numpy>=2 and numpy==1.26.4, we can conclude that your requirements are unsatisfiable.
"""
UV_BOXED = """  \u00d7 No solution found when resolving dependencies:
  ╰─▶ Because you require protobuf>=6 and protobuf==5.29.3, we can conclude
      that your requirements are unsatisfiable.
"""
PIP_FILE = """The conflict is caused by:
    The user requested six>=2
    The user requested (constraint) six==1.16.0

ERROR: ResolutionImpossible: for help visit"""


def test_constraints_that_the_contract_wants_in_isolated_builds_are_told_as_such() -> None:
    error = told(step_output(UV_BUILD), contract(constraints={"build": True}))
    assert "needs numpy>=2, and the contract pins numpy==1.26.4 (base.yaml:6)" in error.message
    assert "constraints.build (base.yaml:8) puts the pins in force there" in error.message
    assert error.remedy.startswith("set constraints.build to false")


def test_the_boxed_words_of_an_older_uv() -> None:
    assert "asks for protobuf>=6, and the contract pins protobuf==5.29.3" in told(step_output(UV_BOXED)).message


def test_a_pin_from_a_constraints_file() -> None:
    assert "a constraints file pins six==1.16.0 (base.yaml:9)" in told(step_output(PIP_FILE)).message


def test_a_pin_that_no_index_has() -> None:
    error = told(step_output("ERROR: No matching distribution found for numpy==1.26.4"))
    assert "no index has numpy==1.26.4, with the contract's pin numpy 1.26.4 (base.yaml:6) in force" in error.message


@pytest.mark.parametrize(
    "log",
    [
        "E: Failed to fetch http://deb.example/x  Temporary failure resolving 'deb.example'",
        "curl: (6) Could not resolve host: files.example",
        "curl: (7) Failed to connect to files.example port 443: Connection refused",
        "requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: https://index.example",
        "ReadTimeoutError: HTTPSConnectionPool(host='index.example', port=443): Read timed out.",
    ],
)
def test_other_clients_without_an_answer(log: str) -> None:
    assert isinstance(told(step_output(log)), RegistryOutOfReachError)


def test_other_ends() -> None:
    assert isinstance(told("ERROR: Cannot connect to the Docker daemon at unix:///x."), EngineOutOfReachError)
    cut = "ERROR: failed to receive status: rpc error: code = Unavailable desc = error reading from server: EOF"
    assert told(cut).message == "the engine stopped answering during the build"
    assert isinstance(told('ERROR: no builder "x" found'), UsageError)
    full = told("#5 [image 2/2] RUN x\n#5 ERROR: write /x: no space left on device\nERROR: failed to solve: write /x\n")
    assert "disk is full" in full.message
    derived = told("#5 [imgcheck-base 1/2] FROM x\n#5 ERROR: broken\nERROR: failed to solve: broken\n")
    assert derived.message == "the derived base: broken"
    untrusted = told("ERROR: failed to solve: a: tls: failed to verify certificate: x509: unknown authority")
    assert "certificate is not trusted" in untrusted.message
    assert told("").message == "Dockerfile: no reason given"
