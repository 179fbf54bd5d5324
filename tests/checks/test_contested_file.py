from __future__ import annotations

from typing import Any

from imgcheck.checks.contested_file import CHECK, judge
from imgcheck.facts.model import Distribution
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, dist
from tests.checks.build_files import clash, file_facts, group, listed

PYJWT = dist("PyJWT 2.8.0", modules=["jwt"])
JWT = dist("jwt 1.3.1", modules=["jwt"])


def judged(*distributions: Distribution, **of_files: Any) -> Judgement:
    return judge(a_contract(), file_facts(*distributions, **of_files))


def test_files_of_one_owner_each_are_kept() -> None:
    assert CHECK.applies(a_contract())
    judgement = judged(PYJWT)
    assert (judgement.examined, judgement.unit, judgement.faults) == (10, "files", ())


def test_h01_one_distribution_over_another_says_whose_content_won() -> None:
    files = (clash("jwt/__init__.py", JWT), clash("jwt/utils.py", JWT), clash("jwt/exceptions.py", PYJWT))
    (fault,) = judged(PYJWT, JWT, contested=(group((PYJWT, JWT), files),)).faults
    assert fault.subject == "jwt, pyjwt"
    assert fault.summary == (
        "PyJWT 2.8.0 and jwt 1.3.1 own the same 3 files with different contents, such as jwt/__init__.py: "
        "1 is as PyJWT 2.8.0 has it, 2 are as jwt 1.3.1 has it"
    )
    assert fault.remedy.startswith("Keep the one whose module the code needs: uninstall PyJWT and jwt, all of them")
    assert "jwt/__init__.py: jwt 1.3.1's" in fault.evidence
    assert fault.details == ("jwt/__init__.py", "jwt/utils.py", "jwt/exceptions.py")


def test_a_file_that_is_nobodys_is_told() -> None:
    (fault,) = judged(PYJWT, JWT, contested=(group((PYJWT, JWT), (clash("jwt/__init__.py", None),)),)).faults
    assert fault.summary.endswith("1 as none has it, or not hashed")


def test_the_same_content_is_a_note() -> None:
    (fault,) = judged(PYJWT, JWT, contested=(group((PYJWT, JWT), (), same=530),)).faults
    assert fault.note
    assert "own 530 files together: to uninstall one breaks the other" in fault.summary


def test_namespaces_and_tests_that_differ_are_a_note() -> None:
    files = (
        clash("google/__init__.py", JWT, namespace=True),
        clash("tests/__init__.py", JWT),
        clash("README.md", JWT),
        clash("docs/conf.py", JWT),
        clash("pyproject.toml", JWT),
    )
    (fault,) = judged(PYJWT, JWT, contested=(group((PYJWT, JWT), files),)).faults
    assert fault.note


def test_two_versions_of_one_distribution_are_another_checks_business() -> None:
    old = dist("PyJWT 1.7.1")
    assert not judged(PYJWT, old, contested=(group((PYJWT, old), (clash("jwt/__init__.py", old),)),)).faults


def test_what_was_not_hashed_is_not_examined() -> None:
    untold = group((PYJWT, JWT), (clash("jwt/data.bin", None),)).model_copy(update={"untold": 1})
    judgement = judged(PYJWT, JWT, owners=(listed(PYJWT), listed(JWT)), contested=(untold,))
    assert judgement.examined == 19
    assert judgement.passed_over == (("owned by several and not hashed", 1),)
