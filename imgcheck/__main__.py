"""The imgcheck command; `python -m imgcheck` is the same."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    from imgcheck.cli import run  # noqa: PLC0415 - what --version and completion do not need is loaded late

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
