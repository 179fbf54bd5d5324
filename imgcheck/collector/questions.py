"""What an imported module says of itself: expressions evaluated after its import, and the libraries it has loaded.

It expects: expressions by module; in them stand the module's top-level package and ctypes.
Result: for each module its answers in their order, each with a value or a problem, and the libraries that were mapped.
Floor: Python 3.8, Linux.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, Sequence

from imgcheck.collector.fresh import run_fresh

_MOST = 2000

_PROGRAM = """
def words(error):
    return (type(error).__name__ + ": " + str(error))[:500]
try:
    __import__(arguments[0])
except BaseException as error:
    tell("failed", words(error))
    _exit(0)
import ctypes
package = arguments[0].partition(".")[0]
for place, question in enumerate(arguments[1:]):
    try:
        tell("answer", place, eval(question, {package: sys.modules[package], "ctypes": ctypes}), "")
    except BaseException as error:
        tell("answer", place, None, words(error))
with open("/proc/self/maps", "rb") as file:
    lines = [line.decode("utf-8", "replace").rstrip("\\n") for line in file if b".so" in line]
tell("mapped", sorted({line[line.index("/"):] for line in lines if "/" in line}))
_exit(0)
"""

Facts = Dict[str, Any]


def ask_modules(questions: Mapping[str, Sequence[str]], python: str, seconds: float, scratch: str) -> Iterator[Facts]:
    """One dictionary a module."""
    for module, expressions in questions.items():
        ran = run_fresh(python, _PROGRAM, [module, *expressions], seconds, scratch)
        answers: list[Facts] = [{"value": None, "problem": ran.ending} for _ in expressions]
        facts: Facts = {"module": module, "answers": answers, "mapped": []}
        for answer in ran.answers:
            _take(facts, answer)
        yield facts


def _take(facts: Facts, answer: Sequence[Any]) -> None:
    """One line of the process; what makes no sense is passed over."""
    answers = facts["answers"]
    kind, fields = (answer[0], answer[1:]) if answer else ("", ())
    if kind == "failed" and len(fields) == 1:
        answers[:] = [{"value": None, "problem": str(fields[0])} for _ in answers]
    elif kind == "answer" and len(fields) == 3 and type(fields[0]) is int and 0 <= fields[0] < len(answers):
        answers[fields[0]] = {"value": fields[1], "problem": str(fields[2])}
    elif kind == "mapped" and len(fields) == 1 and isinstance(fields[0], list):
        facts["mapped"] = [one for one in fields[0] if isinstance(one, str)][:_MOST]
