"""Reports in memory that golden files are made of."""

from __future__ import annotations

from dataclasses import replace

from imgcheck.diagnosis.gpu_code import Runs
from imgcheck.gpu_summary import GpuRow, GpuSummary
from imgcheck.inventory_diff import Change, Direction, Installed, InventoryDiff, Moved, Rebuilt
from imgcheck.outcome import (
    Cause,
    CheckResult,
    CheckState,
    Fault,
    Finding,
    FindingState,
    Location,
    Remark,
    RemarkKind,
    Report,
    Source,
)
from imgcheck.overview import Overview, StepView, Swept, SweptModule


def finding(code: str, name: str, state: FindingState, **fields: object) -> Finding:
    return Finding(code=code, name=name, state=state, fault=Fault(**fields))  # type: ignore[arg-type]


def result(code: str, name: str, state: CheckState, **fields: object) -> CheckResult:
    return CheckResult(code=code, name=name, summary="A summary", state=state, **fields)  # type: ignore[arg-type]


MOVED = finding(
    "IC101",
    "moved-pin",
    FindingState.BROKEN,
    subject="protobuf",
    summary="protobuf was moved from the version that the base image promises.",
    expected="4.25.3",
    actual="3.20.3",
    baseline="4.25.3",
    remedy="Ask for onnx>=1.16, which works with protobuf 4, or move the pin in the base image first.",
    cause=Cause(
        step="RUN pip install --no-cache-dir -r requirements.txt",
        requirement="onnx<1.13 needs protobuf<4,>=3.20.2",
        location=Location(file="requirements.txt", line=3),
        how="time at which pip wrote its files",
        path=("requirements.txt:3", "onnx 1.12.0", "protobuf 3.20.3"),
    ),
    location=Location(file="contracts/base.yaml", line=7),
)
MODULES = tuple(f"numba.np.ufunc.part{index:02}" for index in range(31))
TRACEBACK = "\n".join(
    (
        "Traceback (most recent call last):",
        *(
            f'  File "/opt/venv/lib/python3.11/site-packages/numba/core/part{index}.py", line {index}, in <module>\n'
            f"    from numba.core.part{index + 1} import *"
            for index in range(1, 9)
        ),
        "ImportError: Numba needs NumPy 2.1 or less. Got NumPy 2.3.",
    )
)
NUMBA = finding(
    "IC301",
    "unimportable-module",
    FindingState.BROKEN,
    subject="numba",
    summary="32 modules of numba 0.60.0 cannot be imported.",
    actual="ImportError: Numba needs NumPy 2.1 or less. Got NumPy 2.3.",
    remedy="Pin numpy<2.2, or ask for numba>=0.61.",
    cause=Cause(step="RUN pip install -U numpy", step_location=Location(file="Dockerfile", line=9)),
    evidence=TRACEBACK,
    details=(*MODULES, "numba.cuda (as in the base image)"),
)
EMPTY = finding(
    "IC301",
    "unimportable-module",
    FindingState.BROKEN,
    subject="tensorboard_plugin",
    summary="tensorboard_plugin cannot be imported.",
    actual="ModuleNotFoundError: No module named 'tensorboard_plugin'",
    remedy="Build the wheel again: its RECORD lists no module.",
)
UNTOLD = finding(
    "IC601",
    "failed-probe",
    FindingState.UNVERIFIED,
    subject="exporter",
    summary="The exporter probe needs a GPU driver, and there is none here.",
    actual="libcuda.so.1 is the driver's",
    unverified=True,
)
INHERITED = tuple(
    finding("IC301", "unimportable-module", FindingState.INHERITED, subject=f"torch.old{index}", summary="It is old.")
    for index in range(2)
)
WAIVED = finding(
    "IC301",
    "unimportable-module",
    FindingState.WAIVED,
    subject="foo.win32.registry",
    summary="foo.win32.registry cannot be imported.",
    actual="ModuleNotFoundError: No module named 'winreg'",
)
WAIVED = replace(WAIVED, excuse="Windows only (platform, until 2027-01-31)")
WARNED = finding(
    "IC902",
    "unused-waiver",
    FindingState.WARNED,
    subject="IC3 bar.*",
    summary="The waiver of IC3 for bar.* matches no finding.",
    remedy="Remove it from the contract.",
    location=Location(file="contracts/base.yaml", line=41),
    note=True,
)

