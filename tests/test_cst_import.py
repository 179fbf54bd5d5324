from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from imgcheck.cli import run
from imgcheck.contract.image import FilePromise, Value
from imgcheck.contract.loader import load_contract
from imgcheck.cst_import import import_cst
from imgcheck.errors import ContractError, UsageError

WHOLE = """
schemaVersion: 2.0.0
globalEnvVars: [{key: MODE, value: train}]
commandTests:
  - name: git version
    command: git
    args: [--version]
    expectedOutput: ["git version 2"]
  - name: a setup and another status
    setup: [[touch, /tmp/a b]]
    teardown: [[rm, /tmp/a b]]
    command: grep
    args: [x, /tmp/a b]
    exitCode: 1
    excludedOutput: [error]
    expectedError: [""]
    envVars: [{key: A, value: 1}]
  - {name: git version, command: "true"}
fileExistenceTests:
  - {name: root, path: /, shouldExist: true, permissions: drwxr-xr-x, uid: 0, gid: 0}
  - {name: no shadow, path: /etc/shadow, shouldExist: false}
  - {name: tool, path: /opt/tool, permissions: -rwsr-xr-t, isExecutableBy: owner}
  - {name: odd, path: /odd, permissions: rwx}
  - {name: plain, path: /plain}
fileContentTests:
  - {name: passwd, path: /etc/passwd, expectedContents: ["root:.*"], excludedContents: ["guest"]}
  - {name: tool, path: /opt/tool, expectedContents: ["^#!"]}
metadataTest:
  envVars: [{key: PATH, value: "/opt/.*", isRegex: true}, {key: LANG, value: C.UTF-8}]
  unboundEnvVars: [{key: DEBUG}]
  labels: [{key: team, value: ml}]
  exposedPorts: ["8080"]
  unexposedPorts: [22]
  volumes: [/data]
  unmountedVolumes: [/root]
  entrypoint: []
  cmd: [python, train.py]
  workdir: /app
  user: ml
licenseTests: [{debian: true}]
containerRunOptions: {user: "1000", privileged: true}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "cst.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def converted(folder: Path, text: str) -> Any:
    imported = import_cst(written(folder, text))
    target = folder / "contract.yaml"
    target.write_text(imported.text, encoding="utf-8")
    return load_contract(target), imported.remarks


def test_a_whole_file_becomes_a_contract(tmp_path: Path) -> None:
    contract, remarks = converted(tmp_path, WHOLE)
    image = contract.image
    assert (image.user, image.workdir, image.entrypoint, image.cmd) == ("ml", "/app", (), ("python", "train.py"))
    assert image.env == {"PATH": Value(matches="/opt/.*"), "LANG": "C.UTF-8", "DEBUG": Value(unset=True)}
    assert (image.labels, image.ports, image.no_ports) == ({"team": "ml"}, ("8080",), ("22",))
    assert (image.volumes, image.no_volumes) == (("/data",), ("/root",))
    assert contract.runtime.user == "1000"
    assert contract.runtime.env == {"MODE": "train"}
    assert image.files == (
        FilePromise(path="/", kind="folder", mode="0755", uid=0, gid=0),
        FilePromise(path="/etc/shadow", exists=False),
        FilePromise(path="/opt/tool", kind="file", mode="5755", executable=True, contains=("^#!",)),
        "/odd",
        "/plain",
        FilePromise(path="/etc/passwd", contains=("root:.*",), excludes=("guest",)),
    )
    assert [line.partition(":")[0] for line in remarks] == [
        "/opt/tool",
        "/odd",
        "containerRunOptions.privileged has no equivalent",
        "a setup and another status",
        "a setup and another status",
        "licenseTests have no equivalent",
    ]


def test_commands_become_smoke_lines(tmp_path: Path) -> None:
    first, second, third = converted(tmp_path, WHOLE)[0].smoke
    assert (first.name, first.run, first.output) == ("git version", ("git", "--version"), "git version 2")
    assert second.run == ("sh", "-c", "touch '/tmp/a b' && { \"$@\"; test $? -eq 1; }", "sh", "grep", "x", "/tmp/a b")
    assert second.output == r"\A(?=[\s\S]*(?:))(?![\s\S]*(?:error))"
    assert second.env == {"A": "1"}
    assert third.name == "git version (2)"


def test_what_is_not_the_same_is_in_the_file_too(tmp_path: Path) -> None:
    assert "# Not the same: licenseTests have no equivalent" in import_cst(written(tmp_path, WHOLE)).text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("schemaVersion: 1.0.0\n", "cst.yaml:1: schemaVersion", id="version"),
        pytest.param("schemaVersion: 2.0.0\ncommandTest: []\n", "did you mean 'commandTests'", id="unknown key"),
        pytest.param(
            "schemaVersion: 2.0.0\nfileContentTests:\n  - path: /a\n    expectedContents: ['(']\n",
            "cst.yaml:4: fileContentTests[0].expectedContents[0]: '(' is no regular expression",
            id="regular expression",
        ),
        pytest.param("[", "cst.yaml:1", id="no YAML"),
        pytest.param("schemaVersion: 2.0.0\nmetadataTest: {exposedPorts: [http]}\n", "no port", id="no port"),
    ],
)
def test_a_bad_file_is_told_with_line_and_key(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ContractError) as caught:
        import_cst(written(tmp_path, text))
    assert words in str(caught.value.message)


def test_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        import_cst(tmp_path / "gone.yaml")


def test_the_command_writes_and_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, WHOLE)
    assert run(["import-cst", str(path)]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("# Made of cst.yaml")
    assert "not the same: licenseTests have no equivalent" in told.err
    assert run(["import-cst", str(path), "-o", str(tmp_path / "out.yaml")]) == 0
    assert load_contract(tmp_path / "out.yaml").image.user == "ml"
    assert run(["import-cst", str(path), "-o", str(tmp_path / "no" / "out.yaml")]) == 2
