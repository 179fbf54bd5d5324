"""Compiles a Kubeflow pipeline whose images are the very contents that imgcheck verified: names are not contents.

    imgcheck check registry.example/team/train:1 -c contracts/base.yaml --report json=train.json
    python verified.py pipeline.py:train pipeline.yaml train.json

Each image of a component must be in a report that says "kept", and is replaced by its digest in the registry.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from kfp import compiler


def verified_digests(reports: Iterable[Path]) -> dict[str, str]:
    """Image reference -> reference by digest, of the reports whose contract is kept."""
    found = {}
    for path in reports:
        report = json.loads(path.read_text("utf-8"))
        name = report["image"]["reference"]
        if report["verdict"] != "kept":
            raise SystemExit(f"{path}: {name} does not keep its contract: {report['sentence']}")
        repository = name.partition("@")[0]
        repository = repository if ":" not in repository.rpartition("/")[2] else repository.rpartition(":")[0]
        digests = [one for one in report["image"]["repo_digests"] if one.startswith(f"{repository}@")]
        if not digests:
            raise SystemExit(f"{path}: {name} is in no registry yet: push it, and check it by that name")
        found[name] = digests[0]
    return found


def pin(pipeline: Mapping[str, Any], digests: Mapping[str, str]) -> dict[str, Any]:
    """The same pipeline, each executor's image by digest; an image that nobody verified is refused."""
    pinned: dict[str, Any] = json.loads(json.dumps(pipeline))
    for name, executor in pinned["deploymentSpec"]["executors"].items():
        container = executor.get("container")
        if container is None:
            continue
        image = container["image"]
        if image not in digests and image not in digests.values():
            raise SystemExit(f"{name}: {image} was not verified: imgcheck check {image} --report json=FILE")
        container["image"] = digests.get(image, image)
    return pinned


def compile_verified(pipeline: Callable[..., Any], package: Path, reports: Iterable[Path]) -> None:
    """Compiles, pins, and writes the package."""
    compiler.Compiler().compile(pipeline, str(package))
    documents = list(yaml.safe_load_all(package.read_text("utf-8")))
    documents[0] = pin(documents[0], verified_digests(reports))
    package.write_text(yaml.safe_dump_all(documents, sort_keys=False), "utf-8")


def main() -> None:
    place, package, *reports = sys.argv[1:]
    file, _, name = place.partition(":")
    spec = importlib.util.spec_from_file_location("pipeline_to_compile", file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    compile_verified(getattr(module, name), Path(package), map(Path, reports))


if __name__ == "__main__":
    main()
