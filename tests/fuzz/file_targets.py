"""Readers of files that a user names: each is given the bytes as a file, and a refusal names that file."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from imgcheck.build.installs import PlanSource, read_plan
from imgcheck.build.stages import read_dockerfile
from imgcheck.collector.standalone import FORMAT
from imgcheck.constraints.lines import read_constraints
from imgcheck.contract.kubernetes import runtime_of
from imgcheck.contract.loader import parse_contract
from imgcheck.contract.problem import refuse
from imgcheck.contract.tree import Table, read_table
from imgcheck.cst_import import import_cst
from imgcheck.engines.image_file import LayerFile, open_image
from imgcheck.engines.recorded import read_recording
from imgcheck.engines.unpacking import Unpacked
from imgcheck.facts.archive import collector_digest
from imgcheck.locking.lockfile import parse_lock
from imgcheck.read_report import find
from imgcheck.requirements.files import read_requirement_file
from imgcheck.settings import read_settings
from tests.fuzz.target import Target, own, seeds, text
from tests.image_archives import PACKERS, as_folder, as_tar, digest, docker_files, layer, link, oci_files, of_kind

NAME: Final = "fuzzed.file"
_LAYER: Final = layer(
    [
        ("usr", None),
        ("usr/lib/a.py", "x = 1\n"),
        ("usr/b", link("lib/a.py")),
        ("usr/hard", link("usr/lib/a.py", b"1")),
        ("usr/.wh.gone", ""),
        ("opt/.wh..wh..opq", ""),
        ("dev/null", of_kind(b"3")),
    ]
)
_REPORT: Final = own("tests/report/golden/broken.json")[0]
_FINDING: Final = json.loads(_REPORT)["findings"][0]["id"]


def _file(read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def run(data: bytes) -> object:
        with TemporaryDirectory() as folder:
            path = Path(folder, NAME)
            path.write_bytes(data)
            return read(path)

    return run


def _table(written: str) -> Table:
    root, problems = read_table(written, NAME)
    refuse(problems)
    return root


def _requirements(path: Path) -> object:
    return read_requirement_file(path, {"NAME": "name"})


def _plan(path: Path) -> object:
    dockerfile = read_dockerfile(path, build_args={}, platform="linux/amd64")
    (path.parent / "requirements.txt").write_bytes(b"numpy>=1.26\n")
    source = PlanSource(
        dockerfile=dockerfile, target=dockerfile.target(None), context=path.parent, on_base=frozenset({0})
    )
    return read_plan(source)


def _image(path: Path) -> object:
    with open_image(path) as image:
        return image.facts


def _document(name: str, files: Mapping[str, bytes]) -> Callable[[bytes], object]:
    """The one document of an image in a folder."""

    def run(data: bytes) -> object:
        with TemporaryDirectory() as folder:
            path = Path(folder, NAME)
            as_folder(path, {**files, name: data})
            return _image(path)

    return run


def _layer(data: bytes) -> object:
    with TemporaryDirectory() as folder:
        laid_out = Unpacked(Path(folder), largest=1 << 20, most=1000)
        laid_out.add(LayerFile(name=NAME, diff_id=digest(data), open=lambda: nullcontext(io.BytesIO(data))))
        return laid_out.owned


def _settings(data: bytes) -> object:
    with TemporaryDirectory() as folder:
        Path(folder, "pyproject.toml").write_bytes(data)
        return read_settings(Path(folder), ("jobs", "strict", "cache_dir"))


def _saved(form: Mapping[str, bytes]) -> bytes:
    with TemporaryDirectory() as folder:
        return as_tar(Path(folder, "i.tar"), form).read_bytes()


def recording() -> bytes:
    """What the standalone collector writes, of one request."""
    sent: tuple[dict[str, object], ...] = (
        {
            "kind": "recording",
            "format": FORMAT,
            "imgcheck": "1",
            "collector": collector_digest(),
            "python": "python3",
            "variables": {},
            "environment": {},
        },
        {"kind": "request", "request": {"job": "x", "options": {}}},
        {"kind": "answer", "answer": "module", "fields": {"module": "a"}},
        {"kind": "failed", "status": 1, "words": "no"},
    )
    lines = [json.dumps({"secret": "0123456789abcdef", "number": n, **one}) for n, one in enumerate(sent, 1)]
    before = "".join(f"{line}\n" for line in lines)
    digest_of = hashlib.sha256(before.encode()).hexdigest()
    end = {"secret": "0123456789abcdef", "number": 5, "kind": "end", "count": 5, "sha256": digest_of}
    return f"{before}{json.dumps(end)}\n".encode()


_DOCKER: Final = docker_files([_LAYER])
_OCI: Final = oci_files([_LAYER])

TARGETS: Final[Mapping[str, Target]] = {
    "constraints": Target(
        lambda data: read_constraints(text(data), NAME),
        (*seeds("constraints.txt") * 9, *own("contracts/base.constraints.txt")),
        names=NAME,
    ),
    "contract": Target(
        lambda data: parse_contract(text(data), NAME),
        (*seeds("contract-*") * 3, *own("contracts/base.yaml")),
        names=NAME,
    ),
    "cst": Target(_file(import_cst), seeds("cst.yaml"), names=NAME),
    "image-file": Target(
        _file(_image), (_saved(_DOCKER), *(_saved(oci_files([_LAYER], one)) for one in PACKERS)), names=NAME
    ),
    "image-index": Target(_document("index.json", _OCI), (_OCI["index.json"],), names=NAME),
    "image-manifest": Target(_document("manifest.json", _DOCKER), (_DOCKER["manifest.json"],), names=NAME),
    "layer": Target(_layer, (_LAYER,), names=NAME),
    "lock": Target(lambda data: parse_lock(text(data)), own("dockerfiles/base.lock.txt")),
    "plan": Target(_file(_plan), (*seeds("train.Dockerfile"), *own("dockerfiles/train.Dockerfile")), names=NAME),
    "pod": Target(lambda data: runtime_of(_table(text(data)), "train"), seeds("pod.yaml"), names=NAME),
    "recording": Target(_file(read_recording), (recording(),), names=NAME),
    "report": Target(_file(lambda path: find(_FINDING, path)), (_REPORT,), names=NAME),
    "requirements": Target(_file(_requirements), seeds("requirements.txt"), names=NAME),
    "settings": Target(
        _settings, (b'[tool.imgcheck]\njobs = 4\nstrict = true\ncache_dir = "x"\n',), names="pyproject.toml"
    ),
}
