"""What a Dockerfile will install, read and not run."""

from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.build.derived import CONSTRAINTS_PATH
from imgcheck.build.installs import PlanSource, read_plan
from imgcheck.build.stages import read_dockerfile
from imgcheck.errors import UsageError
from imgcheck.facts.plan import Install, PlanFacts


def read(folder: Path, text: str, *on_base: int, **files: str) -> PlanFacts:
    for name, content in files.items():
        (folder / f"{name}.txt").write_text(content, "utf-8")
    path = folder / "Dockerfile"
    path.write_text(text, "utf-8")
    dockerfile = read_dockerfile(path, build_args={}, platform="linux/amd64")
    return read_plan(
        PlanSource(
            dockerfile=dockerfile,
            target=dockerfile.target(None),
            context=folder,
            on_base=frozenset(on_base or (0,)),
            markers={"sys_platform": "linux"},
        )
    )


def one(folder: Path, command: str, **files: str) -> Install:
    (found,) = read(folder, f"FROM base\nCOPY . /src\nRUN {command}\n", **files).installs
    return found


@pytest.mark.parametrize(
    ("command", "bypass"),
    [
        pytest.param("pip install a", "", id="plain"),
        pytest.param("python3.11 -X dev -m pip --no-cache-dir install a", "", id="by-python"),
        pytest.param("PIP_CONSTRAINT= pip install a", "PIP_CONSTRAINT is emptied there", id="emptied"),
        pytest.param("PIP_CONSTRAINT=/my.txt pip install a", "PIP_CONSTRAINT is set to '/my.txt' there", id="replaced"),
        pytest.param('PIP_CONSTRAINT="$PIP_CONSTRAINT /my.txt" pip install a', "", id="added-to"),
        pytest.param("export PIP_CONSTRAINT=/x && pip install a", "PIP_CONSTRAINT is set to '/x' there", id="exported"),
        pytest.param("unset PIP_CONSTRAINT; pip install a", "PIP_CONSTRAINT is taken away there", id="unset"),
        pytest.param("env -u PIP_CONSTRAINT pip install a", "PIP_CONSTRAINT is taken away there", id="env-u"),
        pytest.param("env -i PATH=/bin pip install a", "PIP_CONSTRAINT is taken away there", id="env-i"),
        pytest.param("sudo -H pip install a", "PIP_CONSTRAINT is taken away there", id="sudo"),
        pytest.param("sudo -E pip install a", "", id="sudo-that-keeps"),
        pytest.param("pip --isolated install a", "--isolated makes pip pass over its variables", id="isolated"),
        pytest.param(f"PIP_CONSTRAINT= pip install -c {CONSTRAINTS_PATH} a", "", id="by-option"),
        pytest.param("UV_CONSTRAINT= uv pip install a", "UV_CONSTRAINT is emptied there", id="uv"),
        pytest.param("UV_CONSTRAINT= pip install a", "", id="the-other-s-variable"),
        pytest.param("sh -c 'PIP_CONSTRAINT= pip install a'", "PIP_CONSTRAINT is emptied there", id="inner-shell"),
        pytest.param("timeout -s 9 60 nice -n 5 pip install a", "", id="wrapped"),
        pytest.param("if true; then (cd /x && pip install a) || exit 1; fi", "", id="compound"),
    ],
)
def test_whether_the_constraints_are_in_force(tmp_path: Path, command: str, bypass: str) -> None:
    found = one(tmp_path, command)
    assert found.bypass == bypass
    assert [wanted.text for wanted in found.wanted] == ["a"]


def test_words_options_and_files(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        "pip install -U --no-deps -r/src/more.txt 'b[x]>=1,<2' -i https://u:p@host/simple -e ./pkg -t /opt c==1.0",
        more="d\ne==2 ; sys_platform == 'win32'\n",
    )
    assert found.options == ("--no-deps", "--upgrade", "--target")
    told = [(wanted.text, wanted.place.line, wanted.pinned, wanted.applies) for wanted in found.wanted]
    assert told == [
        ("b[x]>=1,<2", 3, False, True),
        ("c==1.0", 3, True, True),
        ("-e ./pkg", 3, True, True),
        ("d", 1, False, True),
        ("e==2 ; sys_platform == 'win32'", 2, True, False),
    ]
    assert "u:p" not in found.command


