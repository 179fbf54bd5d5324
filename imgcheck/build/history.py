"""Entries of an image's history, as the Dockerfile wrote them: keyword, command, and the instruction, where known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from imgcheck.build.dockerfile import Instruction
from imgcheck.build.stages import Dockerfile, Stage
from imgcheck.facts.model import Step
from imgcheck.masking import shown_command

_NO_OPERATION: Final = "/bin/sh -c #(nop)"
_SHELL: Final = re.compile(
    r"(?:RUN )?(?:\|\d+ (?P<arguments>.*?) )?(?:/\S+/)?(?:ba|da|z|k|a)?sh (?:\S+ )*?-\w*c ", re.DOTALL
)
_KEYWORD: Final = re.compile(r"[A-Z]{3,}")


def keyword_of(step: Step) -> str:
    """The instruction's keyword; empty for a layer that no Dockerfile made."""
    text = step.command.removeprefix(_NO_OPERATION).strip()
    if step.command.startswith(_NO_OPERATION) or not _SHELL.match(text):
        found = _KEYWORD.match(text)
        return found[0] if found else ""
    return "RUN"


def command_of(step: Step, history: Sequence[Step]) -> str:
    """A step as people wrote it, values of build arguments shown by their names; empty where nothing is recorded."""
    text = step.command.removeprefix(_NO_OPERATION).strip().removesuffix("# buildkit").strip()
    match = _SHELL.match(text)
    if match and keyword_of(step) == "RUN":
        text = f"RUN {text[match.end() :]}"
    return shown_command(text, {**_arguments(history), **_pairs(match["arguments"] if match else None)})


def instructions_of(history: Sequence[Step], dockerfile: Dockerfile, target: Stage) -> Mapping[int, Instruction]:
    """The instruction behind each entry that the Dockerfile made, told from the end as long as keywords agree."""
    written = [one for stage in reversed(dockerfile.lineage(target)) for one in dockerfile.of_stage(stage)]
    found: dict[int, Instruction] = {}
    for index, instruction in zip(reversed(range(len(history))), reversed(written), strict=False):
        if keyword_of(history[index]) != instruction.keyword:
            break
        found[index] = instruction
    return found


def instruction_text(instruction: Instruction) -> str:
    """As the Dockerfile has it, unexpanded, its here-documents' first lines with it."""
    flags = [
        f"--{name}" + (f"={value}" if value else "") for name, values in instruction.flags.items() for value in values
    ]
    value = instruction.value
    for flag in flags if instruction.keyword == "RUN" else ():
        value = value.removeprefix(flag).lstrip()
    body = " ; ".join(line for heredoc in instruction.heredocs for line in heredoc.content.splitlines()[:3])
    return shown_command(f"{instruction.keyword} {value}" + (f" {body}" if body else ""))


def _arguments(history: Sequence[Step]) -> dict[str, str]:
    """Of "ARG NAME=value" entries."""
    texts = (step.command.removeprefix(_NO_OPERATION).strip() for step in history)
    found: dict[str, str] = {}
    for text in texts:
        if text.startswith("ARG "):
            found |= _pairs(text.removeprefix("ARG "))
    return found


def _pairs(text: str | None) -> dict[str, str]:
    """Of "A=1 B=two words": a value goes on to the next name."""
    parts = re.split(r"(?:^|\s)([A-Za-z_]\w*)=", text or "")
    return dict(zip(parts[1::2], (value.strip() for value in parts[2::2]), strict=False))
