"""What a build will do, settled before the builder starts: which FROMs are the contract's base, and what is told.

A target that does not go back to the base is an error here: nothing would be in force, silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from imgcheck.build.dockerfile import find_dockerfile
from imgcheck.build.labels import image_labels
from imgcheck.build.options import BuildOptions
from imgcheck.build.references import Reference, parse_reference
from imgcheck.build.stages import SCRATCH, Dockerfile, Stage, read_dockerfile
from imgcheck.contract.model import Contract
from imgcheck.engines.engine import Engine
from imgcheck.errors import UsageError
from imgcheck.facts.model import ImageFacts
from imgcheck.there import is_folder

_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
_VARIABLE = r"(?:PIP|UV)_CONSTRAINT"
_DEFINED = re.compile(rf"(?:^|\s)({_VARIABLE})(?:[=\s]|$)")
_SET_IN_SHELL = re.compile(rf"(?<![\w${{])({_VARIABLE})=|(?:unset|-u)\s+({_VARIABLE})\b")
_IMAGE_CONTEXT = "docker-image://"


@dataclass(frozen=True, kw_only=True)
class BuildPlan:
    """All that the builder needs.

    Args:
        context: the build context, absolute, or a URL as given.
        target: the stage to build.
        base: the base's content; `base_reference` is the contract's name for it.
        replaced: names of the build contexts that give the derived base instead.
        constraints: the merged constraints file's text.
        labels: OCI labels and our own, the user's among them.
        notices: what the user must be told and does not stop the build.
        on_base: indexes of the needed stages that go back to the base.
    """

    contract: Contract
    context: str
    dockerfile: Dockerfile
    target: Stage
    base: ImageFacts
    base_reference: str
    replaced: tuple[str, ...]
    constraints: str
    labels: Mapping[str, str]
    options: BuildOptions
    notices: tuple[str, ...] = ()
    on_base: frozenset[int] = frozenset()


def plan_build(
    engine: Engine,
    contract: Contract,
    base: ImageFacts,
    *,
    context: Path,
    dockerfile: Path | None = None,
    constraints: str,
    options: BuildOptions | None = None,
) -> BuildPlan:
    """Settles a build.

    Args:
        engine: asked what local names hold.
        contract: names the base.
        base: the base by content, as `imgcheck.images.find_base` gives it.
        context: the folder that COPY copies from.
        dockerfile: what -f names; CONTEXT/Dockerfile without it.
        constraints: text of the merged constraints file.
        options: what the user hands on to the builder.

    Raises:
        UsageError: the Dockerfile, an option or the target's base is wrong; with file and line.
    """
    options = options or BuildOptions()
    if contract.base is None:
        raise UsageError(f"{contract.path} names no base, so no FROM can be replaced", remedy="write base: {image: …}")
    if not is_folder(context):
        raise UsageError(f"the build context {context} is no folder", remedy="name a folder; URLs are not supported")
    read = _read(engine, find_dockerfile(context, dockerfile), options)
    target = read.target(options.target)
    bases = _Bases(engine, contract.base.image, base, read, options)
    bases.must_hold(target)
    return BuildPlan(
        contract=contract,
        context=str(context.absolute()),
        dockerfile=read,
        target=target,
        base=base,
        base_reference=contract.base.image,
        replaced=bases.replaced(target),
        constraints=constraints,
        labels=image_labels(contract, base, read, target, context=context, user=options.user_labels()),
        options=options,
        on_base=bases.stages(target),
        notices=(*bases.unconstrained(target), *_own_constraints(read, target)),
    )


def _read(engine: Engine, path: Path, options: BuildOptions) -> Dockerfile:
    machine = engine.info().architecture
    native = f"linux/{_MACHINES.get(machine, machine)}"
    return read_dockerfile(
        path, build_args=options.arguments(), platform=options.platform or native, build_platform=native
    )


class _Bases:
    """Tells which stages are FROM the contract's base: by name, or by the content that a name holds here."""

    def __init__(
        self, engine: Engine, name: str, facts: ImageFacts, dockerfile: Dockerfile, options: BuildOptions
    ) -> None:
        self._engine = engine
        self._name = name
        self._reference = parse_reference(name)
        self._facts = facts
        self._dockerfile = dockerfile
        self._options = options
        self._contexts = options.contexts()
        self._known: dict[str, bool] = {}

    def must_hold(self, target: Stage) -> None:
        """Raises UsageError unless the target goes back to the base."""
        root = self._root(target)
        if not self._is_base(root):
            raise self._other_base(target, root)

    def replaced(self, target: Stage) -> tuple[str, ...]:
        """Names of the contexts that replace the base."""
        names: dict[str, None] = {}
        for stage in self._dockerfile.needed(target):
            reference = parse_reference(stage.image)
            if stage.parent is None and reference and self._is_base(stage):
                self._same_platform(stage)
                self._no_stage_named(reference.context_name, stage)
                names[reference.context_name] = None
        return tuple(names)

    def stages(self, target: Stage) -> frozenset[int]:
        """Indexes of the needed stages that go back to the base."""
        needed = self._dockerfile.needed(target)
        return frozenset(one.index for one in needed if self._is_base(self._root(one)))

    def unconstrained(self, target: Stage) -> Iterator[str]:
        """A notice for each other image that a needed stage runs commands on."""
        told: set[int] = set()
        for stage in self._dockerfile.needed(target):
            root = self._root(stage)
            runs = any(one.keyword == "RUN" for one in self._dockerfile.of_stage(stage))
            if runs and root.index not in told and not self._is_base(root):
                told.add(root.index)
                yield (
                    f"{self._dockerfile.place(root.start_line)}: {root.label} is FROM {root.image}, not the contract's "
                    "base: no constraints are in force there"
                )

    def _root(self, stage: Stage) -> Stage:
        return self._dockerfile.lineage(stage)[-1]

    def _is_base(self, root: Stage) -> bool:
        if root.image.lower() == SCRATCH or root.name in self._contexts:
            return False
        if root.image not in self._known:
            self._known[root.image] = self._holds_base(root.image)
        return self._known[root.image]

    def _holds_base(self, image: str) -> bool:
        reference = parse_reference(image)
        given = self._contexts.get(reference.context_name) if reference else None
        if given is not None:
            if not given.startswith(_IMAGE_CONTEXT):
                return False
            image = given.removeprefix(_IMAGE_CONTEXT)
            reference = parse_reference(image)
        if reference is None:
            return False
        if reference.digest:
            return self._facts.is_digest(reference.digest)
        return self._same_name(reference) or self._same_content(image)

    def _same_name(self, reference: Reference) -> bool:
        return self._reference is not None and reference.same_name(self._reference)

    def _same_content(self, image: str) -> bool:
        local = self._engine.inspect(image)
        return local is not None and local.digest == self._facts.digest

    def _other_base(self, target: Stage, root: Stage) -> UsageError:
        line = self._dockerfile.lineage(target)
        way = "".join(f", which is FROM {one.label}" for one in line[1:])
        image = root.image if root.image == root.expression else f"{root.expression} ({root.image})"
        if root.name in self._contexts:
            image = f"the build context {root.name}={self._contexts[root.name]}"
        return UsageError(
            f"{self._dockerfile.place(root.start_line)}: the target is {target.label}{way}, which is FROM {image}; "
            f"the contract's base is {self._name} ({self._facts.digest[:19]})",
            remedy=self._way_back(root),
        )

    def _way_back(self, root: Stage) -> str:
        if root.image.lower() == SCRATCH:
            return f"end in a stage FROM {self._name}: files copied onto scratch leave the base's promises behind"
        argument = re.search(r"\$\{?(\w+)", root.expression)
        if argument and root.expression in (f"${argument[1]}", f"${{{argument[1]}}}"):
            return f"give --build-arg {argument[1]}={self._name}, or the contract of {root.image} with --contract"
        return f"write FROM {self._name}, name another stage with --target, or give the contract of {root.image}"

    def _same_platform(self, stage: Stage) -> None:
        wanted = self._options.platform or f"{self._facts.os}/{self._facts.architecture}"
        if stage.platform and stage.platform.split("/")[:2] != wanted.split("/")[:2]:
            raise UsageError(
                f"{self._dockerfile.place(stage.start_line)}: FROM --platform={stage.platform} of the contract's base "
                f"in a build for {wanted}: the base is replaced for one platform only",
                remedy="leave --platform out of this FROM",
            )

    def _no_stage_named(self, context: str, base_stage: Stage) -> None:
        """BuildKit replaces a whole stage whose name is a build context's, its instructions and all."""
        stage = next((one for one in self._dockerfile.stages if one.name == context), None)
        if stage is not None:
            raise UsageError(
                f"{self._dockerfile.place(stage.start_line)}: the stage {stage.name!r} has the name of the base image "
                f"that line {base_stage.start_line} is FROM, so that BuildKit cannot tell one from the other",
                remedy=f"name the stage differently, as in FROM {base_stage.expression} AS {stage.name}-stage",
            )


def _own_constraints(dockerfile: Dockerfile, target: Stage) -> Iterator[str]:
    """Where the Dockerfile sets the very variables that put the constraints in force."""
    for stage in dockerfile.needed(target):
        for one in dockerfile.of_stage(stage):
            text = "\n".join((one.value, *(heredoc.content for heredoc in one.heredocs)))
            pattern = {"ENV": _DEFINED, "ARG": _DEFINED, "RUN": _SET_IN_SHELL}.get(one.keyword)
            found = pattern.search(text) if pattern else None
            if found:
                yield (
                    f"{dockerfile.place(one.start_line)}: {one.keyword} sets {found[found.lastindex or 0]} itself: "
                    "the contract's constraints are not in force there"
                )
