"""Images and runtimes that leave little room, or hold far too much, or have odd names."""

from __future__ import annotations

import resource

import pytest

from tests.faults.conftest import SITE, BuildImage, PlaceFor, archive
from tests.faults.table import IMAGE, rows
from tests.faults.telling import as_told

pytestmark = pytest.mark.engine
IMPORTS = "imgcheck: 1\nimports: true\n"
ALL = ("--select", "IC1,IC2,IC3")


def probe(program: str, **keys: str) -> str:
    more = "".join(f", {name}: {value}" for name, value in keys.items())
    return f'probes:\n  - {{name: odd, run: ["{{python}}", -c, "{program}"]{more}}}\n'


CONTRACTS = {
    "disk full in the image": "runtime: {tmpfs: [{path: /tmp, size: 1MiB}]}\n"
    + probe("open('/tmp/large', 'wb').write(bytes(1 << 22)); print('ready')", output="ready"),
    "read-only root without a tmpfs": "runtime: {read_only: true}\n",
    "/tmp is noexec": "runtime: {tmpfs: [{path: /tmp, size: 64MiB}]}\n",
    "a user that can write nowhere": 'runtime: {user: "4321", read_only: true}\n',
    "a log of 0 bytes": probe("pass", output="ready"),
}


@pytest.mark.parametrize("name", CONTRACTS)
def test_little_room(name: str, place_for: PlaceFor, slow: str) -> None:
    (fault,) = rows(IMAGE, name)
    place = place_for(slow, IMPORTS + CONTRACTS[name])
    ran = place.run(place.check())
    as_told(fault, ran)
    assert ran.left == ()


@pytest.fixture(scope="module")
def closed(build_image: BuildImage, slow: str) -> str:
    text = f"FROM {slow}\nRUN mkdir -m 700 /.imgcheck && chmod 755 /tmp /var/tmp && rm -rf /run/lock\nUSER 4321\n"
    return build_image(text)


def test_a_folder_of_ours_in_the_image_keeps_nobody_out(place_for: PlaceFor, closed: str) -> None:
    (fault,) = rows(IMAGE, "collector's folder not readable")
    place = place_for(closed, IMPORTS)
    ran = place.run(place.check())
    as_told(fault, ran)
    assert ran.left == ()


def test_a_file_in_the_place_of_our_folder_is_told(place_for: PlaceFor, build_image: BuildImage, bare: str) -> None:
    (fault,) = rows(IMAGE, "a file in the place")
    place = place_for(build_image(f"FROM {bare}\nRUN echo > /.imgcheck\n"), IMPORTS)
    ran = place.run(place.check())
    as_told(fault, ran)
    assert ran.left == ()


ODD: dict[str, str | bytes] = {
    "new\nline.py": "a = 1\n",
    "a space.py": "a = 1\n",
    "not\udcffutf8.py": "a = 1\n",
    "n" * 247 + ".py": "a = 1\n",
    "k" * 240 + "/__init__.py": "a = 1\n",
    "esc\x1b[31m.py": "a = 1\n",
    "odd-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n",
    "new\nline-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: new\n line\nVersion: 1.0\n",
    "not\udcffutf8-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: not\xffutf8\nVersion: 1\xff\n",
}


def test_odd_names_are_names(place_for: PlaceFor, build_image: BuildImage, slow: str) -> None:
    (fault,) = rows(IMAGE, "names with")
    record = "".join(f'"{name}",,\n' for name in ODD).encode("utf-8", "surrogateescape")
    files: dict[str, str | bytes] = {
        f"{SITE}/{name}": text for name, text in (ODD | {"odd-1.0.dist-info/RECORD": record}).items()
    }
    odd = build_image(f"FROM {slow}\nADD site.tar /\n", **{"site.tar": archive(files)})
    place = place_for(odd, IMPORTS)
    ran = place.run(place.check(*ALL))
    as_told(fault, ran)
    assert "\x1b[31m" not in ran.out
    assert ran.left == ()


@pytest.mark.parametrize(
    ("title", "count"),
    [("10,000 files", 10_000), pytest.param("100,000 files", 100_000, marks=pytest.mark.large)],
)
def test_many_files_are_all_seen(
    title: str, count: int, place_for: PlaceFor, build_image: BuildImage, slow: str
) -> None:
    (fault,) = rows(IMAGE, title)
    names = [f"many/data/{number % 100}/{number}.bin" for number in range(count)]
    metadata = "Metadata-Version: 2.1\nName: many\nVersion: 1.0\n"
    record = "".join(f"{name},,1\n" for name in [*names, "many/__init__.py"])
    files = {f"{SITE}/{name}": "x" for name in [*names, "many/__init__.py"]}
    files |= {f"{SITE}/many-1.0.dist-info/{name}": text for name, text in (("METADATA", metadata), ("RECORD", record))}
    files[f"{SITE}/many/__init__.py"] = "\n"
    many = build_image(f"FROM {slow}\nADD site.tar /\n", **{"site.tar": archive(files)})
    place = place_for(many, IMPORTS)
    ran = place.run(place.check("--select", "missing-file,missing-pin"))
    as_told(fault, ran)
    assert f"{count:,}"[:3] in ran.out
    assert ran.left == ()


@pytest.mark.parametrize(
    ("title", "size"), [("a log of 200 MB", 200), pytest.param("a log of 5 GB", 5000, marks=pytest.mark.large)]
)
def test_a_long_log_takes_no_memory(title: str, size: int, place_for: PlaceFor, slow: str) -> None:
    (fault,) = rows(IMAGE, title)
    program = f"import os; [os.write(1, bytes(999999) + bytes([10])) for _ in range({size})]; print('ready')"
    place = place_for(slow, IMPORTS + probe(program, output="ready", within="240"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    running = place.start(place.check())
    ran = running.ended(300)
    as_told(fault, ran)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= max(before, 400_000)
    assert ran.left == ()
