"""The address of the page: a fixed port, the next port if that one is in use, and a browser that is started on request.

On real sockets because a browser is a third party, and the kernel reports ports that are in use.
"""

import asyncio
import os
import signal
from pathlib import Path

import pytest_asyncio

from process import PATIENCE, PROFILES, hapsim, run_to_its_end
from test_ctl import ctl, done

LAMP = PROFILES / "light-white.hasaccessory"
STANDARD = 9427


def url(port):
    return f"http://127.0.0.1:{port}/"


async def test_the_port_of_the_page_is_fixed_and_the_next_process_uses_the_next_port(run, tmp_path):
    first = await run(LAMP)
    second = await run(LAMP, options=("--control", "127.0.0.1"))
    assert [one.said[0]["control"] for one in (first, second)] == [url(STANDARD), url(STANDARD + 1)]
    assert "controlReason" not in first.said[0] and second.said[0]["controlReason"] == f"port {STANDARD} is in use"
    # With a token hapsim uses no other port: an open page would send its token to the program at the fixed port.
    status, _, errors = await run_to_its_end(
        hapsim(), "run", LAMP, "--ephemeral", "--interface", "lo", "--bonjour", "off", "--control-token", "a-secret-of-sorts"
    )
    assert status == 3 and f"port {STANDARD} is in use" in errors and "select one with --control PORT" in errors
    status, output, _ = await run_to_its_end(
        hapsim(), "run", LAMP, "--ephemeral", "--interface", "lo", "--bonjour", "off", "--duration", "1ms"
    )
    assert status == 0 and f"page and control API: {url(STANDARD + 2)} (port {STANDARD} is in use)" in output
    await first.stop()
    assert (await run(LAMP)).said[0]["control"] == url(STANDARD)
    # A port that the user selected must be free.
    status, _, errors = await run_to_its_end(
        hapsim(), "run", LAMP, "--ephemeral", "--interface", "lo", "--bonjour", "off", "--control", str(STANDARD)
    )
    assert status == 3 and f"port {STANDARD} is in use" in errors


async def test_ctl_list_prints_the_address_of_the_page(run, tmp_path):
    simulator = await run(LAMP, state=tmp_path)
    address = simulator.said[0]["control"]
    assert (await done(tmp_path, "list"))["control"] == address
    status, output, _ = await ctl(tmp_path, "list")
    assert status == 0 and f"page and control API: {address}" in output
    await simulator.stop()
    fleet = await run(LAMP, state=tmp_path, options=("--count", "2", "--loops", "2", "--bonjour", "off"))
    assert (await done(tmp_path, "list"))["control"] == fleet.said[0]["control"]
    await fleet.stop()
    await run(LAMP, state=tmp_path, options=("--control", "off"))
    assert "control" not in await done(tmp_path, "list")


class Browser:
    """A program for BROWSER. It writes its process id and its argument to a FIFO, and runs until the test ends it."""

    def __init__(self, folder):
        self.program = folder / "browser"
        self._processes = []
        paths = [folder / name for name in ("opened", "held")]
        for path in paths:
            os.mkfifo(path)
        # The FIFO is opened for reading and writing, so that opening it never waits for the other end.
        self._opened, self._held = [os.open(path, os.O_RDWR | os.O_NONBLOCK) for path in paths]
        self.program.write_text(f"#!/bin/sh\nprintf '%s %s\\n' $$ \"$1\" > '{paths[0]}'\nread line < '{paths[1]}'\nexit 0\n")
        self.program.chmod(0o755)

    async def address(self):
        """Waits for the browser, and returns its argument."""
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        loop.add_reader(self._opened, readable.set)
        try:
            async with asyncio.timeout(PATIENCE):
                await readable.wait()
        finally:
            loop.remove_reader(self._opened)
        process, _, address = os.read(self._opened, 4096).decode().rstrip("\n").partition(" ")
        self._processes.append(int(process))
        return address

    def close(self):
        for process in self._processes:
            os.kill(process, signal.SIGKILL)
        os.close(self._held)
        os.close(self._opened)


@pytest_asyncio.fixture
async def browser(tmp_path):
    browser = Browser(tmp_path)
    yield browser
    browser.close()


def children(simulator):
    """Returns the running child processes of hapsim."""
    tasks = Path(f"/proc/{simulator.process.pid}/task")
    return [child for task in tasks.iterdir() for child in (task / "children").read_text().split()]


async def test_open_starts_a_browser_or_reports_the_reason(run, browser):
    # The first command does not exist, so the second is tried; the token is not passed to a program.
    simulator = await run(
        LAMP, options=("--open", "--control-token", "a-secret-of-sorts"), environment={"BROWSER": f"/nonexistent:{browser.program} '%s'"}
    )
    assert simulator.said[0]["control"] == f"{url(STANDARD)}#token=a-secret-of-sorts"
    assert await browser.address() == url(STANDARD)
    other = await run(LAMP, options=("--open",), environment={"BROWSER": "/nonexistent"})
    complaint = await other.complaint("--open")
    assert "no browser was started" in complaint and "/nonexistent" in complaint and other.said[0]["control"] in complaint
    bare = await run(LAMP, options=("--open",), environment={"BROWSER": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""})
    assert "neither DISPLAY nor WAYLAND_DISPLAY is set" in await bare.complaint("--open")
    status, _, errors = await run_to_its_end(hapsim(), "run", LAMP, "--ephemeral", "--open", "--control", "off")
    assert status == 2 and "--control off and --open exclude each other" in errors


async def test_no_browser_is_started_without_open(run, browser):
    environment = {"BROWSER": str(browser.program), "DISPLAY": ":0"}
    # A browser runs until the test ends, so a started one is found.
    for options, number in (((), 0), (("--open",), 1)):
        simulator = await run(LAMP, options=options, environment=environment)
        await simulator.command("list")
        assert len(children(simulator)) == number
    await browser.address()


async def test_a_browser_does_not_write_to_a_pipe_of_hapsim(run, browser):
    simulator = await run(LAMP, options=("--open",), environment={"BROWSER": str(browser.program)})
    await browser.address()
    (shell,) = children(simulator)
    assert [os.readlink(f"/proc/{shell}/fd/{number}") for number in range(3)] == ["/dev/null"] * 3
