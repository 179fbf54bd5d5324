from __future__ import annotations

import json

import pytest

from imgcheck.checks.unmet_requirement import CHECK, judge
from imgcheck.facts.model import Distribution, Step
from imgcheck.outcome import Fault
from tests.checks.build_facts import a_contract, dist, facts, python

ASKED = a_contract(requires=True)


def faults(*distributions: Distribution) -> tuple[Fault, ...]:
    return judge(ASKED, facts(*distributions)).faults


def test_it_is_asked_for_by_the_contract() -> None:
    assert CHECK.applies(ASKED)
    assert CHECK.applies(a_contract(requires={"allow": ["a"]}))
    assert not CHECK.applies(a_contract())


def test_a_consistent_environment_is_kept() -> None:
    judgement = judge(ASKED, facts(dist("a 1", "B>=1", "c; python_version < '3'"), dist("b 1.5")))
    assert (judgement.examined, judgement.unit, judgement.faults) == (2, "distributions", ())


def test_a_requirement_that_is_not_installed_is_unmet() -> None:
    (fault,) = faults(dist("wandb 0.17", "sentry-sdk>=2"))
    assert fault.subject == "wandb -> sentry-sdk"
    assert fault.summary == "wandb 0.17 requires sentry-sdk>=2, and sentry-sdk is not installed"
    assert (fault.expected, fault.actual) == ("sentry-sdk>=2", "not installed")


def test_a_version_that_is_not_accepted_is_unmet() -> None:
    (fault,) = faults(dist("tf 2.15", "protobuf<5,>=3.20"), dist("protobuf 6.30.0"))
    assert fault.summary == "tf 2.15 requires protobuf<5,>=3.20, and protobuf is at 6.30.0"
    assert fault.remedy == "Install protobuf<5,>=3.20, or a version of tf that accepts protobuf 6.30.0."
    assert fault.cause.requirement == "tf 2.15 requires protobuf<5,>=3.20"


@pytest.mark.parametrize(
    ("requirement", "other"),
    [
        pytest.param("b>=2", "b 2.1rc1", id="an installed pre-release is a version like any other"),
        pytest.param("b==2.13.0", "b 2.13.0+cpu", id="a local version is its public one"),
        pytest.param("B_c.D>=1", "b-c-d 1", id="spelling does not matter"),
        pytest.param("b; sys_platform == 'win32'", "x 1", id="for another platform"),
        pytest.param("b; extra == 'all'", "x 1", id="an extra that nobody asked for"),
        pytest.param("b @ https://x.example/b.whl", "b 1", id="an address is met by presence"),
    ],
)
def test_requirements_that_are_met(requirement: str, other: str) -> None:
    assert not faults(dist("a 1", requirement), dist(other))


def test_markers_are_judged_by_the_images_own_python() -> None:
    old = facts(dist("a 1", "tomli; python_version < '3.11'"), interpreter=python("3.8.18"))
    assert [fault.subject for fault in judge(ASKED, old).faults] == ["a -> tomli"]


def test_extras_are_followed_from_requirement_to_requirement() -> None:
    app = dist("app 1", "ray[default]")
    ray = dist(
        "ray 2.9", "ray[dashboard]; extra == 'default'", "aiohttp; extra == 'dashboard'", "pandas; extra == 'data'"
    )
    (fault,) = faults(app, ray)
    assert fault.subject == "ray -> aiohttp"


def test_extras_compare_normalised() -> None:
    (fault,) = faults(dist("app 1", "lib[Big_Data]"), dist("lib 1", "pyarrow; extra == 'big-data'"))
    assert fault.subject == "lib -> pyarrow"


def test_an_extra_that_does_not_exist_is_noted_with_the_near_miss() -> None:
    """Case H16: the installer warns and goes on."""
    uvicorn = dist("uvicorn 0.30.1", "websockets; extra == 'standard'", provides_extra=("standard",))
    (fault,) = faults(dist("server 1", "uvicorn[standart]>=0.30"), uvicorn)
    assert fault.note
    assert fault.subject == "uvicorn[standart]"
    assert "uvicorn 0.30.1 does not provide the extra 'standart'" in fault.summary
    assert fault.remedy.startswith("Did you mean 'standard'?")


def test_an_extra_of_metadata_without_provides_extra_is_found_in_its_markers() -> None:
    assert not faults(dist("a 1", "b[x]"), dist("b 1", "c; extra == 'x'"), dist("c 1"))


def test_a_line_that_cannot_be_read_is_not_verified_and_hides_no_other() -> None:
    good, bad = faults(dist("old 1", "b (>=1.0.*", "c"), dist("b 1"))
    assert bad.unverified
    assert "cannot be told" in bad.summary
    assert good.subject == "old -> c"


def test_a_version_that_cannot_be_compared_is_not_verified() -> None:
    (fault,) = faults(dist("a 1", "b>=1"), dist("b git-deadbeef"))
    assert fault.unverified


def test_metadata_that_cannot_be_read_is_not_verified_and_not_counted() -> None:
    judgement = judge(ASKED, facts(dist("a 1"), dist("b ", problem="its metadata names no version")))
    assert judgement.examined == 1
    assert [(fault.subject, fault.unverified) for fault in judgement.faults] == [("b", True)]


def test_of_two_metadata_folders_the_first_on_the_path_counts() -> None:
    assert not faults(dist("a 1", "b>=2"), dist("b 2"), dist("b 1", "not-there"))


