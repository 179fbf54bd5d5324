"""Images in files: each form that tools write, and what is none."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from imgcheck.engines.image_file import ImageFile, open_image
from imgcheck.errors import UsageError
from tests.image_archives import PACKERS, as_folder, as_tar, digest, docker_files, layer, link, oci_files

LAYERS = [layer([("a", "1")]), layer([("b", "2")])]


def contents(image: ImageFile) -> list[bytes]:
    found = []
    for one in image.layers:
        with one.open() as stream:
            found.append(stream.read())
    return found


def test_what_docker_saves(tmp_path: Path) -> None:
    told = {
        "config": {"Env": ["PATH=/bin"], "User": "1000", "Cmd": ["run"], "Labels": {"a": "b"}},
        "history": [{"created": "2026-11-30T10:00:00.123456789Z", "created_by": "RUN x"}, {"empty_layer": True}],
    }
    with open_image(as_tar(tmp_path / "i.tar", docker_files(LAYERS, **told))) as image:
        assert contents(image) == LAYERS
        facts = image.facts
    assert (facts.reference, facts.architecture, facts.user) == ("my/train:1", "amd64", "1000")
    assert facts.layers == tuple(map(digest, LAYERS))
    assert [(one.created, one.command, one.empty) for one in facts.history] == [
        (1_796_032_800, "RUN x", False),
        (0, "", True),
    ]


def test_a_layer_that_is_there_twice_is_a_link(tmp_path: Path) -> None:
    path = tmp_path / "i.tar"
    files = docker_files([LAYERS[0], LAYERS[0]])
    manifest = json.loads(files["manifest.json"])
    manifest[0]["Layers"] = ["1/layer.tar", "2/layer.tar"]
    files["1/layer.tar"] = LAYERS[0]
    as_tar(path, {**files, "manifest.json": json.dumps(manifest).encode()})
    with tarfile.open(path, "a") as tar:
        member = tarfile.TarInfo("2/layer.tar")
        link("../1/layer.tar")(member)
        tar.addfile(member)
    with open_image(path) as image:
        assert contents(image) == [LAYERS[0], LAYERS[0]]


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("form", [as_tar, as_folder])
def test_the_oci_layout(tmp_path: Path, packing: str, form: object) -> None:
    path = form(tmp_path / "image", oci_files(LAYERS, packing))  # type: ignore[operator]
    with open_image(path) as image:
        assert contents(image) == LAYERS
        assert image.facts.digest.startswith("sha256:")


def test_of_several_platforms_the_own_one_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    several = ("linux/amd64", "linux/arm64", "unknown/unknown")
    with open_image(as_tar(tmp_path / "i.tar", oci_files(LAYERS, platforms=several))) as image:
        assert contents(image) == LAYERS


BAD = {
    "no image": ({"a": b"x"}, "neither manifest.json nor index.json"),
    "several images": (
        {"manifest.json": json.dumps([{"RepoTags": ["a:1"]}, {"RepoTags": ["b:1"]}]).encode()},
        "holds 2 images: a:1, b:1",
    ),
    "other platforms": (oci_files(LAYERS, platforms=("linux/s390x", "linux/riscv64")), "2 images: linux/s390x"),
    "no JSON": ({"manifest.json": b"{"}, "is no image as docker save or OCI have it"),
    "a manifest of nothing": ({"manifest.json": b"[{}]"}, "'Config' is missing"),
    "a digest that is none": (
        {"index.json": b'{"manifests": [{"digest": "sha256:../../etc/passwd"}]}'},
        "is no sha256 digest",
    ),
}


@pytest.mark.parametrize(("files", "words"), BAD.values(), ids=BAD)
def test_what_is_no_image_is_told(tmp_path: Path, files: dict[str, bytes], words: str) -> None:
    with pytest.raises(UsageError, match=words) as told, open_image(as_tar(tmp_path / "i.tar", files)):
        pass
    assert "docker save" in told.value.remedy


def test_a_document_of_another_digest_is_refused(tmp_path: Path) -> None:
    files = oci_files(LAYERS)
    name = next(one for one, data in files.items() if b'"layers": [{"digest"' in data)
    with (
        pytest.raises(UsageError, match="other content than its name says"),
        open_image(as_folder(tmp_path / "i", {**files, name: files[name] + b" "})),
    ):
        pass


def test_a_folder_is_not_left_by_links(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("{}", "utf-8")
    folder = as_folder(tmp_path / "i", {"oci-layout": b"{}"})
    (folder / "index.json").symlink_to(tmp_path / "secret")
    with pytest.raises(UsageError, match="leads out of it"), open_image(folder):
        pass


@pytest.mark.parametrize("data", [b"", b"no tar at all" * 100])
def test_a_file_that_is_no_tar_is_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "i.tar").write_bytes(data)
    with pytest.raises(UsageError, match=r"i\.tar: "), open_image(tmp_path / "i.tar"):
        pass


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"), open_image(tmp_path / "i.tar"):
        pass


def test_a_cut_archive_is_told(tmp_path: Path) -> None:
    whole = as_tar(tmp_path / "w.tar", docker_files(LAYERS)).read_bytes()
    (tmp_path / "i.tar").write_bytes(whole[:6000])
    with pytest.raises(UsageError, match=r"i\.tar: "), open_image(tmp_path / "i.tar"):
        pass
