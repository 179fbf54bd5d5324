"""What distributions say they were compiled for and against, and what of that is loaded: answers made into values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from imgcheck.contract.model import Contract
from imgcheck.diagnosis.known_questions import ARCHITECTURES, QUESTIONS, Question, Side
from imgcheck.facts.model import Facts, Inventory
from imgcheck.facts.questions import Answer

Numbers = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """A library by the version it was compiled against and the one that is loaded; None where that is not told.

    Args:
        owner: the distribution that was compiled.
        library: as libcudnn.
        paths: the files of that name that its process had loaded.
        problem: why a version is not told.
    """

    owner: str
    library: str
    compiled: Numbers | None
    loaded: Numbers | None
    paths: tuple[str, ...] = ()
    problem: str = ""

    @property
    def fits(self) -> bool | None:
        """The same major version, and a minor that is not older."""
        if not self.compiled or not self.loaded:
            return None
        return self.loaded[0] == self.compiled[0] and self.loaded[1:2] >= self.compiled[1:2]


def questions_of(contract: Contract, inventory: Inventory) -> Mapping[str, tuple[str, ...]]:
    """Module -> what to ask it, where the contract names a fleet."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for one in _asked(inventory) if contract.gpu else ():
        found[one.module].append(one.expression)
    return {module: tuple(expressions) for module, expressions in found.items()}


def _asked(inventory: Inventory) -> tuple[Question, ...]:
    return tuple(one for one in QUESTIONS if inventory.find(one.distribution))


def claimed_architectures(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    """Distribution -> the architectures it says it was compiled for, as sm_80 and compute_90."""
    found: dict[str, tuple[str, ...]] = {}
    for question, answer in _answers(facts):
        if question.about == ARCHITECTURES and isinstance(answer.value, list):
            names = tuple(one for one in answer.value if isinstance(one, str))
            if names:
                found[question.distribution] = names
    return found


def fitted_libraries(facts: Facts) -> tuple[Fitted, ...]:
    """Libraries that a distribution was compiled against; those of a build without them are left out."""
    told: defaultdict[tuple[str, str], dict[Side, Answer]] = defaultdict(dict)
    for question, answer in _answers(facts):
        if question.about != ARCHITECTURES:
            told[question.distribution, question.about][question.side] = answer
    return tuple(
        _fitted(facts, owner, library, sides)
        for (owner, library), sides in sorted(told.items())
        if sides["compiled"].value != []
    )


def _fitted(facts: Facts, owner: str, library: str, sides: Mapping[Side, Answer]) -> Fitted:
    return Fitted(
        owner=owner,
        library=library,
        compiled=_numbers(sides["compiled"]),
        loaded=_numbers(sides["loaded"]),
        paths=tuple(path for path in _mapped(facts, owner) if _is(path, library)),
        problem=sides["compiled"].problem or sides["loaded"].problem,
    )


def _is(path: str, library: str) -> bool:
    return path.rpartition("/")[2].startswith(f"{library}.so")


def _mapped(facts: Facts, owner: str) -> tuple[str, ...]:
    modules = {one.module for one in QUESTIONS if one.distribution == owner}
    asked = facts.questions.asked if facts.questions else ()
    return tuple(path for one in asked if one.module in modules for path in one.mapped)


def _numbers(answer: Answer) -> Numbers | None:
    value = answer.value
    if not isinstance(value, list) or not value:
        return None
    numbers = tuple(one for one in value if type(one) is int)
    return numbers if len(numbers) == len(value) else None


def _answers(facts: Facts) -> Iterator[tuple[Question, Answer]]:
    """Each question with its answer: they come in the order in which a module was asked."""
    for asked in facts.questions.asked if facts.questions else ():
        mine = [one for one in _asked(facts.inventory) if one.module == asked.module]
        yield from zip(mine, asked.answers, strict=False)
