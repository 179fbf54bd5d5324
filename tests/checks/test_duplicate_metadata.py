from __future__ import annotations

from typing import Any

from imgcheck.checks.duplicate_metadata import CHECK, judge
from imgcheck.facts.model import Distribution
from imgcheck.outcome import Judgement
from tests.checks.build_facts import SITE, a_contract, dist
from tests.checks.build_files import clash, file_facts, group, listed

NEW, OLD = dist("charset-normalizer 3.3.2"), dist("charset-normalizer 2.1.1")
USER_SITE = "/home/u/.local/lib/python3.11/site-packages"


def judged(*distributions: Distribution, **of_files: Any) -> Judgement:
    return judge(a_contract(), file_facts(*distributions, **of_files))


def placed(label: str, folder: str, **more: Any) -> Distribution:
    name, _, version = label.partition(" ")
    return dist(label, location=folder, metadata_path=f"{folder}/{name}-{version}.dist-info", **more)


def test_one_of_each_is_kept() -> None:
    assert CHECK.applies(a_contract())
    judgement = judged(NEW, dist("six 1.16.0"))
    assert (judgement.examined, judgement.unit, judgement.faults) == (2, "distributions", ())


def test_g04_two_versions_in_one_folder() -> None:
    files = group((NEW, OLD), (clash("charset_normalizer/utils.py", OLD),))
    (fault,) = judged(OLD, NEW, contested=(files,), owners=(listed(NEW, missing=["a.py"]), listed(OLD))).faults
    assert fault.subject == "charset-normalizer"
    assert fault.summary.startswith(f"charset-normalizer is installed twice in {SITE}: 2.1.1 and 3.3.2.")
    assert "2.1.1: 1 of the files that differ are its own" in fault.evidence
    assert "3.3.2: 0 of the files that differ are its own, 1 files are missing" in fault.evidence
    assert "Do not copy one site-packages over another" in fault.remedy
    assert not fault.note


def test_an_egg_info_of_the_same_version_beside_it_is_a_note() -> None:
    egg = dist("six 1.16.0", kind="egg-info", metadata_path=f"{SITE}/six-1.16.0.egg-info")
    (fault,) = judged(dist("six 1.16.0"), egg).faults
    assert fault.note


def test_debians_two_kinds_of_metadata_of_one_package_are_nothing() -> None:
    info, egg = dist("six 1.16.0"), dist("six 1.16.0", kind="egg-info", metadata_path=f"{SITE}/six-1.16.0.egg-info")
    packaged = tuple((one.metadata_path, "dpkg python3-six") for one in (info, egg))
    assert not judged(info, egg, packaged=packaged).faults


def test_k03_an_older_version_in_a_users_own_folder_hides_the_images() -> None:
    (fault,) = judged(placed("protobuf 3.20.3", USER_SITE), dist("protobuf 5.28.3")).faults
    assert fault.summary == (
        f"protobuf 3.20.3 in {USER_SITE} hides 5.28.3 in {SITE}: the folder that comes first on sys.path wins"
    )
    assert "PYTHONNOUSERSITE=1" in fault.remedy
    assert not fault.note


def test_a_newer_one_or_one_below_the_prefix_is_a_note() -> None:
    system = placed("setuptools 66.1.1", "/usr/lib/python3/dist-packages")
    (fault,) = judged(placed("setuptools 60.0.0", "/usr/local/lib/python3.11/dist-packages"), system).faults
    assert fault.note
    (fault,) = judged(placed("setuptools 70.0.0", USER_SITE), system).faults
    assert fault.note


def test_the_same_version_twice_and_an_editable_source_are_nothing() -> None:
    assert not judged(placed("six 1.16.0", USER_SITE), dist("six 1.16.0")).faults
    editable = dist("lib 2", direct_url='{"url": "file:///src", "dir_info": {"editable": true}}')
    source = placed("lib 1", "/src", kind="egg-info")
    assert not judged(editable, source).faults


def test_what_pip_installed_over_condas_is_a_note() -> None:
    numpy = dist("numpy 2.0.0")
    conda = listed("conda numpy 1.26.4", missing=[f"{SITE}/numpy/old.py"])
    (fault,) = judged(numpy, owners=(listed(numpy), conda)).faults
    assert fault.note
    assert "conda lists numpy 1.26.4, and numpy 2.0.0 was installed over it" in fault.summary
    brought = ((numpy.metadata_path, "conda numpy"),)
    assert not judged(numpy, owners=(listed("conda numpy 2.0.0"),), packaged=brought).faults


def test_what_an_interrupted_pip_left_is_a_note() -> None:
    (fault,) = judged(NEW, leftovers=(f"{SITE}/~umpy",)).faults
    assert fault.note
    assert fault.subject == "~umpy"
