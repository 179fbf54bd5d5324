from __future__ import annotations

import pytest

from imgcheck.collector.arguments import reads_arguments


@pytest.mark.parametrize(
    ("source", "told"),
    [
        pytest.param("import sys\nif len(sys.argv) < 2:\n    sys.exit(1)\n", True, id="sys.argv"),
        pytest.param("(options, rest) = parser.parse_args()\n", True, id="optparse"),
        pytest.param("args = make().parse_known_args()[0]\n", True, id="argparse"),
        pytest.param("try:\n    opts, _ = getopt(x, 'h')\nexcept E: pass\n", True, id="getopt"),
        pytest.param("from setuptools import setup\nsetup(name='x')\n", True, id="setup.py"),
        pytest.param("import setuptools\nsetuptools.setup(name='x')\n", True, id="setup.py by module"),
        pytest.param("import a\na.plugin.setup()\n", False, id="another setup"),
        pytest.param("from .config import setup\nsetup()\n", False, id="a setup of its own"),
        pytest.param("def main():\n    parser.parse_args()\n", False, id="in a function"),
        pytest.param("if __name__ == '__main__':\n    parser.parse_args()\n", False, id="guarded"),
        pytest.param("if __name__ != '__main__':\n    pass\nelse:\n    p.parse_args()\n", True, id="else"),
        pytest.param("import os, sys\nif 'X' not in os.environ:\n    sys.exit(0)\n", False, id="configuration"),
        pytest.param("x = thing.argv\n", False, id="another argv"),
        pytest.param("def f(:\n", False, id="no syntax"),
    ],
)
def test_scripts_are_told_by_their_syntax(source: str, *, told: bool) -> None:
    assert reads_arguments(source.encode(), by_hand=True) is told


def test_a_look_at_the_command_line_is_no_script_where_only_parsers_count() -> None:
    """A library's flag among them: what it raises or waits for later has other reasons."""
    assert not reads_arguments(b"import sys\nDEBUG = '--debug' in sys.argv\n", by_hand=False)
    assert reads_arguments(b"args = parser.parse_args()\n", by_hand=False)
