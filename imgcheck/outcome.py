"""What a run says of an image: faults, findings, results of checks, and the report that holds them.

Everything here is a frozen value. The exit status is decided once, in `Report.exit_code`, never by a renderer.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from imgcheck.errors import ExitCode

if TYPE_CHECKING:
    from imgcheck.gpu_summary import GpuSummary
    from imgcheck.overview import Overview


class CheckState(str, Enum):
    """How a check ended."""

    KEPT = "kept"
    BROKEN = "broken"
    UNVERIFIED = "unverified"
    SKIPPED = "skipped"
    ERROR = "error"


class FindingState(str, Enum):
    """What a finding means for the verdict."""

    BROKEN = "broken"
    INHERITED = "inherited"
    WAIVED = "waived"
    WARNED = "warned"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, kw_only=True)
class Location:
    """A place in a contract, Dockerfile or requirements file. Lines count from 1."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Who did it: the build step, and the requirement that forced it. Empty where it cannot be told.

    Args:
        step: the step's command; `step_location` is its place in the Dockerfile.
        requirement: what forced it; `location` is where a requirements file or the Dockerfile asks for that.
        how: how the step is known, or why it cannot be told.
        path: from what was asked for down to what was moved by it, as "requirements.txt:3", "onnx 1.12", "protobuf".
    """

    step: str = ""
    step_location: Location | None = None
    requirement: str = ""
    location: Location | None = None
    how: str = ""
    path: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that is wrong, as a check tells it.

    Args:
        subject: what is wrong: a distribution, a module, a probe.
        summary: one sentence for people.
        expected: what the contract, or installed metadata, asks for.
        actual: what is there.
        baseline: the base image's value, where it has one.
        remedy: the way out.
        cause: who did it, as far as known.
        location: where the promise is written.
        evidence: a traceback or the tail of a log.
        details: the further subjects that hang on the same cause.
        identity: what makes it the very same fault in another image; subject and actual unless given.
        unverified: it could not be told; `actual` says why.
        note: it is told and does not break the contract.
        blame: distributions, by canonical name, whose installation or removal did it: the latest of them counts.
    """

    subject: str
    summary: str
    expected: str = ""
    actual: str = ""
    baseline: str = ""
    remedy: str = ""
    cause: Cause = field(default_factory=Cause)
    location: Location | None = None
    evidence: str = ""
    details: tuple[str, ...] = ()
    identity: str = ""
    unverified: bool = False
    note: bool = False
    blame: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        return (self.subject, self.identity or self.actual)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What a check's pure function answers: what it looked at, and what was wrong.

    Args:
        examined: how many subjects were looked at; zero is never a pass.
        unit: what is counted, in the plural ("modules").
        faults: what was wrong.
        passed_over: what was seen and not judged, by reason; listed, never counted as kept.
    """

    examined: int
    unit: str
    faults: tuple[Fault, ...] = ()
    passed_over: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A fault with its meaning for the verdict. `excuse` is the reason, owner and end of the waiver that covers it."""

    code: str
    name: str
    fault: Fault
    state: FindingState
    excuse: str = ""

    @property
    def id(self) -> str:
        """Stable over runs and images, for `imgcheck explain` and fingerprints."""
        text = "\0".join((self.code, *self.fault.key)).encode("utf-8", "surrogatepass")
        return f"{self.code}-{hashlib.sha256(text).hexdigest()[:8]}"


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """How one check ended. `reason` says why where it is skipped, unverified or in error."""

    code: str
    name: str
    summary: str
    state: CheckState
    examined: int = 0
    unit: str = ""
    findings: tuple[Finding, ...] = ()
    passed_over: tuple[tuple[str, int], ...] = ()
    reason: str = ""

    def count(self, state: FindingState) -> int:
        return sum(finding.state is state for finding in self.findings)


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a set of facts came from: collected now, or reused for the same content."""

    what: str
    image: str
    reused: bool
    collected_at: str
    seconds: float = 0.0


class RemarkKind(str, Enum):
    """What is worth knowing of an import, though no check asks for it."""

    SLOW = "slow import"
    NETWORK = "tried the network"
    ENVIRONMENT = "changed the environment"
    PROCESSES = "left processes"
    THREADS = "left threads"
    DIRECTORY = "changed the working directory"
    SIGNALS = "changed signal handlers"
    PATH = "changed sys.path"


@dataclass(frozen=True, kw_only=True)
class Remark:
    """Something that decides nothing.

    Args:
        subject: the module that does it or, of several, the one that takes the least time: the others may import it.
        detail: what exactly: seconds, addresses, variables.
        others: how many more modules do the very same.
    """

    kind: RemarkKind
    subject: str
    detail: str
    others: int = 0


@dataclass(frozen=True, kw_only=True)
class Report:
    """The whole answer of a run.

    Args:
        image: the reference the user gave.
        digest: the image's content digest.
        repo_digests: the same content by its names in registries, as "registry.example/a@sha256:…".
        contract: the contract's path; `contract_digest` is its content's.
        base: the base's reference, `base_digest` its content's.
        results: one for each check, in the registry's order.
        sources: which facts were collected, and which reused.
        notices: auxiliary steps that failed, and what else must be shown and does not change the verdict.
        remarks: what imports do that is worth knowing.
        gpu: what the image has for the fleet's GPUs, where the contract names a fleet.
        overview: the image at a glance: steps, what differs from the base, the import sweep.
        strict: unverified results fail. `strict_base`: inherited findings fail.
    """

    image: str
    digest: str
    contract: str
    contract_digest: str
    base: str
    base_digest: str
    results: tuple[CheckResult, ...]
    sources: tuple[Source, ...] = ()
    notices: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    gpu: GpuSummary | None = None
    overview: Overview | None = None
    tags: tuple[str, ...] = ()
    repo_digests: tuple[str, ...] = ()
    strict: bool = False
    strict_base: bool = False

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for result in self.results for finding in result.findings)

    @property
    def checks_by_state(self) -> Counter[CheckState]:
        return Counter(result.state for result in self.results)

    @property
    def findings_by_state(self) -> Counter[FindingState]:
        return Counter(finding.state for finding in self.findings)

    @property
    def exit_code(self) -> ExitCode:
        """Worst first: a broken contract stays broken even where another check could not run."""
        states = self.checks_by_state
        if states[CheckState.BROKEN]:
            return ExitCode.BROKEN
        if states[CheckState.ERROR]:
            return ExitCode.CHECK_ERROR
        unverified = states[CheckState.UNVERIFIED] or self.findings_by_state[FindingState.UNVERIFIED]
        if self.strict and unverified:
            return ExitCode.BROKEN
        if not states[CheckState.KEPT]:
            return ExitCode.NOTHING_CHECKED
        return ExitCode.KEPT

    @property
    def kept(self) -> bool:
        return self.exit_code is ExitCode.KEPT
