"""haptest's HTML report in a browser: what it shows, filters and opens, in light and dark, and that content of accessories stays text.

The unit tests of HAPReport create the pages. They must be built; `make test` builds them first.

Without sockets: a browser shows files.
"""

import os
import pathlib
import subprocess

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright, expect

from page_browser import BROWSER
from process import hapsim

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    if made := os.environ.get("HAPREPORT_PAGES"):
        return pathlib.Path(made)
    # The unit tests as a program, built next to hapsim.
    program = pathlib.Path(hapsim()).with_name("hapsimPackageTests.xctest")
    assert program.exists(), f"{program} is missing; run 'swift build --build-tests'"
    result = subprocess.run(
        [program, "--testing-library", "swift-testing", "--filter", "HAPReportTests.HTMLReportTests/pages"],
        cwd=ROOT, env={**os.environ, "HAPREPORT_FIXTURES": str(folder)}, capture_output=True, text=True, timeout=100,
    )
    assert result.returncode == 0 and (folder / "failing.html").exists(), f"the tests are not built or fail: {result.stdout}{result.stderr}"
    return folder


@pytest_asyncio.fixture(scope="module")
async def browser():
    assert BROWSER, "Chromium is not installed; run 'Scripts/install-dependencies test'"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest_asyncio.fixture
async def open_page(browser, pages):
    """`await open_page("failing")`: opens the page from disk. It must send no request and log no message."""
    contexts = []
    complaints = []

    async def open_one(name, fragment="", **how):
        context = await browser.new_context(viewport={"width": 1280, "height": 900}, **how)
        contexts.append(context)
        page = await context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda request: request.url.startswith("file:") or complaints.append(request.url))
        await page.goto(f"{(pages / name).as_uri()}.html{fragment}")
        return page

    yield open_one
    for context in contexts:
        await context.close()
    assert complaints == []


async def filled(page):
    """Waits until all open elements have their content. The page adds the content shortly after an element opens."""
    empty = "[open]:not(:has(> :nth-child(2)))"
    await expect(page.locator(f"details.case{empty}, details.entry{empty}")).to_have_count(0)


async def shown(page):
    return await page.locator("details.case:visible .id").all_text_contents()


async def test_all_cases_are_shown_and_failures_are_counted(open_page):
    page = await open_page("failing")
    assert await shown(page) == ["PS-29", "TW-3", "EV-9", "WR-13", "WR-12", "HTTP-4", "PS-1", "DB-70", "DISC-1"]
    assert await page.locator("#conclusion").text_content() == "Does not conform: 4 of 9 cases failed"
    assert await page.locator("#verdicts button").count() == 9
    assert await page.locator("#bar span").count() == 9


async def test_cases_are_filtered_by_verdict_area_level_and_text(open_page):
    page = await open_page("failing")
    await page.click("#verdicts button[data-result=fail]")
    await page.click("#verdicts button[data-result=flaky]")
    assert await shown(page) == ["PS-29", "TW-3"]
    await page.click("#reset")
    await page.select_option("#area", "write")
    assert await shown(page) == ["WR-13", "WR-12"]  # an unexpected pass is worse than an expected failure
    await page.click("#reset")
    await page.select_option("#level", "should")
    assert await shown(page) == ["TW-3"]
    await page.click("#reset")
    await page.keyboard.press("/")
    await page.keyboard.type("salt PUBLIC key")
    assert await shown(page) == ["PS-29"]
    await page.keyboard.type(" nothing")
    assert await shown(page) == []
    assert await page.locator(".nothing").is_visible()


async def test_cases_are_grouped_by_area_section_and_verdict(open_page):
    page = await open_page("large")
    groups = page.locator("section.group:visible > h2")
    # Failures are first by default.
    assert (await groups.first.text_content()).startswith("failed")
    assert await page.locator("#group").input_value() == "result"
    await page.select_option("#group", "area")
    assert await groups.count() == 14
    await page.select_option("#group", "section")
    assert await groups.count() == 25
    assert (await groups.first.text_content()).startswith("HAP R2 §5.3")
    assert len(await shown(page)) == 350
    await page.select_option("#group", "result")
    assert (await groups.first.text_content()).startswith("failed")


