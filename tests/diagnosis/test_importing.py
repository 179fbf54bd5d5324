from __future__ import annotations

import string

import pytest

from imgcheck.diagnosis import wording
from imgcheck.diagnosis.causes import normalised
from imgcheck.diagnosis.importing import diagnose
from imgcheck.diagnosis.known_modules import FOREIGN_MODULES, PYTHON_2_MODULES, REMOVED_MODULES
from imgcheck.diagnosis.reasons import CANNOT_BE_TOLD, NOTED, PASSED_OVER, Diagnosis, Reason
from imgcheck.diagnosis.world import World, world_of
from imgcheck.facts.model import ImportFailure
from tests.checks.build_facts import SITE, STDLIB, at, dist, facts, link, module, raises, stdlib

APP = dist("app 1", "lib>=1", "extra-lib; extra == 'more'", modules=["app", "app.core"])
LIB = dist("lib 2", modules=["lib", "lib.api"])


def world(*more: str) -> World:
    return world_of(facts(APP, LIB, *(dist(label) for label in more)))


def diagnosed(error: ImportFailure, name: str = "app.core") -> Diagnosis:
    return diagnose(world(), module(name, "app", error), error)


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_sentence_and_a_way_out(reason: Reason) -> None:
    known = {"fails", "fails_or_not", "asker", "asker_name", "culprit", "culprit_name", "wanted", "extra", "error"}
    known |= {"python", "what", "library", "dropped"}
    for text in wording._WORDS[reason]:
        assert text
        assert {name for _, name, _, _ in string.Formatter().parse(text) if name} <= known


def test_a_reason_has_one_meaning() -> None:
    assert not set(PASSED_OVER) & NOTED
    assert not (set(PASSED_OVER) | NOTED) & CANNOT_BE_TOLD


def test_tables_do_not_contradict_one_another() -> None:
    assert not set(FOREIGN_MODULES) & PYTHON_2_MODULES
    assert not set(REMOVED_MODULES) & PYTHON_2_MODULES


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("AttributeError: module 'ctypes' has no attribute 'windll'", Reason.OTHER_PLATFORM),
        ("ImportError: cannot import name 'PipeConnection' from 'multiprocessing.connection'", Reason.OTHER_PLATFORM),
        ("AttributeError: module 'asyncio' has no attribute 'coroutine'", Reason.VERSION_BREAK),
        ("ImportError: cannot import name 'Random' from 'random' (/app/random.py)", Reason.VERSION_BREAK),
        ("ImportError: cannot import name '_IntegralLike' from 'json' (/x/json.py)", Reason.OWN_ERROR),
        ("AttributeError: module 'app' has no attribute 'x'", Reason.OWN_ODDITY),
        ("ModuleNotFoundError: No module named 'json.msvccompiler'", Reason.OTHER_PLATFORM),
        ("ImportError: App needs lib 2.3 or less. Got lib 2.4.", Reason.VERSION_BREAK),
        (
            "ImportError: cannot import name 'x' from partially initialized module 'lib'",
            Reason.CIRCULAR_ACROSS,
        ),
        (
            "AttributeError: partially initialized module 'app' has no attribute 'x'",
            Reason.CIRCULAR,
        ),
        ("ImportError: cannot import name 'api' from 'lib' (/x/lib/__init__.py)", Reason.HIDDEN_MODULE),
        ("NameError: name 'torch' is not defined", Reason.OWN_ERROR),
        ("ImportError: app requires lib>=3, but found 2", Reason.VERSION_BREAK),
        ("SyntaxError: invalid syntax (core.py, line 3)", Reason.OWN_ERROR),
        ("ImportError: /lib/libm.so.6: version `GLIBC_2.38' not found (required by x.so)", Reason.NATIVE_MISMATCH),
        ("PackageNotFoundError: No package metadata was found for lib", Reason.MISSING_REQUIREMENT),
        ("PackageNotFoundError: No package metadata was found for other", Reason.UNDECLARED),
    ],
)
def test_what_a_module_of_app_says(words: str, reason: Reason) -> None:
    assert diagnosed(raises(words, at("app/core.py"))).reason is reason


