from __future__ import annotations

from pathlib import Path

from imgcheck.probes import builtin, builtin_names

PAGE = Path(__file__).parents[2] / "docs" / "probes.md"


def test_the_page_lists_every_built_in_probe_in_its_own_words() -> None:
    rows = []
    for name in builtin_names():
        probe = builtin(name)
        options = ", ".join(f"`{one}`" for one in probe.options)
        rows.append(f"| {name} | {probe.about} | {options + ' ' if options else ''}|")
    told = PAGE.read_text("utf-8").partition("holds this table -->\n")[2].partition("<!-- end of probes -->")[0]
    assert told.splitlines() == rows
