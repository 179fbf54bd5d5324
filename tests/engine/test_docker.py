"""The engine's client itself, on a real engine."""

from __future__ import annotations

import gc
import warnings

import pytest

from imgcheck.engines.docker import DockerEngine
from imgcheck.engines.endpoint import settle
from imgcheck.engines.engine import ContainerSpec

pytestmark = pytest.mark.engine


def test_each_answer_is_read_and_no_connection_is_left(root_image: str) -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        engine = DockerEngine(settle(None))
        image = engine.inspect(root_image)
        assert image
        assert (engine.find_executable(image, ("python3",)).path or "").endswith("/python3")
        assert engine.find_executable(image, ("/etc/passwd/below-a-file", "/nowhere", "/usr")).path is None
        assert (engine.read_file(image, "/etc/passwd") or b"").startswith(b"root:")
        assert engine.read_file(image, "/nowhere") is None
        assert engine.read_file(image, "/usr") is None
        assert len(engine.layers(image).layers) == len(image.layers)
        with engine.run(ContainerSpec(image=image.digest, command=("/bin/cat",), stdin=b"hello\n")) as container:
            assert next(container.output()).data == b"hello\n"
        engine.close()
        gc.collect()
    assert [str(one.message) for one in heard if issubclass(one.category, ResourceWarning)] == []
