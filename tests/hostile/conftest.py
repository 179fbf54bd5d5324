"""Hostile images are built on the root image, like those of the engine's tests."""

from tests.engine.conftest import BuildImage, build_image, docker, facts_folder, imgcheck, root_image

__all__ = ["BuildImage", "build_image", "docker", "facts_folder", "imgcheck", "root_image"]
