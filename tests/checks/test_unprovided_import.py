from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.unprovided_import import judge
from imgcheck.facts.model import Distribution, ModuleFacts
from imgcheck.facts.statements import Site, StatementFacts, UnprovidedImport
from imgcheck.outcome import Fault, Judgement
from tests.checks.build_facts import SITE, a_contract, dist, facts, module

STAND_IN = dist("pyairports 0.0.1", modules=["sample", "sample.simple", "tests"])
FROM_A_FOLDER = '{"url": "file:///src", "dir_info": {}}'


def imports(name: str, asker: str, place: str = "", group: str = "module") -> UnprovidedImport:
    """The statement `import name` in a module of the asker."""
    place = place or f"{asker}.part"
    site = Site(module=place, file=f"{SITE}/{place.replace('.', '/')}.py", line=3)
    return UnprovidedImport(distribution=asker, name=name, group=group, sites=(site,))


def judged(
    *statements: UnprovidedImport, of: tuple[Distribution, ...], modules: tuple[ModuleFacts, ...] = (), **options: Any
) -> Judgement:
    told = StatementFacts(unprovided=statements, read=20)
    return judge(a_contract(imports=options or True), facts(*of, modules=modules, statements=told))


def the_fault(judgement: Judgement) -> Fault:
    (fault,) = judgement.faults
    return fault


def outlines(*requires: str, **more: Any) -> Distribution:
    return dist("outlines 0.0.46", *requires, modules=["outlines"], **more)


def test_statements_that_are_all_provided_are_kept() -> None:
    judgement = judged(of=(outlines("numpy"), dist("numpy 1.26.4", modules=["numpy"])))
    assert (judgement.examined, judgement.unit, judgement.faults, judgement.passed_over) == (20, "source files", (), ())


def test_b01_a_stand_in_that_another_distribution_requires_breaks() -> None:
    judgement = judged(imports("pyairports", "outlines"), of=(outlines("pyairports"), STAND_IN))
    fault, note = judgement.faults
    assert fault.summary == (
        "outlines 0.0.46 imports pyairports, and pyairports 0.0.1, which is installed, does not provide it"
    )
    assert fault.expected == "outlines 0.0.46 requires pyairports"
    assert fault.actual == "pyairports 0.0.1 holds sample, tests"
    assert fault.evidence == f"{SITE}/outlines/part.py:3: outlines.part imports pyairports"
    assert "another project" in fault.remedy
    assert (fault.note, note.note) == (False, True)


def test_b01_a_stand_in_that_nobody_requires_is_a_note() -> None:
    fault = the_fault(judged(of=(STAND_IN,)))
    assert fault.summary == "pyairports 0.0.1 holds no module of its name, but sample, tests"
    assert fault.note


@pytest.mark.parametrize(
    ("label", "modules"),
    [
        ("pillow 11", ["PIL", "PIL.Image"]),
        ("scikit-learn 1.5", ["sklearn"]),
        ("PyYAML 6", ["_yaml", "yaml"]),
        ("protobuf 5", ["google.protobuf"]),
        ("absl-py 2", ["absl"]),
        ("beautifulsoup4 4", ["bs4"]),
        ("mysqlclient 2", ["MySQLdb"]),
        ("opencv-python 4", ["cv2"]),
        ("googleapis-common-protos 1", ["google.api", "google.rpc"]),
        ("mosaicml 0.24", ["composer", "tests"]),
        ("my-app 1", ["app"]),
    ],
)
def test_a_name_like_enough_is_no_stranger(label: str, modules: list[str]) -> None:
    assert not judged(of=(dist(label, modules=modules),)).faults


def test_a_distribution_of_that_name_that_nobody_promised_is_a_note() -> None:
    fault = the_fault(judged(imports("torch", "outlines"), of=(outlines(), dist("torch 2", modules=["torchgen"]))))
    assert fault.note
    assert "torch 2, which is installed, does not provide it" in fault.summary


def test_own_code_that_imports_what_nothing_declares_is_a_note() -> None:
    own = dist("trainlib 1", modules=["trainlib"], direct_url=FROM_A_FOLDER)
    fault = the_fault(judged(imports("boto3", "trainlib", "trainlib.upload"), of=(own,)))
    assert fault.summary == "trainlib 1 imports boto3, and nothing installed has it"
    assert fault.subject == "trainlib -> boto3"
    assert fault.note
    assert "let trainlib require it" in fault.remedy


OVER = {
    "an extra": (imports("sentry_sdk", "outlines"), "of an optional extra that is not installed"),
    "undeclared": (imports("boto3", "outlines"), "that no installed distribution requires"),
    "not installed": (imports("uvloop", "outlines"), "required and not installed: see unmet-requirement"),
    "empty": (imports("hollow", "outlines"), "required, and the installed distribution holds no module"),
    "windows": (imports("win32api", "outlines"), "for another platform or Python"),
    "a windows module": (imports("clr", "outlines", "outlines.win32"), "for another platform or Python"),
    "tests": (imports("pytest", "outlines", group="test"), "in tests and vendored copies"),
    "imported": (imports("psutil", "outlines", "outlines.lazy"), "of modules that could be imported all the same"),
}


@pytest.mark.parametrize(("statement", "reason"), OVER.values(), ids=OVER)
def test_what_is_not_judged_is_counted(statement: UnprovidedImport, reason: str) -> None:
    asker = outlines('sentry-sdk; extra == "sentry"', "uvloop", "hollow")
    judgement = judged(statement, of=(asker, dist("hollow 1")), modules=(module("outlines.lazy", "outlines"),))
    assert not judgement.faults
    ((told, count),) = judgement.passed_over
    assert told.startswith(f"imports {reason}")
    assert count == 1


def test_strict_breaks_for_extras_and_undeclared_modules() -> None:
    asker = outlines('sentry-sdk; extra == "sentry"')
    judgement = judged(imports("sentry_sdk", "outlines"), imports("boto3", "outlines"), of=(asker,), strict=True)
    assert [fault.note for fault in judgement.faults] == [False, False]


def test_sources_that_could_not_be_read_are_counted() -> None:
    told = StatementFacts(unprovided=(), read=3, unread=2)
    judgement = judge(a_contract(imports=True), facts(modules=[], statements=told))
    assert judgement.passed_over == (("sources that could not be read", 2),)


def test_without_facts_nothing_is_examined() -> None:
    assert judge(a_contract(imports=True), facts(modules=[])).examined == 0
