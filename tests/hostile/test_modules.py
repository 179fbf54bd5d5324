"""Modules that mean harm as they are imported: every neighbour's verdict is as it is without them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from imgcheck.contract.model import Imports
from imgcheck.contract.runtime import Runtime
from imgcheck.engines.docker import DockerEngine
from imgcheck.engines.endpoint import settle
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from tests.engine.conftest import BuildImage, Run
from tests.hostile.behaviours import BEHAVIOURS, SAMPLES
from tests.small_wheels import install

pytestmark = pytest.mark.engine

HONEST = {
    "aaa_first.py": "import json, os\nassert json.loads('[1]') == [1]\n",
    "honest/__init__.py": "",
    "honest/early.py": "VALUE = 1\n",
    "honest/exits.py": "raise SystemExit(4)\n",
    "honest/late.py": "from honest.early import VALUE\n",
    "honest/raises.py": "import nothing_of_this_name\n",
    "zzz_last.py": "import honest.late\nassert open(__file__).read()\n",
}
LEFT_OUT = ("pip*", "setuptools*", "pkg_resources*", "wheel*", "_distutils_hack*")
CONTRACT = f"""imgcheck: 1
imports: {{exclude: {json.dumps(LEFT_OUT)}, timeout: 1}}
runtime: {{memory: 512MiB, pids: 200, ulimits: {{fsize: "67108864"}}}}
pins: {{honest: 1.0}}
"""


@pytest.fixture(scope="module")
def with_site(build_image: BuildImage, root_image: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """An image with distributions beside the root image's own."""

    def build(distributions: dict[str, dict[str, str]]) -> str:
        context = tmp_path_factory.mktemp("context")
        for name, files in distributions.items():
            install(context / "site", name, "1.0", files)
        copy = "import shutil, sysconfig; shutil.copytree('/in', sysconfig.get_path('purelib'), dirs_exist_ok=True)"
        return build_image(f'FROM {root_image}\nCOPY site /in\nRUN ["python3", "-c", "{copy}"]\n', context)

    return build


@pytest.fixture(scope="module")
def honest(with_site: Callable[..., str]) -> str:
    return with_site({"honest": HONEST})


@pytest.fixture(scope="module")
def hostile(with_site: Callable[..., str]) -> str:
    modules = {f"hostile/{one.name}.py": one.source for one in BEHAVIOURS if one.name != "stops_all"}
    return with_site({"honest": HONEST, "hostile": {"hostile/__init__.py": "", **modules}})


def verdicts(facts: dict[str, Any]) -> dict[str, tuple[str, str]]:
    modules = facts["facts"]["imports"]["modules"]
    return {one["module"]: (one["status"], (one["error"] or {}).get("message", "")) for one in modules}


def test_no_neighbour_is_disturbed(
    honest: str, hostile: str, imgcheck: Run, tmp_path: Path, docker: Callable[..., str]
) -> None:
    (tmp_path / "contract.yaml").write_text(CONTRACT, "utf-8")
    seen, reports = [], []
    for image in (honest, hostile):
        facts = tmp_path / "facts.json"
        done = imgcheck(
            "check", image, "-c", str(tmp_path / "contract.yaml"), "--save-facts", str(facts), "--format", "json", "-q"
        )
        reports.append(json.loads(done.out))
        seen.append(json.loads(facts.read_text("utf-8")))
        assert done.code == 1, done.err
        assert seen[-1]["problems"] == {}
    plain, beside = map(verdicts, seen)
    assert len(plain) == len(HONEST)
    assert {name: beside[name] for name in plain} == plain
    told = {one.name: beside[f"hostile.{one.name}"][0] for one in BEHAVIOURS if one.name != "stops_all"}
    assert {name: status for name, status in told.items() if status not in SAMPLES[name].statuses} == {}
    first, second = ({one["id"] for one in report["findings"] if "hostile" not in one["subject"]} for report in reports)
    assert first == second
    assert docker("ps", "-aq", "--filter", f"ancestor={hostile}") == ""


def test_who_stops_everybody_is_found_by_the_silence(
    with_site: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = with_site({"honest": HONEST, "stops": {"stops_all.py": SAMPLES["stops_all"].source}})
    monkeypatch.setattr("imgcheck.facts.collect.SILENCE", 12.0)
    engine = DockerEngine(settle(None))
    try:
        found = engine.inspect(name)
        assert found is not None
        collector = Collector(engine=engine, cache=FactsCache(folder=tmp_path), runtime=Runtime(pids=200))
        facts = collector.imports(found, Imports(exclude=LEFT_OUT, timeout=2))
    finally:
        engine.close()
    told = {one.module: one.status for one in facts.modules}
    assert told.pop("stops_all") == "container"
    assert told == {
        "aaa_first": "ok",
        "honest": "ok",
        "honest.early": "ok",
        "honest.exits": "exit",
        "honest.late": "ok",
        "honest.raises": "exception",
        "zzz_last": "ok",
    }
