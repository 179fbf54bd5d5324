"""Files that tools put into site-packages without listing them, or change there. Data only, each with its source."""

from __future__ import annotations

from typing import Final

REWRITTEN_FILES: Final[dict[str, str]] = {
    "cacert.pem": "certificates of an organisation are appended to it (github.com/certifi/python-certifi, README)",
}
"""Files that administrators change on purpose, by their names."""

UNLISTED_FILES: Final[dict[str, str]] = {
    "_virtualenv.py": "virtualenv and uv (pypa/virtualenv, src/virtualenv/create/via_global_ref/_virtualenv.py)",
    "sitecustomize.py": "a hook of Python's own (https://docs.python.org/3/library/site.html)",
    "usercustomize.py": "a hook of Python's own (https://docs.python.org/3/library/site.html)",
}