@pytest.mark.parametrize("entry", ["wandb", "wandb -> sentry-sdk", "WandB->Sentry_SDK"])
def test_what_the_contract_allows_is_passed_over_and_counted(entry: str) -> None:
    contract = a_contract(requires={"allow": [entry]})
    judgement = judge(contract, facts(dist("wandb 0.17", "sentry-sdk>=2")))
    assert not judgement.faults
    assert judgement.passed_over == (("requirements allowed to be unmet", 1),)


def test_an_allowance_for_one_requirement_does_not_cover_another() -> None:
    contract = a_contract(requires={"allow": ["wandb -> click"]})
    assert judge(contract, facts(dist("wandb 0.17", "sentry-sdk>=2"))).faults


def test_another_address_than_the_one_required_is_noted() -> None:
    came_from = json.dumps({"url": "https://github.com/fork/lib.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}})
    wanted = dist("a 1", "lib @ git+https://github.com/team/lib@v1")
    (fault,) = faults(wanted, dist("lib 1", direct_url=came_from))
    assert fault.note
    same = came_from.replace("fork", "team")
    assert not faults(wanted, dist("lib 1", direct_url=same))


CLUSTER = (
    dist("agent 2.9", "protobuf>=5"),
    dist("tracing 1.2", "protobuf>=4,<7"),
    dist("board 2.5.1", "protobuf<=3.20.1"),
)


def test_one_culprit_is_one_fault_however_many_it_hurts() -> None:
    (fault,) = faults(*CLUSTER, dist("protobuf 3.20.1"))
    assert fault.subject == "agent -> protobuf"
    assert fault.details == ("tracing -> protobuf",)
    assert fault.summary == ("protobuf is at 3.20.1: agent 2.9 requires protobuf>=5, and 1 more require it otherwise")
    assert fault.cause.requirement == "board 2.5.1 requires protobuf<=3.20.1"
    assert fault.blame == ("protobuf",)
    assert fault.remedy == "Choose a version of board that accepts protobuf>=5, or install without board 2.5.1."
    assert "tracing 1.2 requires protobuf<7,>=4: 3.20.1 does not meet it" in fault.evidence


def with_base(*distributions: Distribution, base: tuple[Distribution, ...]) -> tuple[Fault, ...]:
    found = facts(*distributions).model_copy(update={"base": facts(*base).inventory})
    return judge(ASKED, found).faults


def test_the_way_out_names_what_the_base_had() -> None:
    (fault,) = with_base(*CLUSTER, dist("protobuf 3.20.1"), base=(*CLUSTER[:2], dist("protobuf 6.33.6")))
    assert fault.baseline == "6.33.6"
    assert (
        fault.remedy
        == "Choose a version of board that accepts the base's protobuf 6.33.6, or install without board 2.5.1."
    )


def test_what_the_base_has_just_so_is_a_fault_of_its_own() -> None:
    old = (dist("agent 2.9", "protobuf>=5"), dist("protobuf 3.20.1"))
    first, second = with_base(*old, dist("a-new 1", "protobuf>=4"), base=old)
    assert (first.subject, first.details) == ("agent -> protobuf", ())
    assert (second.subject, second.blame) == ("a-new -> protobuf", ("a-new",))
    assert second.cause.requirement == "a-new 1 requires protobuf>=4"


def test_what_moved_by_name_is_to_blame_itself() -> None:
    agent = dist("agent 2.9", "protobuf>=5")
    (moved,) = with_base(agent, dist("protobuf 3.20.1"), base=(agent, dist("protobuf 5.29.3")))
    assert (moved.blame, moved.cause.requirement) == (("protobuf",), "")
    (gone,) = with_base(agent, base=(agent, dist("protobuf 5.29.3")))
    assert (gone.blame, gone.actual) == (("protobuf",), "not installed")


def test_what_was_never_there_is_whoever_needs_it_to_blame() -> None:
    (fault,) = with_base(dist("wandb 1", "sentry-sdk"), dist("sweeps 2", "sentry-sdk"), base=())
    assert fault.blame == ("sweeps", "wandb", "sentry-sdk")
    assert fault.remedy == "Install sentry-sdk, or remove what requires it."


def test_h16_a_misspelt_extra_in_a_build_step() -> None:
    uvicorn = dist("uvicorn 0.30.1", provides_extra=("standard",))
    found = facts(uvicorn)
    steps = (
        Step(
            created=1,
            command="RUN |1 TOKEN=s3cret /bin/sh -c pip install -i https://s3cret@h 'uvicorn[standart]==0.30.1' "
            '"uvicorn[standard]" absent[x]',
            empty=False,
        ),
        Step(
            created=2, command='RUN echo "a[b]" && pip install -q uvicorn[standart] && echo uvicorn[other]', empty=False
        ),
    )
    image = found.image.model_copy(update={"history": steps})
    (fault,) = judge(a_contract(requires=True), found.model_copy(update={"image": image})).faults
    assert fault.subject == "uvicorn[standart]"
    assert fault.summary == (
        "A build step asks for uvicorn[standart], and uvicorn 0.30.1 does not provide that extra: the installer only "
        "warned"
    )
    assert fault.remedy.startswith("Did you mean 'standard'?")
    assert fault.note
    assert fault.cause.step.startswith("pip install -i https://***@h 'uvicorn[standart]")
