from __future__ import annotations

from imgcheck.locking.lockfile import (
    contradictions,
    differences,
    lock_text,
    parse_lock,
    without_base,
    without_hashes,
)
from tests.checks.build_facts import a_contract

A, B, STUB = "sha256:" + "a" * 64, "sha256:" + "b" * 64, "c" * 64
TEXT = f"""# Python 3.11, locked by imgcheck in base:1 under c.yaml
--pre
attrs==26.1.0 \\
    --hash={A} \\
    --hash=sha256:{STUB}
    # via jsonlines
jsonlines==4.0.0 ; sys_platform == "linux"  # via -r r.in
pkg @ https://host/pkg.whl
    # via
    #   -r r.in
"""


def test_entries_with_hashes_and_comments() -> None:
    lock = parse_lock(TEXT)
    assert [(one.name, one.version, one.line, len(one.hashes)) for one in lock.entries] == [
        ("attrs", "26.1.0", 3, 2),
        ("jsonlines", "4.0.0", 7, 0),
        ("pkg", "", 8, 0),
    ]
    assert lock.python == "3.11"
    assert lock.entries[1].text == 'jsonlines==4.0.0 ; sys_platform == "linux"'
    assert parse_lock("").entries == ()


def test_what_the_base_has_at_that_version_is_left_out() -> None:
    kept = without_base(parse_lock(TEXT), {"attrs": "26.1.0", "jsonlines": "3.0", "pkg": "1"})
    assert [one.name for one in kept.entries] == ["jsonlines", "pkg"]


def test_hashes_of_stand_ins_are_taken_out() -> None:
    lock, bare = without_hashes(parse_lock(TEXT), frozenset({STUB}))
    assert lock.entries[0].lines == ("attrs==26.1.0 \\", f"    --hash={A}", "    # via jsonlines")
    assert bare == ()
    _, bare = without_hashes(parse_lock(f"x==1 \\\n    --hash=sha256:{STUB}\n"), frozenset({STUB}))
    assert bare == ("x",)


def test_a_lock_s_text_reads_as_the_same_lock() -> None:
    lock = parse_lock(TEXT)
    again = parse_lock(lock_text(lock, ["Python 3.11, x"]))
    assert [one.said for one in again.entries] == [one.said for one in lock.entries]
    assert again.python == "3.11"


def test_differences_name_lines() -> None:
    old = parse_lock(f"a==1\nb==1\nd==1 --hash={A}\n")
    new = parse_lock(f"a==2\nc==1\nd==1 --hash={B}\n")
    assert differences(old, new) == (
        "a==1 would be a==2 (line 1)",
        "b==1 is no longer asked for, or the base has it (line 2)",
        "c==1 is missing",
        "the hashes of d differ (line 3)",
    )
    assert differences(old, old) == ()


def test_an_entry_that_a_pin_does_not_allow() -> None:
    contract = a_contract(pins={"protobuf": "4.25.3", "numpy": ">=1.26"})
    found = contradictions(parse_lock("numpy==1.26.4\nprotobuf==3.20.1\n"), contract, "r.txt")
    assert found == ("r.txt:2: protobuf==3.20.1, and the contract pins protobuf 4.25.3",)
