"""The documentation site in a browser, as a reader uses it: every page, every link and anchor, and the search.

`make site-test` builds the site twice and runs this file. SITE= is the folder of the site, SITE_AGAIN= that of the second build. SITE_SAMPLE=1 opens all
pages of DocC, not one of 20. On real sockets because a browser loads the pages.
"""

import os
import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from crawler import Crawl, served
from page_browser import BROWSER, browser  # noqa: F401 (a fixture)

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("SITE", ROOT / ".build/site"))
# What the page of the search shows at its end.
ENDED = re.compile("Search finished|did not match any documents")
SAMPLE = int(os.environ.get("SITE_SAMPLE", 20))


@pytest.fixture(scope="module", autouse=True)
def requirements():
    assert BROWSER, "Chromium is not installed; run 'Scripts/install-dependencies test'"


@pytest.fixture(scope="module")
def address():
    assert (SITE / "index.html").exists(), f"{SITE} contains no site; run 'make site'"
    with served(SITE) as address:
        yield address


async def crawled(browser, folder, **how):
    with served(folder) as address:
        crawl = Crawl(folder, address, **how)
        await crawl.run(browser)
    return crawl


async def test_each_page_loads_and_each_link_has_its_target(browser):
    crawl = await crawled(browser, SITE, starts=("/index.html", "/search.html"), sample=SAMPLE)
    print(f"{len(crawl.anchors)} pages were opened and {len(crawl.unopened)} read; {len(crawl.links)} different links")
    assert not crawl.errors, "\n".join(crawl.errors)
    assert len(crawl.anchors) > 100


async def search(page, address, words):
    """Searches as a reader does, and returns the paths of the results, the best one first."""
    await page.goto(f"{address}/docs/tutorials/getting-started.html")
    await page.get_by_role("textbox", name="Search").fill(words)
    await page.keyboard.press("Enter")
    await expect(page.locator("#search-results .search-summary")).to_have_text(ENDED)
    links = page.locator("#search-results ul.search > li > a")
    return [href.partition("?")[0].partition("#")[0] for href in await links.evaluate_all("links => links.map((link) => link.getAttribute('href'))")]


@pytest.fixture
async def page(browser):
    context = await browser.new_context(viewport={"width": 1400, "height": 900})
    complaints = []
    page = await context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    await context.close()
    assert complaints == []


@pytest.mark.parametrize(
    "words, expected",
    [
        ("commissioning window", "docs/guides/matter.html"),
        ("virtual-time", "docs/guides/time.html"),
        ("setup code", "docs/tutorials/getting-started.html"),
        ("baseline", "docs/guides/haptest.html"),
        ("RunningAccessory", "api/HAPSimulator.html"),
    ],
)
async def test_the_search_finds_a_page_by_its_words(page, address, words, expected):
    found = await search(page, address, words)
    assert expected in found, found
    await page.locator(f'#search-results a[href^="{expected}"]').first.click()
    assert page.url.startswith(f"{address}/{expected}")
    await expect(page.locator("h1").first).to_be_visible()


async def test_a_word_of_no_page_is_not_found(page, address):
    assert await search(page, address, "quizzaciously") == []


def test_a_second_build_has_equal_bytes():
    again = os.environ.get("SITE_AGAIN")
    if not again:
        pytest.skip("NOT RUN: SITE_AGAIN= names no second build; run 'make site-test'")
    contents = [{file.relative_to(folder): file.read_bytes() for file in Path(folder).rglob("*") if file.is_file()} for folder in (SITE, again)]
    differing = sorted(str(name) for name in contents[0].keys() | contents[1].keys() if contents[0].get(name) != contents[1].get(name))
    assert differing == []


# Each site has one fault that the crawler must report.
FAULTS = {
    "a link without a page": ('<a href="missing.html">x</a>', "/index.html: /missing.html: there is no such page"),
    "an anchor that the page does not have": ('<a href="#missing">x</a>', "/index.html: /index.html#missing: the page has no such anchor"),
    "an error of a script": ("<script>missing()</script>", "/index.html: script: missing is not defined"),
    "a message on the console": ("<script>console.warn('old')</script>", "/index.html: console: old"),
    "a file from another host": ('<script src="http://127.0.0.2:9/x.js"></script>', "/index.html: request to another host: http://127.0.0.2:9/x.js"),
    "an image without a file": ('<img src="missing.png">', "/missing.png: the image cannot be shown"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_the_crawler_reports(browser, tmp_path, fault):
    body, error = FAULTS[fault]
    (tmp_path / "favicon.ico").touch()
    (tmp_path / "index.html").write_text(f'<!doctype html><link rel="icon" href="data:,"><h1>Site</h1>{body}')
    errors = (await crawled(browser, tmp_path)).errors
    assert any(found.endswith(error) for found in errors), errors


async def test_the_crawler_reports_a_page_without_links_to_it(browser, tmp_path):
    for name in ("index", "lonely"):
        (tmp_path / f"{name}.html").write_text('<!doctype html><link rel="icon" href="data:,"><h1>Site</h1>')
    assert (await crawled(browser, tmp_path)).errors == ["/lonely.html: no link leads to this page"]


async def test_the_crawler_follows_links_to_folders_and_anchors(browser, tmp_path):
    (tmp_path / "part").mkdir()
    (tmp_path / "index.html").write_text('<!doctype html><link rel="icon" href="data:,"><h1>Site</h1><a href="part/#end">part</a>')
    (tmp_path / "part/index.html").write_text('<!doctype html><link rel="icon" href="data:,"><h1>Part</h1><p id="end">')
    crawl = await crawled(browser, tmp_path)
    assert (crawl.errors, set(crawl.anchors)) == ([], {"/index.html", "/part/index.html"})


async def test_the_crawler_reads_pages_of_docc(browser, tmp_path):
    (tmp_path / "index.html").write_text('<!doctype html><link rel="icon" href="data:,"><h1>Site</h1><a href="api/documentation/doors/">Doors</a>')
    page, data = tmp_path / "api/documentation/doors/index.html", tmp_path / "api/data/documentation/doors.json"
    for file in (page, data):
        file.parent.mkdir(parents=True)
    page.write_text("never opened")
    data.write_text('{"references": {"a": {"url": "/documentation/doors/missing"}, "b": {"title": "without a page"}}}')
    # With this sample, the page is one of those that are only read.
    crawl = await crawled(browser, tmp_path, sample=1 << 40)
    assert crawl.errors == ["/api/documentation/doors/index.html: /api/documentation/doors/missing: there is no such page"]
    assert crawl.unopened == {"/api/documentation/doors/index.html"}
