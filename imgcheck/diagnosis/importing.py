"""Why an import fails: the rules in order, and which exception of a chain decides.

Code that tries one import after another leaves a chain. An exception that would break the contract by itself goes
before one that would not. Of failures below Python the deepest is the root; of imports the last that was tried is what
the traceback ends with. Errors of the language decide themselves: what was caught on the way to a TypeError does not
excuse it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from imgcheck.diagnosis import missing_module, missing_name, native, raised
from imgcheck.diagnosis.reasons import CANNOT_BE_TOLD, NOTED, PASSED_OVER, Diagnosis, Reason
from imgcheck.diagnosis.scene import Scene, exceptions_of, is_genuine, scene_of
from imgcheck.diagnosis.world import World
from imgcheck.facts.model import ImportFailure, ModuleFacts, Raised

Rule = Callable[[Scene], Diagnosis | None]

_NATIVE: Final[tuple[Rule, ...]] = (native.gpu_driver, native.missing_library, native.native_mismatch)
_IMPORTS: Final[tuple[Rule, ...]] = (
    missing_module.missing_metadata,
    missing_module.missing_module,
    missing_name.missing_name,
)
_OTHERS: Final[tuple[Rule, ...]] = (
    raised.syntax_error,
    raised.other_platform,
    raised.forbidden,
    raised.network,
    raised.version_conflict,
    raised.refusal,
    raised.configuration,
    raised.raised_elsewhere,
)
_LANGUAGE_ERRORS: Final = frozenset({"AttributeError", "NameError", "SyntaxError", "TypeError", "UnboundLocalError"})
_MILD: Final = frozenset(PASSED_OVER) | NOTED | CANNOT_BE_TOLD


def diagnose(world: World, module: ModuleFacts, failure: ImportFailure) -> Diagnosis:
    """The first rule that knows the failure."""
    exceptions = exceptions_of(failure)
    below = _of_any(_NATIVE, world, module, failure, exceptions[::-1])
    found = below or _by_imports(world, module, failure, exceptions)
    return _with_mixed_files(world, found or _by_last_word(world, module, failure, exceptions))


def _by_imports(
    world: World, module: ModuleFacts, failure: ImportFailure, exceptions: tuple[Raised, ...]
) -> Diagnosis | None:
    if failure.type in _LANGUAGE_ERRORS:
        return _of_any(_IMPORTS, world, module, failure, exceptions[:1])
    return _of_any(_IMPORTS, world, module, failure, tuple(one for one in exceptions if is_genuine(one)))


def _by_last_word(
    world: World, module: ModuleFacts, failure: ImportFailure, exceptions: tuple[Raised, ...]
) -> Diagnosis:
    """A wrapper's words ("could not import x") say less than the error of the language that it wraps."""
    wrapped = (one for one in reversed(exceptions[1:]) if one.type in _LANGUAGE_ERRORS)
    error = failure if failure.type in _LANGUAGE_ERRORS else next(wrapped, failure)
    scene = scene_of(world, module, failure, error)
    return _first((*_IMPORTS, *_OTHERS), scene) or raised.own_error(scene)


def _of_any(
    rules: tuple[Rule, ...],
    world: World,
    module: ModuleFacts,
    failure: ImportFailure,
    exceptions: tuple[Raised, ...],
) -> Diagnosis | None:
    """The first exception that breaks by itself; where none does, the first that a rule knows."""
    scenes = [scene_of(world, module, failure, one) for one in exceptions]
    found = [diagnosis for scene in scenes if (diagnosis := _first(rules, scene))]
    return next((one for one in found if one.reason not in _MILD), found[0] if found else None)


def _first(rules: tuple[Rule, ...], scene: Scene) -> Diagnosis | None:
    return next((found for rule in rules if (found := rule(scene))), None)


def _with_mixed_files(world: World, found: Diagnosis) -> Diagnosis:
    """A distribution that is there twice and contradicts itself is two versions laid over one another."""
    own = found.reason in NOTED or (found.reason is Reason.VERSION_BREAK and found.culprit == found.asker)
    mixed = own and found.asker in world.duplicated
    return replace(found, reason=Reason.MIXED_FILES, culprit=found.asker) if mixed else found
