"""A crawler of a static site: it opens every page in a browser, and reports what a reader would see fail."""

import asyncio
import functools
import json
import threading
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from playwright.async_api import TimeoutError as PageTimeout

TABS = 4
PATIENCE = 120.0  # seconds; reached only if a page hangs, also on a busy machine
# DocC's pages, and the data from which a script draws them.
DOCC, DATA = "documentation", "data"
# A page of DocC has no content before its script has drawn it.
DRAWN = "() => !document.querySelector('#app') || document.querySelector('#app h1')"
# The links, anchors and images of a page. `javascript:` and `mailto:` links are no addresses.
CONTENTS = """() => ({
  links: [...document.querySelectorAll("a[href]")].map((link) => link.href),
  anchors: [...document.querySelectorAll("[id]")].map((element) => element.id),
  images: [...document.images].filter((image) => image.complete && !image.naturalWidth).map((image) => image.src),
})"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def served(folder):
    """Serves a folder on loopback. Yields the address, without a slash at the end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class Crawl:
    folder: Path
    address: str
    starts: tuple = ("/index.html",)
    sample: int = 1  # Of this many pages of DocC, one is opened. The links of the others are read from their data, which takes a hundredth of the time.
    errors: list = field(default_factory=list)
    anchors: dict = field(default_factory=dict)  # of each visited page, by path
    unopened: set = field(default_factory=set)  # pages of DocC that were only read
    links: dict = field(default_factory=dict)  # one page with the link, by path and anchor
    _waiting: list = field(default_factory=list)  # names of files, with the path of a link to each
    _known: set = field(default_factory=set)

    async def run(self, browser):
        """Visits each page that the start pages lead to. Errors have the page, the fault and its subject."""
        for start in self.starts:
            self._add(start, "the start pages")
        context = await browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE * 1000)
        pages = [await self._tab(context) for _ in range(TABS)]
        busy = set()
        while self._waiting or busy:
            while self._waiting and pages:
                page = pages.pop()
                busy.add(asyncio.create_task(self._visit(page, *self._waiting.pop(0))))
            done, busy = await asyncio.wait(busy, return_when=asyncio.FIRST_COMPLETED)
            pages += [task.result() for task in done]
        await context.close()
        for (path, anchor), source in self.links.items():
            if anchor and path in self.anchors and anchor not in self.anchors[path]:
                self.errors.append(f"{source}: {path}#{anchor}: the page has no such anchor")
        for file in sorted(self.folder.rglob("*.html")):
            path = "/" + file.relative_to(self.folder).as_posix()
            if path not in self.anchors and path not in self.unopened:
                self.errors.append(f"{path}: no link leads to this page")

    async def _tab(self, context):
        page = await context.new_page()
        report = lambda text: self.errors.append(f"{urlsplit(page.url).path}: {text}")
        page.on("console", lambda message: report(f"console: {message.text}"))
        page.on("pageerror", lambda error: report(f"script: {error}"))
        page.on("request", lambda request: self._is_own(request.url) or report(f"request to another host: {request.url}"))
        return page

    def _is_own(self, url):
        return url.startswith((self.address + "/", "data:", "blob:"))

    def _file(self, path):
        """The file that the server answers with, or None."""
        file = self.folder / unquote(path).lstrip("/")
        file = file / "index.html" if file.is_dir() else file
        return file if file.is_file() else None

    def _add(self, url, source):
        """Stores a link of a page, and queues its target. A folder is represented by its index."""
        path, anchor = urldefrag(url)
        path = urlsplit(path).path
        file = self._file(path)
        if not file:
            self.errors.append(f"{source}: {path}: there is no such page")
            return
        name = "/" + file.relative_to(self.folder).as_posix()
        self.links.setdefault((name, unquote(anchor)), source)
        if file.suffix == ".html" and name not in self._known:
            self._known.add(name)
            self._waiting.append((name, path))

    async def _visit(self, page, name, path):
        """Visits a page by the path of a link, because scripts of DocC read the path."""
        if (data := self._docc_data(name)) and zlib.crc32(name.encode()) % self.sample:
            self._read(name, data)
            return page
        answer = await page.goto(self.address + path, wait_until="load")
        if answer.status != 200:
            self.errors.append(f"{path}: the server answers with status {answer.status}")
        try:
            await page.wait_for_function(DRAWN)
        except PageTimeout:
            self.errors.append(f"{path}: DocC's script shows no heading within {PATIENCE:.0f} s")
        found = await page.evaluate(CONTENTS)
        self.anchors[name] = set(found["anchors"])
        self.errors += [f"{path}: {image}: the image cannot be shown" for image in found["images"]]
        for link in found["links"]:
            if self._is_own(link):
                self._add(link.removeprefix(self.address), path)
        return page

    def _docc_data(self, name):
        """The data of a page of DocC, or None for other pages."""
        base, mark, symbol = name.partition(f"/{DOCC}/")
        return self.folder / base.lstrip("/") / DATA / DOCC / f"{symbol.removesuffix('/index.html')}.json" if mark else None

    def _read(self, name, data):
        """Queues the links of a page of DocC without opening it."""
        if not data.is_file():
            self.errors.append(f"{name}: the page has no data; {data.relative_to(self.folder)} is missing")
            return
        base = name.partition(f"/{DOCC}/")[0]
        self.unopened.add(name)
        for reference in json.loads(data.read_text())["references"].values():
            url = reference.get("url", "")
            if url.startswith(f"/{DOCC}/"):
                self._add(base + url, name)
