"""hapctl's shell, a prompt on one session, and its proxy, an accessory that forwards requests to another accessory.

On real sockets because aiohomekit and HAP-python are third parties, and the kernel provides terminals and signals.
"""

import asyncio
import fcntl
import json
import os
import re
import signal
import stat
import sys
import termios
from pathlib import Path

from phone import characteristic
from process import PATIENCE, PROFILES, Simulator
from test_hapctl import BULB, CODE, address, ctl, well

__all__ = ["ctl"]  # a fixture


def take_terminal():
    """Runs in the new process: makes standard input its controlling terminal, so that Ctrl-C there sends a signal."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    """A program on its own terminal, and its output so far."""

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
            preexec_fn=take_terminal,
        )  # fmt: skip
        os.close(slave)
        return cls(process, master)

    def _read(self):
        try:
            data = os.read(self.master, 65536)
        except OSError:  # Linux raises this error when the other end is closed
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self.master)
        self.shown += data.decode(errors="replace")
        self._news.set()

    def type(self, keys):
        os.write(self.master, keys.encode())

    async def types_until(self, keys, pattern, since):
        """Types the keys repeatedly until the pattern appears. Returns the end of the match."""
        shown = asyncio.ensure_future(self.shows(pattern, since))
        while not shown.done():
            self.type(keys)
            await asyncio.wait([shown], timeout=0.5)
        return await shown

    async def shows(self, pattern, since=0):
        """Waits for the first match from `since`, and returns its end."""
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
    """Sends lines to a shell through a pipe. Returns its exit status, output and errors."""
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
        ("gte On", "did you mean get?"), ('get "On', "isn't closed"), ("put On", "a value"), ("put On much", "it takes true or false"),
        ('put "Current Door State" open', "readOnly (-70404)"), ("get Brightnes", "did you mean"), ("x" * 70000, "65536 bytes"),
    ]:  # fmt: skip
        status, output, errors = await shell_script(ctl, line + "\nget On\n")
        assert status == 1 and says in errors and "On: true" in output, (line, status, output, errors)
    assert (await shell_script(ctl, "quit\nget Nothing\n"))[0] == 0


async def test_a_shell_prints_events_and_the_end_of_the_connection(run, ctl):
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


async def test_a_shell_on_a_terminal_has_editing_completion_and_history(run, ctl):
    await garage(run, ctl)
    terminal = await Terminal.launch(ctl.program, "shell", "garage", "--state", ctl.state)
    try:
        at = await terminal.shows("garage> ")
        terminal.type("pu\tTarg\top\t\r")
        at = await terminal.shows("garage> ", at)
        terminal.type('get "Target Door S\t\r')
        at = await terminal.shows(r"Target Door State: open \(0\)\r\n", at)

        # An event does not delete a line that is being typed.
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

        # Several choices are listed, Ctrl-C clears the line, and the arrow key recalls the last line.
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


def has_stopped(pid):
    """Returns whether a signal has stopped every thread of a process."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return all((thread / "stat").read_text().rpartition(")")[2].split()[0] == "T" for thread in threads)


async def test_ctrl_c_cancels_the_current_request(run, ctl):
    simulator = await garage(run, ctl)
    terminal = await Terminal.launch(ctl.program, "shell", "garage", "--state", ctl.state, "--timeout", "3000")
    try:
        at = await terminal.shows("garage> ")
        simulator.process.send_signal(signal.SIGSTOP)
        while not has_stopped(simulator.process.pid):
            pass
        # While the shell reads the line, Ctrl-C is a key and sends no signal.
        at = await terminal.types_until("get On\r\x03", "cancelled", at)
        simulator.process.send_signal(signal.SIGCONT)
        # The last Ctrl-C can arrive after this line.
        await terminal.types_until("get On\r", "On: false", at)
    finally:
        simulator.process.send_signal(signal.SIGCONT)
        await terminal.close()


