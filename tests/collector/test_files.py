from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from imgcheck.collector import files_packages
from imgcheck.collector.files_hashing import Asked, Bounds, digest_of, digests_of
from imgcheck.collector.files_packages import packages_of, unlisted_packages
from imgcheck.facts.files import FileFacts, OwnerFiles
from tests.small_wheels import facts_of, install

ELF = b"\x7fELF\x02\x01\x01" + bytes(11) + (3).to_bytes(2, "little")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "lib" / "site-packages"
    folder.mkdir(parents=True)
    return folder


def files_of(*folders: Path, deep: bool = False) -> FileFacts:
    found = facts_of(*folders, deep=deep).files
    assert found
    return found


def only(found: FileFacts) -> OwnerFiles:
    (owner,) = found.owners
    return owner


def test_what_is_whole_is_compared_by_size_or_hash_and_nothing_is_wrong(site: Path) -> None:
    install(site, "one", "1", {"one/__init__.py": "A = 1\n", "one/data.bin": "x" * 10})
    owner = only(files_of(site))
    assert (owner.listed, owner.hashed, owner.unhashed) == (3, 1, 2)  # METADATA and the two; RECORD and INSTALLER not
    assert not owner.missing
    assert not owner.altered
    deep = only(files_of(site, deep=True))
    assert (deep.hashed, deep.unhashed, deep.altered) == (3, 0, ())


@pytest.mark.parametrize(
    ("written", "told"),
    [
        pytest.param(1000, False, id="with-the-rest"),
        pytest.param(1009, True, id="after-RECORD"),
        pytest.param(1, True, id="long-before-METADATA"),
    ],
)
def test_a_file_is_hashed_where_its_time_is_not_the_installations(site: Path, written: int, *, told: bool) -> None:
    info = install(site, "one", "1", {"one/big.bin": "x" * 9})
    (site / "one" / "big.bin").write_bytes(b"y" * 9)
    os.utime(info / "METADATA", (1000, 1000))
    os.utime(info / "RECORD", (1005, 1005))
    os.utime(site / "one" / "big.bin", (written, written))
    assert [one.path for one in only(files_of(site)).altered] == ["one/big.bin"] * told
    assert only(files_of(site)).unhashed == (not told)
    assert only(files_of(site, deep=True)).altered


def test_suspected_files_have_a_budget() -> None:
    bounds = Bounds(deep=False)
    assert bounds.allow(1 << 26, True)
    assert not bounds.allow((1 << 26) + 1, True)
    assert not bounds.allow(1, False)
    assert sum(bounds.allow(1 << 26, True) for _ in range(9)) == 3
    assert Bounds(deep=True).allow(1 << 40, False)


def test_large_files_are_hashed_side_by_side(tmp_path: Path) -> None:
    asked = []
    for number in range(6):
        (tmp_path / str(number)).write_bytes(bytes([number]) * (3 << 19))
        asked.append(Asked(str(tmp_path / str(number)), "sha256", 3 << 19))
    plain = {one: hashlib.sha256(Path(one.path).read_bytes()).hexdigest() for one in asked}
    assert digests_of([*asked, asked[0]._replace(path="/nowhere")]) == {
        **plain,
        asked[0]._replace(path="/nowhere"): None,
    }


def test_a_hash_of_an_unknown_kind_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    assert digest_of(str(tmp_path / "a"), "md4711") is None
    assert digest_of(str(tmp_path / "a"), "shake_128") is None
    assert digest_of(str(tmp_path / "nowhere"), "sha256") is None
    os.mkfifo(tmp_path / "pipe")
    assert digest_of(str(tmp_path / "pipe"), "sha256")  # an empty file's, and no hanging


def test_a_garbled_record_is_no_crash(site: Path) -> None:
    info = install(site, "one", "1", {"one.py": ""})
    (info / "RECORD").write_text('one.py,sha256=?!,x\n../../bin/one,,\n"unclosed\n,,\n')
    owner = only(files_of(site))
    assert "../../bin/one" not in owner.missing
    assert str(site.parent / "bin" / "one").replace("/lib/", "/") in owner.missing or owner.missing


def test_scripts_whose_first_line_was_rewritten_are_counted(site: Path) -> None:
    script = site.parents[1] / "bin" / "one"
    script.parent.mkdir()
    script.write_text("#!/build/venv/bin/python\nprint(1)\n")
    install(site, "one", "1", {"../../bin/one": "#!/build/venv/bin/python\nprint(1)\n"})
    script.write_text("#!/opt/venv/bin/python\nprint(1)\n")
    owner = only(files_of(site))
    assert (owner.rewritten, owner.altered) == (1, ())


