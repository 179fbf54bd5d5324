"""Facts that were saved are judged again without an engine; findings are explained from a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from imgcheck import cli
from imgcheck.checks import CHECKS
from imgcheck.errors import ExitCode
from imgcheck.judging import Selection
from imgcheck.observed import Observed, read_observed
from imgcheck.outcome import Cause, Location
from imgcheck.reporting import report_of, with_causes
from tests.checks.build_facts import a_contract, dist, facts, module, raises

PINS = "imgcheck: 1\nbase: {image: base:1}\npins: {protobuf: 4.25.3}\nimports: true\n"
SEEN = Observed(
    facts=facts(
        dist("protobuf 3.20.1", modules=["google.protobuf"]),
        dist("tensorboardx 2.5.1", "protobuf<=3.20.1", modules=["tensorboardX"]),
        modules=[
            module("google.protobuf", "protobuf", wall=0.5),
            module("tensorboardX", "tensorboardx", raises("ImportError: no"), wall=0.25),
        ],
    ).model_copy(update={"base": facts(dist("protobuf 4.25.3"), dist("numpy 1.26.4")).inventory}),
    base=facts().image,
)
STEP = Cause(step="RUN pip install x", step_location=Location(file="Dockerfile", line=3))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "base.yaml").write_text(PINS, "utf-8")
    (tmp_path / "facts.json").write_text(SEEN.model_dump_json(), "utf-8")
    monkeypatch.setenv("IMGCHECK_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def again(*arguments: str) -> int:
    return cli.run(["report", "facts.json", "-c", "base.yaml", *arguments])


def test_what_was_saved_is_what_was_seen(folder: Path) -> None:
    assert read_observed(folder / "facts.json") == SEEN


def test_saved_facts_are_judged_and_rendered_in_any_format(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert again("--format", "json", "--report", "sarif=out.sarif") == ExitCode.BROKEN
    out = capsys.readouterr()
    assert json.loads(out.out)["findings"][0]["name"] == "moved-pin"
    assert "BROKEN: " in out.err, "people see a report, too"
    assert json.loads((folder / "out.sarif").read_text("utf-8"))["version"] == "2.1.0"


def test_a_changed_contract_changes_the_verdict(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "base.yaml").write_text("imgcheck: 1\npins: {protobuf: '>=3'}\n", "utf-8")
    assert again() == ExitCode.KEPT
    assert "judged again from the facts" in capsys.readouterr().out


def test_what_was_not_collected_is_unverified_and_no_pass(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "base.yaml").write_text("imgcheck: 1\nnative: true\n", "utf-8")
    assert again("--select", "missing-library") == ExitCode.NOTHING_CHECKED
    assert "no facts on native files were collected" in capsys.readouterr().out


def test_who_did_it_is_remembered() -> None:
    contract = a_contract(pins={"protobuf": "4.25.3"})

    def judged(seen: Observed) -> Cause:
        report = report_of(contract, seen, Selection(), strict=False, strict_base=False)
        return next(one for one in report.findings if one.name == "moved-pin").fault.cause

    identity = next(
        one.id
        for one in report_of(contract, SEEN, Selection(), strict=False, strict_base=False).findings
        if one.name == "moved-pin"
    )
    assert judged(SEEN.model_copy(update={"causes": {identity: STEP}})) == STEP
    report = report_of(
        contract, SEEN.model_copy(update={"causes": {identity: STEP}}), Selection(), strict=False, strict_base=False
    )
    assert with_causes(SEEN, report).causes == {identity: STEP}


def test_the_overview_tells_versions_and_the_sweep(capsys: pytest.CaptureFixture[str]) -> None:
    again("--format", "json")
    overview = json.loads(capsys.readouterr().out)["overview"]
    assert overview["versions"]["moved"][0] == {
        "name": "protobuf",
        "before": "4.25.3",
        "after": "3.20.1",
        "direction": "down",
    }
    assert [(one["name"], one["seconds"], one["failed"]) for one in overview["sweep"]] == [
        ("protobuf", 0.5, 0),
        ("tensorboardx", 0.25, 1),
    ]


BAD = {
    "no file": (None, "cannot be read"),
    "no JSON": ("x", "holds no saved facts"),
    "another version": ('{"format": 2}', "holds no saved facts"),
    "a report": ('{"format": 1, "findings": []}', "holds no saved facts"),
}


@pytest.mark.parametrize(("text", "words"), BAD.values(), ids=BAD)
def test_what_holds_no_facts_says_so(
    text: str | None, words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "facts.json").unlink()
    if text is not None:
        (folder / "facts.json").write_text(text, "utf-8")
    assert again() == ExitCode.USAGE
    assert words in capsys.readouterr().err


def test_facts_into_no_folder_are_refused_before_anything_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", "x", "-c", "base.yaml", "--save-facts", "no/facts.json"]) == ExitCode.USAGE
    assert "no/facts.json" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["moved-pin", "IC101", "ic101"])
def test_a_check_is_explained_by_its_page(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["explain", word]) == ExitCode.KEPT
    assert capsys.readouterr().out.startswith("# moved-pin (IC101)")


@pytest.mark.parametrize("check", CHECKS, ids=[one.name for one in CHECKS])
def test_every_check_has_a_page_to_show(check: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["explain", getattr(check, "name")]) == ExitCode.KEPT  # noqa: B009 - any check
    assert "## Fix" in capsys.readouterr().out


def test_a_finding_of_the_last_run_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    again("--format", "json")
    identity = json.loads(capsys.readouterr().out)["findings"][0]["id"]
    assert cli.run(["explain", identity]) == ExitCode.KEPT
    told = capsys.readouterr().out
    assert "protobuf moved down: 3.20.1 is installed" in told
    assert "## Waive" in told


def test_a_finding_of_a_named_report_is_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    again("--format", "json", "--output", "r.json")
    identity = json.loads((folder / "r.json").read_text("utf-8"))["findings"][-1]["id"]
    capsys.readouterr()
    assert cli.run(["explain", identity, "--from", "r.json"]) == ExitCode.KEPT
    assert identity.split("-")[0] in capsys.readouterr().out


UNKNOWN = {
    "a slip of a check": ("movd-pin", "Did you mean moved-pin?"),
    "no check at all": ("zzz", "Give a check's name or code"),
    "a finding without a report": ("IC101-00000000", "no report is there"),
}


@pytest.mark.parametrize(("word", "hint"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_cannot_be_explained_says_why(word: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["explain", word]) == ExitCode.USAGE
    assert hint in capsys.readouterr().err
