from __future__ import annotations

import pytest

from imgcheck.checks.missing_symbol_version import judge
from imgcheck.facts.native import NativeFile
from imgcheck.outcome import Fault, Judgement
from tests.checks.build_facts import a_contract, dist, facts
from tests.checks.native_files import lacks, lacks_version, native, natives

LIBC, LIBCXX = "/lib/x86_64-linux-gnu/libc.so.6", "/opt/conda/lib/libstdc++.so.6"


def judged(*files: NativeFile) -> Judgement:
    return judge(a_contract(native=True), facts(dist("foo 2.0"), native=natives(*files)))


def the_fault(judgement: Judgement) -> Fault:
    (fault,) = judgement.faults
    return fault


def test_versions_that_are_all_defined_are_kept() -> None:
    judgement = judged(native("foo/_x.so", "libc.so.6"))
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "native files", ())


def test_a_newer_glibc_than_the_image_s_breaks_and_the_way_out_is_told() -> None:
    newest = "GLIBC_2.36"
    lack = (lacks_version("GLIBC_2.9", LIBC, newest), lacks_version("GLIBC_2.38", LIBC, newest))
    fault = the_fault(judged(native("foo/_x.so", versions=lack)))
    assert fault.summary == (
        "foo 2.0 needs libc.so.6 with GLIBC_2.38, and the image's ends at GLIBC_2.36: _x.so cannot be loaded"
    )
    assert fault.subject == "foo -> libc.so.6"
    assert fault.actual == f"{LIBC} ends at GLIBC_2.36"
    assert "newer glibc" in fault.remedy
    assert "manylinux" in fault.remedy


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("GLIBCXX_3.4.32", "newer libstdc++"),
        ("CXXABI_1.3.15", "newer libstdc++"),
        ("OPENSSL_3.2.0", "newer libstdc++.so.6, or a foo"),
    ],
)
def test_the_way_out_depends_on_the_library(version: str, words: str) -> None:
    fault = the_fault(judged(native("foo/_x.so", versions=(lacks_version(version, LIBCXX),))))
    assert words in fault.remedy
    assert "has none of that kind" in fault.actual


def test_a_file_that_lacks_a_library_is_left_to_that_check() -> None:
    lack = (lacks_version("GLIBC_2.38", LIBC),)
    judgement = judged(native("foo/_x.so", missing=(lacks("libgone.so", "foo/_x.so"),), versions=lack))
    assert (judgement.examined, judgement.faults) == (0, ())
    assert judgement.passed_over == (("lack a library: see missing-library", 1),)


def test_a_module_whose_package_goes_on_without_it_is_a_note() -> None:
    lack = (lacks_version("GLIBC_2.38", LIBC),)
    assert the_fault(judged(native("foo/_x.so", module="foo._x", guarded=True, versions=lack))).note
