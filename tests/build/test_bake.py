"""The definition that bake reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from imgcheck.build.backend import Order
from imgcheck.build.bake import Definition, definition, refuse_unknown
from imgcheck.build.derived import derived_dockerfile
from imgcheck.build.options import BuildOptions
from imgcheck.build.plan import BuildPlan, plan_build
from imgcheck.errors import UsageError
from tests.build.fakes import BASE, FakeEngine, contract, image


def planned(folder: Path, options: BuildOptions | None = None, **keys: Any) -> BuildPlan:
    (folder / "Dockerfile").write_text(f"FROM {BASE} AS train\n")
    return plan_build(
        FakeEngine(), contract(**keys), image(), context=folder, constraints="numpy==1.26.4\n", options=options
    )


def ordered(folder: Path, options: BuildOptions | None = None, **keys: Any) -> Order:
    return Order(
        plan=planned(folder, options, **keys),
        base="imgcheck/base:x",
        image_name="imgcheck/working:x",
        derived_name="imgcheck/derived:x",
        constraints_digest="sha256:1",
        folder=Path("/made"),
    )


def defined(folder: Path, options: BuildOptions | None = None) -> Definition:
    return definition(ordered(folder, options))


def target(made: Definition, name: str = "image") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(made.files["bake.json"])["target"][name]
    return found


def test_every_from_of_the_base_is_the_derived_target(tmp_path: Path) -> None:
    made = defined(tmp_path)
    assert made.arguments == ("--file=/made/bake.json",)
    assert made.files["constraints.txt"] == "numpy==1.26.4\n"
    image_target = target(made)
    assert image_target["contexts"] == {BASE: "target:imgcheck-base"}
    assert image_target["context"] == str(tmp_path)
    assert image_target["dockerfile"] == str(tmp_path / "Dockerfile")
    assert target(made, "imgcheck-base")["dockerfile"] == "base.Dockerfile"
    assert made.files["base.Dockerfile"].startswith("FROM imgcheck/base:x\n")
    assert not {"args", "pull", "no-cache", "platforms", "extra-hosts"} & image_target.keys()


def test_options_are_handed_on(tmp_path: Path) -> None:
    options = BuildOptions(
        build_args=("A=${X}%{Y}$Z",),
        build_contexts=("more=./more",),
        labels=("l=1",),
        secrets=("id=s",),
        ssh=("default",),
        cache_from=("a",),
        cache_to=("b",),
        add_hosts=("h:1.2.3.4",),
        ulimits=("nofile=1",),
        target="train",
        platform="linux/amd64",
        shm_size="1g",
        no_cache=True,
        pull=True,
    )
    made = target(defined(tmp_path, options))
    assert made["args"] == {"A": "$${X}%%{Y}$Z"}  # bake's strings are templates
    assert made["contexts"] == {"more": "./more", BASE: "target:imgcheck-base"}
    assert made["labels"]["l"] == "1"
    assert (made["secret"], made["ssh"], made["ulimits"]) == (["id=s"], ["default"], ["nofile=1"])
    assert (made["cache-from"], made["cache-to"]) == (["a"], ["b"])
    assert (made["extra-hosts"], made["shm-size"]) == ({"h": "1.2.3.4"}, "1g")
    assert (made["target"], made["platforms"], made["pull"], made["no-cache"]) == ("train", ["linux/amd64"], True, True)


def test_neither_pull_nor_no_cache_touch_the_derived_base(tmp_path: Path) -> None:
    made = target(defined(tmp_path, BuildOptions(pull=True, no_cache=True, platform="linux/amd64")), "imgcheck-base")
    assert made.keys() == {"context", "dockerfile", "tags", "output", "platforms"}


def test_the_network_goes_through_a_compose_file_that_the_bake_file_overrides(tmp_path: Path) -> None:
    made = defined(tmp_path, BuildOptions(network="host"))
    assert made.arguments == ("--file=/made/network.yaml", "--file=/made/bake.json")
    assert json.loads(made.files["network.yaml"])["services"]["image"]["build"]["network"] == "host"


def test_constraints_reach_isolated_builds_only_where_asked(tmp_path: Path) -> None:
    plain = derived_dockerfile(ordered(tmp_path))
    assert "ENV PIP_CONSTRAINT=/etc/imgcheck/constraints.txt UV_CONSTRAINT=/etc/imgcheck/constraints.txt\n" in plain
    assert "BUILD_CONSTRAINT" not in plain
    isolated = derived_dockerfile(ordered(tmp_path, constraints={"build": True}))
    assert "PIP_BUILD_CONSTRAINT=/etc" in isolated
    assert "UV_BUILD_CONSTRAINT=/etc" in isolated


def test_an_option_that_this_buildx_passes_over_is_refused(tmp_path: Path) -> None:
    plan = planned(tmp_path, BuildOptions(add_hosts=("h:1.2.3.4",)))
    with pytest.raises(UsageError, match=r"--add-host needs buildx 0\.25"):
        refuse_unknown(plan, (0, 24, 9))
    refuse_unknown(plan, (0, 25, 0))
    refuse_unknown(planned(tmp_path), (0, 13, 0))
