"""One small image that works slowly, and folders of each run's own."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.engine.conftest import BuildImage, build_image, docker, told_by
from tests.faults.harness import ENGINE, Place
from tests.faults.proxy import Proxy
from tests.faults.table import GROUPS, opt_in
from tests.faults.telling import TOLD

__all__ = ["BuildImage", "build_image", "docker"]
SITE = "usr/lib/python3/dist-packages"
FILES = {
    "slow/__init__.py": "",
    "slow/module.py": "import time\ntime.sleep(1.2)\n",
    "slow-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: slow\nVersion: 1.0\n",
    "slow-1.0.dist-info/RECORD": "slow/__init__.py,,\nslow/module.py,,\nslow-1.0.dist-info/METADATA,,\n"
    "slow-1.0.dist-info/RECORD,,\n",
}
CONTRACT = """imgcheck: 1
imports: true
probes:
  - {name: slow, run: ["{python}", -c, "import time; time.sleep(1.2); print('ready')"], output: ready}
"""
BARE = (
    "rm -rf /usr/lib/python3/dist-packages /usr/share/python-wheels /usr/bin/pip* /usr/lib/python3*/ensurepip "
    "/var/lib/dpkg"
)

HERE = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def _every_row_is_told(request: pytest.FixtureRequest) -> Iterator[None]:
    """Where all of these tests are run, each row of the table has been held against a run."""
    yield
    run = {item.path for item in request.session.items}
    options = request.config.option
    parted = options.keyword or options.markexpr not in ("", "engine")
    if parted or request.session.testsfailed or not run.issuperset(HERE.glob("test_*.py")):
        return
    wanted = {row for group in GROUPS.values() for row in group} - (set() if options.run_large else opt_in())
    assert wanted <= TOLD, [row.name for row in wanted - TOLD]


PlaceFor = Callable[..., Place]


def archive(files: Mapping[str, str | bytes], modes: Mapping[str, int] | None = None) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), (modes or {}).get(name, 0o644)
            tar.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


@pytest.fixture(scope="session")
def bare(build_image: BuildImage) -> str:
    """A Python without any distribution."""
    return build_image(f"FROM {told_by('scripts/root-image')}\nRUN {BARE}\n")


@pytest.fixture(scope="session")
def slow(build_image: BuildImage, bare: str) -> str:
    """One distribution, whose module takes a while to be imported."""
    content = archive({f"{SITE}/{name}": text for name, text in FILES.items()})
    return build_image(f"FROM {bare}\nADD site.tar /\n", **{"site.tar": content})


@pytest.fixture
def place_for(tmp_path: Path, slow: str) -> PlaceFor:
    """Where a run has folders of its own; a contract's text may be given, and an image."""

    def make(image: str = slow, contract: str = CONTRACT, name: str = "run") -> Place:
        root = tmp_path / name
        root.mkdir()
        (root / "contract.yaml").write_text(contract, "utf-8")
        return Place(root=root, image=image, contract=root / "contract.yaml")

    return make


@pytest.fixture(scope="module")
def place_for_module(tmp_path_factory: pytest.TempPathFactory, slow: str) -> Place:
    root = tmp_path_factory.mktemp("alone")
    (root / "contract.yaml").write_text(CONTRACT, "utf-8")
    return Place(root=root, image=slow, contract=root / "contract.yaml")


@pytest.fixture
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    made = Proxy(tmp_path_factory.mktemp("p") / "s", ENGINE.removeprefix("unix://"))
    made.come()
    yield made
    made.go()
