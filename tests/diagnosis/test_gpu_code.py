"""Which GPUs run which code, and which drivers know what."""

from __future__ import annotations

import pytest

from imgcheck.diagnosis.cuda_tables import (
    BRANCH_CUDA,
    EXACT_ONLY,
    FAMILIES,
    FIRST_TOOLKIT,
    LEAST_BRANCH,
    PTX_CUDA,
)
from imgcheck.diagnosis.drivers import branch_for, driver_of, knows_cuda, runs_major
from imgcheck.diagnosis.gpu_code import Runs, architectures, cuda_of_ptx, fit, instruction_sets, tenfold
from imgcheck.diagnosis.nvidia_require import Fleet, requirements
from tests.checks.gpu_files import code, libcuda
from tests.checks.native_files import natives

# One container, a capability, and what becomes of it. The rows of PTX and of `a` and `f` as ptxas 13.0 answers them.
CASES = [
    ("sm_80", "8.0", Runs.YES),
    ("sm_80", "8.6", Runs.YES),
    ("sm_86", "8.0", Runs.NO),
    ("sm_80", "9.0", Runs.NO),
    ("sm_70 sm_80", "7.5", Runs.YES),
    ("sm_80", "8.7", Runs.NO),
    ("sm_87", "8.7", Runs.YES),
    ("sm_90a", "9.0", Runs.YES),
    ("sm_90a", "10.0", Runs.ELSEWHERE),
    ("sm_100f", "10.3", Runs.YES),
    ("sm_100f", "10.7", Runs.YES),
    ("sm_107f", "10.3", Runs.ELSEWHERE),
    ("sm_100f", "12.0", Runs.ELSEWHERE),
    ("sm_103f", "10.0", Runs.ELSEWHERE),
    ("sm_120f", "12.1", Runs.YES),
    ("sm_100a", "10.3", Runs.ELSEWHERE),
    ("compute_75@8.5", "12.0", Runs.JIT),
    ("compute_90@8.5", "8.0", Runs.NO),
    ("compute_90a@8.5", "10.0", Runs.ELSEWHERE),
    ("compute_100f@8.8", "10.3", Runs.JIT),
    ("sm_80 compute_80@8.5", "8.6", Runs.YES),
    ("sm_80 compute_80@8.5", "9.0", Runs.JIT),
    ("sm_130", "9.0", Runs.UNKNOWN),
    ("sm_130 sm_90", "9.0", Runs.YES),
    ("lto_80", "8.0", Runs.UNKNOWN),
]


@pytest.mark.parametrize(("entries", "capability", "runs"), CASES)
def test_one_container(entries: str, capability: str, runs: Runs) -> None:
    assert fit(code(entries), tenfold(capability)).runs is runs


WHOLE = [
    (("sm_80", "sm_86"), "8.6", Runs.YES),
    (("sm_90", "sm_90a"), "9.0", Runs.YES),
    (("sm_80", "sm_90a"), "8.0", Runs.SOME),
    (("sm_90", "compute_80@8.0"), "9.0", Runs.JIT),
    (("sm_80", "sm_90a"), "12.0", Runs.NO),
    (("sm_130", "sm_80"), "9.0", Runs.UNKNOWN),
    ((), "9.0", Runs.UNKNOWN),
]


@pytest.mark.parametrize(("containers", "capability", "runs"), WHOLE)
def test_a_file_of_several(containers: tuple[str, ...], capability: str, runs: Runs) -> None:
    assert fit(code(*containers), tenfold(capability)).runs is runs


def test_what_a_file_holds_is_told_in_order() -> None:
    one = code("compute_100@8.8 sm_90a", "sm_80 compute_100@9.0")
    assert architectures(one) == ("sm_80", "sm_90a", "compute_100")
    assert instruction_sets(one) == ("8.8", "9.0")
    assert fit(one, 120).ptx == ("8.8", "9.0")


def test_the_image_s_own_table_of_instruction_sets_goes_first() -> None:
    assert cuda_of_ptx("9.0", {}) == (13, 0)
    assert cuda_of_ptx("9.9", {}) is None
    assert cuda_of_ptx("9.9", {"9.9": "14.1"}) == (14, 1)


