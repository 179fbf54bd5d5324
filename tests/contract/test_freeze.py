"""A first freeze: what a base image promises, and what is said about what it does not."""

from __future__ import annotations

import pytest

from imgcheck.constraints import read_constraints
from imgcheck.contract.freeze import Frozen, constraints_name, freeze
from imgcheck.contract.loader import parse_contract
from imgcheck.contract.model import Base, Contract
from imgcheck.errors import UsageError
from imgcheck.facts.model import Inventory
from tests.contract.bases import ID, REFERENCE, REPO_DIGEST, distribution, image, inventory

GOLDEN = f"""\
# yaml-language-server: $schema=imgcheck.schema.json
# What images built on this base promise. `imgcheck build --contract FILE` and `imgcheck check IMAGE --contract FILE`
# hold them to it. Edit it: comments, order and loosened pins survive the next `imgcheck freeze`.
imgcheck: 1

# The image that was frozen. A tag can move; the digest cannot.
base:
  image: "{REFERENCE}"
  digest: "{REPO_DIGEST}"

python: "3.11"

# A bare version means exactly this one. To let one move, write a specifier: numpy: ">=1.26,<2"
pins:
  foo-bar: "1.10"
  protobuf: 4.25.3
  torch: 2.6.0+cu126
  # not pinned: weird (its version '0.23ubuntu1' is none that PEP 440 knows)
  # not pinned: pip 24.0 (an image may upgrade pip; write the pin yourself, or name it in --only, to hold it)

# The installed metadata is consistent. To accept a breach: {{allow: [distribution name]}}
requires: true

# Every module of every distribution can be imported. To leave some out: {{exclude: [package.win32]}}
imports: true

# Programs that must start. Your own: {{name: exporter, start: [python, -m, exporter], port: 9400}}
probes: []
"""


def frozen(installed: Inventory, **options: object) -> Frozen:
    given = {"reference": REFERENCE, "path": "contracts/base.yaml", **options}
    return freeze(image(f"registry.example/ml/base@{REPO_DIGEST}"), installed, **given)  # type: ignore[arg-type]


def contract(installed: Inventory, **options: object) -> Contract:
    return parse_contract(frozen(installed, **options).contract_text, "base.yaml")


def told(result: Frozen, kind: str) -> list[str]:
    return [str(change) for change in result.changes if change.kind.value == kind]


def test_the_whole_contract_reads_well() -> None:
    installed = inventory(
        distribution("torch", "2.6.0+cu126"),
        distribution("weird", "0.23ubuntu1"),
        protobuf="4.25.3",
        Foo_Bar="1.10",
        pip="24.0",
    )
    result = frozen(installed)
    assert result.contract_text == GOLDEN
    assert result.constraints_name == "base.constraints.txt"
    assert result.constraints_text == (
        "# Constraints of base.yaml, written by imgcheck. Use: pip install -c FILE, uv pip install -c FILE\n"
        "foo-bar==1.10\nprotobuf==4.25.3\ntorch==2.6.0+cu126\n"
    )


def test_two_freezes_of_a_base_are_the_same_bytes() -> None:
    one, other = inventory(a="1.0", b="2.0"), inventory(b="2.0", a="1.0")
    assert frozen(one) == frozen(other)


def test_nothing_installed_is_an_empty_mapping() -> None:
    assert contract(inventory()).pins == {}


def test_setuptools_is_pinned_and_pip_is_left_free() -> None:
    result = frozen(inventory(pip="24.0", setuptools="65.0", wheel="0.43"))
    assert parse_contract(result.contract_text, "c").pins == {"setuptools": "65.0", "wheel": "0.43"}
    assert told(result, "not pinned") == [
        "not pinned: pip 24.0 (an image may upgrade pip; write the pin yourself, or name it in --only, to hold it)"
    ]


def test_pip_is_pinned_when_asked_for() -> None:
    assert contract(inventory(pip="24.0", a="1.0"), only=["pip"]).pins == {"pip": "24.0"}


@pytest.mark.parametrize(
    ("options", "pinned"),
    [
        pytest.param({"only": ["B.B"]}, {"b-b"}, id="only"),
        pytest.param({"exclude": ["b_b"]}, {"a", "c"}, id="exclude"),
    ],
)
def test_a_choice_is_by_any_spelling(options: dict[str, object], pinned: set[str]) -> None:
    assert set(contract(inventory(a="1.0", b_b="1.0", c="1.0"), **options).pins) == pinned


def test_a_choice_of_what_is_not_installed_is_an_error() -> None:
    with pytest.raises(UsageError) as caught:
        frozen(inventory(protobuf="1.0", numpy="2.0"), only=["protobuff", "numpy"], exclude=["Xyz", "numpy"])
    assert caught.value.message.splitlines() == [
        f"--only protobuff: is not installed in {REFERENCE}; did you mean 'protobuf'?",
        f"--exclude Xyz: is not installed in {REFERENCE}",
        "numpy is in both --only and --exclude",
    ]


