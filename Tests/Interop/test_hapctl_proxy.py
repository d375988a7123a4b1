"""hapctl's shell and its proxy: a prompt on one session, and an accessory that stands before another."""

import asyncio
import json
import os
import re
import stat

from process import PATIENCE, PROFILES, Simulator, hapsim
from test_hapctl import CODE, address, ctl, well

__all__ = ["ctl"]  # a fixture


class Terminal:
    """A program on a terminal of its own: what it shows, as it comes."""

    def __init__(self, process, master):
        self.process, self.master, self.shown = process, master, ""
        self._news = asyncio.Event()
        asyncio.get_running_loop().add_reader(master, self._read)

    @classmethod
    async def launch(cls, *command):
        master, slave = os.openpty()
        process = await asyncio.create_subprocess_exec(
            *map(str, command), stdin=slave, stdout=slave, stderr=slave,
            env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", "COLUMNS": "200"},
            preexec_fn=os.setsid,
        )  # fmt: skip
        os.close(slave)
        return cls(process, master)

    def _read(self):
        try:
            data = os.read(self.master, 65536)
        except OSError:  # Linux says so when the other end is closed
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self.master)
        self.shown += data.decode(errors="replace")
        self._news.set()

    def type(self, keys):
        os.write(self.master, keys.encode())

    async def shows(self, pattern, since=0):
        """Where the first match from `since` on ends, waiting for it if need be."""
        async with asyncio.timeout(PATIENCE):
            try:
                while not (match := re.compile(pattern).search(self.shown, since)):
                    self._news.clear()
                    await self._news.wait()
            except asyncio.CancelledError:
                raise AssertionError(f"{pattern!r} isn't in {self.shown[since:]!r}") from None
        return match.end()

    async def ended(self):
        async with asyncio.timeout(PATIENCE):
            return await self.process.wait()

    async def close(self):
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()
        asyncio.get_running_loop().remove_reader(self.master)
        os.close(self.master)


async def garage(run, ctl):
    simulator = await run(PROFILES / "garage-kilgo.hasaccessory", options=("--setup-code", CODE))
    await well(ctl, "pair", address(simulator.accessory), "--code", CODE, "--alias", "garage")
    return simulator


async def shell_script(ctl, script):
    """What a shell says to lines from a pipe."""
    process = await asyncio.create_subprocess_exec(
        ctl.program, "shell", "garage", "--state", ctl.state,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(PATIENCE):
        output, errors = await process.communicate(script.encode())
    return process.returncode, output.decode(), errors.decode()


async def test_a_shell_reads_lines_from_a_pipe(run, ctl):
    await garage(run, ctl)
    status, output, errors = await shell_script(
        ctl, '# a comment\n\nput On on Brightness 40\nget "Light Bulb/On" Brightness\nidentify\nget "Target Door State"'
    )
    assert (status, errors) == (0, "")
    assert re.fullmatch(r"1\.\d+ On: true\n1\.\d+ Brightness: 40 %\n1\.\d+ Target Door State: closed \(1\)\n", output)

    for line, says in [
        ("gte On", "did you mean get?"), ('get "On', "isn't closed"), ("put On", "a value"), ("put On much", "format bool"),
        ('put "Current Door State" open', "readOnly (-70404)"), ("get Brightnes", "did you mean"), ("x" * 70000, "65536 bytes"),
    ]:  # fmt: skip
        status, output, errors = await shell_script(ctl, line + "\nget On\n")
        assert status == 1 and says in errors and "On: true" in output, (line, status, output, errors)
    assert (await shell_script(ctl, "quit\nget Nothing\n"))[0] == 0


async def test_events_come_to_a_shell_and_its_end_is_told(run, ctl):
    simulator = await garage(run, ctl)
    shell = await asyncio.create_subprocess_exec(
        ctl.program, "shell", "garage", "--state", ctl.state,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(PATIENCE):
            shell.stdin.write(b"watch On\n")
            assert await shell.stdout.readline() == b"Watching 1 characteristics.\n"
            await well(ctl, "put", "garage/On", "on")
            assert b"On: true" in await shell.stdout.readline()
            shell.stdin.write(b"unwatch On\n")
            assert await shell.stdout.readline() == b"No longer watching 1 characteristics.\n"
            await simulator.stop()
            assert await shell.wait() == 3
            assert b"closed the connection" in await shell.stderr.read()
    finally:
        if shell.returncode is None:
            shell.kill()


async def test_a_shell_on_a_terminal_edits_completes_and_remembers(run, ctl):
    await garage(run, ctl)
    terminal = await Terminal.launch(ctl.program, "shell", "garage", "--state", ctl.state)
    try:
        at = await terminal.shows("garage> ")
        terminal.type("pu\tTarg\top\t\r")
        at = await terminal.shows("garage> ", at)
        terminal.type('get "Target Door S\t\r')
        at = await terminal.shows(r"Target Door State: open \(0\)\r\n", at)

        # What is being typed outlives an event.
        at = await terminal.shows("garage> ", at)
        terminal.type("watch On\r")
        at = await terminal.shows("Watching 1 characteristics", at)
        at = await terminal.shows("garage> ", at)
        terminal.type("get Bright")
        at = await terminal.shows("get Bright", at)
        await well(ctl, "put", "garage/On", "on")
        at = await terminal.shows("On: true\r\n", at)
        at = await terminal.shows("garage> get Bright", at)
        terminal.type("\t\r")
        at = await terminal.shows(r"Brightness: \d+ %", at)

        # Several choices are listed, Ctrl-C clears the line, the arrow brings the last one back.
        at = await terminal.shows("garage> ", at)
        terminal.type("un\x01\x05\x03ide\t\x03get O\t")
        at = await terminal.shows('"Obstruction Detected"  On\r\n', at)
        terminal.type("\x03\x1b[A\r")
        at = await terminal.shows(r"Brightness: \d+ %", at)
        at = await terminal.shows("garage> ", at)
        terminal.type("\x04")
        assert await terminal.ended() == 0
        history = ctl.state / "shell-history"
        assert stat.S_IMODE(history.stat().st_mode) == 0o600
        assert history.read_text().splitlines()[0] == 'put "Target Door State" open '
    finally:
        await terminal.close()

    again = await Terminal.launch(ctl.program, "shell", "garage", "--state", ctl.state)
    try:
        at = await again.shows("garage> ")
        again.type("\x1b[A\r")
        await again.shows(r"Brightness: \d+ %", at)
        again.type("quit\r")
        assert await again.ended() == 0
    finally:
        await again.close()
