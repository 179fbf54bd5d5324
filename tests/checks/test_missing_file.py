from __future__ import annotations

from typing import Any

from imgcheck.checks.missing_file import CHECK, judge
from imgcheck.facts.model import Distribution
from imgcheck.outcome import Judgement
from tests.checks.build_facts import a_contract, dist
from tests.checks.build_files import file_facts, listed

NUMPY = dist("numpy 1.26.4", modules=["numpy"])


def judged(*distributions: Distribution, **of_files: Any) -> Judgement:
    return judge(a_contract(), file_facts(*distributions, **of_files))


def test_it_is_always_asked_for() -> None:
    assert CHECK.applies(a_contract())


def test_files_that_are_all_there_are_kept_and_counted() -> None:
    judgement = judged(NUMPY)
    assert (judgement.examined, judgement.unit, judgement.faults) == (10, "files", ())


def test_j04_a_module_deleted_to_slim_the_image() -> None:
    (fault,) = judged(NUMPY, owners=(listed(NUMPY, missing=["numpy/testing/__init__.py"]),)).faults
    assert fault.subject == "numpy"
    assert fault.summary == "1 of 10 files of numpy 1.26.4 is missing, such as numpy/testing/__init__.py"
    assert fault.details == ("numpy/testing/__init__.py",)
    assert "pip install --force-reinstall --no-deps numpy==1.26.4" in fault.remedy
    assert not fault.note


def test_tests_and_documentation_that_nothing_needs_are_one_note() -> None:
    pandas = dist("pandas 2.2.2", modules=["pandas"])
    owners = (
        listed(NUMPY, missing=["numpy/tests/test_all.py", "numpy/core/include/numpy/arrayobject.h"]),
        listed(pandas, missing=["pandas/tests/data.csv", "pandas-2.2.2.dist-info/LICENSE", "pandas/locale/de.mo"]),
    )
    (fault,) = judged(NUMPY, pandas, owners=owners).faults
    assert fault.note
    assert fault.details == ("numpy", "pandas")
    assert fault.summary.startswith("5 files of 2 distributions are missing that are tests and documentation")


def test_data_and_metadata_that_are_read_are_needed() -> None:
    paths = ["numpy/_data/table.json", "numpy-1.26.4.dist-info/METADATA", "numpy.libs/libopenblas.so.3"]
    (fault,) = judged(NUMPY, owners=(listed(NUMPY, missing=paths),)).faults
    assert fault.details == tuple(paths)


def test_a_list_that_was_cut_off_is_not_taken_for_harmless() -> None:
    (fault,) = judged(NUMPY, owners=(listed(NUMPY, missing=["numpy/tests/a.py"], missing_count=6000),)).faults
    assert "6,000 of 10 files" in fault.summary
    assert not fault.note


def test_sources_of_which_the_bytecode_is_there_are_counted_and_not_missed() -> None:
    judgement = judged(NUMPY, owners=(listed(NUMPY, sourceless=3),))
    assert (judgement.examined, judgement.faults) == (7, ())
    assert judgement.passed_over == (("sources of which only the bytecode is there", 3),)


def test_what_this_user_cannot_read_is_not_missing() -> None:
    judgement = judged(NUMPY, owners=(listed(NUMPY, unreadable=10),))
    assert (judgement.examined, judgement.faults) == (0, ())
    assert judgement.passed_over == (("cannot be read by this user", 10),)


def test_without_record_it_cannot_be_told() -> None:
    bare = dist("bare 1", has_record=False, modules=["bare"])
    (fault,) = judged(bare, without_list=(bare.metadata_path,)).faults
    assert fault.unverified
    assert fault.summary == "bare 1 has no RECORD: what should be there cannot be told"


def test_what_a_package_manager_brought_has_its_list_there() -> None:
    six = dist("six 1.16.0", has_record=False, modules=["six"])
    brought = {"without_list": (six.metadata_path,), "packaged": ((six.metadata_path, "dpkg python3-six"),)}
    assert not judged(six, owners=(listed("dpkg python3-six 1.16.0-4"),), **brought).faults
    gone = listed("dpkg python3-six 1.16.0-4", missing=["/usr/lib/python3/dist-packages/six.py"])
    (fault,) = judged(six, owners=(gone,), **brought).faults
    assert fault.subject == "dpkg python3-six"
    assert "python3-six 1.16.0-4 (dpkg)" in fault.summary


def test_the_record_of_what_dpkg_brought_does_not_count() -> None:
    pip = dist("pip 23.0.1", modules=["pip"])
    own = listed(pip, missing=["../scripts/pip"])
    owners = (own, listed("dpkg python3-pip 23.0.1"))
    assert not judged(pip, owners=owners, packaged=((pip.metadata_path, "dpkg python3-pip"),)).faults


def test_of_two_versions_in_one_folder_another_check_tells() -> None:
    old = dist("numpy 1.25.0")
    assert not judged(NUMPY, old, owners=(listed(NUMPY), listed(old, missing=["numpy/old.py"]))).faults
