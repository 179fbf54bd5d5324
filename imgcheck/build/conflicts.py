"""Conflicts between a requirement and a pin in pip's and uv's own words, told with the place of the pin.

pip: "The user requested (constraint) protobuf==5.29.3". uv does not say what came from a constraint, so the contract's
pins are looked for in its sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from packaging.utils import canonicalize_name

from imgcheck.contract.model import Contract, specifier_set

_PIP_CAUSES = re.compile(r"The conflict is caused by:\n((?:[ \t]+\S[^\n]*\n?)+)")
_PIP_CONSTRAINT = re.compile(r"The user requested \(constraint\) (\S.*)")
_PIP_ASKED = re.compile(r"The user requested (?!\(constraint\))(\S.*)")
_PIP_DEPENDS = re.compile(r"(\S+ \S+) depends on (\S.*)")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_UV_STOP = re.compile(r"No solution found when resolving[^\n]*\n(.*)", re.DOTALL)
_UV_REQUIREMENT = (
    r"(?:(?P<by>[A-Za-z0-9][\w.\-]*(?:[=<>!~]=?\S+)?) depends? on|you require) "
    r"(?P<what>{name}(?:\[[^\]]*\])?[<>=!~][^\s]*)"
)
_ISOLATED = re.compile(
    r"(?:subprocess to install|installing) build dependencies did not run|build-system\.requires", re.IGNORECASE
)
_BUILDING = re.compile(r"^(?:Collecting|Processing) (\S+)", re.MULTILINE)
_UV_BUILDING = re.compile(r"Failed to (?:build|download and build|resolve requirements)[^`\n]*`([^`]+)`")


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """What conflicts, as a message and the way out. `isolated`: where a source distribution is built."""

    message: str
    remedy: str
    isolated: bool = False


@dataclass(frozen=True, kw_only=True)
class Clash:
    """A requirement against a pin. `by` is who asks for it; empty for the user."""

    name: str
    pin: str
    requirement: str
    by: str = ""


def explain_conflict(log: str, contract: Contract) -> Conflict | None:
    """The conflict that a step's log tells; None where it tells none."""
    clashes = clashes_of(log, contract)
    if clashes:
        return _in_isolation(log, clashes, contract) if _ISOLATED.search(log) else _with_pin(clashes, contract)
    if "ResolutionImpossible" in log or (_UV_STOP.search(log) and "there is no version of" not in log):
        return Conflict(
            message="the requirements contradict each other, whatever the contract pins",
            remedy="the installer's own words are below",
        )
    return None


def clashes_of(log: str, contract: Contract) -> tuple[Clash, ...]:
    """The requirements that an installer's words set against pins."""
    return _pip_clashes(_unindented(log)) or _uv_clashes(log, contract)


def _unindented(log: str) -> str:
    """Blocks of an inner pip, which are shown indented, read like the outer one's."""
    block = re.search(r"^( +)The conflict is caused by:$", log, re.MULTILINE)
    return re.sub(rf"^ {{{len(block[1])}}}", "", log, flags=re.MULTILINE) if block else log


def _pip_clashes(log: str) -> tuple[Clash, ...]:
    found: dict[Clash, None] = {}
    for block in _PIP_CAUSES.findall(log):
        lines = [line.strip() for line in block.splitlines()]
        pins = {
            canonicalize_name(_name(match[1])): match[1] for match in map(_PIP_CONSTRAINT.fullmatch, lines) if match
        }
        for line in lines:
            asked = _asked(line)
            if asked and asked[1] and canonicalize_name(_name(asked[1])) in pins:
                name = canonicalize_name(_name(asked[1]))
                found[Clash(name=name, pin=pins[name], requirement=asked[1], by=asked[0])] = None
    return tuple(found)


def _asked(line: str) -> tuple[str, str] | None:
    """(who asks, requirement) of one line of pip's explanation."""
    direct = _PIP_ASKED.fullmatch(line)
    if direct:
        return "", direct[1]
    depends = _PIP_DEPENDS.fullmatch(line)
    return (depends[1], depends[2]) if depends else None


