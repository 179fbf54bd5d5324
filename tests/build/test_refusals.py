"""Why an installer refuses, in plain words: pip 26's and uv 0.13's own, and the older pip's where they differ."""

from __future__ import annotations

import pytest

from imgcheck.build.refusals import refusal_of

HASH = """ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package
versions, please update the hashes. Otherwise, examine the package contents carefully.
    fickle==1.0 from http://127.0.0.1:8000/simple/fickle/fickle-1.0-py3-none-any.whl (from -r r.txt (line 1)):
        Expected sha256 0000000000000000000000000000000000000000000000000000000000000000
             Got        bb3e5ff93f2e7a5c2ba8ac2a3a7f6f3a0e31ee3d2d4e4d1a6a1a4fe0e8b3c1d2
"""
UV_HASH = """error: Failed to download `fickle==1.0`
  Caused by: Hash mismatch for `fickle==1.0`

Expected:
  sha256:0000000000000000000000000000000000000000000000000000000000000000

Computed:
  sha256:bb3e5ff93f2e7a5c2ba8ac2a3a7f6f3a0e31ee3d2d4e4d1a6a1a4fe0e8b3c1d2
"""
PYTHON = """ERROR: Ignored the following versions that require a different python version: 0.9 Requires-Python >=3.9; \
1.0 Requires-Python >=3.99
ERROR: Could not find a version that satisfies the requirement tooyoung>=1 (from versions: none)
ERROR: No matching distribution found for tooyoung>=1
"""
YANKED = """ERROR: Ignored the following yanked versions: 1.1, 0.1
ERROR: Could not find a version that satisfies the requirement harmless>1 (from versions: 1.0)
"""


def absent(requirement: str, versions: str) -> str:
    return f"ERROR: Could not find a version that satisfies the requirement {requirement} (from versions: {versions})"


@pytest.mark.parametrize(
    ("log", "message", "remedy"),
    [
        pytest.param(
            HASH,
            "the hashes of fickle==1.0 do not match: the requirements say sha256 000000000000…, "
            "the index gave bb3e5ff93f2e…",
            "find out who replaced that file",
            id="hash",
        ),
        pytest.param(
            UV_HASH, "the hashes of fickle==1.0 do not match: the requirements say sha256 0", "", id="uv-hash"
        ),
        pytest.param(
            "ERROR: In --require-hashes mode, all requirements must have their versions pinned with ==.",
            "some requirements have hashes, and others have none or no exact version",
            "lock with --generate-hashes",
            id="some-hashes",
        ),
        pytest.param(
            PYTHON,
            "tooyoung>=1: 1.0 is for Python >=3.99, which this one is not",
            "take a version of tooyoung for this Python",
            id="requires-python",
        ),
        pytest.param(
            "UnsupportedPythonVersion: Package 'tooyoung' requires a different Python: 3.11.2 not in '>=3.99'",
            "tooyoung is for Python >=3.99, and this one is 3.11.2",
            "take a version of tooyoung",
            id="requires-python-in-the-wheel",
        ),
        pytest.param(YANKED, "harmless>1: only 1.1 would fit, which its makers have yanked", "", id="yanked"),
        pytest.param(
            absent("torch==2.6.0+cu126", "2.6.0, 2.7.0"),
            "torch==2.6.0+cu126: no index in reach has 2.6.0+cu126, a local version",
            "give that index (--extra-index-url)",
            id="local-version",
        ),
        pytest.param(
            absent("x>=1.5 (from -r r.txt (line 1))", "1.0, 2.0rc1"),
            "x>=1.5: only the pre-release 2.0rc1 would fit",
            "ask for x==2.0rc1, or give --pre",
            id="pre-release",
        ),
        pytest.param(absent("x", "none"), "x: no index in reach has it, or no file of it", "check its name", id="none"),
        pytest.param(
            absent("x>3", "1, 2"), "x>3: no index in reach has it; there are 1, 2", "ask for one", id="others"
        ),
        pytest.param("ERROR: Cannot find command 'git'", "git is not in the image", "install git before", id="git"),
        pytest.param(
            "ERROR: HTTP error 404 while getting https://x.example/a.whl",
            "https://x.example/a.whl answers with status 404",
            "check the address",
            id="address",
        ),
    ],
)
def test_refusals_in_plain_words(log: str, message: str, remedy: str) -> None:
    found = refusal_of(log)
    assert found is not None
    assert found.message.startswith(message)
    assert found.remedy.startswith(remedy)


@pytest.mark.parametrize(
    "log", ["", "ERROR: an unheard-of trouble", absent("not a requirement!", "1"), "ResolutionImpossible"]
)
def test_words_that_are_not_known(log: str) -> None:
    assert refusal_of(log) is None