async def test_a_case_opens_by_keyboard_and_by_link_and_shows_its_transcript(open_page):
    page = await open_page("failing", "#PS-29")
    case = page.locator("#case-PS-29")
    assert await case.get_attribute("open") is not None
    await filled(page)
    text = await case.inner_text()
    for part in ("M2 with error 6 (Unavailable)", "200 OK, M2 with salt and public key", "Look for pairings first", "HomeKitADK"):
        assert part in text
    received = case.locator("details.entry.received").first
    await received.locator("summary").click()
    await filled(page)
    assert "setup code [redacted]" in await received.inner_text()
    assert await received.locator("pre.hex").is_hidden()
    await received.locator("button").click()
    dump = await received.locator("pre.hex").inner_text()
    assert dump.startswith("0000  48 54 54 50 2f 31 2e 31  20 32 30 30 20 4f 4b 0d  HTTP/1.1 200 OK.")
    assert dump.count("2a") == len("031-45-154"), "the setup code is not overwritten"
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    # The next case on the page: flaky cases follow failed ones.
    assert await page.locator("#case-TW-3").get_attribute("open") is not None


async def test_a_page_follows_the_system_and_the_switch(open_page):
    def background(page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    light = await open_page("failing", color_scheme="light")
    dark = await open_page("failing", color_scheme="dark")
    light_paper, dark_paper = await background(light), await background(dark)
    assert light_paper != dark_paper
    await light.keyboard.press("t")
    assert await background(light) == light_paper
    await light.keyboard.press("t")
    assert await background(light) == dark_paper


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_text_has_enough_contrast(open_page, scheme):
    """WCAG 2.2, 1.4.3: each text has a contrast of 4.5 with its background."""
    page = await open_page("failing", color_scheme=scheme)
    await page.click("#open")
    await filled(page)
    poor = await page.evaluate(
        """() => {
          const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
          const light = (color) => {
            const [r, g, b] = numbers(color).map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const behind = (element) => {
            for (; element; element = element.parentElement) {
              const color = getComputedStyle(element).backgroundColor;
              if (numbers(color)[3] !== 0) return color;
            }
          };
          const poor = new Set();
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const element = walker.currentNode.parentElement;
            if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("script, option")) continue;
            const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort().reverse();
            const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (contrast < 4.5) poor.add(`${element.className}: ${contrast.toFixed(2)}`);
          }
          return [...poor];
        }"""
    )
    assert poor == []


@pytest.mark.parametrize("name", ["failing", "hostile", "lost", "interrupted", "broken-off", "empty", "nothing-selected", "matrix"])
async def test_a_page_is_complete_for_every_kind_of_run(open_page, name):
    page = await open_page(name)
    for width in (1280, 380):
        await page.set_viewport_size({"width": width, "height": 800})
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert await page.locator("h1").text_content()


async def test_content_of_an_accessory_is_shown_as_text(open_page):
    page = await open_page("hostile")
    await page.click("#open")
    await filled(page)
    for entry in await page.locator("details.entry > summary").all():
        await entry.click()
    await filled(page)
    assert "owned" not in await page.title()
    assert await page.locator("img, iframe, object").count() == 0
    assert await page.locator("script").count() == 2
    text = await page.locator("#case-X-0").inner_text()
    assert "</script><script>document.title='owned'</script>" in text
    assert "\\u{202E}backwards" in await page.locator("#case-X-2").inner_text()


async def test_a_lost_accessory_is_reported_with_the_last_bytes_sent(open_page):
    page = await open_page("lost")
    notice = await page.locator("#notices").inner_text()
    assert "The accessory was lost" in notice and "0000  01 02 03" in notice
    assert await page.locator("details.case.is-not-run").count() == 7


async def test_in_print_failures_are_open_and_the_background_is_white(open_page):
    page = await open_page("large", color_scheme="dark")
    await page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    await page.emulate_media(media="print", color_scheme="dark")
    assert await page.locator("details.case.is-fail:not([open])").count() == 0
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert await page.locator(".tools").is_hidden()
    await page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert await page.evaluate("document.documentElement.dataset.theme") is None


async def test_the_matrix_can_show_only_differences(open_page):
    page = await open_page("matrix")
    rows = page.locator("tr[data-case]:visible")
    before = await rows.count()
    await page.check("#only")
    assert 0 < await rows.count() <= before
    assert await page.locator("tr[data-case]:visible:not([data-differs])").count() == 0
