"""The HTML report without a browser: valid, self-contained, and nothing of an image is markup."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace

import html5lib
import pytest

from imgcheck.outcome import Report
from imgcheck.overview import Swept
from imgcheck.report import RENDERERS
from imgcheck.report.treemap import HEIGHT, WIDTH, treemap
from tests.report import samples
from tests.report.test_renderers import MANY, REPORTS

ALL = {**REPORTS, "many": MANY, "no overview": replace(samples.BROKEN, overview=None)}
every_report = pytest.mark.parametrize("report", ALL.values(), ids=ALL)


@every_report
def test_it_is_valid(report: Report) -> None:
    html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(RENDERERS["html"](report))


@every_report
def test_identities_are_not_given_twice(report: Report) -> None:
    found = re.findall(r'\sid="([^"]*)"', RENDERERS["html"](report))
    assert len(found) == len(set(found))


@every_report
def test_it_names_nothing_outside_itself(report: Report) -> None:
    tree = html5lib.parse(RENDERERS["html"](report), namespaceHTMLElements=False)
    for element in tree.iter():
        for name in ("src", "href", "action", "srcset", "data", "poster", "xlink:href"):
            assert str(element.get(name, "#")).startswith("#"), (element.tag, name)
        assert not [name for name in element.attrib if str(name).startswith("on") or name == "style"]


def test_hostile_text_is_text() -> None:
    tree = html5lib.parse(RENDERERS["html"](samples.HOSTILE), namespaceHTMLElements=False)
    tags = [element.tag for element in tree.iter()]
    assert tags.count("script") == 1
    assert "img" not in tags
    assert "<script>boom()</script>" in "".join(tree.itertext())


def test_its_policy_lets_its_own_style_and_script_alone_through() -> None:
    rendered = RENDERERS["html"](samples.BROKEN)
    for name in ("style", "script"):
        match = re.search(rf"<{name}>(.*?)</{name}>", rendered, re.DOTALL)
        assert match
        digest = base64.b64encode(hashlib.sha256(match[1].encode()).digest()).decode()
        assert f"{name}-src &#39;sha256-{digest}&#39;" in rendered or f"{name}-src 'sha256-{digest}'" in rendered
    assert "default-src" in rendered


def test_a_path_is_drawn_where_somebody_forced_it() -> None:
    rendered = RENDERERS["html"](samples.BROKEN)
    assert "<ol><li>requirements.txt:3</li><li>onnx 1.12.0</li><li>protobuf 3.20.3</li></ol>" in rendered


def test_what_a_step_moved_is_marked() -> None:
    assert '<ul class="moved"><li>protobuf 3.20.3 (was 4.25.3)</li></ul>' in RENDERERS["html"](samples.BROKEN)


def swept(name: str, seconds: float, failing: tuple[str, ...] = ()) -> Swept:
    return Swept(name=name, version="1", seconds=seconds, imported=3, failed=len(failing), failing=failing)


def test_tiles_are_as_large_as_their_time_and_fill_the_map() -> None:
    tiles = treemap([swept("a", 6.0), swept("b", 3.0), swept("c", 1.0)], ())
    areas = [one.width * one.height for one in tiles]
    assert sum(areas) == pytest.approx(WIDTH * HEIGHT, rel=1e-3)
    assert areas[0] / areas[2] == pytest.approx(6, rel=1e-2)


def test_tiles_tell_what_breaks_the_contract_from_what_merely_fails() -> None:
    tiles = treemap([swept("a", 3.0, ("a.x",)), swept("b", 2.0, ("b.x",)), swept("c", 1.0)], {"a.x"})
    assert [one.kind for one in tiles] == ["bad", "part", "good"]


def test_what_takes_next_to_nothing_is_drawn_together() -> None:
    tiles = treemap([swept("a", 100.0), *(swept(f"s{i}", 0.001) for i in range(50))], ())
    assert len(tiles) == 2
    assert tiles[1].title.startswith("50 distributions")


def test_without_time_there_is_no_map() -> None:
    assert treemap([swept("a", 0.0)], ()) == ()
