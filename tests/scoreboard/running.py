"""A case from its file to what became of it: images made, judged by imgcheck's own pipeline and by its peers."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from imgcheck.checks import CHECKS
from imgcheck.contract.model import Contract
from imgcheck.errors import ImgcheckError
from imgcheck.freezing import FreezeRequest, freeze
from imgcheck.pipeline import RunOptions, check
from imgcheck.progress import QuietProgress
from imgcheck.report.json import document
from tests.scoreboard.case import Case, Healthy
from tests.scoreboard.images import ROOT, ImageError, Images, statuses
from tests.scoreboard.verdict import (
    CaseOutcome,
    HealthyOutcome,
    Peers,
    Report,
    Verdict,
    judge_case,
    judge_healthy,
    not_run,
)
from tests.scoreboard.wheels import WheelError

_PIP_CHECK: Final = "pip --python /opt/venv/bin/python check"
_ALL: Final = {"imgcheck": 1, "requires": True, "imports": True}


class CheckError(Exception):
    """imgcheck gave no report; the message is what it said."""


@dataclass(frozen=True, kw_only=True)
class Board:
    """Runs cases.

    Args:
        images: makes the images.
        options: how imgcheck runs.
    """

    images: Images
    options: RunOptions = field(default_factory=RunOptions)

    def run(self, case: Case) -> CaseOutcome:
        """A failure, its twin, and what others say; whatever goes wrong is told in the outcome."""
        try:
            return self._run(case)
        except (ImageError, WheelError, CheckError) as error:
            return not_run(case).model_copy(update={"verdict": Verdict.ERROR, "reason": str(error)})

    def run_healthy(self, image: Healthy) -> HealthyOutcome:
        """A healthy image; whatever goes wrong is told in the outcome."""
        try:
            reference = self._healthy(image)
            with tempfile.TemporaryDirectory() as folder:
                contract = _write(Path(folder) / "contract.yaml", {**_ALL, **image.contract})
                return judge_healthy(image, self._check(reference, contract))
        except (ImageError, WheelError, CheckError) as error:
            return HealthyOutcome(id=image.id, title=image.title, small=image.small, state="error", reason=str(error))

    def _run(self, case: Case) -> CaseOutcome:
        parent = self.images.root(case.root)
        if case.base:
            parent = self.images.build(f"{case.id}-base", parent, case.root, case.base)
        image = self.images.build(case.id, parent, case.root, case.image)
        twin = self.images.build(f"{case.id}-twin", parent, case.root, case.twin)
        lines, lacking = _understood({**case.contract, **case.asked})
        with tempfile.TemporaryDirectory() as folder:
            contract = self._contract(Path(folder), parent if case.base else None, lines)
            report = self._check(image, contract)
            # What the base has too is an alarm all the same: the base is healthy.
            twin_report = self._check(twin, contract, strict_base=True)
        pip_check, plain_import = statuses(image, _PIP_CHECK, f"python3 -c 'import {case.plain_import}'")
        peers = Peers(pip_check=bool(pip_check), plain_import=bool(plain_import))
        known = {one.name for one in CHECKS}
        return judge_case(case, report, twin_report, peers, known=known, lacking=lacking)

    def _healthy(self, image: Healthy) -> str:
        if image.script:
            done = subprocess.run([ROOT / image.script], capture_output=True, text=True, check=False)
            if done.returncode:
                raise ImageError(f"{image.script}: {done.stderr.strip()[-2000:]}")
            return done.stdout.strip()
        return self.images.build(f"healthy-{image.id}", self.images.root(image.root), image.root, image.image)

    def _contract(self, folder: Path, base: str | None, lines: dict[str, Any]) -> Path:
        """A contract as a user has it: frozen from the base, and the image's own lines on top."""
        if base is None:
            return _write(folder / "contract.yaml", {**_ALL, **lines})
        try:
            freeze(base, folder / "base.yaml", FreezeRequest(), self.options, QuietProgress())
        except ImgcheckError as error:
            raise CheckError(f"{error.message}\n{error.remedy}") from None
        return _write(folder / "contract.yaml", {"imgcheck": 1, "extends": "base.yaml", **lines})

    def _check(self, image: str, contract: Path, *, strict_base: bool = False) -> Report:
        options = replace(self.options, strict_base=strict_base)
        try:
            return document(check(image, contract, options, QuietProgress()))
        except ImgcheckError as error:
            raise CheckError(f"{error.message}\n{error.remedy}") from None


def _understood(lines: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The lines that contracts have, and the keys that they do not have."""
    lacking = tuple(key for key in lines if key not in Contract.model_fields)
    return {key: value for key, value in lines.items() if key not in lacking}, lacking


def _write(path: Path, lines: Mapping[str, Any]) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        YAML(typ="safe").dump(dict(lines), stream)
    return path
