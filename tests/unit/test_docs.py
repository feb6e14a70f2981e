"""The documents name what is there, and their JSON is JSON."""

import json
import re
from pathlib import Path

from prometheus_client.metrics import MetricWrapperBase

from chatServer import errors, metrics
from chatServer.api.body import IN_A_FILE, LARGER_BYTES
from chatServer.config import ROOT, Settings
from chatServer.errors import ChatError
from chatServer.main import create_app
from chatServer.memory.rules import MAX_PER_MINUTE

API = (ROOT / "docs" / "api.md").read_text()


def test_every_route_has_its_chapter_and_every_chapter_its_route():
    paths = create_app(Settings(_env_file=None)).openapi()["paths"]
    routes = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert set(re.findall(r"^## ([A-Z]+ /\S+)$", API, re.MULTILINE)) == routes


def test_every_example_is_json():
    examples = re.findall(r"```json\n(.+?)```", API, re.DOTALL)
    assert len(examples) > 8
    for example in examples:
        json.loads(example)


def all_errors(kind: type[ChatError] = ChatError) -> list[type[ChatError]]:
    return [kind, *(found for child in kind.__subclasses__() for found in all_errors(child))]


def test_every_error_is_in_the_table():
    for kind in all_errors():
        row = next(line for line in API.splitlines() if line.startswith(f"| {kind.status} |"))
        assert f"`{kind.code}`" in row


def test_every_error_is_in_the_tree_with_its_status_and_its_code():
    drawn = re.findall(r"^[│├└─ ]+(\w+) +(\d+) (\w+)$", errors.__doc__ or "", re.MULTILINE)
    ours = [
        kind for kind in all_errors()[1:] if kind.__module__ == errors.__name__
    ]  # others may stand where they arise
    named = [(kind.__name__, str(kind.status), kind.code) for kind in ours]
    assert sorted(drawn) == sorted(named)


def test_every_metric_is_explained():
    explained = set(re.findall(r"`(chat_\w+)`", (ROOT / "docs" / "operations.md").read_text()))
    counted = [each for each in vars(metrics).values() if isinstance(each, MetricWrapperBase)]
    suffixes = {"counter": "_total", "info": "_info"}
    names = {each.describe()[0].name + suffixes.get(each.describe()[0].type, "") for each in counted}
    assert len(names) > 10
    assert names <= explained


def test_the_documents_know_how_many_memories_a_minute_are_kept():
    for document, words in (("operations", "new ones"), ("mcp", "new memories")):
        assert f"{MAX_PER_MINUTE} {words} a minute and user" in (ROOT / "docs" / f"{document}.md").read_text()


def test_the_proxy_lets_the_largest_body_through():
    [allowed] = re.findall(r"client_max_body_size (\d+)m;", (ROOT / "docs" / "deploy.md").read_text())
    assert int(allowed) * 1024**2 >= max((LARGER_BYTES | IN_A_FILE).values())


def headings(document: Path) -> set[str]:
    """The names by which links lead to the headings of a document, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
    found = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def dead_links(document: Path) -> list[str]:
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
        name, _, heading = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        if "://" not in link and (not target.exists() or (heading and heading not in headings(target))):
            dead.append(link)
    return dead


def test_links_between_documents_lead_to_files_and_headings_that_are_there():
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "webApp" / "README.md"]
    found = {document.name: dead_links(document) for document in documents}
    assert {name: links for name, links in found.items() if links} == {}


def test_the_check_of_links_finds_dead_ones(tmp_path):
    there = tmp_path / "there.md"
    there.write_text("# What is here, today?\n[a](#what-is-here-today) [b](#gone) [c](https://elsewhere/#x)\n")
    (tmp_path / "two.md").write_text("[a](there.md#what-is-here-today) [b](there.md#gone) [c](gone.md) [d](there.md)\n")
    assert dead_links(there) == ["#gone"]
    assert dead_links(tmp_path / "two.md") == ["there.md#gone", "gone.md"]


def test_the_lines_for_a_frontend_are_those_that_are_run():
    blocks = re.findall(r"```tsx\n(.+?)```", (ROOT / "docs" / "frontend.md").read_text(), re.DOTALL)
    assert "\n".join(blocks) == (ROOT / "tests" / "contract" / "frontend.tsx").read_text()


def test_newcomers_are_told_at_once_what_answers_without_a_key_and_where_a_page_of_their_own_goes():
    readme = (ROOT / "README.md").read_text()
    assert "MODEL_API_KEY" in readme.partition("## Run it")[2].partition("\n## ")[0]
    assert "npm create vite" in (ROOT / "docs" / "frontend.md").read_text().partition("\n## ")[0]


def test_the_versions_that_a_frontend_was_run_with_are_named():
    packages = json.loads((ROOT / "tests" / "contract" / "package.json").read_text())["dependencies"]
    document = (ROOT / "docs" / "frontend.md").read_text()
    for name in ("ai", "@ai-sdk/react"):
        assert f"`{name}` {packages[name]}" in document.replace("\n", " ")