def test_a_driver_runs_its_own_major_and_by_minor_compatibility_a_newer_minor() -> None:
    driver = driver_of("535.129.03", natives())
    assert driver.knows == (12, 2)
    assert (runs_major(driver, 11), runs_major(driver, 12), runs_major(driver, 13)) == (True, True, False)
    assert (knows_cuda(driver, (12, 2)), knows_cuda(driver, (12, 4))) == (True, False)


def test_an_intermediate_branch_knows_what_the_one_before_does() -> None:
    assert driver_of("551.0", natives()).knows == (12, 4)
    assert driver_of("390.10", natives()).knows is None


def test_a_branch_newer_than_the_table_runs_all_that_is_known_and_the_rest_cannot_be_told() -> None:
    driver = driver_of("999.1", natives())
    assert (runs_major(driver, 13), runs_major(driver, 14)) == (True, None)
    assert (knows_cuda(driver, (12, 4)), knows_cuda(driver, (13, 5))) == (True, None)


def test_a_major_newer_than_the_table_cannot_be_told_of_any_driver() -> None:
    assert runs_major(driver_of("550.54", natives()), 14) is None


def test_forward_compatibility_lends_only_to_the_branches_it_names() -> None:
    compat = libcuda("/usr/local/cuda/compat/libcuda.so.580.1", compatibility={"cuda": "13.0", "drivers": (535, 550)})
    lent = driver_of("550.54", natives(drivers=(compat,)))
    assert (lent.knows, lent.lent, runs_major(lent, 13)) == ((13, 0), compat, True)
    assert driver_of("545.1", natives(drivers=(compat,))).lent is None


def test_the_branch_for_a_cuda() -> None:
    assert branch_for((12, 4)) == 550
    assert branch_for((13, 9)) is None


NVIDIA = "cuda>=12.4 brand=tesla,driver>=470,driver<471 brand=tesla,driver>=525,driver<526"
REQUIRE = [
    (NVIDIA, "12.4", "550.54", True),
    (NVIDIA, "12.2", "535.10", False),
    (NVIDIA, "12.0", "525.60", None),
    ("cuda>=11.0,driver>=450", "12.0", "525.1", True),
    ("cuda>=11.0,driver>=550", "12.0", "525.1", False),
    ("arch>=8.0", "12.0", "525.1", True),
    ("arch>=9.0", "12.0", "525.1", False),
    ("cuda!=12.0", "12.0", "525.1", False),
    ("cuda=12.0", "12.0", "525.1", True),
    ("cuda>=x,", "12.0", "525.1", False),
    ("nonsense", "12.0", "525.1", False),
]


@pytest.mark.parametrize(("value", "cuda", "driver", "met"), REQUIRE)
def test_nvidia_require(value: str, cuda: str, driver: str, met: bool | None) -> None:
    fleet = Fleet(cuda=cuda, driver=driver, capabilities=("8.0", "9.0"))
    (found,) = requirements([f"NVIDIA_REQUIRE_CUDA={value}"], fleet)
    assert found.met is met


def test_an_old_kind_of_image_needs_its_cuda_version_and_all_can_be_switched_off() -> None:
    fleet = Fleet(cuda="12.0", driver="525.1")
    (found,) = requirements(["CUDA_VERSION=12.4.1"], fleet)
    assert (found.name, found.value, found.met) == ("CUDA_VERSION", "cuda>=12.4", False)
    assert requirements(["CUDA_VERSION=12.4.1", "NVIDIA_DISABLE_REQUIRE=true"], fleet) == ()


def test_tables_of_one_edition_know_the_same_architectures_and_versions() -> None:
    """A row that is added to one table and forgotten in the other would be a verdict on half of the knowledge."""
    assert set().union(*FAMILIES.values(), FAMILIES, EXACT_ONLY) <= set(FIRST_TOOLKIT)
    assert set(BRANCH_CUDA.values()) <= {*PTX_CUDA.values(), (12, 6)}
    assert sorted(BRANCH_CUDA.values()) == list(BRANCH_CUDA.values())
    assert sorted(PTX_CUDA.values()) == list(PTX_CUDA.values())
    assert all(BRANCH_CUDA[branch] == (major, 0) for major, branch in LEAST_BRANCH.items())
