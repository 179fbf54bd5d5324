"""What reports amount to."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scoreboard.case import Case, Healthy
from tests.scoreboard.verdict import CaseOutcome, Peers, Verdict, judge_case, judge_healthy, names_culprit, state_of

KNOWN = {"moved-pin", "unimportable-module"}
PEERS = Peers(pip_check=False, plain_import=True)


def finding(name: str = "moved-pin", subject: str = "two", **changes: Any) -> dict[str, Any]:
    texts = {"summary": "two moved up", "actual": "", "remedy": "Hold two at 1.0.", "state": "broken", "details": []}
    return {"name": name, "subject": subject, **texts, "cause": {"requirement": ""}, **changes}


def report(*findings: dict[str, Any], state: str = "kept") -> dict[str, Any]:
    source = {"image": "sha256:1", "seconds": 2.04}
    return {
        "image": {"digest": "sha256:1"},
        "findings": list(findings),
        "checks": [
            {"name": "moved-pin", "state": state, "reason": "lost", "unit": "modules", "examined": 7},
            {"name": "unimportable-module", "state": "unverified", "reason": "", "unit": "modules", "examined": 0},
        ],
        "sources": [source, {**source, "image": "sha256:2"}],
    }


def case(**changes: Any) -> Case:
    fields: dict[str, Any] = {
        "id": "A10",
        "title": "one and two",
        "kind": "A",
        "source": "owner/name#1",
        "small": True,
        "visible": True,
        "image": {"requirements": ["two==2.0"]},
        "twin": {},
        "expected": {"checks": ["moved-pin"], "culprit": "two"},
        "plain_import": "one",
    }
    return Case.model_validate(fields | changes)


def judged(
    one: Case, *findings: dict[str, Any], twin: tuple[dict[str, Any], ...] = (), lacking: Any = ()
) -> CaseOutcome:
    return judge_case(one, report(*findings), report(*twin), PEERS, known=KNOWN, lacking=lacking)


def test_a_case_is_caught_by_what_its_file_expects() -> None:
    found = judged(case(), finding("unimportable-module", "one"), finding())
    assert found.verdict is Verdict.CAUGHT
    assert found.right
    assert found.checks == ("moved-pin", "unimportable-module")
    assert found.seconds == 2.0
    assert (found.twin, found.false_alarms) == ("kept", ())


def test_every_expected_check_has_to_say_it() -> None:
    both = {"checks": ["moved-pin", "unimportable-module"], "culprit": "two"}
    found = judged(case(expected=both), finding())
    assert found.verdict is Verdict.MISSED
    assert found.missing == ("unimportable-module",)
    assert found.reason == "unimportable-module is unverified"


def test_a_finding_on_another_subject_does_not_count() -> None:
    expected = {"checks": ["unimportable-module"], "culprit": "two", "subject": "one.*"}
    other = finding("unimportable-module", "three.x")
    assert judged(case(expected=expected), other).verdict is Verdict.MISSED
    hangs_on = finding("unimportable-module", "three.x", details=["one.y (three.x)"])
    assert judged(case(expected=expected), hangs_on).verdict is Verdict.CAUGHT


def test_a_finding_that_is_not_broken_does_not_count() -> None:
    assert judged(case(), finding(state="inherited")).verdict is Verdict.MISSED


def test_caught_without_the_culprit_is_not_right() -> None:
    found = judged(case(expected={"checks": ["moved-pin"], "culprit": "three"}), finding())
    assert found.verdict is Verdict.CAUGHT
    assert not found.right


def test_what_was_asked_for_counts_apart() -> None:
    assert judged(case(asked={"imports": {"require": ["two"]}}), finding()).verdict is Verdict.ASKED


def test_a_miss_names_what_is_to_catch_it() -> None:
    expected = {"checks": ["failed-smoke"], "culprit": "two"}
    found = judged(case(asked={"smoke": []}, expected=expected), lacking=["smoke"])
    assert found.verdict is Verdict.MISSED
    assert found.reason == "failed-smoke is to catch it; contracts have no smoke yet"


def test_a_broken_twin_is_a_false_alarm() -> None:
    found = judged(case(), finding(), twin=(finding("unimportable-module", "one", summary="one fails"),))
    assert found.twin == "broken"
    assert found.false_alarms == ("unimportable-module one: one fails",)


@pytest.mark.parametrize(
    ("culprit", "changes", "named"),
    [
        pytest.param("two", {}, True, id="in the summary"),
        pytest.param("Two", {}, True, id="in other letters"),
        pytest.param("two-more", {"summary": "two_more moved"}, True, id="with another separator"),
        pytest.param("tw", {}, False, id="a part of a word"),
        pytest.param(
            "two", {"summary": "two-more moved", "subject": "x", "remedy": "y"}, False, id="another distribution"
        ),
        pytest.param("two", {"remedy": ""}, False, id="no way out"),
        pytest.param("/root", {"actual": "/root/lib cannot be read"}, True, id="a path"),
    ],
)
def test_the_culprit_is_a_whole_word(culprit: str, changes: dict[str, Any], named: bool) -> None:
    assert names_culprit(finding(**changes), culprit) is named


def test_a_healthy_image_is_kept_or_tells_why_not() -> None:
    image = Healthy.model_validate({"id": "one", "title": "One", "small": True, "script": "scripts/one"})
    calm = judge_healthy(image, report())
    assert (calm.state, calm.modules, calm.reason) == ("kept", 7, "")
    assert judge_healthy(image, report(finding())).state == "broken"
    lost = judge_healthy(image, report(state="error"))
    assert (lost.state, lost.reason) == ("error", "moved-pin: lost")


def test_nothing_checked_is_no_pass() -> None:
    assert state_of(report(state="skipped")) == "error"
