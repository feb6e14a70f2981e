"""/docs works in a browser that can reach nobody but us."""

import re
from html.parser import HTMLParser

import pytest

from chatServer.api import docs_page


class Addresses(HTMLParser):
    """What a page loads, and whether it runs anything that is written into it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inline = 0
        self._in_script = False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.found += [given[name] for name in ("src", "href") if name in given]
        self._in_script = tag == "script"
        self.inline += any(name.startswith("on") or name == "style" for name in given)

    def handle_data(self, data):
        self.inline += self._in_script and bool(data.strip())

    def handle_endtag(self, tag):
        self._in_script = False


def foreign(addresses: list[str]) -> list[str]:
    return [each for each in addresses if re.match(r"^(\w+:)?//", each)]


async def test_the_page_and_all_it_loads_come_from_here(client):
    page = await client.get("/docs")
    assert page.status_code == 200
    loaded = Addresses(page.text)
    assert foreign(loaded.found) == []
    assert loaded.inline == 0, "the policy allows no inline script"
    assert len(loaded.found) == 4
    for address in loaded.found:
        if not address.startswith("data:"):
            answer = await client.get(f"/{address}")
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith(("text/javascript", "text/css"))
            assert len(answer.content) > 100


def test_the_check_finds_foreign_hosts_and_inline_scripts():
    bad = Addresses('<script src="https://cdn.example/x.js"></script><link href="//x.example/y"><script>go()</script>')
    assert foreign(bad.found) == ["https://cdn.example/x.js", "//x.example/y"]
    assert bad.inline == 1


async def test_the_policy_of_the_page_names_only_our_own_origin(client):
    policy = (await client.get("/docs")).headers["content-security-policy"]
    sources = {word for rule in policy.split(";") for word in rule.split()[1:]}
    assert sources == {"'none'", "'self'", "data:"}
    assert "connect-src 'self'" in policy


async def test_swagger_ui_is_new_enough_for_our_openapi_and_asks_no_validator(client):
    assert (await client.get("/openapi.json")).json()["openapi"].startswith("3.1")
    bundle = (await client.get("/docs/swagger-ui-bundle.js")).text
    version = re.search(r'PACKAGE_VERSION:"(\d+)\.', bundle)
    assert version is not None
    assert int(version[1]) >= 5, "Swagger UI reads OpenAPI 3.1 since version 5"
    assert "validatorUrl: null" in docs_page.START


@pytest.mark.parametrize("path", ["/redoc", "/docs/oauth2-redirect", "/docs/redoc.standalone.js", "/docs/..%2fcore.py"])
async def test_nothing_else_is_served_beside_the_page(client, path):
    assert (await client.get(path)).status_code == 404
