"""Smoke lines and artefacts as programs: each a command in a fresh process, run and told as probes are."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

from imgcheck.contract.image import Artifact, Smoke
from imgcheck.contract.model import Contract
from imgcheck.contract.probes import Probe

# What loads an artefact, each in its library's own words. The path is sys.argv[1].
_LOADERS: Final = {
    "pickle": "import pickle, sys; pickle.load(open(sys.argv[1], 'rb'))",
    "joblib": "import joblib, sys; joblib.load(sys.argv[1])",
    "torch": "import sys, torch; torch.load(sys.argv[1], map_location='cpu', weights_only=False)",
    "safetensors": "import sys, safetensors; found = safetensors.safe_open(sys.argv[1], framework='np'); "
    "[found.get_slice(key).get_shape() for key in found.keys()]",
    "onnx": "import sys, onnxruntime; onnxruntime.InferenceSession(sys.argv[1], providers=['CPUExecutionProvider'])",
}
_ENDINGS: Final = {
    ".joblib": "joblib",
    ".onnx": "onnx",
    ".pickle": "pickle",
    ".pkl": "pickle",
    ".pt": "torch",
    ".pth": "torch",
    ".safetensors": "safetensors",
}


def runs_of(contract: Contract) -> tuple[Probe, ...]:
    """All that must run, once."""
    smoke = tuple(smoke_run(number, one) for number, one in enumerate(contract.smoke))
    artifacts = (artifact_run(number, one) for number, one in enumerate(artifacts_of(contract)))
    return (*smoke, *(one for one in artifacts if one))


def smoke_run(number: int, smoke: Smoke) -> Probe:
    words = smoke.run or ("{python}", "-c", smoke.python or "")
    return Probe(name=f"smoke-{number}", run=tuple(words), output=smoke.output, env=smoke.env, within=smoke.within)


def artifacts_of(contract: Contract) -> tuple[Artifact, ...]:
    return tuple(one if isinstance(one, Artifact) else Artifact(path=one) for one in contract.artifacts)


def loader_of(artifact: Artifact) -> str:
    """By what the contract says, or by its ending; empty where neither tells."""
    return artifact.loader or _ENDINGS.get(PurePosixPath(artifact.path).suffix.lower(), "")


def artifact_run(number: int, artifact: Artifact) -> Probe | None:
    loader = loader_of(artifact)
    if not loader:
        return None
    words = ("{python}", "-W", "default", "-c", _LOADERS[loader], artifact.path)
    return Probe(name=f"artifact-{number}", run=words, within=artifact.within)
