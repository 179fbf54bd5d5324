"""`imgcheck fix`: the change that makes requirements suit the contract, as a patch; applied whole or not at all."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from imgcheck.errors import ExitCode, UsageError
from imgcheck.locking.explaining import replaced_line
from imgcheck.locking.lock import LockRequest, Prepared, failed, fresh_text, prepare
from imgcheck.locking.writing import write_whole
from imgcheck.pipeline import RunOptions
from imgcheck.progress import Progress
from imgcheck.requirements.files import RequirementLine


@dataclass(frozen=True, kw_only=True)
class FixResult:
    """The patch, sentences about it, and whether it was written."""

    exit_code: ExitCode
    headline: str
    patch: str = ""
    told: tuple[str, ...] = ()


def fix(
    request: LockRequest, contract_path: Path, options: RunOptions, progress: Progress, *, apply: bool
) -> FixResult:
    """Proposes a patch that was resolved, and with `apply` writes it.

    Raises:
        UsageError: a file cannot be read or written; what was there is as it was.
        RegistryOutOfReachError: no index answered.
    """
    prepared = prepare(request, contract_path, options, progress)
    with prepared.bench.kept_open():
        return _fixed(request, prepared, progress, apply=apply)


def _fixed(request: LockRequest, prepared: Prepared, progress: Progress, *, apply: bool) -> FixResult:
    with progress.step(f"Resolving {', '.join(map(str, request.inputs))} in {prepared.bench.base.reference}"):
        answer = prepared.bench.resolve(prepared.question)
    changes: dict[Path, str] = {}
    told: tuple[str, ...] = ()
    if not answer.solved:
        with progress.step("Looking for ways out"):
            result = failed(prepared, answer, ways=True)
        told = (*result.told, *result.ways)
        fixes = result.explanation.fixes if result.explanation else ()
        if not fixes:
            return FixResult(exit_code=ExitCode.BROKEN, headline="no change of the requirements mends it", told=told)
        changes = changed_files(fixes)
        mended = _with_changes(prepared, changes)
        answer = mended.bench.resolve(mended.question)
        if not answer.solved:
            headline = "each change alone mends its conflict, and together they have no solution"
            return FixResult(exit_code=ExitCode.BROKEN, headline=headline, told=told)
    changes[request.output] = fresh_text(request, prepared, answer)
    return settled(changes, told, apply=apply)


def changed_files(fixes: tuple[tuple[RequirementLine, str], ...]) -> dict[Path, str]:
    """The files with each line replaced, its marker kept."""
    texts: dict[Path, str] = {}
    for line, new in fixes:
        path = Path(line.where.file)
        text = texts.get(path) or path.read_text("utf-8")
        marker = f" ; {line.requirement.marker}" if line.requirement and line.requirement.marker else ""
        texts[path] = replaced_line(text, line.where.line or 1, f"{new}{marker}")
    return texts


def _with_changes(prepared: Prepared, changes: Mapping[Path, str]) -> Prepared:
    texts = {**prepared.question.texts, **{prepared.inner[path]: text for path, text in changes.items()}}
    return replace(prepared, question=replace(prepared.question, texts=texts))


def settled(changes: Mapping[Path, str], told: tuple[str, ...], *, apply: bool) -> FixResult:
    """The patch of all files; with `apply` all are written, or none."""
    before = {path: path.read_text("utf-8") if path.exists() else None for path in changes}
    patch = "".join(_patch(path, before[path] or "", text) for path, text in changes.items())
    if not patch:
        return FixResult(exit_code=ExitCode.KEPT, headline="nothing is to be changed", told=told)
    if not apply:
        headline = "this change mends it (--apply writes it):"
        return FixResult(exit_code=ExitCode.BROKEN, headline=headline, patch=patch, told=told)
    _write_all(changes, before)
    names = ", ".join(map(str, changes))
    return FixResult(exit_code=ExitCode.KEPT, headline=f"wrote {names}", patch=patch, told=told)


def _write_all(changes: Mapping[Path, str], before: Mapping[Path, str | None]) -> None:
    done: list[Path] = []
    try:
        for path, text in changes.items():
            write_whole(path, text)
            done.append(path)
    except (UsageError, KeyboardInterrupt):
        for path in done:
            old = before[path]
            if old is None:
                path.unlink(missing_ok=True)
            else:
                write_whole(path, old)
        raise


def _patch(path: Path, old: str, new: str) -> str:
    lines = difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), str(path), str(path))
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def shown(result: FixResult) -> str:
    """For people."""
    lines = [result.headline, *(f"  {one}" for one in result.told)]
    return "\n".join([*lines, *(["", result.patch.rstrip("\n")] if result.patch else [])])