def test_the_first_on_the_path_wins_and_the_other_is_told() -> None:
    first, second = distribution("torch", "2.0"), distribution("Torch", "1.0", location="/late")
    result = frozen(inventory(first, second))
    assert parse_contract(result.contract_text, "c").pins == {"torch": "2.0"}
    assert told(result, "shadowed") == ["shadowed: torch 1.0 (in /late; 2.0 in /site comes first on sys.path)"]


def test_metadata_that_cannot_be_used_is_told_and_cannot_break_the_file() -> None:
    nameless = distribution("", "1.0", problem="METADATA is\nempty")
    evil = distribution("evil", "1.0\nimports: false\n# \x1b[2J")
    odd = distribution("a b", "1.0")
    result = frozen(inventory(nameless, evil, odd))
    read = parse_contract(result.contract_text, "c")
    assert (read.pins, read.imports) == ({}, True)
    assert told(result, "not pinned") == [
        r"not pinned: /site/-1.0.dist-info (METADATA is\nempty)",
        "not pinned: /site/a b-1.0.dist-info (its name 'a b' is no distribution name)",
        r"not pinned: evil (its version '1.0\\nimports: false\\n# \\x1b[2J' is none that PEP 440 knows)",
    ]
    assert "\x1b" not in result.contract_text


@pytest.mark.parametrize(
    ("versions", "probes"),
    [
        pytest.param({"ray": "2.9"}, (), id="ray alone"),
        pytest.param({"ray": "2.9", "aiohttp_cors": "0.7"}, ("ray-dashboard",), id="ray[default]"),
        pytest.param({"ray": "2.9", "opencensus": "0.1"}, ("ray-dashboard",), id="ray[default], older"),
        pytest.param({"mlflow": "2.0", "tensorboard": "2.0"}, ("tensorboard", "mlflow-server"), id="trackers"),
        pytest.param({"aiohttp_cors": "0.7"}, (), id="no ray"),
    ],
)
def test_probes_are_suggested_by_what_is_installed(versions: dict[str, str], probes: tuple[str, ...]) -> None:
    assert contract(inventory(**versions)).probes == probes


OTHER = "sha256:" + "d" * 64


@pytest.mark.parametrize(
    ("reference", "repo_digests", "digest"),
    [
        pytest.param("base:1", (), ID, id="never pushed"),
        pytest.param("base:1", (f"other/base@{OTHER}",), ID, id="another repository"),
        pytest.param("base:1", (f"a@{OTHER}", f"base@{REPO_DIGEST}"), REPO_DIGEST, id="its own repository"),
        pytest.param("localhost:5000/b", (f"localhost:5000/b@{REPO_DIGEST}",), REPO_DIGEST, id="port"),
        pytest.param("docker.io/library/python:3.11", (f"python@{REPO_DIGEST}",), REPO_DIGEST, id="docker's own"),
        pytest.param("docker.io/ml/base", (f"ml/base@{REPO_DIGEST}",), REPO_DIGEST, id="docker.io"),
        pytest.param(f"b@{OTHER}", (f"b@{REPO_DIGEST}", f"b@{OTHER}"), OTHER, id="named by digest"),
        pytest.param(ID, (f"b@{REPO_DIGEST}",), ID, id="named by image ID"),
    ],
)
def test_the_digest_is_the_repositorys_own(reference: str, repo_digests: tuple[str, ...], digest: str) -> None:
    result = freeze(image(*repo_digests), inventory(a="1.0"), reference=reference, path="c.yaml")
    assert parse_contract(result.contract_text, "c").base == Base(image=reference, digest=digest)


@pytest.mark.parametrize(("version", "written"), [("3.12.1", "3.12"), ("3.14.0rc1", "3.14"), ("3.13.0+", "3.13")])
def test_python_is_pinned_to_its_minor_version(version: str, written: str) -> None:
    assert contract(inventory(python=version)).python == written


def test_the_bases_own_constraints_are_kept_and_contradictions_told() -> None:
    lines = read_constraints("torch==2.5\nnumpy<2\nabsent==1\n", "/etc/c.txt").lines
    result = frozen(
        inventory(distribution("numpy", "2.1.0"), distribution("torch", "2.6.0")),
        base_constraints=lines,
        only=["torch"],
    )
    assert result.constraints_text.splitlines()[1:] == ["absent==1", "numpy<2", "torch==2.6.0"]
    assert result.conflicts == (
        "/etc/c.txt:1 says torch==2.5, and contracts/base.yaml:15 says torch==2.6.0; the second is in force",
        "/etc/c.txt:2 says numpy<2, and numpy 2.1.0 is installed",
    )


@pytest.mark.parametrize(
    ("path", "name"), [("a/base.yaml", "base.constraints.txt"), ("ray.2.yml", "ray.2.constraints.txt")]
)
def test_the_constraints_file_is_named_like_the_contract(path: str, name: str) -> None:
    assert constraints_name(path) == name
