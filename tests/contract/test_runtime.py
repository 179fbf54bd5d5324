"""`runtime`, as it is written, and as a Kubernetes object says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from imgcheck.contract.loader import load_contract, parse_contract
from imgcheck.contract.model import Contract
from imgcheck.contract.runtime import Mount, Tmpfs, soft_and_hard
from imgcheck.errors import ContractError
from imgcheck.facts.fixtures import content_of, fixture_paths

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  hostname: worker-0
  securityContext: {runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000, supplementalGroups: [4000]}
  containers:
  - name: trainer
    image: my/train:1
    command: [python, train.py]
    args: [--epochs, "3"]
    workingDir: /work
    securityContext: {runAsUser: 1234, readOnlyRootFilesystem: true}
    env:
    - {name: HOME, value: /home/ml}
    - {name: CACHE, value: $(HOME)/cache}
    - {name: TOKEN, valueFrom: {secretKeyRef: {name: a, key: b}}}
    envFrom: [{configMapRef: {name: settings}}]
    resources:
      limits: {memory: 16Gi, cpu: 500m, nvidia.com/gpu: "1"}
    volumeMounts:
    - {name: data, mountPath: /data, readOnly: true}
    - {name: out, mountPath: /out}
    - {name: conf, mountPath: /conf}
    - {name: conf, mountPath: /etc/app.conf, subPath: app.conf}
    - {name: shm, mountPath: /dev/shm}
    - {name: fast, mountPath: /fast}
  volumes:
  - {name: data, persistentVolumeClaim: {claimName: d}}
  - {name: out, emptyDir: {}}
  - {name: conf, configMap: {name: c}}
  - {name: shm, emptyDir: {medium: Memory, sizeLimit: 2Gi}}
  - {name: fast, emptyDir: {medium: Memory}}
"""


def included(folder: Path, pod: str, name: str = "pod.yaml", more: str = "") -> Contract:
    (folder / "pod.yaml").write_text(pod, "utf-8")
    (folder / "c.yaml").write_text(f"imgcheck: 1\nruntime: !include {name}\n{more}", "utf-8")
    return load_contract(folder / "c.yaml")


def refusal(folder: Path, pod: str, name: str = "pod.yaml") -> str:
    with pytest.raises(ContractError) as caught:
        included(folder, pod, name)
    return caught.value.message.replace(f"{folder}/", "")


def test_a_pod_says_how_the_cluster_runs_it(tmp_path: Path) -> None:
    contract = included(tmp_path, POD)
    runtime = contract.runtime
    assert (runtime.user, runtime.groups, runtime.read_only) == ("1234:3000", ("4000", "2000"), True)
    assert (runtime.workdir, runtime.command) == ("/work", ("python", "train.py", "--epochs", "3"))
    assert runtime.env == {"HOME": "/home/ml", "CACHE": "/home/ml/cache"}
    assert (runtime.shm, runtime.memory, runtime.cpus, runtime.hostname) == (2 << 30, 16 << 30, 0.5, "worker-0")
    assert runtime.mounts == (
        Mount(path="/data", read_only=True),
        Mount(path="/out"),
        Mount(path="/conf", read_only=True),
    )
    assert runtime.tmpfs == (Tmpfs(path="/fast"),)
    assert runtime.network == "none"


def test_what_a_pod_takes_from_elsewhere_is_told(tmp_path: Path) -> None:
    told = [one.replace(f"{tmp_path}/", "") for one in included(tmp_path, POD).left_out]
    assert told == [
        "pod.yaml:17: the variable TOKEN, whose value comes from elsewhere",
        "pod.yaml:18: envFrom, whose variables come from elsewhere",
        "pod.yaml:25: /etc/app.conf, which is a part of a volume (subPath)",
    ]


SPEC = "      containers: [{name: a, securityContext: {runAsUser: 7}}, {name: b, workingDir: /b}]\n"


@pytest.mark.parametrize("kind", ["Job", "Deployment", "StatefulSet"])
def test_a_container_of_an_object_with_a_template_is_chosen_by_name(tmp_path: Path, kind: str) -> None:
    pod = f"kind: {kind}\nspec:\n  template:\n    spec:\n{SPEC}"
    assert included(tmp_path, pod, "pod.yaml#a").runtime.user == "7"
    assert included(tmp_path, pod, "pod.yaml#b").runtime.workdir == "/b"
    assert refusal(tmp_path, pod) == "pod.yaml:5: containers: has 2 containers: a, b"
    assert refusal(tmp_path, pod, "pod.yaml#c").endswith("there is no container 'c'; there are: a, b")


def test_a_pod_template_is_read_too(tmp_path: Path) -> None:
    pod = "kind: PodTemplate\ntemplate:\n  spec:\n    containers: [{name: a, workingDir: /a}]\n"
    assert included(tmp_path, pod).runtime.workdir == "/a"


