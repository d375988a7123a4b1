"""The page in a browser, for tests that open it, send requests and hold them back. Each message on its console fails the test."""

import asyncio
import os
import random
import shutil

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright, expect

from process import PATIENCE
from web import Web

# The headless shell comes first, because it takes half of the time of the other browsers.
BROWSER = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"))), None)
# PAGE_DELAYS= is a seed. Each request of a page then waits for a random time, as in a slow network.
DELAYS = os.environ.get("PAGE_DELAYS")
LONGEST_DELAY = 0.4
expect.set_options(timeout=PATIENCE * 1000)


def late(chance):
    """Holds back requests for random times."""

    async def route(route):
        await asyncio.sleep(chance.random() ** 3 * LONGEST_DELAY)
        await route.fallback()

    return route


@pytest_asyncio.fixture(scope="module")
async def browser():
    if not BROWSER:
        print("NOT RUN: the tests of the page need Chromium; run 'Scripts/install-dependencies test'")
        pytest.skip("NOT RUN: Chromium is not installed; run 'Scripts/install-dependencies test'")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        await browser.close()


@pytest_asyncio.fixture
async def open_page(browser):
    """`await open_page(simulator)` opens its page. Use `refusals=True` if the test expects answers of 400 and above, and
    `clock=True` if the test controls the time of the page."""
    contexts = []
    complaints = []

    def complain(refusals):
        def note(text):
            if not (refusals and ("Failed to load resource" in text or "ERR_" in text)):
                complaints.append(text)

        return note

    async def open_one(simulator, fragment=None, refusals=False, clock=False, **how):
        how = {"viewport": {"width": 1440, "height": 950}, "reduced_motion": "reduce", **how}
        context = await browser.new_context(**how)
        context.set_default_timeout(PATIENCE * 1000)
        contexts.append(context)
        if DELAYS is not None:
            await context.route("**/v1/**", late(random.Random(DELAYS)))
        page = await context.new_page()
        note = complain(refusals)
        page.on("console", lambda message: note(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        # With a token, the address in the ready line has it in its fragment.
        told = simulator.said[0]["control"]
        address = told.partition("#")[0]
        page.on("request", lambda request: request.url.startswith((address, "blob:")) or complaints.append(request.url))
        if clock:
            await page.clock.install()
        await page.goto(told if fragment is None else address + fragment)
        return page

    yield open_one
    for context in contexts:
        await context.close()
    assert complaints == []


def switch(where, name, exact=True):
    return where.get_by_role("switch", name=name, exact=exact)


async def tab(page, name):
    await page.get_by_role("tab", name=name, exact=True).click()


async def of_api(simulator, method, target, body=None, status=(200, 201, 204)):
    """Sends a request to the control API, independent of the page."""
    web = await Web.connect(simulator)
    answer = await web.ask(method, f"/v1{target}", body)
    web.close()
    assert answer.status in status, (answer.status, answer.body)
    return answer.json if answer.body else None


def log(page):
    return page.get_by_role("region", name="Log")


# `turns` has the reads of files that are under way.
READS = """() => {
  const { text } = Blob.prototype;
  window.turns = [];
  Blob.prototype.text = function () {
    return new Promise((done, fail) => turns.push({ read: () => done(text.call(this)), fail: () => fail(new Error("gone")) }));
  };
}"""


async def drawn(page):
    """Waits until the page has handled what it got, and has drawn a frame."""
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


class Gate:
    """Holds back the requests of a page for an address, or with `holds_answers` the answers to them. `let()` releases one; its `answer` replaces the
    server's answer.

    Remove it from the page with `open()`, not with `unroute()`: that takes the requests which the gate is about to release.
    """

    def __init__(self, holds_answers=False):
        self.came = []
        self.is_open = False
        self._holds_answers = holds_answers
        self._news = asyncio.Condition()

    async def __call__(self, route):
        if self.is_open:
            return await route.fallback()
        held = {"response": await route.fetch()} if self._holds_answers else None
        turn = asyncio.get_running_loop().create_future()
        async with self._news:
            self.came.append(turn)
            self._news.notify_all()
        answer = await turn or held
        await (route.fulfill(**answer) if answer else route.fallback())

    async def nth(self, number):
        """Waits until the request with this number has been sent, or its answer has come."""
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: len(self.came) >= number)
        return self.came[number - 1]

    async def let(self, number, answer=None):
        (await self.nth(number)).set_result(answer)

    def open(self):
        """Releases all requests, also those that come later."""
        self.is_open = True
        for turn in self.came:
            if not turn.done():
                turn.set_result(None)
