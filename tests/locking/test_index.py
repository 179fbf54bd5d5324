"""Where a step of a Dockerfile looks for distributions goes before this machine's own settings."""

from __future__ import annotations

from imgcheck.facts.plan import IndexChoice
from imgcheck.locking.index import index_for
from imgcheck.locking.sources import Sources

HOST = Sources(environment={"PIP_EXTRA_INDEX_URL": "https://own.example/simple", "PIP_CERT": "/.imgcheck/ca.pem"})


def test_without_a_word_this_machine_s_settings_hold() -> None:
    assert index_for(IndexChoice(), HOST, "pip-tools") == (HOST, ())


def test_an_index_of_the_step_s_own_puts_this_machine_s_out() -> None:
    choice = IndexChoice(options=(("--index-url", ("https://team.example/simple",)), ("--pre", ())))
    sources, arguments = index_for(choice, HOST, "pip-tools")
    assert arguments == ()
    assert sources.environment == {
        "PIP_CERT": "/.imgcheck/ca.pem",
        "PIP_INDEX_URL": "https://team.example/simple",
        "PIP_PRE": "1",
    }


def test_lists_add_to_the_variables_of_the_step() -> None:
    choice = IndexChoice(
        options=(("--find-links", ("/a", "/b")), ("--no-index", ())), variables=(("PIP_FIND_LINKS", "/wheels"),)
    )
    sources, _ = index_for(choice, HOST, "pip-tools")
    assert sources.environment["PIP_FIND_LINKS"] == "/wheels /a /b"
    assert sources.environment["PIP_NO_INDEX"] == "1"


def test_uv_takes_options_as_they_are_and_its_own_variables() -> None:
    choice = IndexChoice(
        options=(("--extra-index-url", ("https://a.example", "https://b.example")), ("--no-index", ())),
        variables=(("UV_INDEX_STRATEGY", "unsafe-best-match"),),
    )
    sources, arguments = index_for(choice, HOST, "uv")
    assert arguments == (
        "--extra-index-url",
        "https://a.example",
        "--extra-index-url",
        "https://b.example",
        "--no-index",
    )
    assert sources.environment == {"PIP_CERT": "/.imgcheck/ca.pem", "UV_INDEX_STRATEGY": "unsafe-best-match"}