def test_scripts_of_a_target_lie_below_it_whatever_its_record_says(site: Path) -> None:
    install(site, "one", "1", {"one.py": "", "../../bin/one": "#!/usr/bin/python\n"})
    (site / "bin").mkdir()
    (site / "../../bin/one").rename(site / "bin/one")
    assert only(files_of(site)).missing == ()


def test_the_same_content_of_two_owners_is_compared_once(site: Path) -> None:
    for name in ("one", "two"):
        install(site, name, "1", {"shared/__init__.py": "A = 1\n"})
    (group,) = files_of(site).contested
    assert (group.files, group.same, group.different_count) == (1, 1, 0)
    (site / "shared" / "__init__.py").write_text("B = 1\n")
    assert [len(one.altered) for one in files_of(site).owners] == [1, 0]


def test_whose_content_won_is_told(site: Path) -> None:
    install(site, "one", "1", {"shared/__init__.py": "A = 1\n", "shared/a.py": "1"})
    two = install(site, "two", "1", {"shared/__init__.py": "A = 22\n", "shared/a.py": "2"})
    (group,) = files_of(site).contested
    assert group.won == (0, 2)
    assert {one.winner for one in group.different} == {str(two)}
    assert not any(one.altered for one in files_of(site).owners)


def test_an_init_that_makes_a_namespace_is_known(site: Path) -> None:
    install(site, "one", "1", {"ns/__init__.py": "__path__ = __import__('pkgutil').extend_path(__path__, __name__)\n"})
    install(site, "two", "1", {"ns/__init__.py": "__import__('pkg_resources').declare_namespace(__name__)\n"})
    ((file,),) = [one.different for one in files_of(site).contested]
    assert file.namespace


def test_sources_that_were_compiled_and_deleted_are_no_missing_files(site: Path) -> None:
    """As compileall -b leaves them."""
    install(site, "one", "1", {"one/__init__.py": "", "one/a.py": "", "one/b.py": ""})
    for name in ("a", "b"):
        (site / "one" / f"{name}.py").unlink()
    (site / "one" / "a.pyc").write_bytes(b"x")
    owner = only(files_of(site))
    assert (owner.sourceless, owner.missing) == (1, ("one/b.py",))
    assert not files_of(site).unowned


def test_a_package_without_sources_is_compared_by_its_bytecode(site: Path) -> None:
    install(site, "one", "1", {"one/__init__.pyc": "x", "one/a.py": "", "one/a.pyc": "x"})
    (site / "one" / "__init__.pyc").unlink()
    (site / "one" / "a.pyc").unlink()
    assert only(files_of(site)).missing == ("one/__init__.pyc",)


def test_what_leads_nowhere(site: Path) -> None:
    (site / "a.pth").write_text("\ufeff# a remark\n\nimport os\n.\n/nowhere\n")
    (site / "__editable___lib_finder.py").write_text(
        "MAPPING: dict = {'lib': '/nowhere/lib', 'os': '" + os.__file__[:-3] + "'}\n"
    )
    (site / "old.egg-link").write_text("/nowhere/src\n.\n")
    (site / "weights").symlink_to("/nowhere/weights")
    (site / "fine").symlink_to(site)
    found = [(one.kind, one.target, one.line) for one in files_of(site).dangling]
    assert found == [
        ("finder", "/nowhere/lib", 0),
        ("pth", "/nowhere", 5),
        ("egg-link", "/nowhere/src", 1),
        ("symlink", "/nowhere/weights", 0),
    ]


def test_what_nobody_lists(site: Path) -> None:
    install(site, "one", "1", {"one/__init__.py": ""})
    (site / "one" / "stray.py").write_text("")
    (site / "loose.py").write_text("")
    (site / "data").mkdir()
    (site / "data" / "notes.txt").write_text("")
    (site / "~umpy").mkdir()
    (site / "~umpy-1.dist-info").mkdir()
    (site / "~umpy-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 1\n")
    (site / "old_made").mkdir()
    (site / "old_made" / "__init__.py").write_text("")
    (site / "old_made-1.egg-info").write_text("Metadata-Version: 1.0\nName: old-made\nVersion: 1\n")
    found = files_of(site)
    assert [(one.name, one.inside, one.paths) for one in found.unowned] == [
        ("loose.py", False, ("loose.py",)),
        ("one", True, ("one/stray.py",)),
    ]
    assert found.leftovers == (str(site / "~umpy"), str(site / "~umpy-1.dist-info"))
    assert not any("umpy" in one for one in found.without_list)