def test_lines_of_continued_commands_here_documents_and_scripts(tmp_path: Path) -> None:
    (tmp_path / "setup.sh").write_text("#!/bin/sh\nset -e\n\npip install from-script\n", "utf-8")
    text = (
        "FROM base\nARG NAME=by-arg\nENV LIST='x y'\nCOPY setup.sh /opt/\nRUN --mount=type=cache,target=/c \\\n"
        "  # a comment\n  --network=none \\\n  set -e && \\\n  pip install $NAME ${UNSET:-z}\n"
        "RUN <<END\npip install in-doc\nEND\n"
        'RUN bash -e /opt/setup.sh\nRUN bash <<\'END\'\n\npip install fed $LIST\nEND\nRUN ["pip", "install", "form"]\n'
        "RUN python3 <<END\npip install no\nEND\n"
    )
    found = read(tmp_path, text)
    told = [
        (Path(one.place.file).name, one.place.line, [wanted.text for wanted in one.wanted]) for one in found.installs
    ]
    assert told == [
        ("Dockerfile", 9, ["by-arg", "z"]),
        ("Dockerfile", 11, ["in-doc"]),
        ("setup.sh", 4, ["from-script"]),
        ("Dockerfile", 14, ["fed", "x", "y"]),
        ("Dockerfile", 18, ["form"]),
    ]
    assert not found.unread


@pytest.mark.parametrize(
    ("command", "why"),
    [
        pytest.param("curl -s https://x | bash", "a script that a pipe brings", id="piped"),
        pytest.param("pip install a && (", "the shell cannot be parsed", id="broken-shell"),
        pytest.param("/opt/elsewhere.sh", "what /opt/elsewhere.sh does", id="script-of-the-image"),
        pytest.param('eval "$COMMAND"', "what $COMMAND does", id="eval"),
    ],
)
def test_what_cannot_be_told_is_listed(tmp_path: Path, command: str, why: str) -> None:
    (unread,) = read(tmp_path, f"FROM base\nRUN {command}\n").unread
    assert why in unread.what
    assert unread.place.line == 2


@pytest.mark.parametrize(
    "command",
    ["pip list", "pip download a", "pip install --dry-run a", "apt-get update", ". /opt/venv/bin/activate", "uv venv",
     'eval "$(conda shell.bash hook)"', "echo pip install a", "python -c 'import a'"],
)  # fmt: skip
def test_what_installs_nothing(tmp_path: Path, command: str) -> None:
    found = read(tmp_path, f"FROM base\nRUN {command}\n")
    assert (found.installs, found.unread) == ((), ())


def test_what_only_running_tells_is_marked(tmp_path: Path) -> None:
    found = one(tmp_path, "pip install $(cat list) -r /gone.txt; for p in a b; do echo $p; done")
    assert found.unread == (
        "/gone.txt is not found in the build context",
        "$(cat list) is settled only by running it",
    )


def test_other_installers(tmp_path: Path) -> None:
    text = (
        "FROM base\nRUN conda install -y -c conda-forge numpy=1.26 && mamba env update -f e.yaml\n"
        "RUN conda run -n x pip install a\n"
        "RUN apt-get install -y --no-install-recommends libcudnn9 git\n"
        "RUN poetry install && uv sync && uv pip sync r.txt\n"
    )
    told = [(one.tool, one.verb, [wanted.text for wanted in one.wanted]) for one in read(tmp_path, text).installs]
    assert told == [
        ("conda", "conda install", ["numpy=1.26"]),
        ("conda", "conda env", ["update"]),
        ("pip", "install", ["a"]),
        ("apt", "install", ["libcudnn9", "git"]),
        ("project", "poetry install", []),
        ("uv", "sync", []),
        ("uv pip", "sync", []),
    ]


