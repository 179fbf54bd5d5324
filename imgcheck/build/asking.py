"""Where a build asks for a distribution: the line of a requirements file, or of the Dockerfile, that names it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from imgcheck.build.requirements import INSTALLS, requirement_files
from imgcheck.build.stages import Dockerfile, Stage
from imgcheck.errors import UsageError
from imgcheck.outcome import Location
from imgcheck.requirements.files import read_requirement_file


def asked_for(dockerfile: Dockerfile, target: Stage, context: Path, name: str) -> Location | None:
    """The first place that asks for `name` (canonical); None where none does by name."""
    return next(_in_files(dockerfile, target, context, name), None) or next(
        _in_dockerfile(dockerfile, target, name), None
    )


def _in_files(dockerfile: Dockerfile, target: Stage, context: Path, name: str) -> Iterator[Location]:
    for path in requirement_files(dockerfile, target, context):
        try:
            read = read_requirement_file(path)
        except UsageError:
            continue  # the build itself tells what is wrong with it
        yield from (one.where for one in read.asked if one.name == name)


def _in_dockerfile(dockerfile: Dockerfile, target: Stage, name: str) -> Iterator[Location]:
    written = re.escape(name).replace(r"\-", "[-_.]+")
    named = re.compile(rf"(?:^|[\s'\"]){written}(?=$|[\s'\"\[=<>!~;@])", re.IGNORECASE)
    for stage in dockerfile.needed(target):
        for one in dockerfile.of_stage(stage):
            text = "\n".join((one.value, *(heredoc.content for heredoc in one.heredocs)))
            if one.keyword == "RUN" and INSTALLS.search(text) and named.search(text):
                yield dockerfile.place(one.start_line)
