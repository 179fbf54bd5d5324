"""A contract that people have edited, brought up to date: exact pins follow the base, loosened ones stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from imgcheck.contract.change import Change, ChangeKind
from imgcheck.contract.editing import ContractEditor
from imgcheck.contract.loader import parse_contract
from imgcheck.contract.model import Contract, specifier_set
from imgcheck.contract.pinning import Choice, Installed
from imgcheck.contract.wording import quoted
from imgcheck.diagnosis.versions import allows, parse_version
from imgcheck.errors import ContractError
from imgcheck.facts.model import ImageFacts


@dataclass(frozen=True, kw_only=True)
class BaseFacts:
    """What a contract says of its base. `python` is the interpreter's whole version."""

    image: ImageFacts
    reference: str
    digest: str
    python: str

    @property
    def minor_python(self) -> str:
        return self.python_to(2)

    def python_to(self, parts: int) -> str:
        """So many numbers of the version: 3.11 of 3.11.7rc1."""
        return ".".join(re.findall(r"\d+", self.python)[:parts])


@dataclass(frozen=True, kw_only=True)
class Step:
    """A contract's text, and how it came about."""

    text: str
    changes: tuple[Change, ...]
    conflicts: tuple[str, ...] = ()


def renew(
    existing: str, path: str, *, facts: BaseFacts, installed: Installed, choice: Choice, above: Mapping[str, str]
) -> Step:
    """Edit the text of a contract.

    Args:
        existing: the text.
        path: its name in messages.
        facts: the base.
        installed: what is installed in it.
        choice: which pins may change.
        above: pins of the contract that this one extends; they are not written again.

    Raises:
        ContractError: the contract cannot be read, or not be edited.
    """
    contract = parse_contract(existing, path)
    editor = ContractEditor(existing, path)
    pins = _kept_pins(contract, installed, choice)
    pins |= _new_pins(pins, installed, choice, above)
    about_base = tuple(_edit_base(editor, contract, facts))
    comments = editor.set_pins(contract.pins, pins)
    text = editor.result()
    _check_edit(text, path, contract, pins)
    return Step(
        text=text,
        changes=(*about_base, *_pin_changes(contract.pins, pins, comments, choice)),
        conflicts=(*_unfit_pins(contract, pins, installed, choice), *_unfit_above(pins, installed, choice, above)),
    )


def _kept_pins(contract: Contract, installed: Installed, choice: Choice) -> dict[str, str]:
    """The pins that stay, with the versions of now."""
    kept: dict[str, str] = {}
    for name, pin in contract.pins.items():
        if not choice.touches(name) or (name in installed.unpinnable and name not in choice.exclude):
            kept[name] = pin
        elif name in installed.versions and name not in choice.exclude:
            kept[name] = _renewed(pin, installed.versions[name])
    return kept


def _new_pins(
    pins: Mapping[str, str], installed: Installed, choice: Choice, above: Mapping[str, str]
) -> dict[str, str]:
    return {
        name: version
        for name, version in installed.versions.items()
        if name not in pins and name not in above and choice.adds(name)
    }


def _renewed(pin: str, version: str) -> str:
    """An exact pin follows what is installed, in the way it is written; a looser one stays."""
    exact = pin.strip().removeprefix("==").strip()
    old, new = parse_version(exact), parse_version(version)
    if old is None or old == new:
        return pin
    return f"=={version}" if pin.strip().startswith("==") else version


def _unfit_pins(contract: Contract, pins: Mapping[str, str], installed: Installed, choice: Choice) -> Iterator[str]:
    """Pins that were left as they are and do not allow what is installed."""
    for name, pin in contract.pins.items():
        if not choice.touches(name) or pins.get(name) != pin:
            continue
        where = contract.where("pins", name)
        if name in installed.unpinnable:
            yield f"{where} pins {name} {pin}, and the version that is installed cannot be compared"
        elif not _fits(pin, installed.versions[name]):
            yield f"{where} pins {name} {pin}, and {installed.versions[name]} is installed; the pin is left as it is"


def _unfit_above(
    pins: Mapping[str, str], installed: Installed, choice: Choice, above: Mapping[str, str]
) -> Iterator[str]:
    for name, pin in above.items():
        version = installed.versions.get(name)
        if version and name not in pins and choice.touches(name) and not _fits(pin, version):
            yield f"the contract that this one extends pins {name} {pin}, and {version} is installed"


def _fits(pin: str, text: str) -> bool:
    version = parse_version(text)
    return version is not None and allows(specifier_set(pin), version)


def _edit_base(editor: ContractEditor, contract: Contract, facts: BaseFacts) -> Iterator[Change]:
    if contract.base is None:
        editor.add_at_top("base:", f"  image: {quoted(facts.reference)}", f"  digest: {quoted(facts.digest)}")
        yield Change(kind=ChangeKind.ADDED, name="base.image", new=facts.reference)
        yield Change(kind=ChangeKind.ADDED, name="base.digest", new=facts.digest)
    else:
        if contract.base.image != facts.reference:
            editor.set_text(("base", "image"), facts.reference)
            yield _changed("base.image", contract.base.image, facts.reference)
        yield from _edit_digest(editor, contract.base.digest, facts)
    yield from _edit_python(editor, contract.python, facts)


def _edit_digest(editor: ContractEditor, old: str | None, facts: BaseFacts) -> Iterator[Change]:
    """A digest that names the same content stays, be it the image ID or a repository's."""
    if old is None:
        editor.add_to_base("digest", facts.digest)
        yield Change(kind=ChangeKind.ADDED, name="base.digest", new=facts.digest)
    elif not facts.image.is_digest(old):
        editor.set_text(("base", "digest"), facts.digest)
        yield _changed("base.digest", old, facts.digest)


def _edit_python(editor: ContractEditor, old: str | None, facts: BaseFacts) -> Iterator[Change]:
    """A version is renewed as exactly as it was written; the path of an interpreter stays."""
    if old is None:
        editor.add_at_top(f"python: {quoted(facts.minor_python)}")
        yield Change(kind=ChangeKind.ADDED, name="python", new=facts.minor_python)
        return
    new = facts.python_to(old.count(".") + 1)
    if not old.startswith("/") and old != new:
        editor.set_text(("python",), new)
        yield _changed("python", old, new)


def _check_edit(text: str, path: str, before: Contract, pins: Mapping[str, str]) -> None:
    """The text says what was meant, and nothing else has changed: anchors and merge keys can stand in the way."""
    renewed = {"pins", "base", "python"}
    try:
        after = parse_contract(text, path)
        meant = after.pins == pins and after.model_dump(exclude=renewed) == before.model_dump(exclude=renewed)
    except ContractError:
        meant = False
    if not meant:
        raise ContractError(
            f"{path}: cannot be edited, because of the anchors, aliases or merge keys in it",
            remedy="Write each pin as a plain 'name: version', one a line.",
        )


def _pin_changes(
    old: Mapping[str, str], new: Mapping[str, str], comments: Mapping[str, str], choice: Choice
) -> Iterator[Change]:
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            yield Change(kind=ChangeKind.ADDED, name=name, new=new[name])
        elif name not in new:
            why = "excluded" if name in choice.exclude else "not installed any more"
            note = "; ".join(filter(None, (why, comments.get(name))))
            yield Change(kind=ChangeKind.REMOVED, name=name, old=old[name], note=note)
        elif old[name] != new[name]:
            yield _changed(name, old[name], new[name])


def _changed(name: str, old: str, new: str) -> Change:
    return Change(kind=ChangeKind.CHANGED, name=name, old=old, new=new)