def test_stages_images_and_downloads(tmp_path: Path) -> None:
    text = (
        "FROM tools:latest AS tools\nRUN pip install -c /src/limits.txt a\nFROM unused\nRUN pip install never\n"
        "FROM base\nCOPY --from=tools /a /a\nCOPY --from=other:1@sha256:" + "a" * 64 + " /b /b\n"
        "ADD https://host/x.tar /x\nADD --checksum=sha256:" + "b" * 64 + " https://host/y /y\nADD local.tar /\n"
    )
    found = read(tmp_path, text, 2)
    (install,) = found.installs
    assert install.bypass == "its stage is FROM tools:latest, not the contract's base"
    assert install.unread == ("/src/limits.txt is not found in the build context",)
    assert [(one.reference[:8], one.digest) for one in found.images] == [("tools:la", False), ("other:1@", True)]
    assert [(one.address, one.checked) for one in found.downloads] == [
        ("https://host/x.tar", False),
        ("https://host/y", True),
    ]


def test_another_shell_is_not_guessed_at(tmp_path: Path) -> None:
    (unread,) = read(tmp_path, 'FROM base\nSHELL ["pwsh", "-c"]\nRUN pip install a\n').unread
    assert unread.what == "its shell is pwsh -c"


def test_a_bad_requirement_file_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"r\.txt:2: 'b >> 1' is no requirement"):
        one(tmp_path, "pip install -r /src/r.txt", r="a\nb >> 1\n")


def test_where_an_install_looks_is_kept_for_a_resolver_and_never_shown(tmp_path: Path) -> None:
    found = one(tmp_path, "PIP_NO_INDEX=1 UV_INDEX=x pip install --find-links /w -f /v --pre a")
    assert found.index.options == (("--find-links", ("/w", "/v")), ("--pre", ()))
    assert found.index.variables == (("PIP_NO_INDEX", "1"),)
    secret = one(tmp_path, "pip install --index-url https://me:s3cret@x.example a")
    assert "s3cret" not in repr(secret)


def test_an_index_that_only_running_tells(tmp_path: Path) -> None:
    assert one(tmp_path, "pip install -i $(cat /run/secrets/index) a").index.unknown == ("--index-url",)
    assert one(tmp_path, "PIP_INDEX_URL=$(cat /s) pip install a").index.unknown == ("PIP_INDEX_URL",)
    assert one(tmp_path, "pip install --index-url=https://$TOKEN@x.example a").index.unknown == ("--index-url",)
    assert one(tmp_path, "export PIP_INDEX_URL=https://x.example; pip install a").index.unknown == ()


def test_constraint_files_of_the_context_go_with_it(tmp_path: Path) -> None:
    found = one(tmp_path, "pip install -c /src/c.txt -r /src/r.txt", c="six<2\n", r="six\n")
    assert [Path(name).name for name in (*found.limits, *found.files)] == ["c.txt", "r.txt"]


def test_secrets_and_build_arguments_are_masked_in_what_is_shown_and_not_in_what_is_resolved(tmp_path: Path) -> None:
    found = one(
        tmp_path, "pip install 'a @ git+https://s3cret@host/a' -r /src/r.txt", r="b @ https://me:s3cret@h/b.whl\n"
    )
    assert [wanted.text for wanted in found.wanted] == ["a @ git+https://***@host/a", "b @ https://***@h/b.whl"]
    assert found.wanted[0].raw == "a @ git+https://s3cret@host/a"
    assert "s3cret" not in repr(found)
    (tmp_path / "Dockerfile").write_text("FROM base\nARG LEVEL\nRUN pip install --proxy $LEVEL a\n", "utf-8")
    dockerfile = read_dockerfile(tmp_path / "Dockerfile", build_args={"LEVEL": "hunter2x"}, platform="linux/amd64")
    source = PlanSource(dockerfile=dockerfile, target=dockerfile.target(None), context=tmp_path, on_base=frozenset({0}))
    assert read_plan(source).installs[0].command == "pip install --proxy $LEVEL a"


def test_a_requirement_file_of_a_name_that_no_file_can_have_is_not_there(tmp_path: Path) -> None:
    found = one(tmp_path, f"pip install -r /src/{'long' * 100}.txt")
    assert found.unread


def test_a_folder_that_may_not_be_read_is_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_path: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_dir", refused)
    assert one(tmp_path, "pip install -r /src/closed/requirements.txt").unread
