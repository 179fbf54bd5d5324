"""What a contract file may say, and the whole message for each thing it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.contract.loader import load_contract, parse_contract
from imgcheck.contract.model import Contract, Imports
from imgcheck.contract.probes import Probe
from imgcheck.errors import ContractError
from imgcheck.outcome import Location

WAIVER = "check: a, subject: b, reason: r, owner: o"


def parse(body: str) -> Contract:
    return parse_contract(f"imgcheck: 1\n{body}", "c.yaml")


def refusal(text: str) -> str:
    with pytest.raises(ContractError) as caught:
        parse_contract(text, "c.yaml")
    return caught.value.message


@pytest.mark.parametrize("written", ["1.10", "3.10", "010", "2024", "2.0", "1.10.0+cu126", "1!2.0", "'1.10'", '"1.10"'])
def test_a_version_stays_as_it_is_written(written: str) -> None:
    assert parse(f"pins: {{torch: {written}}}").pins == {"torch": written.strip("'\"")}


@pytest.mark.parametrize("written", ["1e3", "1_0", "0x10", "true", ".inf"])
def test_a_number_that_is_no_version_is_shown_as_it_is_written(written: str) -> None:
    assert refusal(f"imgcheck: 1\npins: {{torch: {written}}}").startswith(
        f"c.yaml:2: pins.torch: {written!r} is neither"
    )


def test_types_are_the_fields_business() -> None:
    contract = parse(
        "python: 3.10\n"
        "imports: {timeout: 60, jobs: 4, strict: true, memory: 1GiB}\n"
        "runtime: {user: 1000, read_only: yes, env: {A: 010, B: true, C: 1.10}, shm: 512MB}\n"
    )
    assert contract.python == "3.10"
    assert contract.imports == Imports(timeout=60, jobs=4, strict=True, memory=1024**3)
    assert contract.runtime.user == "1000"
    assert contract.runtime.read_only
    assert contract.runtime.env == {"A": "010", "B": "true", "C": "1.10"}
    assert contract.runtime.shm == 512 * 10**6


@pytest.mark.parametrize("null", ["", "~", "null"])
def test_nothing_is_nothing(null: str) -> None:
    assert parse(f"python: {null}\nbase: {null}").python is None


def test_a_quoted_null_is_text() -> None:
    assert parse("runtime: {user: 'null'}").runtime.user == "null"


def test_pins_meet_by_canonical_name() -> None:
    contract = parse("pins: {Foo_Bar: 1.0, zope.interface: 5.0}")
    assert contract.pins == {"foo-bar": "1.0", "zope-interface": "5.0"}
    assert contract.where("pins", "foo-bar") == contract.where("pins", "Foo_Bar") == Location(file="c.yaml", line=2)


def test_aliases_and_merge_keys_work() -> None:
    contract = parse(
        "runtime:\n  env: &env\n    A: 1.10\n    B: b\n"
        "probes:\n- {name: x, run: [x], env: {<<: *env, B: own}}\n- {name: y, run: [y], env: *env}\n"
        "- {name: z, run: [z], env: {<<: [{A: first}, *env]}}\n"
    )
    envs = [probe.env for probe in contract.probes if isinstance(probe, Probe)]
    assert envs == [{"A": "1.10", "B": "own"}, {"A": "1.10", "B": "b"}, {"A": "first", "B": "b"}]
    assert contract.where("probes", "0", "env", "A") == Location(file="c.yaml", line=4)


def test_every_promise_has_its_place() -> None:
    contract = parse("pins:\n  torch: 1.0\n\n  numpy: 2.0\nprobes:\n- ray-dashboard\n- name: own\n  run: [x]\n")
    assert contract.where("pins") == Location(file="c.yaml", line=2)
    assert contract.where("pins", "numpy") == Location(file="c.yaml", line=5)
    assert contract.where("pins", "absent") == contract.where("pins")
    assert contract.where("probes", "0") == contract.where("probes", "ray-dashboard") == Location(file="c.yaml", line=7)
    assert contract.where("probes", "1", "run") == Location(file="c.yaml", line=9)
    assert contract.where("probes", "own") == Location(file="c.yaml", line=8)
    assert contract.where("imports") == Location(file="c.yaml")


def test_the_digest_is_of_the_meaning() -> None:
    one = parse("pins: {a: 1.0, b: 2.0}\nrequires: true  # always")
    same = parse("# comment\nrequires: true\npins:\n  B: '2.0'\n  A: 1.0\nimports: false\n")
    other = parse("pins: {a: 1.0, b: 2.00}\nrequires: true")
    assert one.digest == same.digest != other.digest
    assert one.digest.startswith("sha256:")
    assert one.path == "c.yaml"


def test_half_a_character_has_a_digest_too() -> None:
    assert parse(r'runtime: {env: {A: "\ud800"}}').digest.startswith("sha256:")


def test_an_expired_waiver_is_no_fault_of_the_file() -> None:
    assert parse(f"waivers: [{{{WAIVER}, until: 2001-01-01}}]").waivers[0].until.year == 2001


def test_a_byte_order_mark_and_windows_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_bytes("\ufeffimgcheck: 1\r\npython: 3.10\r\n".encode())
    contract = load_contract(path)
    assert contract.python == "3.10"
    assert contract.where("python") == Location(file=str(path), line=2)


VALUES = [
    pytest.param("probs: [a]", "probs: is not a known key; did you mean 'probes'?", id="near miss"),
    pytest.param("Pins: {}", "Pins: is not a known key; did you mean 'pins'?", id="capital"),
    pytest.param(
        "zzz: 1",
        "zzz: is not a known key; known here: imgcheck, extends, base, python, pins, locks, protect, requires,",
        id="nothing near",
    ),
    pytest.param("timeout: 1", "timeout: is not a known key here; it belongs under 'imports'", id="other place"),
    pytest.param(
        "imports: {timeot: 6}", "imports.timeot: is not a known key; did you mean 'timeout'?", id="one level down"
    ),
    pytest.param(
        "probes: [{name: a, start: [a], http: {prt: 1, port: 2}}]",
        "probes[0].http.prt: is not a known key; did you mean 'port'?",
        id="deep down",
    ),
    pytest.param("imports: {timeout: soon}", "imports.timeout: 'soon' is not a number", id="number"),
    pytest.param("imports: {jobs: 1.5}", "imports.jobs: '1.5' is not a whole number", id="whole number"),
    pytest.param("imports: {jobs: [1]}", "imports.jobs: a list is not a whole number", id="list for a number"),
    pytest.param("imports: {jobs: 100}", "imports.jobs: '100' must be at most 64", id="too many"),
    pytest.param("imports: {timeout: 0}", "imports.timeout: '0' must be more than 0", id="none"),
    pytest.param("runtime: {pids: 1}", "runtime.pids: '1' must be at least 16", id="too few"),
    pytest.param("imports: {strict: maybe}", "imports.strict: 'maybe' is neither true nor false", id="bool"),
    pytest.param("imports: {memory: much}", "imports.memory: 'much' is no size; write 512MB or 1GiB", id="size"),
    pytest.param("requires: maybe", "requires: must be true, false or a mapping, and is 'maybe'", id="switch"),
    pytest.param("imports: [a]", "imports: must be true, false or a mapping, and is a list", id="list for a switch"),
    pytest.param("imports:", "imports: is empty; give it a value, or delete the line", id="empty switch"),
    pytest.param("pins:", "pins: is empty; give it a value, or delete the line", id="empty mapping"),
    pytest.param("pins: [a]", "pins: must be a mapping, and is a list", id="list for a mapping"),
    pytest.param("pins: {a: }", "pins.a: is empty; give it a value, or delete the line", id="empty pin"),
    pytest.param("pins: {a: {b: c}}", "pins.a: must be text, and is a mapping", id="mapping for text"),
    pytest.param(
        "pins: {a: x y}",
        "pins.a: 'x y' is neither a version nor a specifier; write 4.25.3, or '>=1.26,<2' with quotes",
        id="specifier",
    ),
    pytest.param("pins: {a b!: 1}", "pins.a b!: 'a b!' is no distribution name (PEP 508)", id="name"),
    pytest.param("base: python", "base: must be a mapping, and is 'python'", id="text for a mapping"),
    pytest.param("base: {digest: }", "base.image: is missing", id="missing"),
    pytest.param("base: {image: ''}", "base.image: must not be empty", id="empty text"),
    pytest.param(
        "base: {image: a, digest: abc}",
        "base.digest: 'abc' is no digest; it is 'sha256:' and 64 hexadecimal digits",
        id="digest",
    ),
    pytest.param(
        "python: 2.7",
        "python: '2.7' is neither a version like 3.11 nor an absolute path of an interpreter",
        id="python",
    ),
    pytest.param("probes: ray", "probes: must be a list, and is 'ray'", id="text for a list"),
    pytest.param("probes: [[a]]", "probes[0]: must be text or a mapping, and is a list", id="neither choice"),
    pytest.param("probes: [~]", "probes[0]: is empty; give it a value, or delete the line", id="empty item"),
    pytest.param("probes: [{name: a, run: []}]", "probes[0].run: must not be empty", id="empty command"),
    pytest.param("probes: [{name: a, run: ls}]", "probes[0].run: must be a list, and is 'ls'", id="command as text"),
    pytest.param("probes: [{name: a}]", "probes[0]: probe 'a' needs either 'run' or 'start'", id="rule of the model"),
    pytest.param(
        "probes: [{name: a b, run: [a]}]", "probes[0].name: 'a b' must match ^[A-Za-z0-9][A-Za-z0-9._-]*$", id="pattern"
    ),
    pytest.param(
        "probes: [{name: a, run: [a], output: (}]",
        "probes[0].output: '(' is no regular expression: missing ), unterminated subpattern at position 0",
        id="regular expression",
    ),
    pytest.param(
        "probes: [{name: a, run: [a], output: 'a{9999999999}'}]",
        "probes[0].output: 'a{9999999999}' is no regular expression: the repetition number is too large",
        id="large repetition",
    ),
    pytest.param(
        "runtime: {mounts: [{path: data}]}",
        "runtime.mounts[0].path: 'data' must be an absolute path inside the image",
        id="relative path",
    ),
    pytest.param(
        f"waivers: [{{{WAIVER}, until: soon}}]", "waivers[0].until: 'soon' is no date; write 2027-01-31", id="date"
    ),
    pytest.param(
        f"waivers: [{{{WAIVER}, until: 2027-13-01}}]",
        "waivers[0].until: '2027-13-01' is no date; write 2027-01-31",
        id="no such month",
    ),
    pytest.param(
        f"waivers: [{{{WAIVER}, until: 0}}]", "waivers[0].until: '0' is no date; write 2027-01-31", id="seconds"
    ),
    pytest.param("extends: [a]", "extends: must be text, and is a list", id="extends"),
    pytest.param(
        'locks: ["a\\0b"]',
        "locks[0]: holds a null character, which no name, command or variable can have",
        id="null character",
    ),
]


@pytest.mark.parametrize(("body", "message"), VALUES)
def test_a_wrong_value_is_refused_in_plain_words(body: str, message: str) -> None:
    told = refusal(f"imgcheck: 1\n{body}")
    assert told.startswith(f"c.yaml:2: {message}")
    assert "\n" not in told


FORMS = [
    pytest.param("", "c.yaml:1: is empty", id="empty"),
    pytest.param("# only a comment\n", "c.yaml:1: is empty", id="comment"),
    pytest.param("- a\n", "c.yaml:1: is not a mapping but a list", id="list"),
    pytest.param("text\n", "c.yaml:1: is not a mapping but 'text'", id="text"),
    pytest.param("imgcheck: 1\n\tpins: {}\n", "c.yaml:2:1: a tab is used for indentation; use spaces", id="tab"),
    pytest.param(
        "imgcheck: 1\npins: {a: 1\n",
        "c.yaml:3:1: is not YAML: while parsing a flow mapping expected ',' or '}', but got '<stream end>'",
        id="open bracket",
    ),
    pytest.param(
        "imgcheck: 1\npython: a: b\n",
        "c.yaml:2:10: a ':' where none can be: a wrong indentation, or a text that needs quotes",
        id="second colon",
    ),
    pytest.param("imgcheck: 1\na: *b\n", "c.yaml:2:4: is not YAML: found undefined alias 'b'", id="alias"),
    pytest.param("imgcheck: 1\na: \x01\n", "c.yaml:2:4: is not YAML: special characters are not allowed", id="control"),
    pytest.param(
        "imgcheck: 1\n---\na: 1\n", "c.yaml:2:1: there is a second document ('---'); a contract is one", id="second"
    ),
    pytest.param(
        "imgcheck: 1\npins: {a: 1, a: 2}\n", "c.yaml:2: pins.a: is written twice; the first is in line 2", id="twice"
    ),
    pytest.param(
        "imgcheck: 1\npins:\n  Foo_Bar: 1\n  foo.bar: 1\n",
        "c.yaml:4: pins.foo.bar: is another spelling of 'Foo_Bar' in line 3; keep one",
        id="two spellings",
    ),
    pytest.param(
        "imgcheck: 1\nprobes:\n- ray\n- {name: ray, run: [x]}\n",
        "c.yaml:4: probes[1]: 'ray' is written twice; the first is in line 3",
        id="two probes of a name",
    ),
    pytest.param(
        "imgcheck: 1\npins: &p {a: *p}\n", "c.yaml:2: pins.a: contains itself, through an alias", id="recursion"
    ),
    pytest.param(
        "imgcheck: 1\npins: !env {a: 1}\n",
        "c.yaml:2: pins: has the tag !env, which means nothing here; leave it out",
        id="tag",
    ),
    pytest.param(
        "imgcheck: 1\nbase: !!python/name:os.system {}\n",
        "c.yaml:2: base: has the tag tag:yaml.org,2002:python/name:os.system, which means nothing here; leave it out",
        id="python tag",
    ),
    pytest.param("imgcheck: 1\n? [a]\n: b\n", "c.yaml:2: has a key that is no text", id="list as key"),
    pytest.param("imgcheck: 1\npins:\n  ? \n  : b\n", "c.yaml:3: pins: has a key that is empty", id="empty key"),
    pytest.param(
        "imgcheck: 1\npins: {<<: 3}\n", "c.yaml:2: pins.<<: can merge in mappings only, not '3'", id="merge key"
    ),
    pytest.param(
        "pins: {}\n",
        "c.yaml:1: imgcheck: the version of the format is missing; this imgcheck knows version 1",
        id="none",
    ),
    pytest.param(
        "imgchek: 1\n",
        "c.yaml:1: imgcheck: the version of the format is missing; this imgcheck knows version 1; "
        "is 'imgchek' a slip of it?",
        id="slip",
    ),
    pytest.param(
        "what: ever\nimgcheck: 2\n",
        "c.yaml:2: imgcheck: '2' is no version that is known; this imgcheck knows version 1",
        id="other version",
    ),
    pytest.param(
        "imgcheck: [1]\n",
        "c.yaml:1: imgcheck: a list is no version that is known; this imgcheck knows version 1",
        id="no version",
    ),
]


@pytest.mark.parametrize(("text", "message"), FORMS)
def test_a_wrong_form_is_refused(text: str, message: str) -> None:
    assert refusal(text) == message


def test_all_problems_are_told_at_once_in_the_order_of_the_file() -> None:
    text = "imgcheck: 1\nrequires: maybe\npins:\n  a: x y\n  b: 1\nprobs: []\nimports: {jobs: x, timeout: y}\n"
    assert refusal(text).splitlines() == [
        "c.yaml:2: requires: must be true, false or a mapping, and is 'maybe'",
        "c.yaml:4: pins.a: 'x y' is neither a version nor a specifier; write 4.25.3, or '>=1.26,<2' with quotes",
        "c.yaml:6: probs: is not a known key; did you mean 'probes'?",
        "c.yaml:7: imports.timeout: 'y' is not a number",
        "c.yaml:7: imports.jobs: 'x' is not a whole number",
    ]


def test_aliases_of_aliases_are_bounded() -> None:
    levels = [f"  l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 10)]
    told = refusal("\n".join(["imgcheck: 1", "runtime:", "  l0: &l0 [x]", *levels]))
    assert "has more than 50000 values once its aliases are followed" in told


def test_a_deep_nest_is_refused() -> None:
    assert refusal("imgcheck: 1\npins: " + "[" * 5000 + "]" * 5000) == "c.yaml: is nested too deep"
    parts = ["  p0: &p0 [x]", *(f"  p{n}: &p{n} {'[' * 80}*p{n - 1}{']' * 80}" for n in range(1, 9))]
    told = refusal("\n".join(["imgcheck: 1", "runtime:", *parts]))
    assert told == "c.yaml: is nested too deep, once its aliases are followed"


def test_a_remedy_says_what_to_do() -> None:
    with pytest.raises(ContractError) as caught:
        parse_contract("imgcheck: 7\n", "c.yaml")
    assert caught.value.remedy == "Write 'imgcheck: 1', or upgrade imgcheck if the contract is newer."


def file_refusal(path: Path) -> str:
    with pytest.raises(ContractError) as caught:
        load_contract(path)
    return caught.value.message


def test_a_missing_file_names_its_near_miss(tmp_path: Path) -> None:
    (tmp_path / "platform.yaml").touch()
    path = tmp_path / "platfrom.yaml"
    assert file_refusal(path) == f"{path}: there is no such file; did you mean 'platform.yaml'?"


def test_a_missing_file_with_nothing_near_lists_the_contracts(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").touch()
    (tmp_path / "two.yml").touch()
    (tmp_path / "README").touch()
    assert file_refusal(tmp_path / "x") == f"{tmp_path / 'x'}: there is no such file; there are: one.yaml, two.yml"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    path = tmp_path / "no" / "c.yaml"
    assert file_refusal(path) == f"{path}: there is no such file; there is no folder '{tmp_path / 'no'}' either"


def test_a_folder_is_no_contract(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").touch()
    assert file_refusal(tmp_path) == f"{tmp_path}: is a folder; name the contract in it; there are: base.yaml"


def test_what_cannot_be_read_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", denied)
    assert file_refusal(tmp_path / "c.yaml") == f"{tmp_path / 'c.yaml'}: cannot be read: Permission denied"


def test_other_encodings_are_told_at_their_line(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_bytes("imgcheck: 1\n# café\n".encode("latin-1"))
    assert file_refusal(path) == f"{path}:2: is not UTF-8: byte 0xe9"


def test_a_regular_expression_that_python_warns_of_is_taken_as_it_is(recwarn: pytest.WarningsRecorder) -> None:
    text = "imgcheck: 1\nprobes: [{name: a, run: [a], output: '[[a]b]'}]\n"
    assert parse_contract(text, "c.yaml").probes
    assert not recwarn.list


def test_a_regular_expression_that_is_nested_too_deeply_is_told() -> None:
    deep = "(" * 4000 + ")" * 4000
    with pytest.raises(ContractError, match="is no regular expression: it is nested too deeply"):
        parse_contract(f"imgcheck: 1\nprobes: [{{name: a, run: [a], output: '{deep}'}}]\n", "c.yaml")
