"""The imgcheck command; `python -m imgcheck` is the same."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        from imgcheck.cli import run  # noqa: PLC0415 - loading takes long enough to be interrupted

        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
