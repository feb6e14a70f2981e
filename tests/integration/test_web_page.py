"""The web client is one page at its own addresses, with a strict policy; what is built is served, and nothing else."""

import json
import re

import pytest

from chatServer.api import web_page
from chatServer.api.client import described
from chatServer.config import ROOT, Settings
from tests.conftest import serving
from tests.tools.problems import assert_problem

INDEX = '<!doctype html><script type="module" src="/assets/index-abc123.js"></script>'
CODE = "console.log('hello')\n"


@pytest.fixture
def built(settings, tmp_path):
    """Settings of a server that has a build."""
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(INDEX)
    (folder / "theme.js").write_text(CODE)
    (folder / "icon.svg").write_text("<svg/>")
    (folder / "assets" / "index-abc123.js").write_text(CODE)
    (folder / "assets" / "index-abc123.js.gz").write_bytes(b"packed")
    (folder / "assets" / "secret.txt").write_text("not ours to give")
    (folder / "secret.js").write_text("beside the assets")
    return settings.model_copy(update={"web_dir": folder})


@pytest.mark.parametrize("path", web_page.PAGES)
async def test_every_page_of_the_client_is_the_same_file_with_a_strict_policy(built, path):
    async with serving(built) as client:
        answer = await client.get(path)
        head = await client.head(path)
    assert (answer.status_code, answer.text) == (200, INDEX)
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["cache-control"] == "no-cache"
    assert (head.status_code, head.content) == (200, b"")
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "script-src 'self';" in policy
    assert "connect-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_files_of_the_build_are_kept_for_good_and_packed_for_whoever_can_read_that(built):
    async with serving(built) as client:
        plain = await client.get("/assets/index-abc123.js", headers={"Accept-Encoding": "identity"})
        async with client.stream("GET", "/assets/index-abc123.js", headers={"Accept-Encoding": "gzip, br"}) as packed:
            raw = b"".join([piece async for piece in packed.aiter_raw()])
        head = await client.head("/assets/index-abc123.js")
    assert (plain.text, plain.headers["content-type"]) == (CODE, "text/javascript; charset=utf-8")
    assert "immutable" in plain.headers["cache-control"]
    assert (raw, packed.headers["content-encoding"], packed.headers["vary"]) == (b"packed", "gzip", "Accept-Encoding")
    assert head.status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/assets/none.js", "/assets/secret.txt", "/assets/..%2fsecret.js", "/assets/%2e%2e%2findex.html", "/secret.js",
        "/assets/", "/assets/.hidden.js", "/memory/", "/nowhere", "/api/nowhere", "/docs/nowhere", "/index.html",
    ],
)  # fmt: skip
async def test_nothing_else_is_served(built, path):
    async with serving(built) as client:
        assert_problem(await client.get(path), 404, "not_found")


@pytest.mark.parametrize("path", ["/nowhere", "/memory/", "/nowhere/at/all"])
async def test_who_opens_an_address_that_is_none_is_shown_the_page_which_says_so(built, path):
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    async with serving(built) as client:
        answer = await client.get(path, headers=browser)
        home = await client.get("/", headers=browser)
        sent = await client.post(path, headers=browser)
    assert (answer.status_code, answer.text) == (404, INDEX)
    assert answer.headers["content-security-policy"] == home.headers["content-security-policy"]
    assert answer.headers["vary"] == "Accept"
    assert_problem(sent, 404, "not_found")


@pytest.mark.parametrize("path", ["/api/nowhere", "/assets/none.js", "/auth/v1/nowhere"])
async def test_programs_read_a_problem_whatever_they_accept(built, path):
    async with serving(built) as client:
        assert_problem(await client.get(path, headers={"Accept": "text/html"}), 404, "not_found")


async def test_without_a_build_the_page_says_how_to_get_one(settings, tmp_path):
    node = json.loads((ROOT / "webApp" / "package.json").read_text())["engines"]["node"].removeprefix(">=")
    async with serving(settings.model_copy(update={"web_dir": tmp_path / "none"})) as client:
        answer = await client.get("/")
        assert answer.status_code == 200
        for part in ("make web", "its build has failed", f"Node {node} or newer", "what its last lines say"):
            assert part in answer.text
        assert "script-src" not in answer.headers["content-security-policy"]
        assert_problem(await client.get("/icon.svg"), 404, "not_found")


def of(**settings):
    known = {"auth_mode": "supabase", "supabase_url": "https://abc.supabase.co", "_env_file": None}
    return Settings(**(known | settings))


def test_the_page_may_talk_to_the_issuer_only_where_it_signs_in_there():
    direct = of(supabase_publishable_key="public")
    assert "connect-src 'self' https://abc.supabase.co;" in web_page.policy(direct)
    behind_us = of(supabase_publishable_key="public", auth_internal_url="http://auth:9999")
    for settings in (behind_us, of(), Settings(_env_file=None)):
        assert "connect-src 'self';" in web_page.policy(settings)


async def test_a_stranger_learns_where_to_sign_in_and_no_secret(settings):
    async with serving(settings) as client:
        told = (await client.get("/api/client")).json()
    assert (told["sign_in"], told["supabase"]) == ("dev", None)


@pytest.mark.parametrize(
    ("given", "sign_in", "supabase"),
    [
        ({"supabase_publishable_key": "pk"}, "supabase", {"url": "https://abc.supabase.co", "key": "pk"}),
        ({"auth_internal_url": "http://auth:9999"}, "supabase", {"url": None, "key": "any-key"}),
        ({"supabase_secret_key": "sb_secret_x"}, "token", None),
    ],
)
def test_sign_in_is_told_as_it_is_set_up(given, sign_in, supabase):
    told = described(of(**given)).model_dump()
    assert (told["sign_in"], told["supabase"]) == (sign_in, supabase)
    assert "sb_secret" not in str(told)


def test_client_and_server_know_the_same_pages():
    source = (ROOT / "webApp" / "src" / "shell" / "pages.ts").read_text()
    assert tuple(re.findall(r'path: "([^"]+)"', source)) == web_page.PAGES
