"""Files of logged models that lie beside the contract, read on the host."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Final

from imgcheck.contract.model import Contract
from imgcheck.diagnosis.model_files import NAMES
from imgcheck.there import is_folder

_LARGEST: Final = 1 << 20


def read_model_files(contract: Contract) -> dict[str, dict[str, str]]:
    """As the contract names a model -> file -> text. What is not there, or cannot be read, has no entry."""
    folder = Path(contract.path or ".").parent
    relative = (name for name in contract.models if not PurePosixPath(name).is_absolute())
    return {name: files for name in relative if (files := _files(folder / name))}


def _files(path: Path) -> dict[str, str]:
    several = [path / name for name in NAMES] if is_folder(path) else [path]
    return {one.name: text for one in several if (text := _text(one))}


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST)
    except OSError:
        return ""
