"""Which modules a distribution has, from files on disk that hold nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.collector.module_names import mapped
from imgcheck.collector.modules import enumerate_modules

ABI = ".cpython-311-x86_64-linux-gnu.so"
SUFFIXES = [ABI, ".abi3.so", ".so"]
Found = dict[str, tuple[str, str]]


class Site:
    """A folder on sys.path with distributions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "site"
        self.folder.mkdir()
        self.path = [str(self.folder)]
        self.distributions: list[dict[str, object]] = []

    def write(self, name: str, content: bytes | None = None) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        leaf = path.name.split(".")[0]
        path.write_bytes(content if content is not None else f"PyInit_{leaf}\0".encode() if ".so" in name else b"")
        return path

    def add(self, name: str, *files: str, record: bool = True, top_level: tuple[str, ...] = ()) -> None:
        for file in files:
            if not (self.folder / file).exists():
                self.write(file)
        self.distributions.append(
            {
                "name": name,
                "version": "1",
                "location": str(self.folder),
                "files": list(files) if record else None,
                "metadata_path": str(self.folder / f"{name}-1.dist-info"),
                "top_level": list(top_level),
            }
        )

    def modules(self) -> list[dict[str, object]]:
        return enumerate_modules(self.distributions, self.path, SUFFIXES)

    def groups(self) -> Found:
        return {str(one["module"]): (str(one["kind"]), str(one["group"])) for one in self.modules()}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_packages_modules_and_extensions(site: Site) -> None:
    site.add("a", "a/__init__.py", "a/b.py", f"a/c{ABI}", "a/d.abi3.so", "a/e.so", "six.py", "a/x.pyc", "a/data.txt")
    assert site.groups() == {
        "a": ("package", "module"),
        "a.b": ("source", "module"),
        "a.c": ("extension", "module"),
        "a.d": ("extension", "module"),
        "a.e": ("extension", "module"),
        "a.x": ("bytecode", "module"),
        "six": ("source", "module"),
    }


@pytest.mark.parametrize(
    "file",
    [
        pytest.param("a/__pycache__/b.cpython-311.pyc", id="cache"),
        pytest.param("a/lib/libtorch.so.2", id="versioned library"),
        pytest.param("a/data.json", id="data"),
        pytest.param("bin/tool.py", id="script of a target install"),
        pytest.param("a-1.data/scripts/tool.py", id="script of a wheel"),
        pytest.param("a-1.dist-info/hook.py", id="metadata"),
        pytest.param("../../../bin/tool.py", id="outside of sys.path"),
    ],
)
def test_what_is_no_module(site: Site, file: str) -> None:
    site.add("a", file)
    assert site.groups() == {}


def test_a_library_without_an_init_function_is_no_module(site: Site) -> None:
    site.write("a/libtorch.so", b"PyInit_libtorch_python\0")
    site.write("a/empty.so", b"")
    site.add("a", "a/__init__.py", "a/libtorch.so", "a/empty.so")
    assert site.groups() == {"a": ("package", "module")}


def test_a_recorded_file_that_is_not_there_is_no_module(site: Site) -> None:
    site.add("a", "a/__init__.py", "a/gone.py")
    (site.folder / "a/gone.py").unlink()
    assert site.groups() == {"a": ("package", "module")}


@pytest.mark.parametrize(
    ("file", "group"),
    [
        pytest.param("a/tests/test_x.py", "test", id="tests"),
        pytest.param("a/tests/helper.py", "test", id="helper of tests"),
        pytest.param("a/testing/helper.py", "module", id="testing is real"),
        pytest.param("a/test/client.py", "module", id="django.test is real"),
        pytest.param("a/test.py", "module", id="werkzeug.test is real"),
        pytest.param("a/tests.py", "test", id="tests in one file"),
        pytest.param("a/test_util.py", "module", id="test_ outside of tests is real"),
        pytest.param("a/_vendor/x.py", "vendored", id="vendor"),
        pytest.param("a/site-packages/x.py", "vendored", id="site-packages inside"),
        pytest.param("a/__main__.py", "main", id="main"),
        pytest.param("a/conftest.py", "conftest", id="conftest"),
        pytest.param("a/0001_initial.py", "not-an-identifier", id="migration"),
        pytest.param("a/x.cpython-310-x86_64-linux-gnu.so", "other-abi", id="another Python"),
        pytest.param("a/x.pyd", "other-abi", id="Windows"),
    ],
)
def test_groups(site: Site, file: str, group: str) -> None:
    site.add("a", "a/__init__.py", file)
    (told,) = [one["group"] for one in site.modules() if str(one["path"]).endswith(file)]
    assert told == group


def test_a_folder_named_test_with_tests_in_it_is_tests(site: Site) -> None:
    site.add("a", "a/__init__.py", "a/test/__init__.py", "a/test/test_x.py", "a/test/helper.py")
    assert {name: group for name, (_, group) in site.groups().items()} == {
        "a": "module",
        "a.test": "test",
        "a.test.helper": "test",
        "a.test.test_x": "test",
    }