async def before(run, ctl, alias, *options):
    """Starts a proxy on loopback that is announced with mDNS and prints its transcript as JSON."""
    return await run(
        program=(ctl.program, "proxy", "0", alias, "--json", "--advertise", "--state", ctl.state, *options)
    )


def named(line):
    return {entry["name"]: entry for entry in line.get("characteristics", [])}


async def test_a_proxy_for_a_garage(run, ctl, phone, phones):
    simulator = await garage(run, ctl)
    proxy = await before(run, ctl, "garage")
    assert proxy.accessory.name == "Garage (proxy)" and proxy.accessory.category == "garage-door-opener"
    assert proxy.accessory.device_id != simulator.accessory.device_id
    home = await phone.pair(proxy.accessory)
    at = len(proxy.said)

    # It reads the accessory's database, and the transcript has the names.
    tree = await home.accessories()
    ids = {characteristic["iid"]: characteristic for s in tree[0]["services"] for characteristic in s["characteristics"]}
    assert len(ids) > 10
    door = await proxy.wait(lambda line: "Target Door State" in named(line) and line["direction"] == "answer", since=0)
    entry = named(door)["Target Door State"]
    target, on = (1, entry["iid"]), (1, named(door)["On"]["iid"])
    assert entry["text"] == "closed (1)" and entry["type"] == "32"
    assert await home.value(target) == 1
    read = await proxy.wait(lambda line: line["direction"] == "request" and "id=" in line["line"], since=at)
    assert [e["name"] for e in read["characteristics"]] == ["Target Door State"]

    # A change by another controller arrives as an event, and a write is forwarded.
    assert await home.subscribe(target, on) == {}
    subscribed = await proxy.wait(lambda line: named(line).get("On", {}).get("ev") is True, since=at)
    assert subscribed["line"] == "PUT /characteristics HTTP/1.1"
    await simulator.wait(lambda line: line.get("event") == "subscribed" and line["name"] == "On")
    await well(ctl, "put", "garage/On", "on")
    await home.events.wait(on, True)
    event = await proxy.wait(lambda line: line.get("direction") == "event", since=at)
    assert event["line"] == "EVENT/1.0 200 OK" and named(event)["On"]["text"] == "true"
    assert await home.put((*target, 0)) == {}
    written = await proxy.wait(lambda line: named(line).get("Target Door State", {}).get("value") == 0, since=at)
    assert named(written)["Target Door State"]["text"] == "open (0)"
    await simulator.wait(lambda line: line.get("event") == "wrote" and line["name"] == "Target Door State" and line["value"] == 0)
    # The accessory's refusals are forwarded byte for byte.
    current = (1, named(door)["Current Door State"]["iid"])
    body = json.dumps({"characteristics": [{"aid": 1, "iid": current[1], "value": 0}]}).encode()
    assert await home.request("PUT", "/characteristics", body) == (
        207, b'{"characteristics":[{"aid":1,"iid":%d,"status":-70404}]}' % current[1],
    )  # fmt: skip
    refused = await proxy.wait(lambda line: named(line).get("Current Door State", {}).get("status"), since=at)
    assert refused["status"] == 207 and named(refused)["Current Door State"]["status"] == -70404
    assert (await home.request("GET", "/nowhere"))[0] == 404

    # The transcript names the pairing messages, and contains no secrets.
    setup = [line for line in proxy.said if "tlv" in line and "pair-setup" in line["line"]]
    assert [item["value"] for line in setup for item in line["tlv"] if item["name"] == "State"] == ["M1", "M3", "M5"]
    keys = [item for line in proxy.said for item in line.get("tlv", []) if item["name"] not in ("State", "Method", "Identifier", "Flags")]
    assert keys and all("value" not in item for item in keys)

    assert proxy.accessory.setup_code not in json.dumps(proxy.said[1:])

    # The proxy has its own pairings.
    assert [pairing["pairingId"] for pairing in await home.pairings()] == [home.identifier]
    listed = await proxy.wait(lambda line: line.get("line") == "POST /pairings HTTP/1.1", since=at)
    assert {"type": 0, "name": "Method", "value": "listPairings"} in listed["tlv"]
    assert await proxy.stop() == 0


