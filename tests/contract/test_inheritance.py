"""`extends`: what comes from the other file, and where each thing is said to be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.constraints import further_files
from imgcheck.contract.loader import load_contract
from imgcheck.contract.model import Contract, Imports
from imgcheck.contract.probes import Probe
from imgcheck.errors import ContractError
from imgcheck.outcome import Location


def load(folder: Path, **files: str) -> Contract:
    """Write each file with its version line, and load the last."""
    for name, body in files.items():
        (folder / f"{name}.yaml").write_text(f"imgcheck: 1\n{body}", "utf-8")
    return load_contract(folder / f"{list(files)[-1]}.yaml")


def refusal(folder: Path, **files: str) -> str:
    with pytest.raises(ContractError) as caught:
        load(folder, **files)
    return caught.value.message.replace(f"{folder}/", "")


def test_mappings_merge_and_the_child_wins(tmp_path: Path) -> None:
    contract = load(
        tmp_path,
        base="python: '3.11'\nbase: {image: a}\n"
        "pins:\n  Foo_Bar: 1.0\n  numpy: 1.26.4\nruntime: {user: ml, env: {A: a}}\n",
        team="extends: base.yaml\npins:\n  foo-bar: 2.0\n  ray: 2.9\nruntime: {env: {B: b}}\n",
    )
    assert contract.pins == {"foo-bar": "2.0", "numpy": "1.26.4", "ray": "2.9"}
    assert contract.runtime.user == "ml"
    assert contract.runtime.env == {"A": "a", "B": "b"}
    assert contract.base
    assert contract.python == "3.11"


def test_each_place_keeps_its_file(tmp_path: Path) -> None:
    contract = load(
        tmp_path,
        base="pins:\n  numpy: 1.26.4\n  foo: 1.0\nprobes: [ray]\n",
        team="extends: base.yaml\npins:\n  foo: 2.0\nprobes:\n- tensorboard\n",
    )
    base, team = str(tmp_path / "base.yaml"), str(tmp_path / "team.yaml")
    assert contract.where("pins", "numpy") == Location(file=base, line=3)
    assert contract.where("pins", "foo") == Location(file=team, line=4)
    assert contract.where("probes", "0") == contract.where("probes", "ray") == Location(file=base, line=5)
    assert contract.where("probes", "1") == Location(file=team, line=6)
    assert contract.path == team


def test_promises_add_up_and_probes_of_a_name_are_replaced(tmp_path: Path) -> None:
    waiver = "{check: IC301, subject: %s, reason: %s, owner: o, until: 2027-01-31}"
    contract = load(
        tmp_path,
        base="probes: [ray, {name: own, run: [old]}, tensorboard]\n"
        f"waivers: [{waiver % ('a', 'old')}, {waiver % ('b', 'old')}]\n"
        "imports: {exclude: [a], timeout: 5}\nrequires: {allow: [x]}\n"
        "runtime: {mounts: [{path: /data}, {path: /tmp}]}\n",
        team="extends: base.yaml\nprobes: [{name: own, run: [new]}, mlflow]\n"
        f"waivers: [{waiver % ('c', 'new')}, {waiver % ('a', 'new')}]\n"
        "imports: {exclude: [b]}\nrequires: {allow: [y]}\nruntime: {mounts: [{path: /data, read_only: true}]}\n",
    )
    assert contract.probes == ("ray", Probe(name="own", run=("new",)), "tensorboard", "mlflow")
    assert [(one.subject, one.reason) for one in contract.waivers] == [("a", "new"), ("b", "old"), ("c", "new")]
    assert contract.imports == Imports(exclude=("a", "b"), timeout=5)
    assert [(one.path, one.read_only) for one in contract.runtime.mounts] == [("/data", True), ("/tmp", False)]


def test_a_command_is_one_value(tmp_path: Path) -> None:
    body = "probes: [{name: own, run: [python, -m, old], env: {A: a}}]\n"
    contract = load(tmp_path, base=body, team="extends: base.yaml\nprobes: [{name: own, run: [true]}]\n")
    assert contract.probes == (Probe(name="own", run=("true",)),)


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [
        pytest.param("{timeout: 5}", "true", Imports(timeout=5), id="true keeps the options"),
        pytest.param("true", "{timeout: 5}", Imports(timeout=5), id="options ask too"),
        pytest.param("{timeout: 5}", "false", False, id="false takes it back"),
    ],
)
def test_a_switch_is_a_mapping_without_entries(tmp_path: Path, above: str, below: str, expected: object) -> None:
    contract = load(tmp_path, base=f"imports: {above}\n", team=f"extends: base.yaml\nimports: {below}\n")
    assert contract.imports == expected


def test_a_chain_is_followed_from_folder_to_folder(tmp_path: Path) -> None:
    (tmp_path / "teams").mkdir()
    load(
        tmp_path, root="pins: {a: 1.0}\nconstraints: {files: [root.txt]}\n", mid="extends: root.yaml\npins: {b: 2.0}\n"
    )
    leaf = load(tmp_path / "teams", leaf="extends: ../mid.yaml\nconstraints: {files: [leaf.txt]}\n")
    assert leaf.pins == {"a": "1.0", "b": "2.0"}
    assert [path.resolve() for path in further_files(leaf)] == [tmp_path / "root.txt", tmp_path / "teams" / "leaf.txt"]


def test_the_digest_knows_the_whole_meaning_and_not_the_files(tmp_path: Path) -> None:
    split = load(tmp_path, base="pins: {a: 1.0}\n", team="extends: base.yaml\nrequires: true\n")
    whole = load(tmp_path, whole="requires: true\npins: {a: 1.0}\n")
    changed = load(tmp_path, base="pins: {a: 1.1}\n", team="extends: base.yaml\nrequires: true\n")
    assert split.digest == whole.digest != changed.digest


def test_a_circle_is_refused(tmp_path: Path) -> None:
    told = refusal(tmp_path, a="extends: b.yaml\n", b="extends: ./a.yaml\n")
    assert told == "a.yaml:2: extends: goes in a circle: b.yaml -> a.yaml -> b.yaml"


def test_a_file_cannot_extend_itself(tmp_path: Path) -> None:
    assert refusal(tmp_path, a="extends: a.yaml\n") == "a.yaml:2: extends: goes in a circle: a.yaml -> a.yaml"


def test_a_missing_file_is_told_where_it_is_named(tmp_path: Path) -> None:
    told = refusal(tmp_path, platform="", team="extends: platfrom.yaml\n")
    assert told == ("team.yaml:2: extends: platfrom.yaml: there is no such file; did you mean 'platform.yaml'?")


@pytest.mark.parametrize("name", ["", "[a.yaml]", "{a: b}", '"\\t"'])
def test_extends_is_one_name(tmp_path: Path, name: str) -> None:
    assert refusal(tmp_path, team=f"extends: {name}\n") == "team.yaml:2: extends: must be the name of one contract file"


def test_a_problem_is_told_in_the_file_that_has_it(tmp_path: Path) -> None:
    told = refusal(tmp_path, base="pins:\n  a: x y\n", team="extends: base.yaml\nprobs: []\n")
    assert told.splitlines() == [
        "base.yaml:3: pins.a: 'x y' is neither a version nor a specifier; write 4.25.3, or '>=1.26,<2' with quotes",
        "team.yaml:3: probs: is not a known key; did you mean 'probes'?",
    ]


def test_the_version_is_checked_in_every_file(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("imgcheck: 2\n", "utf-8")
    told = refusal(tmp_path, team="extends: base.yaml\n")
    assert told == "base.yaml:1: imgcheck: '2' is no version that is known; this imgcheck knows version 1"
