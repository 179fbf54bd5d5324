"""Lines by which libraries say that they loaded half, and go on. Data, each with what it means and its source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from imgcheck.diagnosis.known_modules import DRIVER_LIBRARY, DRIVER_MESSAGE

# What a GPU driver's absence makes libraries say is no fault of the image: the container runtime brings it.
PATTERNS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    # https://numpy.org/doc/stable/numpy_2_0_migration_guide.html#c-api-changes
    (re.compile(r"compiled using NumPy 1\.x|_ARRAY_API not found"), "compiled for NumPy 1, loaded with NumPy 2"),
    # https://numpy.org/doc/stable/user/troubleshooting-importerror.html#c-api-incompatibility
    (re.compile(r"numpy\.\w+ size changed"), "compiled for another NumPy"),
    # ld.so(8) and dlerror(3): what a library prints that catches the loader's error
    (re.compile(r"undefined symbol|symbol lookup error"), "a library misses a symbol of another"),
    (re.compile(r"cannot open shared object file"), "a shared library is not there"),
    (re.compile(r"version `[^']+' not found"), "a shared library is too old"),
    # torchvision/io/image.py and torchaudio/_extension: the package goes on without its compiled part
    (re.compile(r"[Ff]ailed to load .*(extension|library)"), "goes on without its compiled part"),
    # OpenMP runtimes: https://openmp.llvm.org/ , kmp_i18n "DuplicateLibrary"
    (re.compile(r"OMP: (Error|Warning) #15\b"), "two OpenMP runtimes in one process"),
    # protobuf's src/google/protobuf/descriptor_database.cc
    (re.compile(r"File already exists in database"), "two libraries bring the same protobuf file"),
    # stevedore, setuptools' entry points and pytest say it of plugins that they leave out
    (re.compile(r"Error importing (plugin )?|Could not load '[^']+'"), "a plugin is left out"),
)


def half_loads(text: str) -> Iterator[tuple[str, str]]:
    """The lines of an output that say so, and what each means."""
    for line in text.splitlines():
        if DRIVER_LIBRARY.search(line) or DRIVER_MESSAGE.search(line):
            continue
        meaning = next((meaning for pattern, meaning in PATTERNS if pattern.search(line)), "")
        if meaning:
            yield line.strip(), meaning
