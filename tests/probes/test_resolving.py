"""The contract's probes made whole: built-in ones by name, with options and keys of one's own, and what they need."""

from __future__ import annotations

import re
from typing import Any

import pytest

from imgcheck.contract.loader import parse_contract
from imgcheck.contract.probes import Probe
from imgcheck.errors import ContractError
from imgcheck.probes import builtin, builtin_names, resolve


def probes_of(text: str) -> dict[str, Probe]:
    return {one.name: one for one in resolve(parse_contract(f"imgcheck: 1\nprobes:\n{text}", "c.yaml"))}


def refusal(text: str) -> str:
    with pytest.raises(ContractError) as caught:
        probes_of(text)
    return caught.value.message


@pytest.mark.parametrize("name", builtin_names())
def test_each_built_in_probe_says_what_it_proves_and_for_what(name: str) -> None:
    probe = builtin(name)
    assert probe.name == name
    assert probe.about
    assert not probe.about.endswith(".")
    commands = [word for key in ("run", "start", "then", "stop") for word in getattr(probe, key) or ()]
    text = "\n".join((*commands, *probe.env.values()))
    assert all("{" + option + "}" in text for option in probe.options), "an option that does nothing"


def test_a_name_alone_is_the_built_in_probe() -> None:
    assert probes_of("- tensorboard\n")["tensorboard"] == builtin("tensorboard")


def test_options_are_filled_in_and_have_defaults() -> None:
    text = "- ray-dashboard\n- {use: ray-dashboard, name: large, options: {object_store_memory: '9'}}\n"
    words = [one.start[-1] for one in probes_of(text).values() if one.start]
    assert words == ["--object-store-memory=80000000", "--object-store-memory=9"]


def test_keys_of_its_own_win_and_variables_are_added() -> None:
    found = probes_of("- {use: mlflow-server, within: 300, user: '1000', env: {A: b}}\n")["mlflow-server"]
    plain = builtin("mlflow-server")
    assert (found.within, found.user, found.start) == (300, "1000", plain.start)
    assert found.env == {**plain.env, "A": "b"}


def test_one_probe_is_used_twice_under_two_names() -> None:
    found = probes_of("- tensorboard\n- {name: as-nobody, use: tensorboard, user: nobody, needs: [tensorboard]}\n")
    assert list(found) == ["tensorboard", "as-nobody"]
    assert found["as-nobody"].needs == ("tensorboard",)


WRONG: dict[str, tuple[str, str]] = {
    "no such probe": ("- tensorbord\n", "c.yaml:3: probes: there is no built-in probe 'tensorbord'; did you mean"),
    "none to use": ("- {use: rai}\n", "c.yaml:3: probes: there is no built-in probe 'rai'"),
    "no such option": (
        "- {use: tensorboard, options: {a: b}}\n",
        "c.yaml:3: probes: tensorboard has no option 'a'; it has none",
    ),
    "options of nothing": ("- {name: a, run: [a], options: {a: b}}\n", "'a' has 'options', which are for a built-in"),
    "needs nobody": (
        "- {name: one, run: [a], needs: [tow]}\n- {name: two, run: [a]}\n",
        "c.yaml:3: probes: 'one' needs 'tow', which is no probe of this contract; did you mean 'two'?",
    ),
    "a circle": (
        "- {name: one, run: [a], needs: [two]}\n- {name: two, run: [a], needs: [one]}\n",
        "c.yaml:3: probes: probes need each other in a circle: one -> two -> one",
    ),
    "use and run": (
        "- {use: tensorboard, run: [a]}\n",
        "c.yaml:3: probes: tensorboard has 'start', which goes without 'run'",
    ),
    "listed twice": ("- {use: tensorboard, name: a}\n- {name: a, run: [b]}\n", "'a' is written twice"),
    "run and log": ("- {name: a, run: [a], log: b}\n", "has 'run', which goes without 'port', 'http', 'log'"),
    "nothing to wait for": ("- {name: a, start: [a]}\n", "needs 'port', 'http', 'log' or 'files' to wait for"),
    "a relative folder": ("- {name: a, run: [a], workdir: b}\n", "probes[0].workdir: 'b' must be an absolute path"),
    "no name": ("- {run: [a]}\n", "c.yaml:3: probes[0].name: is missing"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_with_its_line(text: str, message: str) -> None:
    assert message in refusal(text), refusal(text)


def test_no_probe_of_ours_downloads_anything() -> None:
    """A loopback, or an address that is only named, is all that they speak of."""
    for name in builtin_names():
        words: list[Any] = [*(builtin(name).run or ()), *(builtin(name).start or ()), *(builtin(name).then or ())]
        hosts = re.findall(r"https?://([^/:\"' ]+)", "\n".join(words))
        assert set(hosts) <= {"127.0.0.1", "localhost"}, (name, hosts)


WARNED = {
    "tensorboard": "W1201 12:00:00 application.py:126] Failed to load plugin FooPlugin; ignoring it.",
    "jupyter-server": "[W 2026-12-01 ServerApp] jupyterlab | extension failed loading with message: ImportError()",
    "ray-dashboard": "WARNING: The object store is using /tmp instead of /dev/shm because /dev/shm has only 67108864",
}


@pytest.mark.parametrize(("name", "line"), WARNED.items(), ids=WARNED)
def test_the_lines_that_a_product_writes_of_a_missing_part_are_warned_of(name: str, line: str) -> None:
    assert any(re.search(pattern, line) for pattern in builtin(name).warns)
