"""`imgcheck gpu` as it is read, from facts in memory."""

from __future__ import annotations

import json

import pytest

from imgcheck.contract.model import Contract, Gpu
from imgcheck.errors import UsageError
from imgcheck.gpu_listing import GpuRequest
from imgcheck.gpu_summary import USUAL, GpuSummary, summarise_gpu
from imgcheck.report.gpu_table import gpu_lines, render_gpu
from imgcheck.report.json import render_gpu_json
from tests.checks.build_facts import dist, facts
from tests.checks.gpu_files import code
from tests.checks.native_files import native, natives

FILES = (
    native("faiss/_f.so", "libcudart.so.12", gpu=code("sm_70 sm_80")),
    native("torch/_t.so", "libcudart.so.12", gpu=code("sm_80 compute_90@8.5")),
    native("torch/plain.so"),
)
DISTS = (dist("faiss 1.14.1"), dist("torch 2.4.1"), dist("nvidia-cublas-cu12 12.4.5.8"))


def summary(driver: str | None = None, *, capabilities: tuple[str, ...] = ("8.0", "9.0", "10.0")) -> GpuSummary:
    found = facts(*DISTS, native=natives(*FILES, toolkits=({"path": "/usr/local/cuda-12.4", "version": "12.4.1"},)))
    return summarise_gpu(found, Gpu(capabilities=capabilities, driver=driver))


def test_the_table() -> None:
    assert render_gpu(summary()) == (
        "team:1  sha256:000000000000\n"
        "\n"
        "library                      CUDA  driver  architectures            8.0  9.0     10.0\n"
        "faiss 1.14.1: _f.so          12    >= 525  70 80                    yes  no      no\n"
        "torch 2.4.1: _t.so           12    >= 525  80 compute_90 (PTX 8.5)  yes  by JIT  by JIT\n"
        "nvidia-cublas-cu12 12.4.5.8  12    >= 525  -                        yes  yes     yes\n"
        "\n"
        "yes: has machine code for it; by JIT: the driver compiles PTX; in part: it chooses at run time;\n"
        "?: newer than imgcheck's tables, or the CUDA major alone does not tell\n"
        "CUDA 12.4.1 in /usr/local/cuda-12.4\n"
        "2 libraries with GPU code, 1 part of CUDA\n"
    )


def test_a_driver_that_does_not_know_the_ptx_makes_a_no() -> None:
    rows = {one.file: [it.value for it in one.runs] for one in summary("535.1").rows}
    assert rows["_t.so"] == ["yes", "no", "no"]
    rows = {one.owner: [it.value for it in one.runs] for one in summary("470.1").rows}
    assert rows["nvidia-cublas-cu12 12.4.5.8"] == ["no", "no", "no"]


def test_json_has_every_library_with_its_answers() -> None:
    told = json.loads(render_gpu_json(summary("560.1")))
    assert (told["format"], told["driver"], told["capabilities"]) == (1, "560.1", ["8.0", "9.0", "10.0"])
    assert told["libraries"][1] == {
        "owner": "torch 2.4.1",
        "file": "_t.so",
        "cuda": [12],
        "architectures": ["sm_80", "compute_90"],
        "ptx": ["8.5"],
        "driver": 525,
        "runs": {"8.0": "yes", "9.0": "by JIT", "10.0": "by JIT"},
    }


def test_without_a_fleet_the_usual_gpus_are_shown_and_without_libraries_a_count() -> None:
    assert summary(capabilities=()).capabilities == USUAL
    empty = summarise_gpu(facts(native=natives()), Gpu())
    assert render_gpu(empty) == "team:1  sha256:000000000000\n\n0 libraries with GPU code, 0 parts of CUDA\n"


def test_names_from_an_image_move_no_cursor() -> None:
    hostile = facts(dist("x\x1b[2J 1"), native=natives(native("x\x1b[2J/_f.so", gpu=code("sm_80"))))
    assert "\x1b" not in render_gpu(summarise_gpu(hostile, Gpu()))


def test_the_request_wins_over_the_contract_and_a_slip_is_a_usage_error() -> None:
    _, gpu = GpuRequest(capabilities=("8.6",), driver="550.54").settled()
    assert (gpu.capabilities, gpu.driver) == (("8.6",), "550.54")
    with pytest.raises(UsageError, match="no compute capability"):
        GpuRequest(capabilities=("sm_80",)).settled()
    assert GpuRequest().settled()[0] == Contract(imgcheck=1)


def test_a_report_holds_the_same_lines_and_none_where_there_is_nothing() -> None:
    told = render_gpu(summary()).splitlines()[2:]
    lines = [one.text for one in gpu_lines(summary())]
    assert lines[0] == "GPU code"
    assert [one[2:] for one in lines[1:]] == [one for one in told if one]
    assert not [*gpu_lines(None)]
    assert not [*gpu_lines(summarise_gpu(facts(native=natives()), Gpu()))]
