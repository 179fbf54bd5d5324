"""Variables as they may leave an environment: names all, values of secrets not."""

from __future__ import annotations

import pytest

from imgcheck.collector.environment import environment, shown_variables


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("HF_TOKEN", "hf_abc", "***"),
        ("WANDB_API_KEY", "0123456789", "***"),
        ("DB_PASSWORD", "", ""),
        ("AUTH", "/abc+def", "***"),
        ("TIKTOKEN_CACHE_DIR", "/opt/tiktoken", "/opt/tiktoken"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/var/run/gcp.json", "/var/run/gcp.json"),
        ("PIP_INDEX_URL", "https://me:word@index.example/simple", "https://***@index.example/simple"),
        ("PATH", "/opt/venv/bin:/usr/bin", "/opt/venv/bin:/usr/bin"),
        ("TOKENIZERS_PARALLELISM", "false", "false"),
        ("GIT_AUTHOR_NAME", "Ada", "Ada"),
        ("MONKEY", "yes", "yes"),
    ],
)
def test_a_variable(name: str, value: str, shown: str) -> None:
    assert shown_variables({name: value}) == [(name, shown)]


def test_an_environment_tells_its_machine() -> None:
    told = environment()
    assert told["os"] == "linux"
    assert told["machine"]
    assert told["workdir"].startswith("/")
