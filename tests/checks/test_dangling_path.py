from __future__ import annotations

from typing import Any

import pytest

from imgcheck.checks.dangling_path import CHECK, judge
from imgcheck.facts.files import BeyondFiles
from imgcheck.facts.model import Distribution
from imgcheck.outcome import Judgement
from tests.checks.build_facts import SITE, a_contract, dist
from tests.checks.build_files import dangling, file_facts

TRAINLIB = dist("trainlib 1", direct_url='{"url": "file:///src", "dir_info": {"editable": true}}')


def judged(*distributions: Distribution, **of_files: Any) -> Judgement:
    return judge(a_contract(), file_facts(*distributions, **of_files))


def test_where_everything_leads_somewhere_it_is_kept() -> None:
    assert CHECK.applies(a_contract())
    judgement = judged(TRAINLIB)
    assert (judgement.examined, judgement.unit, judgement.faults) == (1, "folders of sys.path", ())


def test_b03_an_editable_install_whose_source_stayed_in_the_builder_stage() -> None:
    pth = dangling("pth", f"{SITE}/__editable__.trainlib-1.pth", "/src", TRAINLIB, line=1)
    (fault,) = judged(TRAINLIB, dangling=(pth,)).faults
    assert fault.subject == "trainlib"
    assert fault.summary.startswith("Line 1 of ")
    assert fault.summary.endswith("names a folder that is not in the image: /src")
    assert "without --editable" in fault.remedy


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        pytest.param("finder", "The editable install of trainlib finds its modules at /src/trainlib", id="finder"),
        pytest.param("egg-link", "leads to a source folder that is not in the image: /src/trainlib", id="egg-link"),
        pytest.param("symlink", "is a symbolic link to /src/trainlib, which is not in the image", id="symlink"),
    ],
)
def test_each_kind_has_its_words(kind: str, words: str) -> None:
    (fault,) = judged(TRAINLIB, dangling=(dangling(kind, f"{SITE}/x", "/src/trainlib", TRAINLIB),)).faults
    assert words in fault.summary


def test_files_outside_of_the_prefix_are_a_note() -> None:
    beyond = BeyondFiles(owner=TRAINLIB.metadata_path, files=2, paths=("/etc/a", "/etc/b"))
    (fault,) = judged(TRAINLIB, beyond=(beyond,)).faults
    assert fault.note
    assert fault.summary.startswith("RECORD of trainlib 1 names 2 files outside of /opt/venv, such as /etc/a")


def test_a_link_of_nobodys_is_told_by_its_name() -> None:
    (fault,) = judged(dangling=(dangling("symlink", f"{SITE}/weights", "/data/weights"),)).faults
    assert fault.subject == "weights"


def test_a_package_managers_links_are_its_own_business() -> None:
    link = dangling("symlink", "/usr/lib/python3/dist-packages/x.js", "/usr/share/x.js", "dpkg python3-x")
    judgement = judged(dangling=(link,))
    assert not judgement.faults
    assert judgement.passed_over[0][1] == 1
