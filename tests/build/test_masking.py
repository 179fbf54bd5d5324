from __future__ import annotations

import pytest

from imgcheck.build.masking import shown_command


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("RUN pip install  -r\n r.txt", "RUN pip install -r r.txt", id="one-line"),
        pytest.param("RUN HF_TOKEN=hf_x pip install a", "RUN HF_TOKEN=*** pip install a", id="assigned"),
        pytest.param("ENV API_KEY='a b' OTHER=1", "ENV API_KEY=*** OTHER=1", id="quoted"),
        pytest.param("RUN x --password hunter2 y", "RUN x --password *** y", id="option"),
        pytest.param(
            "RUN pip install -i https://u:p@host/simple", "RUN pip install -i https://***@host/simple", id="url"
        ),
        pytest.param(
            "RUN curl -H 'Authorization: Bearer abc' h", "RUN curl -H 'Authorization: Bearer ***' h", id="header"
        ),
        pytest.param("RUN curl -u me:you https://h", "RUN curl -u *** https://h", id="curl"),
        pytest.param(
            "RUN git clone https://h/ghp_abcdefghijklmnopqrstuvwxyz", "RUN git clone https://h/***", id="form"
        ),
        pytest.param("RUN TOKEN=$GIVEN make", "RUN TOKEN=$GIVEN make", id="a-variable-says-nothing"),
        pytest.param("RUN pip install tokenizers==0.1", "RUN pip install tokenizers==0.1", id="a-name-is-no-secret"),
    ],
)
def test_secrets_are_masked(text: str, shown: str) -> None:
    assert shown_command(text) == shown


def test_values_of_build_arguments_are_shown_by_name() -> None:
    arguments = {"REQUIREMENTS": "team.txt", "SHORT": "te", "EMPTY": ""}
    assert shown_command("COPY team.txt /opt/team.txt", arguments) == "COPY $REQUIREMENTS /opt/$REQUIREMENTS"


def test_a_long_command_is_cut() -> None:
    assert len(shown_command("RUN " + "x" * 500)) == 240
