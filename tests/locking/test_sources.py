from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.errors import UsageError
from imgcheck.locking import sources
from imgcheck.locking.sources import CA_PATH, IndexOptions, settle_sources


@pytest.fixture(autouse=True)
def _no_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "configured", lambda: {"timeout": "9", "extra-index-url": "https://configured"})


def test_options_win_over_variables_and_those_over_the_configuration(tmp_path: Path) -> None:
    index = tmp_path / "index" / "simple"
    index.mkdir(parents=True)
    links = tmp_path / "links"
    links.mkdir()
    environ = {
        "PIP_INDEX_URL": "https://variable",
        "PIP_EXTRA_INDEX_URL": f"file://{index} https://other",
        "PIP_CONSTRAINT": "/nowhere.txt",
        "HTTPS_PROXY": "http://proxy",
        "SECRET": "x",
    }
    found = settle_sources(IndexOptions(index_url="https://option", find_links=(str(links), "/gone")), environ)
    assert found.environment == {
        "PIP_INDEX_URL": "https://option",
        "PIP_EXTRA_INDEX_URL": f"file://{index} https://other",
        "PIP_FIND_LINKS": f"{links} /gone",
        "PIP_TIMEOUT": "9",
        "HTTPS_PROXY": "http://proxy",
    }
    assert found.folders == (str(tmp_path / "index"), str(links))
    assert found.constraints == ()


def test_a_ca_bundle_goes_in_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("pem", "utf-8")
    found = settle_sources(IndexOptions(cert=tmp_path / "ca.pem"), {})
    assert found.certificates == b"pem"
    assert found.environment["PIP_CERT"] == found.environment["SSL_CERT_FILE"] == CA_PATH
    with pytest.raises(UsageError, match=r"gone\.pem cannot be read"):
        settle_sources(IndexOptions(cert=tmp_path / "gone.pem"), {})


def test_constraint_files_of_the_user_s_are_handed_on(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("six<2\n", "utf-8")
    found = settle_sources(IndexOptions(constraints=(Path("own.txt"),)), {"PIP_CONSTRAINT": str(tmp_path / "c.txt")})
    assert found.constraints == (Path("own.txt"), tmp_path / "c.txt")
