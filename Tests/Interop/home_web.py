"""Hubs with the page of homes, for tests that open it in a browser."""

import json
import random
import re
import socket
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest_asyncio
from playwright.async_api import expect

from process import PROFILES, ROOT
from test_home_hub import CODE, Home

FLAT = ROOT / "Examples" / "Home" / "laptop" / "flat.hasaccessory"
ZONE = "Europe/Berlin"
# The address of a home in the API.
HOME = re.compile(r"/v1/homes/[0-9A-Fa-f-]{36}$")


def distant_time():
    """A time of day that is at least five hours away in ZONE, so that no trigger fires by itself during a test."""
    return "03:30" if 9 <= datetime.now(ZoneInfo(ZONE)).hour < 21 else "15:30"


def kept_port():
    """A free port for a server that is started again at the same port. The system gives none below its range to a connection, which could take
    the port meanwhile."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(lowest // 2, lowest)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port


class Served:
    """What `open_page` needs of a program that serves a page."""

    def __init__(self, address):
        self.said = [{"control": address}]


class PagedHome(Home):
    """The folder of a hub that serves the page of its homes."""

    async def serve(self, listen=None):
        """Starts the hub, and waits until it has printed the address of the page."""
        hub = await self.start("hub", "run", "--interface", "lo", "--listen", listen or f"127.0.0.1:{kept_port()}")
        line = await hub.wait(lambda line: "The page" in line.get("not JSON", ""))
        self.address = re.search(r"http://\S+", line["not JSON"]).group()
        await hub.wait(lambda line: "Apps attach" in line.get("not JSON", ""))
        return hub

    @property
    def page(self):
        return Served(self.address)

    @property
    def listens(self):
        """The address and port of the page."""
        return self.address.split("/")[2]

    def page_with(self, token):
        """The page, opened with another token."""
        return Served(f"{self.address.partition('#')[0]}#token={token}")

    async def token(self, user):
        status, output, errors = await self.run("hub", "token", user)
        assert status == 0, errors
        return output.strip()

    async def add(self, *devices, room=None):
        for device in devices:
            await self.well("add", "--code", CODE, "--device", device.device_id, *(("--room", room) if room else ()))

    async def value(self, path):
        (value,) = await self.values(path)
        return value


@pytest_asyncio.fixture
async def homes(tmp_path):
    """`homes(name)`: a hub, which is ended after the test."""
    made = []

    def make(name="home"):
        made.append(PagedHome(tmp_path / name))
        return made[-1]

    yield make
    for home in made:
        for process in reversed(home.started):
            await process.clean_up()


@pytest_asyncio.fixture
async def flat(run, homes):
    """A hub with the flat of the tutorial, and the simulator of its bridge: `flat.simulator`."""
    home = homes()
    home.simulator = await run(FLAT)
    home.hub = await home.serve()
    await home.well("new", "My Home", "--zone", ZONE, "--at", "52.52,13.40", "--owner", "Anna")
    await home.add(home.simulator.accessory)
    await home.well("room", "add", "Hall", "Living Room")
    await home.well("move", "Front Door", "Hall Sensor", "Hall")
    await home.well("move", "Lamp", "Living Room")
    return home


async def lonely_lamp(run, home):
    """Adds a lamp that is a device of its own. Returns its simulator."""
    simulator = await run(PROFILES / "light-white.hasaccessory", options=("--setup-code", CODE, "--name", "Desk Lamp"))
    await home.add(simulator.accessory)
    await home.well("move", "Desk Lamp", "Living Room")
    return simulator


def room(page, name):
    return page.get_by_role("main").get_by_role("region", name=name, exact=True)


def tile(page, name):
    return page.get_by_role("main").locator(".tile", has=page.get_by_role("link", name=f"{name}, details", exact=True))


async def go(page, view):
    await page.get_by_role("navigation", name="Views").get_by_role("link", name=view, exact=True).click()
    await expect(page.get_by_role("main").get_by_role("heading", name=view, exact=True, level=2)).to_be_visible()


async def begin(page):
    """Begins to add an accessory."""
    await page.get_by_role("button", name="Add accessory").click()
    return dialog(page, "Add an accessory")


def card(page, name):
    """The card of a trigger or of a person."""
    return page.get_by_role("main").get_by_role("listitem", name=name, exact=True)


def scene(page, name):
    return page.get_by_role("main").locator(".scene-card", has=page.get_by_role("button", name=name, exact=True))


def dialog(page, name):
    return page.get_by_role("dialog", name=name, exact=True)


async def document(dialog):
    """The text of a document that the page shows."""
    text = await dialog.get_by_role("textbox").input_value()
    assert json.loads(text)
    return text
