"""Judging as a table: what a check says of the image and of its base, and what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from imgcheck.checks.check import Check, Needs
from imgcheck.contract.model import Contract, Waiver
from imgcheck.errors import UsageError
from imgcheck.facts.model import Facts, ImageFacts, ImportFacts
from imgcheck.judging import Selection, judge
from imgcheck.outcome import CheckResult, CheckState, Fault, FindingState, Judgement
from tests.test_inventory_diff import dist, inventory

TODAY = date(2026, 11, 29)
EVERYTHING = Selection()
BROKEN, INHERITED, WAIVED = FindingState.BROKEN, FindingState.INHERITED, FindingState.WAIVED
WARNED, UNVERIFIED = FindingState.WARNED, FindingState.UNVERIFIED


def facts(digest: str, **fields: Any) -> Facts:
    image = ImageFacts(reference=digest, digest=digest, os="linux", architecture="amd64", size=1)
    return Facts(
        **{
            "image": image,
            "inventory": inventory(dist("protobuf", "4.25.3")),
            "imports": ImportFacts(modules=()),
            **fields,
        }
    )


IMAGE, BASE = facts("image"), facts("base")


def check(*faults: Fault, base: Sequence[Fault] = (), examined: int = 3, **fields: Any) -> Check:
    """A check that says the one of the image, and the other of its base."""

    def judgement(contract: Contract, facts: Facts) -> Judgement:
        told = tuple(base) if facts.image.digest == "base" else faults
        return Judgement(examined=examined, unit="modules", faults=told)

    defaults: dict[str, Any] = {
        "code": "IC301",
        "name": "unimportable-module",
        "summary": "A module cannot be imported",
        "needs": Needs.IMPORTS,
        "applies": lambda _: True,
    }
    return Check(judge=judgement, **{**defaults, **fields})


def fault(subject: str = "numba", actual: str = "ImportError", **fields: Any) -> Fault:
    return Fault(subject=subject, summary=f"{subject} cannot be imported.", actual=actual, **fields)


def waiver(subject: str = "numba", check: str = "IC301", until: date = date(2027, 1, 31)) -> Waiver:
    return Waiver(check=check, subject=subject, reason="Windows only", owner="platform", until=until)


def results(
    *checks: Check, waivers: Sequence[Waiver] = (), image: Facts = IMAGE, base: Facts | None = BASE, **options: Any
) -> dict[str, CheckResult]:
    settled = {"selected": EVERYTHING, "strict_base": False, "today": TODAY, **options}
    contract = Contract(imgcheck=1, waivers=tuple(waivers))
    return {result.name: result for result in judge(contract, image, base, checks, **settled)}


def the(*checks: Check, **options: Any) -> CheckResult:
    return results(*checks, **options)["unimportable-module"]


GROUP = fault(details=("numba.a", "numba.b"))
ADDRESSED = "TypeError: <object at 0x7f{}> in /tmp/tmp{}/x"


@pytest.mark.parametrize(
    ("one", "options", "state"),
    [
        pytest.param(check(fault()), {}, BROKEN, id="broken"),
        pytest.param(check(fault(unverified=True)), {}, UNVERIFIED, id="unverified"),
        pytest.param(check(fault(note=True)), {}, WARNED, id="warned"),
        pytest.param(check(fault(), base=[fault()]), {}, INHERITED, id="inherited"),
        pytest.param(check(fault(), base=[fault()]), {"strict_base": True}, BROKEN, id="strict-base"),
        pytest.param(check(fault(), base=[fault()]), {"base": None}, BROKEN, id="no-base"),
        pytest.param(
            check(fault(), base=[fault()]), {"base": facts("base", imports=None)}, BROKEN, id="base-without-these-facts"
        ),
        pytest.param(check(fault(), base=[fault()], inheritable=False), {}, BROKEN, id="promised-by-name"),
        pytest.param(check(fault(), base=[fault(actual="other")]), {}, BROKEN, id="another-fault-of-the-same-subject"),
        pytest.param(
            check(fault(), base=[fault(unverified=True)]), {}, BROKEN, id="what-the-base-could-not-tell-excuses-nothing"
        ),
        pytest.param(check(fault(), base=[fault(note=True)]), {}, BROKEN, id="a-note-of-the-base-excuses-nothing"),
        pytest.param(
            check(fault(note=True), base=[fault(note=True)]), {}, INHERITED, id="a-note-of-the-base-is-inherited"
        ),
        pytest.param(
            check(
                fault(actual=ADDRESSED.format("aa01", "abcd_123")),
                base=[fault(actual=ADDRESSED.format("bb02", "zyxw9876"))],
            ),
            {},
            INHERITED,
            id="addresses-and-temporary-paths",
        ),
        pytest.param(
            check(fault(actual="/tmp/a.so"), base=[fault(actual="/tmp/b.so")]),
            {},
            BROKEN,
            id="real-names-under-tmp-count",
        ),
        pytest.param(check(fault(actual="x.py:3"), base=[fault(actual="x.py:4")]), {}, BROKEN, id="lines-count"),
        pytest.param(check(fault()), {"waivers": [waiver()]}, WAIVED, id="waived"),
        pytest.param(check(fault()), {"waivers": [waiver(until=TODAY)]}, WAIVED, id="waived-until-today"),
        pytest.param(check(fault()), {"waivers": [waiver(until=date(2026, 11, 28))]}, BROKEN, id="waiver-expired"),
        pytest.param(
            check(fault()),
            {"waivers": [waiver(check="IC3", subject="num*")]},
            WAIVED,
            id="waived-by-prefix-and-pattern",
        ),
        pytest.param(check(fault()), {"waivers": [waiver(check="unimportable-module")]}, WAIVED, id="waived-by-name"),
        pytest.param(check(fault()), {"waivers": [waiver(check="IC302")]}, BROKEN, id="waiver-of-another-check"),
        pytest.param(check(fault()), {"waivers": [waiver(subject="NUMBA")]}, BROKEN, id="waiver-of-another-subject"),
        pytest.param(check(fault(unverified=True)), {"waivers": [waiver()]}, UNVERIFIED, id="a-waiver-proves-nothing"),
        pytest.param(check(GROUP, base=[GROUP]), {}, INHERITED, id="group-inherited"),
        pytest.param(
            check(GROUP, base=[fault(details=("numba.b", "numba.c", "numba.a"))]),
            {},
            INHERITED,
            id="smaller-group-inherited",
        ),
        pytest.param(
            check(replace(GROUP, subject=GROUP.details[0], details=()), base=[GROUP]),
            {},
            INHERITED,
            id="smaller-group-by-another-subject-inherited",
        ),
        pytest.param(check(GROUP, base=[fault(details=("numba.a",))]), {}, BROKEN, id="group-with-something-new"),
        pytest.param(check(GROUP), {"waivers": [waiver()]}, BROKEN, id="a-waiver-of-one-hides-no-other"),
        pytest.param(check(GROUP), {"waivers": [waiver(subject="numba*")]}, WAIVED, id="a-waiver-of-all"),
        pytest.param(
            check(GROUP, base=[fault(details=("numba.a",))]),
            {"waivers": [waiver(subject="numba.b")]},
            WAIVED,
            id="inherited-and-the-new-one-waived",
        ),
        pytest.param(
            check(fault(details=("foo.b: why not",))),
            {"waivers": [waiver(), waiver(subject="foo.b")]},
            WAIVED,
            id="detail-with-its-reason",
        ),
    ],
)
def test_a_fault_becomes_a_finding(one: Check, options: dict[str, Any], state: FindingState) -> None:
    result = the(one, **options)
    assert [finding.state for finding in result.findings] == [state]
    assert result.state is {BROKEN: CheckState.BROKEN, UNVERIFIED: CheckState.UNVERIFIED}.get(state, CheckState.KEPT)


def test_what_is_new_in_a_group_comes_first_and_the_rest_is_marked() -> None:
    one = check(fault(details=("old", "mine", "new")), base=[fault(details=("old",))])
    found = the(one, waivers=[waiver(subject="mine")]).findings[0]
    assert found.fault.details == ("new", "old (as in the base image)", "mine (waived)")


@pytest.mark.parametrize(
    ("one", "options", "state", "reason"),
    [
        pytest.param(check(), {}, CheckState.KEPT, "", id="kept"),
        pytest.param(check(examined=0), {}, CheckState.UNVERIFIED, "nothing to examine", id="zero-examined"),
        pytest.param(
            check(fault(note=True), examined=0),
            {},
            CheckState.UNVERIFIED,
            "nothing to examine",
            id="zero-examined-and-a-note",
        ),
        pytest.param(
            check(applies=lambda _: False), {}, CheckState.SKIPPED, "not asked for by the contract", id="not-asked-for"
        ),
        pytest.param(
            check(), {"selected": Selection(ignore=("IC3",))}, CheckState.SKIPPED, "not selected", id="ignored"
        ),
        pytest.param(
            check(), {"selected": Selection(select=("IC9",))}, CheckState.SKIPPED, "not selected", id="not-selected"
        ),
        pytest.param(
            check(), {"selected": Selection(select=("ic301",))}, CheckState.KEPT, "", id="selected-in-small-letters"
        ),
        pytest.param(
            check(),
            {"selected": Selection(select=("unimportable-module",), ignore=("IC301",))},
            CheckState.SKIPPED,
            "not selected",
            id="ignore-wins",
        ),
        pytest.param(
            check(),
            {"image": facts("image", imports=None)},
            CheckState.UNVERIFIED,
            "no facts on imports were collected",
            id="no-facts",
        ),
        pytest.param(
            check(needs=Needs.PROBES), {}, CheckState.UNVERIFIED, "no facts on probes were collected", id="no-probes"
        ),
        pytest.param(
            check(),
            {"image": facts("image", imports=None), "problems": {Needs.IMPORTS: "half an answer"}},
            CheckState.ERROR,
            "half an answer",
            id="facts-that-could-not-be-had",
        ),
        pytest.param(
            check(),
            {"problems": {Needs.IMPORTS: "one is missing"}},
            CheckState.ERROR,
            "one is missing",
            id="some-facts-could-not-be-had",
        ),
        pytest.param(
            check(fault()),
            {"problems": {Needs.IMPORTS: "one is missing"}},
            CheckState.BROKEN,
            "one is missing",
            id="and-what-is-there-breaks",
        ),
        pytest.param(check(fault(unverified=True)), {}, CheckState.UNVERIFIED, "numba: ImportError", id="one-untold"),
        pytest.param(
            check(fault(unverified=True), fault("b", unverified=True)),
            {},
            CheckState.UNVERIFIED,
            "2 subjects could not be told",
            id="two-untold",
        ),
    ],
)
def test_how_a_check_ends(one: Check, options: dict[str, Any], state: CheckState, reason: str) -> None:
    result = the(one, **options)
    assert (result.state, result.reason) == (state, reason)


def test_a_check_that_raises_is_our_bug() -> None:
    def broken(contract: Contract, facts: Facts) -> Judgement:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        results(replace(check(), judge=broken))


@pytest.mark.parametrize(
    ("selection", "remedy"),
    [
        (Selection(select=("unimportable-modul",)), "Did you mean unimportable-module?"),
        (Selection(ignore=("ic310",)), "Did you mean IC301?"),
        (Selection(select=("",)), "Give a check's name, its code, or a prefix of codes such as IC3."),
    ],
)
def test_an_unknown_selector_is_refused(selection: Selection, remedy: str) -> None:
    with pytest.raises(UsageError) as caught:
        results(check(), selected=selection)
    assert caught.value.remedy == remedy


@pytest.mark.parametrize(
    ("one", "baseline"),
    [
        pytest.param(check(fault("Protobuf"), needs=Needs.INVENTORY), "4.25.3", id="distribution"),
        pytest.param(check(fault("protobuf", baseline="1"), needs=Needs.INVENTORY), "1", id="the-check-knows-better"),
        pytest.param(check(fault("none"), needs=Needs.INVENTORY), "", id="not-in-the-base"),
        pytest.param(check(fault("protobuf")), "", id="a-module-of-that-name"),
    ],
)
def test_the_version_in_the_base(one: Check, baseline: str) -> None:
    assert the(one).findings[0].fault.baseline == baseline


def test_an_expired_waiver_breaks_the_contract() -> None:
    result = results(check(), waivers=[waiver(), waiver("old", until=date(2026, 11, 28))])["expired-waiver"]
    assert (result.code, result.state, result.examined) == ("IC901", CheckState.BROKEN, 2)
    found = result.findings[0]
    assert (found.fault.subject, found.fault.actual) == ("IC301 old", "until 2026-11-28")
    assert "platform" in found.fault.remedy


ELSEWHERE = check(code="IC101", name="moved-pin")


@pytest.mark.parametrize(
    ("checks", "options", "state", "told"),
    [
        pytest.param([check()], {}, CheckState.KEPT, ["no finding"], id="unused"),
        pytest.param([check(fault())], {}, CheckState.KEPT, [], id="used"),
        pytest.param(
            [check(fault(), base=[fault()])], {}, CheckState.KEPT, [], id="inherited-and-still-needed-for-strict-base"
        ),
        pytest.param([check(fault("x", details=("numba", "y")))], {}, CheckState.KEPT, [], id="used-by-a-detail"),
        pytest.param(
            [check()], {"waivers": [waiver(check="IC399")]}, CheckState.KEPT, ["no such check"], id="no-such-check"
        ),
        pytest.param(
            [check()],
            {"waivers": [waiver(until=date(2026, 1, 1))]},
            CheckState.SKIPPED,
            [],
            id="expired-is-told-elsewhere",
        ),
        pytest.param(
            [check(), ELSEWHERE],
            {"selected": Selection(ignore=("IC3",))},
            CheckState.SKIPPED,
            [],
            id="its-check-did-not-run",
        ),
        pytest.param(
            [check(), ELSEWHERE],
            {"image": facts("image", imports=None)},
            CheckState.SKIPPED,
            [],
            id="its-check-had-no-facts",
        ),
        pytest.param(
            [check(applies=lambda _: False), ELSEWHERE],
            {},
            CheckState.KEPT,
            ["no finding"],
            id="its-check-is-not-asked-for",
        ),
        pytest.param([check()], {"waivers": []}, CheckState.SKIPPED, [], id="no-waivers"),
        pytest.param([check()], {"selected": Selection(ignore=("IC9",))}, CheckState.SKIPPED, [], id="ignored"),
    ],
)
def test_unused_waivers(checks: list[Check], options: dict[str, Any], state: CheckState, told: list[str]) -> None:
    result = results(*checks, **{"waivers": [waiver()], **options})["unused-waiver"]
    assert [finding.fault.actual for finding in result.findings] == told
    assert result.state is state
    assert {finding.state for finding in result.findings} <= {FindingState.WARNED}


def test_sound_waivers_alone_are_no_pass() -> None:
    found = results(check(examined=0), waivers=[waiver()])
    assert CheckState.KEPT not in {result.state for result in found.values()}


def test_results_come_in_the_order_of_codes() -> None:
    found = results(check(), check(code="IC903", name="moved-base"), waivers=[waiver()])
    assert [result.code for result in found.values()] == ["IC301", "IC901", "IC902", "IC903"]


def test_a_waived_finding_tells_who_accepted_it_and_until_when() -> None:
    waivers = [waiver("numba"), waiver("numba.*", until=date(2027, 3, 1))]
    (waived,) = the(check(GROUP), waivers=waivers).findings
    assert waived.excuse == "Windows only (platform, until 2027-01-31); Windows only (platform, until 2027-03-01)"
    (broken,) = the(check(GROUP), waivers=waivers[:1]).findings
    assert broken.excuse == ""
