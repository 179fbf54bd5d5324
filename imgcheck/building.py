"""A build that is settled: what its files say before it runs, the image it gives, and what it would give again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from imgcheck import planning
from imgcheck.build.builder import WorkingImage, built
from imgcheck.build.options import BuildOptions
from imgcheck.build.plan import BuildPlan, plan_build
from imgcheck.constraining import constraints_in_force
from imgcheck.contract.model import Contract
from imgcheck.engines.docker import DockerEngine
from imgcheck.errors import ImgcheckError, UnresolvableBuildError
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.facts.model import ImageFacts, Inventory
from imgcheck.facts.plan import PlanFacts
from imgcheck.facts.rebuild import RebuildFacts
from imgcheck.judging import Selection
from imgcheck.locking.attempting import Trial
from imgcheck.locking.failed_build import explained
from imgcheck.locking.fresh import freshly_resolved
from imgcheck.progress import Progress
from imgcheck.rebuilding import Proof, built_again


@dataclass(frozen=True, kw_only=True)
class BuildRequest:
    """What to build, and the names that the image gets when its contract is kept."""

    context: Path
    dockerfile: Path | None = None
    tags: tuple[str, ...] = ()
    keep_failed: bool = False
    plan: bool = True
    resolving: planning.Resolving = field(default_factory=planning.Resolving)
    prove_rebuild: Proof | None = None
    options: BuildOptions = field(default_factory=BuildOptions)


@dataclass(frozen=True, kw_only=True)
class PreparedBuild:
    """A build that is settled, and what is installed in its base."""

    engine: DockerEngine
    request: BuildRequest
    plan: BuildPlan
    inventory: Inventory
    notes: tuple[str, ...]
    tools_folder: Path | None = None

    def planned(self, selection: Selection, progress: Progress, known: FactsCache | None = None) -> PlanFacts:
        """What the build's files say, and whether what they ask for can be resolved.

        Args:
            selection: of the checks to make.
            progress: is told of resolutions.
            known: where it is kept what had a solution, for a build, which resolves it once more anyway.

        Raises:
            UsageError: a requirement file that an install step names cannot be read as one; with file and line.
        """
        static = self._read()
        if not self.request.resolving.wanted:
            return static
        return planning.resolved(static, self.plan.contract, lambda: self._trial(progress, known), selection)

    @contextmanager
    def built(self, progress: Progress) -> Iterator[WorkingImage]:
        """The image as long as the context lasts.

        Raises:
            UnresolvableBuildError: its constraints leave no solution, which is explained as for a lock.
            BuildError: it did not build otherwise.
        """
        environment = self.engine.endpoint.environment
        try:
            with built(self.engine, self.plan, environment=environment, on_line=progress.line) as working:
                yield working
        except UnresolvableBuildError as error:
            raise self._explained(error, progress) from None

    def _explained(self, error: UnresolvableBuildError, progress: Progress) -> UnresolvableBuildError:
        """With ways out; what keeps them from being looked for hides nothing of the error."""
        if not self.request.resolving.wanted:
            return error
        with suppress(ImgcheckError):
            return explained(error, self._trial(progress), self.plan.dockerfile, self._read().installs)
        return error

    def rebuilt(self, collector: Collector, progress: Progress) -> RebuildFacts | None:
        """What the same files give a second time, where that is to be proven."""
        match self.request.prove_rebuild:
            case "build":
                return built_again(self.engine, self.plan, collector, progress)
            case "resolve":
                return freshly_resolved(self._trial(progress), self._read().installs)
            case None:
                return None

    def _read(self) -> PlanFacts:
        return planning.facts_of(self.plan, self.inventory, self.request.context)

    def _trial(self, progress: Progress, known: FactsCache | None = None) -> Trial:
        return planning.trial_of(
            self.engine, self.plan, self.inventory, self.request.resolving, self.tools_folder, progress, known
        )


def prepare(
    engine: DockerEngine,
    request: BuildRequest,
    contract: Contract,
    base: ImageFacts,
    collector: Collector,
    tools_folder: Path | None,
    progress: Progress,
) -> PreparedBuild:
    """Settles a build: the base looked into, the constraints merged, the Dockerfile read."""
    with progress.step(f"Reading what is installed in {base.reference}"):
        inventory = collector.inventory(base)
    constraints, notes = constraints_in_force(engine, contract, base, inventory.interpreter.markers)
    plan = plan_build(
        engine,
        contract,
        base,
        context=request.context,
        dockerfile=request.dockerfile,
        constraints=constraints,
        options=request.options,
    )
    return PreparedBuild(
        engine=engine, request=request, plan=plan, inventory=inventory, notes=notes, tools_folder=tools_folder
    )
