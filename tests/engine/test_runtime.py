"""The cluster's user, mounts and limits in real containers, written in the contract and read from a pod."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import Run
from tests.small_wheels import install

pytestmark = pytest.mark.engine
Docker = Callable[..., str]

LOOK = """\
import getpass, json, os, resource, socket
def may_write(path):
    try:
        open(os.path.join(path, "probe"), "w").close()
    except OSError as error:
        return error.errno
    return 0
def size(path):
    room = os.statvfs(path)
    return room.f_blocks * room.f_frsize
def user():
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None
print(json.dumps({
    "uid": os.getuid(), "gid": os.getgid(), "groups": sorted(os.getgroups()), "user": user(),
    "cwd": os.getcwd(), "home": os.environ.get("HOME"), "seen": os.environ.get("SEEN"),
    "writes": {path: may_write(path) for path in ("/", "/data", "/out", "/fast", "/conf")},
    "data": sorted(os.listdir("/data")), "shm": size("/dev/shm"), "fast": size("/fast"),
    "nofile": resource.getrlimit(resource.RLIMIT_NOFILE), "host": socket.gethostname(),
    "links": sorted(os.listdir("/sys/class/net")),
}))
"""

RUNTIME = """\
runtime:
  user: "1000670000:0"
  groups: ["4000"]
  workdir: /data
  env: {HOME: /out}
  read_only: true
  mounts: [{path: /data, read_only: true, fixture: data}, {path: /out}, {path: /conf, read_only: true}]
  tmpfs: [{path: /fast, size: 8MiB}]
  shm: 128MiB
  memory: 512MiB
  cpus: 1.5
  pids: 200
  ulimits: {nofile: "1024:2048"}
  hostname: worker-0
"""

POD = """\
kind: Job
spec:
  template:
    spec:
      hostname: worker-0
      securityContext: {runAsUser: 1000670000, runAsGroup: 0, fsGroup: 4000}
      containers:
      - name: trainer
        workingDir: /data
        securityContext: {readOnlyRootFilesystem: true}
        env: [{name: HOME, value: /out}]
        resources: {limits: {memory: 512Mi, cpu: 1500m}}
        volumeMounts:
        - {name: data, mountPath: /data, readOnly: true}
        - {name: out, mountPath: /out}
        - {name: conf, mountPath: /conf}
        - {name: fast, mountPath: /fast}
        - {name: shm, mountPath: /dev/shm}
      volumes:
      - {name: data, persistentVolumeClaim: {claimName: data}}
      - {name: out, emptyDir: {}}
      - {name: conf, configMap: {name: conf}}
      - {name: fast, emptyDir: {medium: Memory, sizeLimit: 8Mi}}
      - {name: shm, emptyDir: {medium: Memory, sizeLimit: 128Mi}}
"""
EROFS = 30


@pytest.fixture(scope="module")
def entered(docker: Docker, root_image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An image whose entrypoint says something, sets a variable, and starts what it is given."""
    folder = tmp_path_factory.mktemp("context")
    script = '#!/bin/sh\necho "welcome to this image"\nexport SEEN=entrypoint\nexec "$@"\n'
    (folder / "enter").write_text(script, "utf-8")
    (folder / "enter").chmod(0o755)
    text = f'FROM {root_image}\nCOPY enter /enter\nRUN mkdir /conf\nENTRYPOINT ["/enter"]\nCMD ["python3"]\n'
    (folder / "Dockerfile").write_text(text, "utf-8")
    docker("build", "-q", "-t", "imgcheck-test/runtime:1", str(folder))
    yield "imgcheck-test/runtime:1"
    docker("rmi", "-f", "imgcheck-test/runtime:1")


def seen(imgcheck: Run, image: str, folder: Path, runtime: str) -> Any:
    """What a probe sees of the container that it runs in."""
    (folder / "data").mkdir(exist_ok=True)
    (folder / "data/train.txt").write_text("one", "utf-8")
    (folder / "data").chmod(0o755)
    (folder / "pod.yaml").write_text(POD, "utf-8")
    run = json.dumps(["{python}", "-c", LOOK])
    (folder / "c.yaml").write_text(f"imgcheck: 1\nprobes: [{{name: look, run: {run}}}]\n{runtime}", "utf-8")
    done = imgcheck("probe", "look", image, "-c", str(folder / "c.yaml"), "--json", "-q")
    assert done.code == 0, done.out + done.err
    return json.loads(json.loads(done.out)["facts"]["output"].strip().splitlines()[-1])


def test_a_program_sees_what_the_contract_says(imgcheck: Run, entered: str, tmp_path: Path) -> None:
    told = seen(imgcheck, entered, tmp_path, RUNTIME)
    assert (told["uid"], told["gid"], 4000 in told["groups"], told["user"]) == (1000670000, 0, True, None)
    assert (told["cwd"], told["home"], told["host"], told["seen"]) == ("/data", "/out", "worker-0", None)
    assert told["writes"] == {"/": EROFS, "/data": EROFS, "/out": 0, "/fast": 0, "/conf": EROFS}
    assert told["data"] == ["train.txt"]
    assert (told["shm"], told["fast"], told["nofile"]) == (128 << 20, 8 << 20, [1024, 2048])
    assert told["links"] == ["lo"]