BROKEN = Report(
    image="my/train:1",
    digest="sha256:" + "4f1c2ab90d3e5678" * 4,
    contract="contracts/train.yaml",
    contract_digest="sha256:" + "9a8b7c6d5e4f3210" * 4,
    base="registry.example/ml/base:2026.11",
    base_digest="sha256:" + "0badcafe12345678" * 4,
    results=(
        result("IC101", "moved-pin", CheckState.BROKEN, examined=143, unit="pins", findings=(MOVED,)),
        result("IC102", "missing-pin", CheckState.KEPT, examined=143, unit="pins"),
        result("IC104", "unmet-requirement", CheckState.SKIPPED, reason="not asked for by the contract"),
        result("IC105", "wrong-python", CheckState.SKIPPED, reason="not asked for by the contract"),
        result("IC201", "empty-distribution", CheckState.KEPT, examined=148, unit="distributions"),
        result(
            "IC301",
            "unimportable-module",
            CheckState.BROKEN,
            examined=5312,
            unit="modules",
            findings=(NUMBA, EMPTY, *INHERITED, WAIVED),
            passed_over=(("tests inside packages", 412), ("excluded by the contract", 3)),
        ),
        result("IC302", "crashing-import", CheckState.KEPT, examined=5312, unit="modules"),
        result("IC303", "hanging-import", CheckState.UNVERIFIED, unit="modules", reason="nothing to examine"),
        result(
            "IC601",
            "failed-probe",
            CheckState.UNVERIFIED,
            examined=3,
            unit="probes",
            findings=(UNTOLD,),
            reason="exporter: libcuda.so.1 is the driver's",
        ),
        result(
            "IC604",
            "failed-smoke",
            CheckState.ERROR,
            reason="The collector's answer ended half way.\nRun it again with --keep to look into the container.",
        ),
        result("IC805", "image-size", CheckState.SKIPPED, reason="not selected"),
        result("IC902", "unused-waiver", CheckState.KEPT, examined=2, unit="waivers", findings=(WARNED,)),
    ),
    sources=(
        Source(
            what="inventory",
            image="sha256:" + "0badcafe12345678" * 4,
            reused=True,
            collected_at="2026-11-29T12:00:31+00:00",
            seconds=4.04,
        ),
        Source(what="imports", image="my/train:1", reused=False, collected_at="2026-11-29T16:00:00Z", seconds=187.2),
    ),
    notices=("the run was not recorded: http://tracking.example did not answer",),
    remarks=(
        Remark(kind=RemarkKind.SLOW, subject="torch", detail="2.3 s, 2.2 s CPU"),
        Remark(kind=RemarkKind.SLOW, subject="ray.llm", detail="1.1 s, 0.9 s CPU"),
        Remark(kind=RemarkKind.NETWORK, subject="albumentations", detail="getaddrinfo pypi.org:443", others=12),
        Remark(kind=RemarkKind.THREADS, subject="exporter", detail="1 thread"),
    ),
    gpu=GpuSummary(
        image="my/train:1",
        digest="sha256:" + "4f1c2ab90d3e5678" * 4,
        capabilities=("8.0", "9.0"),
        driver="550.54",
        rows=(
            GpuRow(
                owner="faiss-gpu 1.14.1",
                file="_swigfaiss.so",
                cuda=(12,),
                architectures=("sm_70", "sm_80"),
                ptx=(),
                driver=525,
                runs=(Runs.YES, Runs.NO),
            ),
        ),
        toolkits=("CUDA 12.4.1 in /usr/local/cuda-12.4",),
        claims=(("torch 2.4.1", ("sm_80", "sm_90")),),
    ),
    overview=Overview(
        steps=(
            StepView(number=1, command="", of_base=True, empty=False, installed=("numpy 1.26.4",)),
            StepView(number=2, command="ENV LANG=C.UTF-8", of_base=True, empty=True),
            StepView(
                number=3,
                command="RUN pip install --no-cache-dir -r requirements.txt",
                of_base=False,
                empty=False,
                installed=("onnx 1.12.0", "protobuf 3.20.3 (was 4.25.3)"),
            ),
        ),
        untraced=("setuptools 65.5.0",),
        versions=InventoryDiff(
            added=(Installed(name="onnx", version="1.12.0"),),
            removed=(),
            moved=(Moved(name="protobuf", before="4.25.3", after="3.20.3", direction=Direction.DOWN),),
            rebuilt=(
                Rebuilt(
                    name="torch", version="2.4.1", changes=(Change(what="local version", before="cu124", after="cpu"),)
                ),
            ),
            same=140,
        ),
        sweep=(
            Swept(
                name="numba",
                version="0.60.0",
                seconds=3.25,
                imported=9,
                failed=1,
                slowest=(SweptModule(name="numba.core", seconds=1.5, imported=True),),
                failing=("numba",),
            ),
            Swept(name="torch", version="2.4.1", seconds=2.0, imported=900, failed=1, failing=("torch.old0",)),
            Swept(name="six", version="1.16.0", seconds=0.5, imported=1, failed=0),
        ),
    ),
    tags=("my/train:1",),
)