@pytest.mark.parametrize(
    ("file", "words", "reason"),
    [
        pytest.param("app/_win_x.py", "'Handle' from 'random'", Reason.OTHER_PLATFORM, id="for Windows, asks Python"),
        pytest.param(
            "app/_win_x.py", "'winreg' from 'lib.moves'", Reason.OTHER_PLATFORM, id="asks Python through another"
        ),
        pytest.param("app/_winner.py", "'Handle' from 'random'", Reason.VERSION_BREAK, id="only sounds so"),
        pytest.param(
            "app/_win_x.py", "'Handle' from 'lib'", Reason.VERSION_BREAK, id="for Windows, asks another package"
        ),
    ],
)
def test_a_file_for_another_platform_may_ask_python_for_what_it_has_not_here(
    file: str, words: str, reason: Reason
) -> None:
    name = file.removesuffix(".py").replace("/", ".")
    error = raises(f"ImportError: cannot import name {words}", at(file))
    found = diagnose(world_of(facts(dist("app 1", modules=["app", name]), LIB)), module(name, "app", error), error)
    assert found.reason is reason


def test_a_distribution_that_is_installed_without_its_module() -> None:
    error = raises("ModuleNotFoundError: No module named 'pyairports'", at("app/core.py"), name="pyairports")
    found = diagnose(world("pyairports 0.0.1"), module("app.core", "app", error), error)
    assert (found.reason, found.culprit) == (Reason.VERSION_BREAK, "pyairports")


def test_an_extension_that_cannot_find_its_tk_belongs_to_pythons_own_part() -> None:
    error = raises(
        "ImportError: libtk8.6.so: cannot open shared object file", at("app/core.py"), stdlib("tkinter/__init__.py")
    )
    assert diagnosed(error).reason is Reason.LEFT_OUT_STDLIB


def test_the_chain_may_repeat_the_exception_itself() -> None:
    words = "ImportError: could not load"
    error = raises(
        words, at("app/core.py"), chain=[link(words), link("AttributeError: module 'lib' has no attribute 'z'")]
    )
    found = diagnosed(error)
    assert (found.reason, found.asker, found.culprit) == (Reason.VERSION_BREAK, "app", "lib")


def test_subclasses_are_told_by_their_bases() -> None:
    error = raises("ModuleError: No module named 'nowhere'", at("app/core.py"), bases=("ImportError", "Exception"))
    assert diagnosed(error).reason is Reason.UNDECLARED
    error = raises("NameResolutionError: x", at("app/core.py"), bases=("MaxRetryError",))
    assert diagnosed(error).reason is Reason.NETWORK


@pytest.mark.parametrize(
    ("file", "owner"),
    [
        (f"{SITE}/app/core.py", "app"),
        (f"{SITE}/lib/deep/er/x.cpython-311-x86_64-linux-gnu.so", "lib"),
        (f"{SITE}/lib/__init__.py", "lib"),
        (f"{STDLIB}/json/decoder.py", "python"),
        ("<frozen importlib._bootstrap>", "python"),
        ("<string>", ""),
        ("/somewhere/else.py", ""),
        (f"{SITE}/stray.py", ""),
    ],
)
def test_whose_a_file_is(file: str, owner: str) -> None:
    assert world().owners.of_file(file) == owner


def test_a_package_of_many_is_nobodys() -> None:
    one, two = dist("google-a 1", modules=["google", "google.a"]), dist("google-b 1", modules=["google", "google.b"])
    owners = world_of(facts(one, two)).owners
    assert owners.holder_of("google.c") == ""
    assert owners.of_module("google.b.x") == "google-b"
    namespace = dist("ns-a 1", modules=(("ns", "namespace", "module"), ("ns.a", "source", "module")))
    assert world_of(facts(namespace)).owners.holder_of("ns.b") == ""


def test_messages_without_what_differs_from_image_to_image() -> None:
    one = normalised("TypeError: <f at 0x7f12> in /opt/venv/a.py, see (/usr/lib/x.so)")
    assert one == "TypeError: <f at 0x> in <path>, see (<path>)"
