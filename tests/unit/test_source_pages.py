"""A source says on which page what was shown begins, and nothing where all pages were shown."""

from dataclasses import replace

from chatServer.messages.sources import SourceArticle, merged

PART = SourceArticle("1", "Manual", "pump.pdf", "application/pdf", tokens=24, is_whole=False, page=2)


def test_only_a_part_of_an_article_is_on_a_page():
    assert PART.told()["page"] == 2
    assert "page" not in replace(PART, is_whole=True).told()
    assert "page" not in merged(PART, replace(PART, is_whole=True, page=1)).told()
    assert SourceArticle.read(PART.told()) == PART