def test_a_contract_on_top_changes_single_keys(tmp_path: Path) -> None:
    included(tmp_path, POD)
    (tmp_path / "team.yaml").write_text("imgcheck: 1\nextends: c.yaml\nruntime: {shm: 1GiB, env: {A: b}}\n", "utf-8")
    contract = load_contract(tmp_path / "team.yaml")
    assert (contract.runtime.shm, contract.runtime.env["A"], contract.runtime.user) == (1 << 30, "b", "1234:3000")
    assert len(contract.left_out) == 3


WRONG = {
    "no pod": ("kind: Service\nspec: {}\n", "pod.yaml:1: kind: 'Service' holds no pod that is known"),
    "no kind": ("spec: {}\n", "pod.yaml:1: kind: 'nothing' holds no pod"),
    "no spec": ("kind: Job\nspec: {}\n", "template: is missing: a Job has spec.template.spec"),
    "no mapping": ("[]\n", "pod.yaml:1: is not a mapping but a list"),
    "a bad quantity": (
        "kind: Pod\nspec:\n  containers:\n  - {name: a, resources: {limits: {memory: much}}}\n",
        "pod.yaml:4: memory: 'much' is no quantity; write 16Gi or 500m",
    ),
    "a bad path": (
        "kind: Pod\nspec:\n  containers:\n  - {name: a, workingDir: here}\n",
        "pod.yaml:4: runtime.workdir: 'here' must be an absolute path inside the image",
    ),
    "two documents": (
        "kind: Pod\nspec: {containers: [{name: a}]}\n---\nkind: Pod\n",
        "pod.yaml:3:1: there is a second document",
    ),
}


@pytest.mark.parametrize(("pod", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_the_object_is_told_at_its_line(tmp_path: Path, pod: str, message: str) -> None:
    assert message in refusal(tmp_path, pod)


def test_a_file_that_is_not_there_and_an_include_elsewhere_are_told(tmp_path: Path) -> None:
    assert refusal(tmp_path, POD, "pd.yaml").startswith(
        "c.yaml:2: runtime: pd.yaml: there is no such file; did you mean"
    )
    with pytest.raises(ContractError, match="may not !include: only runtime can"):
        parse_contract("imgcheck: 1\npins: !include pins.yaml\n", "c.yaml")


BAD: dict[str, tuple[str, str]] = {
    "a fixture that could be written": (
        "{mounts: [{path: /data, fixture: data}]}",
        "c.yaml:2: runtime.mounts[0]: /data has a fixture, which is mounted read-only: write 'read_only: true'",
    ),
    "an unknown limit": ("{ulimits: {nofiles: 9}}", "ulimits: 'nofiles' is no limit; there are as, core"),
    "no limit": ("{ulimits: {nofile: many}}", "'many' is no limit; write 65536"),
    "an odd network": ("{network: bridge}", "runtime.network: 'bridge' must be 'none' or 'host'"),
    "an odd entrypoint": ("{entrypoint: gone}", "runtime.entrypoint: 'gone' must be 'replaced' or 'kept'"),
    "another name on the host's network": ("{network: host, hostname: a}", "leave 'hostname' out"),
    "no cpu at all": ("{cpus: 0}", "runtime.cpus: '0' must be more than 0"),
    "an odd host": ("{hostname: a_b}", "runtime.hostname: 'a_b' must match"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_a_slip_in_the_runtime_is_told(text: str, message: str) -> None:
    with pytest.raises(ContractError) as caught:
        parse_contract(f"imgcheck: 1\nruntime: {text}\n", "c.yaml")
    assert message in caught.value.message


def test_limits_have_a_soft_and_a_hard_number() -> None:
    assert soft_and_hard("9") == (9, 9)
    assert soft_and_hard("9:unlimited") == (9, -1)


def test_fixtures_lie_beside_the_contract_and_are_known_by_content(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.txt").write_text("one", "utf-8")
    text = "imgcheck: 1\nruntime: {mounts: [{path: /data, read_only: true, fixture: data}]}\n"
    (tmp_path / "c.yaml").write_text(text, "utf-8")
    contract = load_contract(tmp_path / "c.yaml")
    assert fixture_paths(contract) == {"/data": str(tmp_path / "data")}
    before = content_of(str(tmp_path / "data"))
    assert content_of(str(tmp_path / "data")) == before
    (tmp_path / "data/a.txt").write_text("two", "utf-8")
    assert content_of(str(tmp_path / "data")) != before
    (tmp_path / "c.yaml").write_text(text.replace("fixture: data", "fixture: lost"), "utf-8")
    with pytest.raises(ContractError, match=r"c\.yaml:2: runtime\.mounts: there is no fixture .*/lost"):
        fixture_paths(load_contract(tmp_path / "c.yaml"))