def test_native_code_for_elsewhere(site: Path) -> None:
    info = install(
        site,
        "one",
        "1",
        {
            "one/a.cpython-310-x86_64-linux-gnu.so": "",
            "one/b.cpython-310-x86_64-linux-gnu.so": "",
            "one/b.cpython-311-x86_64-linux-gnu.so": "",
            "one/lib.so": "",
        },
    )
    (site / "one" / "lib.so").write_bytes(ELF)
    found = {Path(one.path).name: (one.machine, one.other_abi, one.owner) for one in files_of(site).foreign}
    assert found == {
        "a.cpython-310-x86_64-linux-gnu.so": (0, "cpython-310", str(info)),
        "lib.so": (3, "", str(info)),
    }


def test_dpkgs_lists(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "dpkg" / "info"
    info.mkdir(parents=True)
    (site / "six.py").write_text("")
    (site / "folder").mkdir()
    (info / "python3-six.list").write_text(f"/.\n{site}\n{site}/folder\n{site}/six.py\n{site}/gone.py\n")
    (info / "python3-six.md5sums").write_text(f"{'0' * 32}  {str(site)[1:]}/six.py\n")
    (info / "libc6:amd64.list").write_text("/lib/libc.so\n")
    (tmp_path / "dpkg" / "status").write_text("Package: python3-six\nStatus: x\nVersion: 1.16.0-4\n\nPackage: z\n")
    monkeypatch.setattr(files_packages, "_DPKG", str(tmp_path / "dpkg"))
    owner = only(files_of(site))
    assert (owner.kind, owner.name, owner.version, owner.listed) == ("dpkg", "python3-six", "1.16.0-4", 2)
    assert owner.missing == (f"{site}/gone.py",)
    assert not files_of(site).unowned
    os.utime(site / "six.py", (2e9, 2e9))  # written after the list
    assert only(files_of(site)).altered[0].by == "hash"


def test_apks_database(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "six.py").write_text("abc")
    digest = "Q1qZk+NkcGgWq6PiVxeFDCbJzQ2J0="
    text = f"P:py3-six\nV:1.16.0-r9\nF:{str(site)[1:]}\nR:six.py\nZ:{digest}\n\nP:musl\nV:1\nF:lib\nR:libc.so\n"
    (tmp_path / "installed").write_text(text)
    monkeypatch.setattr(files_packages, "_APK", (str(tmp_path / "installed"),))
    owner = only(files_of(site, deep=True))
    assert (owner.kind, owner.name, owner.hashed, owner.altered) == ("apk", "py3-six", 1, ())


def test_condas_hash_counts_where_it_rewrote_a_file(site: Path) -> None:
    install(site, "one", "1", {"one/__init__.py": "PREFIX = '/placeholder'\n", "one/a.py": ""})
    (site / "one" / "__init__.py").write_text("PREFIX = '/opt/conda'\n")
    digest = digest_of(str(site / "one" / "__init__.py"), "sha256")
    prefix = site.parent
    listed = [
        {"_path": "site-packages/one/__init__.py", "prefix_placeholder": "/placeholder", "sha256_in_prefix": digest},
        {"_path": "site-packages/one-1.dist-info/METADATA", "sha256": "0" * 64, "size_in_bytes": 1},
        {"_path": 4711},
        "odd",
    ]
    (prefix / "conda-meta").mkdir()
    (prefix / "conda-meta" / "one-1-0.json").write_text(
        '{"name": "one", "version": "1", "paths_data": {"paths": ' + str(listed).replace("'", '"') + "}}"
    )
    (prefix / "conda-meta" / "garbled.json").write_text("{")
    found = files_of(site)
    record, conda = found.owners
    assert record.packaged == "conda one"
    assert [one.path for one in record.altered] == ["one-1.dist-info/METADATA"]
    assert (conda.kind, conda.listed) == ("conda", 2)
    assert [one.by for one in conda.altered] == ["size"]


def test_folders_that_no_installer_writes_to_are_not_looked_at(site: Path, tmp_path: Path) -> None:
    own = tmp_path / "workspace"
    own.mkdir()
    (own / "train.py").write_text("")
    assert files_of(own, site).roots == (str(site),)
    target = tmp_path / "target"
    install(target, "one", "1", {"one.py": ""})
    assert files_of(target, site).roots == (str(target), str(site))


def test_what_is_listed_outside_of_the_prefix(site: Path) -> None:
    prefix = site.parent
    info = install(site, "one", "1", {"one.py": ""})
    (info / "RECORD").write_text("one.py,,\n../bin/one,,\n../../../../etc/one.conf,,\n")
    (told,) = files_of(site).beyond
    assert (told.owner, told.files) == (str(info), 1)
    assert not told.paths[0].startswith(str(prefix))


def test_without_packages_nothing_is_listed() -> None:
    assert list(packages_of([], "/nowhere")) == []
    assert unlisted_packages() in ("", "rpm")
