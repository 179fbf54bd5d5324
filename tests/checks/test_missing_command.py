from __future__ import annotations

from imgcheck.checks.missing_command import CHECK, judge
from tests.checks.build_facts import a_contract
from tests.checks.build_surroundings import surrounded

CONTRACT = a_contract(image={"commands": ["git", "/opt/tool"]})


def test_it_is_asked_for_by_commands() -> None:
    assert not CHECK.applies(a_contract())
    assert CHECK.applies(CONTRACT)


def test_programs_on_path_are_kept_and_others_are_told() -> None:
    there = (("git", "/usr/bin/git"), ("/opt/tool", "/opt/tool"))
    judgement = judge(CONTRACT, surrounded(commands=there))
    assert (judgement.examined, judgement.unit, judgement.faults) == (2, "commands", ())
    first, second = judge(CONTRACT, surrounded(env={"PATH": "/bin"}, commands=(("git", ""), ("/opt/tool", "")))).faults
    assert first.summary == "git is not in the image, or not on its PATH (/bin)"
    assert second.summary == "/opt/tool is not in the image"


def test_what_was_not_asked_of_the_image_is_not_examined() -> None:
    assert judge(CONTRACT, surrounded()).examined == 0
