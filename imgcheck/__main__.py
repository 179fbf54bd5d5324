"""The imgcheck command; `python -m imgcheck` is the same."""

from __future__ import annotations

import sys
from contextlib import suppress


def main() -> None:
    """Runs the command line and exits with its code."""
    code = 130
    with suppress(KeyboardInterrupt):
        from imgcheck.cli import run  # noqa: PLC0415 - loading takes long enough to be interrupted
        from imgcheck.interrupts import hear_no_more  # noqa: PLC0415 - as above

        code = run(sys.argv[1:])
        hear_no_more()
    sys.exit(code)


if __name__ == "__main__":
    main()