def test_of_two_files_with_one_name_the_import_system_takes_the_extension(site: Site) -> None:
    site.add("a", "a/__init__.py", "a/b.py", f"a/b{ABI}", "a/c.py", "a/c/__init__.py")
    told = {str(one["path"])[len(str(site.folder)) + 1 :]: one["group"] for one in site.modules()}
    assert told == {
        "a/__init__.py": "module",
        "a/b.py": "second-file",
        f"a/b{ABI}": "module",
        "a/c.py": "second-file",
        "a/c/__init__.py": "module",
    }


def test_a_file_of_two_distributions_is_listed_once(site: Site) -> None:
    site.add("a", "cv2/__init__.py")
    site.add("b", "cv2/__init__.py", "cv2/more.py")
    assert [(one["module"], one["distribution"], one.get("also")) for one in site.modules()] == [
        ("cv2", "a", ["b"]),
        ("cv2.more", "b", None),
    ]


def test_namespaces_are_derived_and_shared(site: Site) -> None:
    site.add("a", "google/auth/__init__.py")
    site.add("b", "google/cloud/storage.py")
    assert site.groups() == {
        "google": ("namespace", "module"),
        "google.auth": ("package", "module"),
        "google.cloud": ("namespace", "module"),
        "google.cloud.storage": ("source", "module"),
    }
    assert site.modules()[0]["also"] == ["b"]


def test_a_package_that_nobody_recorded_is_no_namespace(site: Site) -> None:
    site.write("a/__init__.py")
    site.add("a", "a/b.py")
    assert site.groups()["a"] == ("package", "module")


def test_without_a_record_the_disk_tells(site: Site) -> None:
    for file in ("yaml/__init__.py", "yaml/loader.py", f"_yaml{ABI}", "other/__init__.py", "yaml/__pycache__/x.py"):
        site.write(file)
    site.add("PyYAML", record=False, top_level=("_yaml", "yaml"))
    assert sorted(site.groups()) == ["_yaml", "yaml", "yaml.loader"]


def test_without_a_record_and_names_the_distributions_own_name_tells(site: Site) -> None:
    for file in ("my_dist/__init__.py", "my_dist/x.py", "other.py"):
        site.write(file)
    site.add("My-Dist", record=False)
    assert sorted(site.groups()) == ["my_dist", "my_dist.x"]


def test_a_namespace_without_a_record_leaves_others_their_files(site: Site) -> None:
    site.add("a", record=False, top_level=("zope",))
    site.add("b", "zope/b.py")
    site.write("zope/a.py")
    assert [(one["module"], one["distribution"]) for one in site.modules() if one["kind"] == "source"] == [
        ("zope.a", "a"),
        ("zope.b", "b"),
    ]


@pytest.mark.parametrize(
    "lead",
    [
        pytest.param(("__editable___a_1_finder.py", "MAPPING: dict[str, str] = {{'a': '{src}/a'}}\n"), id="setuptools"),
        pytest.param(("__editable___a_1_finder.py", "MAPPING = {{'a': '{src}/a'}}\n"), id="old setuptools"),
        pytest.param(("_editable_impl_a.py", "F.map_module('a', '{src}/a/__init__.py')\n"), id="editables"),
        pytest.param(("a.pth", "{src}\n"), id="path"),
    ],
)
def test_an_editable_install_has_the_modules_of_its_source(site: Site, tmp_path: Path, lead: tuple[str, str]) -> None:
    source = tmp_path / "src"
    for file in ("a/__init__.py", "a/b.py", "setup.py"):
        (source / file).parent.mkdir(parents=True, exist_ok=True)
        (source / file).write_text("")
    site.write(lead[0], lead[1].format(src=source).encode())
    site.add("a", lead[0])
    site.path.append(str(source))
    assert site.groups() == {"a": ("package", "module"), "a.b": ("source", "module")}


def test_an_editable_install_of_another_name_is_listed_by_the_name_it_is_imported_by(
    site: Site, tmp_path: Path
) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/__init__.py").write_text("")
    (tmp_path / "lib/b.py").write_text("")
    site.write("__editable___a_1_finder.py", f"MAPPING = {{'a': '{tmp_path}/lib'}}\n".encode())
    site.add("a", "__editable___a_1_finder.py")
    assert site.groups() == {"a": ("package", "module"), "a.b": ("source", "module")}


@pytest.mark.parametrize("text", ["MAPPING = evil()", "MAPPING = 5", "def (", "\0", "F.map_module(a, b)"])
def test_a_finder_that_cannot_be_read_maps_nothing(text: str) -> None:
    assert mapped(text) == {}


def test_a_plain_pth_of_a_distribution_is_no_source_folder(site: Site) -> None:
    site.write("a.pth", b"import os; os.environ\n# comment\n\n/nowhere\n.\n")
    site.add("a", "a.pth", "a/__init__.py")
    assert site.groups() == {"a": ("package", "module")}
