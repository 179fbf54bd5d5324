from __future__ import annotations

from imgcheck.checks.unreadable_module import judge
from imgcheck.facts.model import ImportFacts, Located, ModuleFacts
from imgcheck.outcome import Judgement
from tests.checks.build_facts import SITE, a_contract, dist, facts, module, python, raises

ASKED = a_contract(imports=True)
REQUESTS = dist("requests 2.32.3", modules=["requests"])
OUTSIDER = python(uid=1234, gid=1234)


def imported(name: str, of: str, file: str | None = None, *, found: str | None = None, **more: bool) -> ModuleFacts:
    """A module that was imported from `file`; by default the very file that is listed."""
    listed = f"{SITE}/{name.replace('.', '/')}.py"
    if not (file or found or more):
        return module(name, of, file=listed)
    located = Located(
        readable=more.get("readable", True),
        same=more.get("same", False),
        found=found,
        found_same=found == listed,
    )
    return module(name, of, file=file, located=located)


def judged(*modules: ModuleFacts) -> Judgement:
    return judge(ASKED, facts(REQUESTS, modules=modules))


def test_modules_from_their_listed_files_are_kept() -> None:
    judgement = judged(imported("requests", "requests"), imported("requests.api", "requests"))
    assert (judgement.examined, judgement.unit, judgement.faults) == (2, "modules", ())


def test_one_file_through_links_is_kept() -> None:
    linked = imported("requests", "requests", "/usr/lib64/site-packages/requests.py", same=True)
    assert not judged(linked).faults


def test_a_namespace_has_no_file_and_is_kept() -> None:
    judgement = judged(module("google", "protobuf", path=f"{SITE}/google"))
    assert (judgement.examined, judgement.faults, judgement.passed_over) == (1, (), ())


def test_a_module_that_replaces_itself_is_counted_and_no_fault() -> None:
    judgement = judged(imported("requests", "requests", found=f"{SITE}/requests.py"))
    assert (judgement.examined, judgement.faults) == (0, ())
    assert judgement.passed_over == (("put another object, or another __file__, in their place", 1),)


def test_where_a_file_comes_from_that_no_search_finds_cannot_be_told() -> None:
    judgement = judged(imported("requests", "requests", "/src/made/up.py"), module("requests.x", "requests"))
    assert (judgement.examined, judgement.faults) == (0, ())
    assert judgement.passed_over[0][1] == 2


def test_another_file_that_wins_is_told_with_its_owner() -> None:
    other = "/home/ml/.local/lib/python3.11/site-packages/requests.py"
    (fault,) = judged(imported("requests", "requests", other, found=other)).faults
    assert fault.subject == "requests"
    assert fault.summary == f"requests of requests is imported from {other}, which no distribution lists"
    assert fault.expected == f"{SITE}/requests.py"
    twin = dist("requests-fork 1", modules=["requests"])
    (fault,) = judge(
        ASKED, facts(REQUESTS, twin, modules=[imported("requests", "requests", other, found=other)])
    ).faults
    assert fault.summary.endswith("of requests-fork")


def test_j02_an_import_that_works_as_an_empty_namespace() -> None:
    empty = imported("requests", "requests", found=f"{SITE}/requests", readable=False)
    (fault,) = judge(ASKED, facts(REQUESTS, modules=[empty], interpreter=OUTSIDER)).faults
    assert fault.subject == "requests"
    assert fault.summary == "uid 1234 cannot read requests 2.32.3, though importing requests raises nothing"
    assert fault.details == ("requests",)


def test_j02_a_distribution_of_which_not_even_the_metadata_can_be_read() -> None:
    hidden = dist(
        "requests ",
        has_record=False,
        problem="its metadata cannot be read",
        unreadable=(f"{SITE}/requests-2.32.3.dist-info", f"{SITE}/requests"),
        unreadable_files=7,
    )
    (fault,) = judge(ASKED, facts(hidden, modules=[imported("six", "six")], interpreter=OUTSIDER)).faults
    assert fault.summary == "uid 1234 cannot read requests"
    assert f"chmod -R a+rX {SITE}/requests-2.32.3.dist-info" in fault.remedy
    assert fault.evidence.endswith("files: 7")
    assert not fault.unverified


def test_a_closed_folder_of_the_path_is_a_fault_of_its_own() -> None:
    closed = python(uid=1234, closed=("/root/lib",))
    (fault,) = judge(ASKED, facts(modules=[], interpreter=closed)).faults
    assert fault.subject == "/root/lib"
    assert "nothing in it can be imported" in fault.summary


def test_what_is_not_imported_or_excluded_is_counted() -> None:
    contract = a_contract(imports={"exclude": ["six"]})
    judgement = judge(contract, facts(modules=[module("a", "a", status="signal", signal=11), imported("six", "six")]))
    assert (judgement.examined, judgement.faults) == (0, ())
    assert judgement.passed_over == (("could not be imported", 1), ("excluded by the contract", 1))


def test_what_only_another_user_cannot_import_is_told_by_distribution() -> None:
    own = (imported("requests", "requests"), imported("requests.api", "requests"), failing("requests.old", "no"))
    as_stranger = (
        failing("requests", "[Errno 13] Permission denied: '/root/.cache'"),
        failing("requests.api", "[Errno 13] Permission denied: '/root/.cache'", inherited_from="requests"),
        failing("requests.old", "no"),
    )
    told = facts(REQUESTS, modules=own).model_copy(
        update={"stranger": 4711, "stranger_imports": ImportFacts(modules=as_stranger)}
    )
    (fault,) = judge(ASKED, told).faults
    assert fault.subject == "requests as uid 4711"
    assert fault.actual == "PermissionError: [Errno 13] Permission denied: '/root/.cache'"
    assert fault.details == ("requests", "requests.api")


def test_what_another_user_does_not_even_find_is_no_pass() -> None:
    own = (imported("requests", "requests"), imported("requests.api", "requests"), failing("requests.old", "no"))
    told = facts(REQUESTS, modules=own).model_copy(
        update={"stranger": 4711, "stranger_imports": ImportFacts(modules=())}
    )
    (fault,) = judge(ASKED, told).faults
    assert fault.actual == "it is not found: a folder on the way to it, or its metadata, cannot be read"
    assert fault.details == ("requests", "requests.api")


def failing(name: str, message: str, inherited_from: str | None = None) -> ModuleFacts:
    one = module(name, "requests", error=raises(f"PermissionError: {message}"))
    return one.model_copy(update={"inherited_from": inherited_from})
