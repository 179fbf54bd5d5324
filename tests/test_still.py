"""`check --rootfs` and `check --archive`: images judged by their files, by the real command, without an engine."""

from __future__ import annotations

import io
import json
import os
import sys
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from imgcheck import cli
from imgcheck.engines.engine import ContainerSpec
from imgcheck.engines.still import NEEDS_ENGINE, StillRunner
from imgcheck.errors import ExitCode, UnsuitableImageError
from imgcheck.facts.cache import FactsCache
from imgcheck.facts.collect import Collector
from imgcheck.subjects import STILL
from tests.image_archives import as_tar, docker_files
from tests.local_engine import an_image
from tests.small_wheels import install

SITE = "usr/lib/python3.9/site-packages"
CONTRACT = """\
imgcheck: 1
python: /usr/bin/python3
base: {image: base:1}
pins: {good: 1.0}
requires: true
imports: true
native: true
os_packages: {libc6: 2.31-1}
image: {max_size: 1GB, user: nonroot, commands: [python3], files: [/etc/passwd]}
smoke: [{name: greets, python: "import good"}]
"""
PROGRAM = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\x3e\x00" + bytes(60) + b"\0" + b"3.9.7\0"
DPKG = "Package: libc6\nStatus: install ok installed\nVersion: 2.31-1\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A system of a few files whose Python is of no version that this machine need have, and cannot run."""
    tree = tmp_path / "tree"
    for folder in (SITE, "usr/bin", "usr/lib/python3.9/lib-dynload", "etc", "var/lib/dpkg", "tmp"):
        (tree / folder).mkdir(parents=True)
    (tree / "usr/lib/python3.9/os.py").touch()
    (tree / "usr/lib/python3.9/lib-dynload/_csv.cpython-39-x86_64-linux-gnu.so").touch()
    (tree / "usr/bin/python3.9").write_bytes(PROGRAM)
    (tree / "usr/bin/python3.9").chmod(0o755)
    (tree / "usr/bin/python3").symlink_to("/usr/bin/python3.9")
    (tree / "bin").symlink_to("usr/bin")
    (tree / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\nml:x:1000:1000::/home/ml:/bin/sh\n", "utf-8")
    (tree / "var/lib/dpkg/status").write_text(DPKG, "utf-8")
    install(tree / SITE, "good", "1.0", {"good.py": "import json\n"})
    return tree


def saved(tree: Path, path: Path, **config: Any) -> Path:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for one in sorted(tree.iterdir()):
            tar.add(one, one.name)
    return as_tar(path, docker_files([buffer.getvalue()], config={"User": "ml", **config}))


@pytest.fixture
def contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / "c.yaml"
    path.write_text(CONTRACT, "utf-8")
    return path


def told(*arguments: str) -> tuple[int, dict[str, dict[str, Any]], list[str]]:
    code = cli.run(["check", *arguments, "--report", "json=r.json", "-q"])
    report = json.loads(Path("r.json").read_text("utf-8"))
    return code, {one["name"]: one for one in report["checks"]}, report["notices"]


READ = ("moved-pin", "unmet-requirement", "missing-file", "altered-file", "unprovided-import", "missing-command")
RUN = ("unimportable-module", "swallowed-load", "failed-smoke", "unwritable-path", "clashing-imports")


def test_a_folder_is_judged_by_its_files_and_what_must_run_is_not_verified(tree: Path, contract: Path) -> None:
    code, results, notices = told("--rootfs", str(tree), "-c", str(contract))
    assert code == ExitCode.KEPT
    assert {results[name]["state"] for name in (*READ, "moved-os-package", "image-file")} == {"kept"}
    assert {(results[name]["state"], results[name]["reason"]) for name in RUN} == {("unverified", NEEDS_ENGINE)}
    assert {results[name]["state"] for name in ("image-size", "image-config")} == {"unverified"}
    assert STILL in notices


def test_an_archive_tells_of_the_image_too(tree: Path, contract: Path, tmp_path: Path) -> None:
    path = saved(tree, tmp_path / "i.tar")
    code, results, _ = told("--archive", str(path), "-c", str(contract))
    assert code == ExitCode.KEPT
    assert {results[name]["state"] for name in (*READ, "image-size", "image-config")} == {"kept"}
    assert {one.name for one in tmp_path.iterdir()} == {"tree", "i.tar", "c.yaml", "r.json"}


def test_strict_fails_what_only_running_tells(tree: Path, contract: Path) -> None:
    assert told("--rootfs", str(tree), "-c", str(contract), "--strict")[0] == ExitCode.BROKEN


def test_what_is_wrong_is_found(tree: Path, contract: Path, tmp_path: Path) -> None:
    (tree / SITE / "good.py").unlink()
    install(
        tree / SITE,
        "other",
        "1.0",
        {"other.py": "import nowhere\n"},
        {"METADATA": "Name: other\nVersion: 1.0\nRequires-Dist: absent\n"},
    )
    (tree / SITE / "other.py").write_text("import changed\n", "utf-8")
    os.utime(tree / SITE / "other.py", (2_000_000_000, 2_000_000_000))
    contract.write_text(CONTRACT.replace("good: 1.0", "good: 2.0").replace("user: nonroot", "user: root"), "utf-8")
    code, results, _ = told("--archive", str(saved(tree, tmp_path / "i.tar")), "-c", str(contract))
    assert code == ExitCode.BROKEN
    broken = ("moved-pin", "missing-file", "unmet-requirement", "altered-file", "image-config")
    assert {results[name]["state"] for name in broken} == {"broken"}


def test_an_image_without_a_python_is_told(tree: Path, contract: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "usr/bin/python3.9").unlink()
    assert cli.run(["check", "--rootfs", str(tree), "-c", str(contract)]) == ExitCode.USAGE
    assert "/usr/bin/python3 is a link to /usr/bin/python3.9, which is not in the image" in capsys.readouterr().err


def test_nothing_is_left_after_an_error(tree: Path, contract: Path, tmp_path: Path) -> None:
    path = saved(tree, tmp_path / "i.tar", User="nobody-here")
    assert cli.run(["check", "--archive", str(path), "-c", str(contract)]) == ExitCode.USAGE
    assert not list(tmp_path.glob("imgcheck-*"))


def test_what_is_no_folder_or_image_is_told(contract: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", "--rootfs", "/nowhere", "-c", str(contract)]) == ExitCode.USAGE
    assert cli.run(["check", "--archive", str(contract), "-c", str(contract)]) == ExitCode.USAGE
    words = capsys.readouterr().err
    assert "/nowhere is no folder" in words
    assert "c.yaml: is no image" in words


# What a hostile tree tries -------------------------------------------------------------------------------------------


def test_no_link_of_a_tree_leads_the_collector_to_this_machine(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.py").write_text("import of_this_machine\n", "utf-8")
    site = tree / SITE
    (site / "linked").symlink_to(secret)
    (site / "key.py").symlink_to(secret / "key.py")
    (site / "up.py").symlink_to("../" * 30 + str(secret / "key.py")[1:])
    (site / "more.pth").write_text(f"{secret}\n", "utf-8")
    (site / "evil-1.0.dist-info").symlink_to(secret)
    for name in ("entry_points.txt", "top_level.txt"):
        (site / "good-1.0.dist-info" / name).symlink_to(secret / "key.py")
    record = site / "good-1.0.dist-info" / "RECORD"
    record.write_text(
        record.read_text("utf-8")
        + "".join(
            f"{one},,\n" for one in ("key.py", "up.py", "linked/key.py", "../" * 30 + str(secret / "key.py")[1:])
        ),
        "utf-8",
    )
    (tree / "etc/passwd").unlink()
    (tree / "etc/passwd").symlink_to(secret / "key.py")
    log = tmp_path / "log"
    image = an_image()
    runner = StillRunner(image, tree, {})
    started = runner._runner.run

    def watched(spec: ContainerSpec) -> Any:
        """The same, with an audit hook that writes down every file that is opened and every folder that is listed."""
        archive = "import sys; sys.argv[0] = '/.imgcheck/collector.pyz'; "
        hook = (
            f"log = open({str(log)!r}, 'a'); "
            "kinds = ('open', 'os.listdir', 'os.scandir', 'subprocess.Popen'); "
            "sys.addaudithook(lambda event, what: event in kinds and print(event, what[0], file=log, flush=True)); "
        )
        command = (sys.executable, "-I", "-S", "-B", "-c", archive + hook + "import runpy; runpy.run_path(sys.argv[0])")
        return started(replace(spec, command=command))

    monkeypatch.setattr(runner._runner, "run", watched)
    collector = Collector(
        engine=runner, cache=FactsCache(folder=tmp_path, enabled=False), interpreter="/usr/bin/python3"
    )
    inventory = collector.inventory(image)
    told = [
        inventory,
        collector.files(image),
        collector.statements(image),
        collector.native(image, ("/",)),
        collector.surroundings(
            image, {"command": ["x"], "paths": ["/etc/passwd"], "texts": ["/etc/passwd"], "commands": []}
        ),
        collector.os_packages(image),
    ]
    assert inventory.find("good")
    assert all("of_this_machine" not in one.model_dump_json() for one in told)
    lines = log.read_text("utf-8").splitlines()
    assert any(str(tree) in line for line in lines)
    assert not [line for line in lines if str(secret) in line and str(tree) not in line]
    assert not [line for line in lines if line.startswith("subprocess")]


@pytest.mark.parametrize(
    ("user", "uid", "gids", "home"),
    [
        ("", 0, (0,), "/root"),
        ("ml", 1000, (1000, 50), "/home/ml"),
        ("1000", 1000, (1000, 50), "/home/ml"),
        ("1000:50", 1000, (50,), "/home/ml"),
        ("ml:staff", 1000, (50,), "/home/ml"),
        ("4711", 4711, (0,), "/"),
    ],
)
def test_users_are_those_of_the_tree(tree: Path, user: str, uid: int, gids: tuple[int, ...], home: str) -> None:
    (tree / "etc/group").write_text("root:x:0:\nstaff:x:50:ml\n", "utf-8")
    account = StillRunner(an_image(), tree, {})._account(user)
    assert (account.uid, account.gids, account.home) == (uid, gids, home)


def test_a_user_that_is_not_there_is_told(tree: Path) -> None:
    with pytest.raises(UnsuitableImageError, match="has no user 'nobody'"):
        StillRunner(an_image(), tree, {})._account("nobody")