def test_it_sees_the_same_where_a_pod_says_it(imgcheck: Run, entered: str, tmp_path: Path) -> None:
    told = seen(imgcheck, entered, tmp_path, "runtime: !include pod.yaml\n")
    assert (told["uid"], told["gid"], 4000 in told["groups"]) == (1000670000, 0, True)
    assert told["writes"] == {"/": EROFS, "/data": EROFS, "/out": 0, "/fast": 0, "/conf": EROFS}
    assert (told["shm"], told["fast"], told["host"], told["cwd"]) == (128 << 20, 8 << 20, "worker-0", "/data")


def test_the_entrypoint_starts_it_where_the_contract_keeps_it(imgcheck: Run, entered: str, tmp_path: Path) -> None:
    mounts = "runtime: {entrypoint: kept, mounts: [{path: /data}, {path: /out}], tmpfs: [{path: /fast}]}\n"
    assert seen(imgcheck, entered, tmp_path, mounts)["seen"] == "entrypoint"


def test_the_hosts_network_is_there_where_it_is_asked_for(imgcheck: Run, entered: str, tmp_path: Path) -> None:
    host = "runtime: {network: host, mounts: [{path: /data}, {path: /out}], tmpfs: [{path: /fast}]}\n"
    assert len(seen(imgcheck, entered, tmp_path, host)["links"]) > 1


INDEX = "import os; os.path.getsize('/data/train.txt'); open('/data/index.cache', 'w')"


def test_an_index_beside_read_only_data_and_a_cache_of_home_are_named(
    imgcheck: Run, entered: str, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/train.txt").write_text("one", "utf-8")
    cache = "import os; os.makedirs(os.path.expanduser('~/.cache/huggingface/hub'))"
    runs = [("indexes", INDEX), ("caches", cache)]
    probes = "".join(f"- {{name: {name}, run: {json.dumps(['{python}', '-c', text])}}}\n" for name, text in runs)
    runtime = 'runtime: {user: "4321", read_only: true, mounts: [{path: /data, read_only: true, fixture: data}]}\n'
    (tmp_path / "c.yaml").write_text(f"imgcheck: 1\nprobes:\n{probes}{runtime}", "utf-8")
    chosen = ("--select", "IC601,IC802", "--format", "json", "-q")
    done = imgcheck("check", entered, "-c", str(tmp_path / "c.yaml"), *chosen)
    assert done.code == 1, done.err
    findings = {one["subject"]: one for one in json.loads(done.out)["findings"] if one["name"] == "unwritable-path"}
    assert "/data/index.cache, which the cluster mounts read-only at /data" in findings["/data"]["summary"]
    assert "Point XDG_CACHE_HOME to a folder" in findings["XDG_CACHE_HOME"]["remedy"]
    assert list((tmp_path / "data").iterdir()) == [tmp_path / "data/train.txt"]


def test_an_entrypoint_that_starts_nothing_is_told(
    imgcheck: Run, docker: Docker, root_image: str, tmp_path: Path
) -> None:
    (tmp_path / "Dockerfile").write_text(f'FROM {root_image}\nENTRYPOINT ["/bin/false"]\n', "utf-8")
    docker("build", "-q", "-t", "imgcheck-test/runtime:2", str(tmp_path))
    (tmp_path / "c.yaml").write_text("imgcheck: 1\nprobes: [tensorboard]\nruntime: {entrypoint: kept}\n", "utf-8")
    done = imgcheck("check", "imgcheck-test/runtime:2", "-c", str(tmp_path / "c.yaml"))
    docker("rmi", "-f", "imgcheck-test/runtime:2")
    assert done.code == 4, done.out + done.err
    assert "the image's ENTRYPOINT must exec what it is given" in done.err


TINY = """\
def validation():
    try:
        open("/data/index.cache", "w")
    except OSError:
        pass  # as many data sets do
    return {"batches": 2}
"""


def test_a_self_check_that_hides_where_it_could_not_write_is_heard(
    imgcheck: Run, docker: Docker, root_image: str, tmp_path: Path
) -> None:
    points = "[imgcheck.selfcheck]\nvalidation = tiny:validation\n"
    install(tmp_path / "site", "tiny", "1.0", {"tiny.py": TINY}, {"entry_points.txt": points})
    (tmp_path / "Dockerfile").write_text(f"FROM {root_image}\nCOPY site /site\nENV PYTHONPATH=/site\n", "utf-8")
    docker("build", "-q", "-t", "imgcheck-test/runtime:3", str(tmp_path))
    runtime = "runtime: {mounts: [{path: /data, read_only: true}]}"
    (tmp_path / "c.yaml").write_text(f"imgcheck: 1\nselfchecks: required\n{runtime}\n", "utf-8")
    chosen = ("--select", "IC602,IC802", "--format", "json", "-q")
    done = imgcheck("check", "imgcheck-test/runtime:3", "-c", str(tmp_path / "c.yaml"), *chosen)
    docker("rmi", "-f", "imgcheck-test/runtime:3")
    assert done.code == 0, done.out + done.err
    (finding,) = json.loads(done.out)["findings"]
    assert (finding["subject"], finding["state"]) == ("/data", "warned")
    assert "self-check tiny:validation tries to write to /data/index.cache" in finding["summary"]
