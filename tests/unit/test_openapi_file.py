"""The web client's types are made from what the server answers today."""

from tools import openapi


def test_the_description_beside_the_web_client_is_the_servers():
    assert openapi.FILE.read_text() == openapi.described(), "run: make api"