async def test_a_proxy_forwards_timed_writes(run, ctl, phone):
    simulator = await run(PROFILES / "kitchen-sink.hasaccessory", options=("--setup-code", CODE))
    await well(ctl, "pair", address(simulator.accessory), "--code", CODE, "--alias", "sink")
    proxy = await before(run, ctl, "sink")
    home = await phone.pair(proxy.accessory)
    aid, iid, value = next(
        (a["aid"], c["iid"], {"bool": True, "string": "x"}.get(c["format"], c.get("maxValue", 1)))
        for a in await home.accessories() for s in a["services"] for c in s["characteristics"]
        if "tw" in c["perms"] and c["format"] not in ("tlv8", "data")
    )  # fmt: skip
    assert (await home.put_one((aid, iid), value=value))[1]["status"] == -70410
    code, entry = await home.put_one((aid, iid), timed=True, value=value)
    assert code == 204, entry
    await proxy.wait(lambda line: line.get("line") == "PUT /prepare HTTP/1.1" and line["body"]["ttl"] > 0)


async def test_a_proxy_for_a_bulb_of_hap_python(run, ctl, phone, tmp_path):
    bulb = await run(program=(sys.executable, BULB, tmp_path / "state.json"))
    status, _, errors = await ctl("pair", address(bulb.accessory), "--code", CODE, "--alias", "bulb")
    assert status == 0, errors
    proxy = await before(run, ctl, "bulb")
    assert proxy.accessory.category == "lightbulb"
    home = await phone.pair(proxy.accessory)
    tree = await home.accessories()
    on, brightness = characteristic(tree, "ON"), characteristic(tree, "BRIGHTNESS")
    assert await home.put((*on, 1), (*brightness, 40)) == {}
    assert await home.get(on, brightness) == {on: {"value": 1}, brightness: {"value": 40}}
    assert await home.subscribe(brightness) == {}
    await well(ctl, "put", "bulb/Brightness", "70")
    await home.events.wait(brightness, 70)
    event = await proxy.wait(lambda line: line.get("direction") == "event")
    assert named(event)["Brightness"]["text"] == "70 %"


async def test_a_proxy_keeps_its_identity_after_a_restart(run, ctl, phone, phones):
    await garage(run, ctl)
    proxy = await before(run, ctl, "garage", "--code", "111-22-333")
    assert proxy.accessory.setup_code == "111-22-333"
    home = await phone.pair(proxy.accessory)
    # A second proxy for the same accessory is refused.
    status, _, errors = await ctl("proxy", "0", "garage")
    assert status == 3 and "already running" in errors
    await home.close()
    assert await proxy.stop() == 0
    again = await before(run, ctl, "garage")
    assert again.accessory.device_id == proxy.accessory.device_id
    assert again.accessory.setup_code == "111-22-333"
    later = (await phones()).open({**home.data, "AccessoryPort": again.accessory.port})
    tree = await later.accessories()
    assert await later.value(characteristic(tree, "DOOR_STATE_TARGET")) == 1


