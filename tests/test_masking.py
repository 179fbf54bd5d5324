from __future__ import annotations

import pytest

from imgcheck.masking import shown_command


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
        pytest.param("ENV DB_PASSWORD hunter2 and more", "ENV DB_PASSWORD ***", id="env-without-a-sign"),
        pytest.param("RUN MYSQL_PWD=x KEY=y a", "RUN MYSQL_PWD=*** KEY=*** a", id="short-names"),
        pytest.param("RUN curl -H 'Private-Token: abc' h", "RUN curl -H 'Private-Token: ***' h", id="token-header"),
        pytest.param("RUN curl https://h -ume:you", "RUN curl https://h -u***", id="curl-attached-and-last"),
        pytest.param("RUN curl 'https://h/f?sig=abc&x=1'", "RUN curl 'https://h/f?sig=***&x=1'", id="query"),
        pytest.param("RUN docker login -p abc -u me r", "RUN docker login -p *** -u me r", id="login"),
        pytest.param("RUN echo abc | r login --password-stdin", "RUN echo *** | r login --password-stdin", id="stdin"),
        pytest.param("RUN echo 'login me password abc' > f", "RUN echo 'login me password ***' > f", id="netrc"),
        pytest.param('RUN echo \'{"password": "abc"}\' > f', "RUN echo '{\"password\": ***}' > f", id="json"),
        pytest.param("RUN echo 'password: abc' > f", "RUN echo 'password: ***' > f", id="yaml"),
        pytest.param("RUN wandb login --relogin abc", "RUN wandb login --relogin ***", id="wandb"),
        pytest.param("RUN x eyJhbGciOiJI.eyJzdWIiOiJz.abc-_1", "RUN x ***", id="json-web-token"),
        pytest.param("RUN echo '-----BEGIN PRIVATE KEY----- abc", "RUN echo '***", id="private-key"),
        pytest.param(
            "RUN AUTHOR=me TOKENIZERS_PARALLELISM=0 x", "RUN AUTHOR=me TOKENIZERS_PARALLELISM=0 x", id="alike"
        ),
        pytest.param("RUN --mount=type=secret,id=token x", "RUN --mount=type=secret,id=token x", id="mount"),
        pytest.param("RUN TOKEN=$GIVEN make", "RUN TOKEN=$GIVEN make", id="a-variable-says-nothing"),
        pytest.param("RUN pip install tokenizers==0.1", "RUN pip install tokenizers==0.1", id="a-name-is-no-secret"),
    ],
)
def test_secrets_are_masked(text: str, shown: str) -> None:
    assert shown_command(text) == shown


def test_values_of_build_arguments_are_shown_by_name() -> None:
    arguments = {"REQUIREMENTS": "team.txt", "SHORT": "te", "EMPTY": ""}
    assert shown_command("COPY team.txt /opt/team.txt", arguments) == "COPY $REQUIREMENTS /opt/$REQUIREMENTS"


def test_a_long_value_of_a_build_argument_is_masked_inside_words_too() -> None:
    assert shown_command("RUN x pre-hunter2hunter2.post", {"KEY": "hunter2hunter2"}) == "RUN x pre-$KEY.post"


def test_a_long_command_is_cut() -> None:
    assert len(shown_command("RUN " + "x" * 500)) == 240