KEPT = replace(
    BROKEN,
    results=(
        result("IC101", "moved-pin", CheckState.KEPT, examined=143, unit="distributions"),
        result("IC301", "unimportable-module", CheckState.KEPT, examined=5312, unit="modules"),
        result("IC601", "failed-probe", CheckState.KEPT, examined=1, unit="probes"),
    ),
    sources=(),
    notices=(),
    remarks=(),
    gpu=None,
    overview=None,
    base="",
    base_digest="",
)
NOTHING = replace(
    KEPT,
    results=(
        result("IC101", "moved-pin", CheckState.SKIPPED, reason="not selected"),
        result("IC301", "unimportable-module", CheckState.UNVERIFIED, unit="modules", reason="nothing to examine"),
    ),
)

HOSTILE_TEXT = (
    "<script>boom()</script><img src=x onerror=boom()>\"' "
    "evil\x1b[2J\x1b[31mred\x1b[0m [bold red]markup[/] :boom: \x9b1m \u202ereversed\u2066 \x07\x7f\nkept"
)
HOSTILE = replace(
    BROKEN,
    image=HOSTILE_TEXT,
    results=(
        result(
            "IC301",
            "unimportable-module",
            CheckState.BROKEN,
            examined=1,
            unit="modules",
            passed_over=((HOSTILE_TEXT, 1),),
            findings=(
                finding(
                    "IC301",
                    "unimportable-module",
                    FindingState.BROKEN,
                    subject=HOSTILE_TEXT,
                    summary=HOSTILE_TEXT,
                    expected=HOSTILE_TEXT,
                    actual=HOSTILE_TEXT,
                    baseline=HOSTILE_TEXT,
                    remedy=HOSTILE_TEXT,
                    cause=Cause(
                        step=HOSTILE_TEXT,
                        requirement=HOSTILE_TEXT,
                        how=HOSTILE_TEXT,
                        path=(HOSTILE_TEXT, HOSTILE_TEXT),
                    ),
                    location=Location(file=HOSTILE_TEXT, line=1),
                    evidence=HOSTILE_TEXT,
                    details=(HOSTILE_TEXT,),
                ),
            ),
        ),
    ),
    sources=(Source(what="imports", image=HOSTILE_TEXT, reused=True, collected_at=HOSTILE_TEXT),),
    notices=(HOSTILE_TEXT,),
    remarks=(Remark(kind=RemarkKind.NETWORK, subject=HOSTILE_TEXT, detail=HOSTILE_TEXT, others=1),),
    gpu=GpuSummary(
        image=HOSTILE_TEXT,
        digest="",
        capabilities=(HOSTILE_TEXT,),
        driver=HOSTILE_TEXT,
        rows=(
            GpuRow(
                owner=HOSTILE_TEXT,
                file=HOSTILE_TEXT,
                cuda=(),
                architectures=(HOSTILE_TEXT,),
                ptx=(HOSTILE_TEXT,),
                driver=None,
                runs=(Runs.NO,),
            ),
        ),
        toolkits=(HOSTILE_TEXT,),
    ),
    overview=Overview(
        steps=(StepView(number=1, command=HOSTILE_TEXT, of_base=False, empty=False, installed=(HOSTILE_TEXT,)),),
        untraced=(HOSTILE_TEXT,),
        versions=InventoryDiff(
            added=(Installed(name=HOSTILE_TEXT, version=HOSTILE_TEXT),), removed=(), moved=(), rebuilt=(), same=0
        ),
        sweep=(
            Swept(
                name=HOSTILE_TEXT,
                version=HOSTILE_TEXT,
                seconds=1.0,
                imported=0,
                failed=1,
                slowest=(SweptModule(name=HOSTILE_TEXT, seconds=1.0, imported=False),),
                failing=(HOSTILE_TEXT,),
            ),
        ),
    ),
    tags=(HOSTILE_TEXT,),
)