async def test_a_proxy_reports_that_its_accessory_is_unreachable(run, ctl, phone):
    simulator = await garage(run, ctl)
    proxy = await before(run, ctl, "garage")
    home = await phone.pair(proxy.accessory)
    on = characteristic(await home.accessories(), "ON")
    assert await home.subscribe(on) == {}
    await simulator.stop()
    # The session and its subscriptions are lost, so the proxy disconnects the controller, which must reconnect.
    gone = await proxy.wait(lambda line: "the connection to the accessory is lost" in line.get("line", ""))
    await proxy.wait(lambda line: line.get("line") == "disconnected" and line["connection"] == gone["connection"])
    assert (await home.get(on))[on]["status"] == -70402
    await proxy.wait(lambda line: "can't be reached" in line.get("line", ""))
    body = json.dumps({"characteristics": [{"aid": 1, "iid": on[1], "value": True}]}).encode()
    assert await home.request("PUT", "/characteristics", body) == (
        207, b'{"characteristics":[{"aid":1,"iid":%d,"status":-70402}]}' % on[1],
    )  # fmt: skip
    status, _, errors = await ctl("proxy", "0", "garage")
    assert status == 3 and "connection refused" in errors and len(errors.splitlines()) == 1


async def test_a_pending_request_is_answered_if_the_accessory_is_killed(run, ctl, phone):
    simulator = await garage(run, ctl)
    proxy = await before(run, ctl, "garage")
    home = await phone.pair(proxy.accessory)
    on = characteristic(await home.accessories(), "ON")
    assert await home.value(on) == 0
    simulator.process.send_signal(signal.SIGSTOP)
    while not has_stopped(simulator.process.pid):
        pass
    at = len(proxy.said)
    asked = asyncio.ensure_future(home.get(on))
    await proxy.wait(lambda line: line.get("direction") == "request", since=at)
    simulator.process.kill()
    assert (await asked)[on]["status"] == -70402
    said = [await proxy.wait(lambda line: word in line.get("line", ""), since=at) for word in ("is lost", "207", "disconnected")]
    assert len({line["connection"] for line in said}) == 1


async def test_a_text_transcript_is_written_to_a_file_that_only_its_owner_can_read(run, ctl, tmp_path):
    await garage(run, ctl)
    transcript = tmp_path / "garage.txt"
    proxy = await Simulator.launch(
        ctl.program, "proxy", "127.0.0.1:0", "garage", "--state", ctl.state, "-o", transcript
    )
    try:
        await proxy.wait(lambda line: line.get("not JSON") == "Press Ctrl-C to stop.\n")
        said = "".join(line["not JSON"] for line in proxy.said)
        where = re.search(r"address +(\S+)", said)[1]
        code = re.search(r"setup code +(\S+)", said)[1]
        # hapctl is an ordinary controller: through the proxy it sees the same accessory.
        await well(ctl, "pair", where, "--code", code, "--alias", "through")
        tree = await well(ctl, "accessories", "through", "--raw")
        assert tree == await well(ctl, "accessories", "garage", "--raw")
        await well(ctl, "put", "through/Target Door State", "open")
        status, _, errors = await ctl("proxy", where, "through")
        assert status == 3 and "is in use" in errors
        status, _, errors = await ctl("proxy", "0", "through", "-o", transcript)
        assert status == 3 and "can't be created" in errors
        await well(ctl, "unpair", "through")
        assert await proxy.stop() == 0
    finally:
        await proxy.clean_up()
    assert stat.S_IMODE(transcript.stat().st_mode) == 0o600
    text = transcript.read_text()
    assert code not in text and len(proxy.said) == 7
    for pattern in [
        r"#1 > POST /pair-setup HTTP/1.1\n    State: M1\n    Method: pairSetup\n",
        r"#1 < HTTP/1.1 200 OK\n    State: M2\n    PublicKey: \d+ bytes\n    Salt: 16 bytes\n",
        r"- paired with [-0-9A-F]+, an admin\n", r"> GET /accessories HTTP/1.1\n\S+ #\d+ < HTTP/1.1 200 OK\n    1\.\d+ Identify\n",
        r"> PUT /characteristics HTTP/1.1\n    1\.\d+ Target Door State = open \(0\)\n\S+ #\d+ < HTTP/1.1 204 No Content\n",
        r"> POST /pairings HTTP/1.1\n    State: M1\n    Method: removePairing\n    Identifier: ",
    ]:  # fmt: skip
        assert re.search(pattern, text), (pattern, text)
