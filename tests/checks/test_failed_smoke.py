from __future__ import annotations

from imgcheck.checks.failed_smoke import CHECK, judge
from imgcheck.diagnosis.run_lines import runs_of
from tests.checks.build_facts import a_contract
from tests.checks.build_runs import having_run, ran

CONTRACT = a_contract(
    smoke=[
        {"name": "utc", "python": "import zoneinfo; zoneinfo.ZoneInfo('UTC')"},
        {"name": "git", "run": ["git", "-v"]},
    ]
)


def test_it_is_asked_for_by_smoke() -> None:
    assert not CHECK.applies(a_contract())
    assert CHECK.applies(CONTRACT)
    first, second = runs_of(CONTRACT)
    assert first.run == ("{python}", "-c", "import zoneinfo; zoneinfo.ZoneInfo('UTC')")
    assert second.run == ("git", "-v")


def test_lines_that_run_are_kept() -> None:
    judgement = judge(CONTRACT, having_run(ran("smoke-0"), ran("smoke-1")))
    assert (judgement.examined, judgement.unit, judgement.faults) == (2, "lines", ())


def test_h08_a_line_that_fails_is_told_with_its_last_words() -> None:
    output = "Traceback (most recent call last):\n  …\nZoneInfoNotFoundError: 'No time zone found with key UTC'\n"
    (fault,) = judge(CONTRACT, having_run(ran("smoke-0", exit_code=1, output=output), ran("smoke-1"))).faults
    assert fault.subject == "utc"
    assert fault.summary == "Smoke line utc failed: ZoneInfoNotFoundError: 'No time zone found with key UTC'"
    assert fault.actual == "it ended with status 1"
    assert "Traceback" in fault.evidence


def test_h08_a_module_that_was_looked_for_is_what_to_install() -> None:
    output = (
        "Traceback (most recent call last):\n"
        '  File "/usr/lib/python3.11/zoneinfo/_common.py", line 12, in load_tzdata\n    return resources\n'
        "ModuleNotFoundError: No module named 'tzdata'\n\nDuring handling of the above exception, …\n\n"
        'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n'
        "zoneinfo._common.ZoneInfoNotFoundError: 'No time zone found with key UTC'\n"
    )
    (fault,) = judge(CONTRACT, having_run(ran("smoke-0", exit_code=1, output=output), ran("smoke-1"))).faults
    assert fault.summary.endswith("failed: zoneinfo._common.ZoneInfoNotFoundError: 'No time zone found with key UTC'")
    assert fault.remedy.startswith("Install tzdata, which it looked for and did not find.")


def test_what_did_not_run_is_not_examined() -> None:
    assert judge(CONTRACT, having_run(ran("smoke-1"))).examined == 1
