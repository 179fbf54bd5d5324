"""Finding images by name and by content."""

from __future__ import annotations

import pytest

from imgcheck.contract.loader import parse_contract
from imgcheck.contract.model import Contract
from imgcheck.errors import ImageNotFoundError, UnsuitableImageError, UsageError
from imgcheck.facts.model import ImageFacts
from imgcheck.images import find_base, find_image, repository
from imgcheck.progress import QuietProgress
from tests.local_engine import LocalEngine, an_image

OLD, NEW = "sha256:" + "1" * 64, "sha256:" + "2" * 64
QUIET = QuietProgress()


class Shelf(LocalEngine):
    """An engine with a few images, and a registry with others."""

    def __init__(self, here: dict[str, ImageFacts], there: dict[str, ImageFacts] | None = None) -> None:
        super().__init__("python")
        self.here = here
        self.there = there or {}

    def inspect(self, reference: str) -> ImageFacts | None:
        return self.here.get(reference)

    def pull(self, reference: str) -> None:
        if reference not in self.there:
            raise ImageNotFoundError(f"there is no image {reference}")
        self.here[reference] = self.there[reference]

    def local_names(self) -> tuple[str, ...]:
        return tuple(self.here)


def contract(digest: str | None) -> Contract:
    line = f", digest: {digest}" if digest else ""
    return parse_contract(f"imgcheck: 1\nbase: {{image: ml/base:1{line}}}\n", "base.yaml")


def test_an_image_that_is_here_is_not_pulled() -> None:
    assert find_image(Shelf({"a:1": an_image("a:1")}), "a:1", QUIET).reference == "a:1"


def test_an_image_that_is_not_here_is_pulled() -> None:
    assert find_image(Shelf({}, {"a:1": an_image("a:1")}), "a:1", QUIET).reference == "a:1"


def test_an_image_that_is_nowhere_names_the_nearest_local_ones() -> None:
    with pytest.raises(ImageNotFoundError) as stop:
        find_image(Shelf({"my/train:1": an_image()}), "my/trian:1", QUIET)
    assert "my/train:1" in stop.value.remedy


def test_an_image_for_another_system_is_unsuitable() -> None:
    windows = an_image().model_copy(update={"os": "windows"})
    with pytest.raises(UnsuitableImageError, match="windows"):
        find_image(Shelf({"a:1": windows}), "a:1", QUIET)


def test_the_base_is_found_by_its_digest() -> None:
    engine = Shelf({"ml/base:1": an_image("ml/base:1", OLD)})
    assert find_base(engine, contract(OLD), QUIET).digest == OLD


def test_a_moved_name_is_passed_over_for_the_old_content() -> None:
    engine = Shelf({"ml/base:1": an_image("ml/base:1", NEW), OLD: an_image(OLD, OLD)})
    assert find_base(engine, contract(OLD), QUIET).digest == OLD


def test_the_old_content_may_still_be_in_the_registry() -> None:
    pinned = f"ml/base@{OLD}"
    engine = Shelf({"ml/base:1": an_image("ml/base:1", NEW)}, {pinned: an_image(pinned, OLD)})
    assert find_base(engine, contract(OLD), QUIET).digest == OLD


def test_a_moved_base_whose_old_content_is_gone_names_both_digests_and_the_line() -> None:
    with pytest.raises(UsageError, match=r"base\.yaml:2") as stop:
        find_base(Shelf({"ml/base:1": an_image("ml/base:1", NEW)}), contract(OLD), QUIET)
    assert OLD in stop.value.message
    assert NEW in stop.value.message
    assert "imgcheck freeze" in stop.value.remedy


@pytest.mark.parametrize(
    ("reference", "name"),
    [("a", "a"), ("a:1", "a"), ("r:5000/a", "r:5000/a"), ("r:5000/a:1", "r:5000/a"), (f"r:5000/a:1@{OLD}", "r:5000/a")],
)
def test_a_repository_is_a_reference_without_tag_and_digest(reference: str, name: str) -> None:
    assert repository(reference) == name