def _name(requirement: str) -> str:
    match = _NAME.match(requirement)
    return match[0] if match else requirement


def _uv_clashes(log: str, contract: Contract) -> tuple[Clash, ...]:
    match = _UV_STOP.search(log)
    if not match:
        return ()
    sentence = " ".join(re.sub(r"[│╰─▶]|cause:|hint:", " ", match[1]).split())
    return tuple(
        clash for name, pin in contract.pins.items() for clash in _uv_clash(sentence, name, str(specifier_set(pin)))
    )


def _uv_clash(sentence: str, name: str, specifier: str) -> list[Clash]:
    """Of "Because you require protobuf>=6 and protobuf==5.29.3": the requirements that are not the pin itself."""
    written = re.escape(name).replace(r"\-", "[-_.]")
    if not re.search(rf"(?<![\w.-]){written}(?:[<>=!~]|\b)", sentence):
        return []
    found = re.finditer(_UV_REQUIREMENT.format(name=written), sentence)
    asked = {(match["by"] or "", match["what"].rstrip(",.")) for match in found}
    return [Clash(name=name, pin=f"{name}{specifier}", requirement=what, by=by) for by, what in sorted(asked)]


def _with_pin(clashes: tuple[Clash, ...], contract: Contract) -> Conflict:
    said = "; ".join(f"{wish_of(one)}, and {pin_of(one, contract)}" for one in clashes)
    first = clashes[0]
    who = first.by.split(" ")[0].split("=")[0] if first.by else ""
    ask = f"choose a version of {who} that accepts {first.pin}" if who else f"ask for what {first.pin} meets"
    return Conflict(
        message=said, remedy=f"{ask}; or build on a base whose {first.name} is the one that is needed, and freeze that"
    )


def wish_of(clash: Clash) -> str:
    """Who asks for what: "x 1.0 needs y<2"."""
    return f"{clash.by} needs {clash.requirement}" if clash.by else f"the build asks for {clash.requirement}"


def pin_of(clash: Clash, contract: Contract) -> str:
    """Where it is pinned: "the contract pins y==3 (base.yaml:5)"."""
    if clash.name in contract.pins:
        return f"the contract pins {clash.pin}{placed(contract, 'pins', clash.name)}"
    return f"a constraints file pins {clash.pin}{placed(contract, 'constraints', 'files')}"


def placed(contract: Contract, *keys: str) -> str:
    """Where a promise is written, in brackets; nothing where it cannot be told."""
    place = contract.where(*keys)
    return f" ({place})" if place else ""


def _in_isolation(log: str, clashes: tuple[Clash, ...], contract: Contract) -> Conflict:
    """The pins reached the private environment in which a source distribution is built."""
    found = [*_UV_BUILDING.findall(log), *_BUILDING.findall(log)]
    package = found[-1] if found and found[-1] != "build-system.requires" else "a source distribution"
    needs = "; ".join(f"{one.requirement}, and {pin_of(one, contract)}" for one in clashes)
    wanted = contract.constraints.build
    why = (
        f"constraints.build{placed(contract, 'constraints', 'build')} puts the pins in force there"
        if wanted
        else "pip before 26.2 puts PIP_CONSTRAINT in force inside isolated builds as well"
    )
    out = "set constraints.build to false" if wanted else "update pip in the image to 26.2 or newer"
    spare = "PIP_CONSTRAINT= PIP_BUILD_CONSTRAINT=" if wanted else "PIP_CONSTRAINT="
    name = package if package != "a source distribution" else "PACKAGE"
    return Conflict(
        message=f"building {package} from source needs {needs}: {why}",
        isolated=True,
        remedy=f"{out}; or build that one wheel without them and install it with them: RUN {spare} pip wheel --no-deps "
        f"-w /tmp/wheels {name} && pip install /tmp/wheels/*.whl; or install a ready wheel (--only-binary)",
    )
