"""hapctl with accessories of hapsim and with a bulb made with HAP-python.

On real sockets because HAP-python, aiohomekit and Avahi are third parties, and signals, files and exit statuses are those of the built program.
"""

import asyncio
import json
import os
import re
import signal
import socket
import struct
import sys
import uuid
from pathlib import Path

import pytest
import pytest_asyncio
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from mdns_daemon import Daemon
from process import PROFILES, Simulator, hapsim, run_to_its_end

BULB = Path(__file__).with_name("bulb.py")
CODE = "031-45-154"


@pytest.fixture
def ctl(tmp_path):
    """`await ctl(WORD…)`: runs hapctl with a state folder of this test, and returns exit status, output and errors."""
    program = Path(hapsim()).with_name("hapctl")
    assert os.access(program, os.X_OK), f"{program} isn't built"

    async def run(*words):
        return await run_to_its_end(program, *words, "--state", tmp_path / "ctl")

    run.program = program
    run.state = tmp_path / "ctl"
    return run


async def well(ctl, *words):
    status, output, errors = await ctl(*words)
    assert (status, errors) == (0, ""), (words, status, output, errors)
    return output


def address(accessory):
    return f"{accessory.address}:{accessory.port}"


async def watching(ctl, *words):
    """Starts `hapctl watch`."""
    watcher = await Simulator.launch(ctl.program, "watch", *words, "--json", "--state", ctl.state)
    return watcher


async def test_a_garage_is_paired_read_opened_watched_and_unpaired(run, ctl):
    simulator = await run(PROFILES / "garage-kilgo.hasaccessory", options=("--setup-code", CODE))
    where = address(simulator.accessory)
    await well(ctl, "identify", where)
    await simulator.wait(lambda line: line.get("event") == "identify")

    status, output, errors = await ctl("pair", where, "--code", "111-22-333")
    assert (status, output) == (1, "") and "the code is wrong" in errors
    assert (await well(ctl, "list")).startswith("No pairing")
    assert await well(ctl, "pair", where, "--code", CODE) == f"Paired with {simulator.accessory.device_id}, called garage.\n"
    status, _, errors = await ctl("pair", where, "--code", CODE)
    assert status == 1 and "already paired with this controller, under the name garage" in errors
    status, _, errors = await ctl("pair", "garage", "--code", CODE)
    assert status == 1 and "already paired with this controller" in errors
    assert where in await well(ctl, "list")

    tree = await well(ctl, "accessories", "garage", "--meta")
    assert re.search(r"\d+ Garage Door Opener \(primary\)\n +1\.\d+ Current Door State: closed \(1\)  \[uint8; pr ev; 0…4", tree)
    raw = json.loads(await well(ctl, "accessories", "garage", "--raw"))
    assert raw["accessories"][0]["aid"] == 1

    program = await watching(ctl, "garage", "--count", "2")
    # The watcher prints nothing before the first event, so wait for the accessory to report the subscription.
    await simulator.wait(lambda line: line.get("event") == "subscribed")
    await well(ctl, "put", "garage/Target Door State", "open")
    assert await program.ended() == 0
    seen = [(line["name"], line["value"]) for line in program.said]
    assert seen == [("Target Door State", 0), ("Current Door State", 2)]

    read = json.loads(await well(ctl, "get", "garage/Target Door State", "garage/Light Bulb/On", "--json"))
    assert [entry["value"] for entry in read["characteristics"]] == [0, False]
    assert "Target Door State: open (0)" in await well(ctl, "get", simulator.accessory.device_id)
    await well(ctl, "put", "garage/On", "on", "garage/Brightness", "40")
    assert (await well(ctl, "get", "garage/Brightness")).endswith("Brightness: 40 %\n")
    for words, code, says in [
        (("put", "garage/Brightness", "101"), 1, "invalidValue (-70410); it takes 0 % to 100 %"), (("put", "garage/Brightness", "much"), 2, "it takes 0 % to 100 %"),
        (("put", "garage/Current Door State", "open"), 1, "readOnly (-70404)"), (("get", "garage/Brightnes"), 2, "did you mean"),
        (("get", "garag/On"), 3, "did you mean garage?"), (("get", "garage/9.9"), 2, "no characteristic 9.9"),
    ]:  # fmt: skip
        status, _, errors = await ctl(*words)
        assert status == code and says in errors, (words, status, errors)

    await well(ctl, "unpair", "garage")
    assert (await well(ctl, "list")).startswith("No pairing")
    await well(ctl, "identify", where)


async def test_timed_writes_succeed(run, ctl):
    simulator = await run(PROFILES / "kitchen-sink.hasaccessory", options=("--setup-code", CODE))
    await well(ctl, "pair", address(simulator.accessory), "--code", CODE, "--alias", "sink")
    raw = json.loads(await well(ctl, "accessories", "sink", "--raw"))
    timed = [
        (a["aid"], c["iid"], c)
        for a in raw["accessories"] for s in a["services"] for c in s["characteristics"] if "tw" in c["perms"]
    ]  # fmt: skip
    assert timed
    for aid, iid, entry in timed:
        value = {"bool": "true", "string": "x", "tlv8": "0100", "data": "00"}.get(entry["format"], str(entry.get("maxValue", 1)))
        await well(ctl, "put", f"sink/{aid}.{iid}", value)


async def test_a_reset_accessory_and_a_refused_connection_are_reported(run, ctl, tmp_path):
    state = tmp_path / "sim"
    simulator = await run(PROFILES / "switch.hasaccessory", state=state, options=("--setup-code", CODE, "--port", "0"))
    where = address(simulator.accessory)
    await well(ctl, "pair", where, "--code", CODE, "--alias", "s")
    await simulator.stop()
    status, _, errors = await ctl("get", "s/On")
    assert status == 3 and "connection refused" in errors and where in errors
    assert (await run_to_its_end(hapsim(), "reset", "--all", "--yes", "--state", state))[0] == 0
    await run(PROFILES / "switch.hasaccessory", state=state, options=("--setup-code", CODE, "--port", where.split(":")[1]))
    status, _, errors = await ctl("get", "s/On")
    assert status == 1 and "another accessory" in errors
    await well(ctl, "unpair", "s", "--forget")


async def test_watch_reconnects_after_a_kill_and_reports_changes_since(run, ctl, tmp_path):
    async def serve(port):
        return await run(
            PROFILES / "light-colour.hasaccessory", state=tmp_path / "sim", options=("--setup-code", CODE, "--port", str(port))
        )

    simulator = await serve(0)
    port = simulator.accessory.port
    await well(ctl, "pair", address(simulator.accessory), "--code", CODE, "--alias", "s")
    await well(ctl, "put", "s/On", "off", "s/Brightness", "10")
    watcher = await watching(ctl, "s/On", "s/Brightness", "--count", "3")
    await simulator.wait(lambda line: line.get("event") == "subscribed")
    # This line shows that the watcher has read the values that it compares later.
    await well(ctl, "put", "s/Brightness", "20")
    await watcher.wait(lambda line: line.get("value") == 20)
    await simulator.stop(signal.SIGKILL)
    assert re.search(r"lost: .*; reconnecting in (1|0\.[789]) s$", await watcher.complaint("lost"))

    # The value changes while the accessory has another port, where the watcher cannot connect.
    elsewhere = await serve(0)
    assert elsewhere.accessory.port != port
    assert (await elsewhere.command("set", characteristic="On", value=True))["ok"]
    await elsewhere.stop()
    await serve(port)
    again = await watcher.wait(lambda line: line.get("meanwhile"))
    assert (again["name"], again["value"]) == ("On", True)
    assert await watcher.complaint("reconnected") == "hapctl watch: reconnected"
    await well(ctl, "put", "s/Brightness", "30")
    assert await watcher.ended() == 0
    assert [(line["name"], line["value"]) for line in watcher.said] == [("Brightness", 20), ("On", True), ("Brightness", 30)]


async def test_watch_follows_an_accessory_to_a_new_port(run, ctl, tmp_path):
    async def serve():
        return await run(PROFILES / "switch.hasaccessory", state=tmp_path / "sim", options=("--setup-code", CODE))

    simulator = await serve()
    await well(ctl, "pair", address(simulator.accessory), "--code", CODE, "--alias", "s")
    watcher = await watching(ctl, "s/On", "--interface", "lo", "--count", "2")
    await simulator.wait(lambda line: line.get("event") == "subscribed")
    # After this event the watcher has the value, so it does not report it as a change after the move.
    await well(ctl, "put", "s/On", "on")
    await watcher.wait(lambda line: line.get("value") is True)
    await simulator.stop()
    moved = await serve()
    assert moved.accessory.port != simulator.accessory.port
    await watcher.complaint("reconnected")
    assert (await moved.command("set", characteristic="On", value=False))["ok"]
    assert await watcher.ended() == 0
    assert [(line["name"], line["value"]) for line in watcher.said] == [("On", True), ("On", False)]


async def test_watch_once_ends_with_the_connection_and_watch_ends_with_the_pairing(run, ctl):
    simulator = await run(PROFILES / "switch.hasaccessory", options=("--setup-code", CODE))
    await well(ctl, "pair", address(simulator.accessory), "--code", CODE, "--alias", "s")
    watchers = []
    for words in [("s", "--once"), ("s",)]:
        heard = len(simulator.said)
        watchers.append(await watching(ctl, *words))
        await simulator.wait(lambda line: line.get("event") == "subscribed", since=heard)
    once, always = watchers
    await well(ctl, "unpair", "s")
    assert await once.ended() == 3 and "closed the connection" in once.errors[-1]
    assert await always.ended() == 1
    assert len(always.errors) == 2 and "lost: " in always.errors[0] and "this pairing" in always.errors[1]


async def pair_with_bulb(run, ctl, tmp_path):
    """Starts a bulb of HAP-python, and pairs with it under the name `bulb`."""
    bulb = await run(program=(sys.executable, BULB, tmp_path / "state.json"))
    await well(ctl, "pair", address(bulb.accessory), "--code", CODE, "--alias", "bulb")
    return bulb


async def test_a_bulb_of_hap_python(run, ctl, tmp_path):
    await pair_with_bulb(run, ctl, tmp_path)
    assert "Brightness: " in await well(ctl, "accessories", "bulb")
    watcher = await watching(ctl, "bulb/On", "--count", "1")
    # HAP-python does not report the subscription, so write until the watcher gets an event.
    value = 0
    while watcher.process.returncode is None:
        value = 1 - value
        await well(ctl, "put", "bulb/On", str(value), "bulb/Brightness", "40")
        try:
            await asyncio.wait_for(asyncio.shield(watcher.process.wait()), 1)
        except TimeoutError:
            pass
    assert await watcher.ended() == 0
    assert watcher.said[0]["name"] == "On"
    assert "Brightness: 40 %" in await well(ctl, "get", "bulb/Brightness")
    await well(ctl, "unpair", "bulb")
    status, _, errors = await ctl("get", "bulb/On")
    assert status == 3 and "no pairing bulb" in errors


class Stranger:
    """A separate controller: the accessory gets its key, and `hapctl keys import` reads its file."""

    def __init__(self, accessory, accessory_key):
        key = Ed25519PrivateKey.generate()
        raw, public = serialization.Encoding.Raw, serialization.PublicFormat.Raw
        secret = key.private_bytes(raw, serialization.PrivateFormat.Raw, serialization.NoEncryption()).hex()
        self.identifier = str(uuid.uuid4()).upper()
        self.key = key.public_key().public_bytes(raw, public).hex()
        self.file = {
            "AccessoryPairingID": accessory.device_id, "AccessoryLTPK": accessory_key, "AccessoryIP": accessory.address,
            "AccessoryPort": accessory.port, "iOSPairingId": self.identifier, "iOSDeviceLTSK": secret, "Connection": "IP",
        }  # fmt: skip


@pytest.mark.parametrize("whose", ["ours", "HAP-python"])
async def test_controllers_are_listed_added_and_removed(whose, run, ctl, tmp_path):
    if whose == "ours":
        simulator = await run(PROFILES / "switch.hasaccessory", options=("--setup-code", CODE))
        await well(ctl, "pair", address(simulator.accessory), "--code", CODE, "--alias", "bulb")
    else:
        simulator = await pair_with_bulb(run, ctl, tmp_path)
    (ours,) = json.loads(await well(ctl, "pairings", "list", "bulb", "--json"))["pairings"]
    assert ours["admin"] and ours["ours"] and len(ours["publicKey"]) == 64
    assert await well(ctl, "pairings", "list", "bulb") == f"{ours['identifier']}  admin  ours  {ours['publicKey']}\n"

    await well(ctl, "keys", "export", "bulb", "-o", tmp_path / "ours.json")
    stranger = Stranger(simulator.accessory, json.loads((tmp_path / "ours.json").read_text())["bulb"]["AccessoryLTPK"])
    words = ("pairings", "add", "bulb", "--identifier", stranger.identifier, "--key", stranger.key)
    assert await well(ctl, *words) == f"Added {stranger.identifier} as a user.\n"
    listed = json.loads(await well(ctl, "pairings", "list", "bulb", "--json"))["pairings"]
    theirs = {"identifier": stranger.identifier, "publicKey": stranger.key, "admin": False, "ours": False}
    assert sorted(listed, key=lambda p: p["ours"]) == [theirs, ours]

    # As the other controller, which is no admin.
    (tmp_path / "theirs.json").write_text(json.dumps({"theirs": stranger.file}))
    await well(ctl, "keys", "import", tmp_path / "theirs.json")
    assert "On: " in await well(ctl, "get", "theirs/On")
    for words in [("remove", "theirs", ours["identifier"]), ("add", "theirs", "--identifier", "x", "--key", "00" * 32)]:
        status, output, errors = await ctl("pairings", *words)
        if whose == "ours":
            assert (status, output) == (1, "") and "only an admin may" in errors
            status, _, errors = await ctl("unpair", "theirs")
            assert status == 1 and "only an admin may do this; --forget deletes only the saved pairing" in errors
        else:
            assert (status, output) == (1, "") and errors.startswith("hapctl pairings: ")

    status, _, errors = await ctl("pairings", "remove", "bulb", ours["identifier"])
    assert status == 2 and "hapctl unpair bulb" in errors
    status, _, errors = await ctl("pairings", "add", "bulb", "--identifier", ours["identifier"], "--key", stranger.key)
    assert status == 2 and "own pairing" in errors
    assert await well(ctl, "pairings", "remove", "bulb", stranger.identifier) == f"Removed {stranger.identifier}.\n"
    words = ("pairings", "add", "bulb", "--identifier", stranger.identifier, "--key", stranger.key, "--json")
    assert json.loads(await well(ctl, *words)) == {"added": theirs}
    removed = json.loads(await well(ctl, "pairings", "remove", "bulb", stranger.identifier, "--json"))
    assert removed == {"removed": {"identifier": stranger.identifier}}
    assert json.loads(await well(ctl, "pairings", "list", "bulb", "--json"))["pairings"] == [ours]
    assert (await ctl("get", "theirs/On"))[0] == 1


async def test_another_key_for_a_controller_and_one_controller_too_many_are_refused(run, ctl):
    simulator = await run(PROFILES / "switch.hasaccessory", options=("--setup-code", CODE))
    await well(ctl, "pair", address(simulator.accessory), "--code", CODE, "--alias", "s")
    for number in range(15):
        await well(ctl, "pairings", "add", "s", "--identifier", f"c{number}", "--key", f"{number:064x}", "--admin")
    listed = json.loads(await well(ctl, "pairings", "list", "s", "--json"))["pairings"]
    assert len(listed) == 16 and all(pairing["admin"] for pairing in listed)
    status, _, errors = await ctl("pairings", "add", "s", "--identifier", "c16", "--key", "00" * 32)
    assert (status, errors) == (1, "hapctl pairings: the accessory refuses: it has no room for another pairing\n")
    status, _, errors = await ctl("pairings", "add", "s", "--identifier", "c1", "--key", "00" * 32)
    assert (status, errors) == (1, "hapctl pairings: the accessory refuses: it has this identifier with another key\n")


async def test_databases_and_writes_as_json_and_a_code_from_a_file(run, ctl, tmp_path):
    simulator = await run(PROFILES / "light-colour.hasaccessory", options=("--setup-code", CODE))
    where = address(simulator.accessory)
    words = ("pair", where, "--alias", "lamp", "--state", ctl.state, "--code-file", "-")
    status, _, errors = await run_to_its_end(ctl.program, *words, given=b"sesame\n")
    assert status == 2 and "--code-file -: the first line isn't a code" in errors and "sesame" not in errors
    status, _, errors = await run_to_its_end(ctl.program, *words, given=CODE.encode() + b"\nmore")
    assert (status, errors) == (0, "")

    raw = json.loads(await well(ctl, "accessories", "lamp", "--raw"))
    read = json.loads(await well(ctl, "accessories", "lamp", "--json"))
    theirs = [(a["aid"], s["iid"], c) for a in raw["accessories"] for s in a["services"] for c in s["characteristics"]]
    ours = [(a["aid"], s["iid"], c) for a in read["accessories"] for s in a["services"] for c in s["characteristics"]]
    assert len(theirs) == len(ours)
    for (aid, service, their), (our_aid, our_service, our) in zip(theirs, ours):
        assert (aid, service) == (our_aid, our_service) and our["name"]
        for key in ("iid", "type", "format", "perms", "unit", "minValue", "maxValue", "minStep", "value"):
            assert our.get(key) == their.get(key), (key, our, their)
    assert [s["name"] for s in read["accessories"][0]["services"] if "primary" in s] == ["Light Bulb"]

    status, output, errors = await ctl("put", "lamp/On", "on", "lamp/Brightness", "101", "--json")
    assert (status, errors) == (1, "")
    written = json.loads(output)["characteristics"]
    assert [(c["name"], c["value"], c["status"]) for c in written] == [("On", True, 0), ("Brightness", 101, -70410)]
    assert [c["status"] for c in json.loads(await well(ctl, "put", "lamp/Brightness", "10", "--json"))["characteristics"]] == [0]


def answer(body, status="200 OK", kind="application/pairing+tlv8"):
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def refusal(error, *more):
    return answer(bytes([6, 1, 2, 7, 1, error, *more]))


@pytest.fixture
async def scripted():
    """`await scripted(BYTES, closes=)`: the HOST:PORT of a server that sends the same answer to each request."""
    servers = []

    async def serve(says, closes=False):
        async def converse(reader, writer):
            while await reader.read(65536):
                writer.write(says)
                if closes:
                    break
            writer.close()

        server = await asyncio.start_server(converse, "127.0.0.1", 0)
        servers.append(server)
        return f"127.0.0.1:{server.sockets[0].getsockname()[1]}"

    yield serve
    for server in servers:
        server.close()


@pytest.mark.parametrize(
    "says, closes, code, line",
    [
        (refusal(1), False, 1, "pairing failed: M2: the accessory refuses with error 1"),
        (refusal(3), False, 1, "the accessory asks to wait a while before the next try"),
        (refusal(3, 8, 1, 30), False, 1, "the accessory asks to wait 30 s before the next try"),
        (refusal(4), False, 1, "no room for another pairing"),
        (refusal(5), False, 1, "too many wrong codes"),
        (refusal(6), False, 1, "already paired"),
        (refusal(7), False, 1, "another controller is pairing"),
        (refusal(77), False, 1, "refuses with error 77"),
        (answer(b"", "500 Internal Server Error"), False, 1, "POST /pair-setup was answered 500 Internal Server Error"),
        (answer(b"hello"), False, 1, "the answer to POST /pair-setup is not TLV8 (--verbose shows the bytes)"),
        (b"SSH-2.0-OpenSSH_9\r\n\r\n", False, 1, "the answer is not valid HTTP: the first line is not HTTP (--verbose shows the bytes)"),
        (answer(b"hello")[:-2], True, 1, "in the middle of an answer"),
        (b"", True, 3, "the accessory closed the connection"),
        (b"", False, 3, "POST /pair-setup: no answer in time; --timeout waits longer"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)  # fmt: skip
async def test_the_reason_for_a_failed_pairing_is_reported_in_one_line(says, closes, code, line, scripted, ctl):
    status, output, errors = await ctl("pair", await scripted(says, closes), "--code", CODE, "--timeout", "1")
    assert (status, output) == (code, "") and line in errors and errors.count("\n") == 1, (status, errors)
    assert (await well(ctl, "list")).startswith("No pairing")


async def test_verbose_shows_the_bytes_around_an_error(scripted, ctl):
    where = await scripted(b"SSH-2.0-OpenSSH_9\r\n\r\n")
    status, _, errors = await ctl("identify", where, "--verbose")
    assert (status, errors) == (
        1,
        "hapctl identify: the answer is not valid HTTP: the first line is not HTTP\n"
        "bytes 0..<21 of 21, error at byte 0:\n"
        "> 000000  53 53 48 2d 32 2e 30 2d 4f 70 65 6e 53 53 48 5f  SSH-2.0-OpenSSH_\n"
        "  000010  39 0d 0a 0d 0a                                   9....\n",
    )
    where = await scripted(answer(bytes([6, 1, 2]) + bytes(1000) + b"\x03\x40" + b"k" * 20))
    status, _, errors = await ctl("pair", where, "--code", CODE, "--verbose")
    assert status == 1 and 5 < errors.count("\n") <= 18
    # An error with another status than 200 is tolerated, and reported as a deviation.
    where = await scripted(answer(bytes([6, 1, 2, 7, 1, 6]), "400 Bad Request", "text/plain"))
    status, _, errors = await ctl("pair", where, "--code", CODE, "--verbose")
    assert status == 1 and errors.count("note: POST /pair-setup: ") == 2 and "already paired" in errors.splitlines()[-1]


async def test_a_busy_accessory_is_reported(run, ctl):
    simulator = await run(PROFILES / "switch.hasaccessory", options=("--setup-code", CODE))
    reader, writer = await asyncio.open_connection(simulator.accessory.address, simulator.accessory.port)
    message = bytes([0, 1, 0, 6, 1, 1])
    writer.write(b"POST /pair-setup HTTP/1.1\r\nContent-Type: application/pairing+tlv8\r\nContent-Length: 6\r\n\r\n" + message)
    await reader.readuntil(b"\r\n\r\n")
    status, _, errors = await ctl("pair", address(simulator.accessory), "--code", CODE)
    assert (status, errors) == (1, "hapctl pair: another controller is pairing with the accessory; try again in half a minute\n")
    writer.close()


async def test_a_picture_is_written_only_when_it_is_complete(run, ctl, tmp_path):
    await pair_with_bulb(run, ctl, tmp_path)
    picture = tmp_path / "bulb.jpg"
    await well(ctl, "resource", "bulb", "-o", picture)
    assert json.loads(picture.read_text()) == {"resource-type": "image", "image-width": 640, "image-height": 480}
    await well(ctl, "resource", "bulb", "-o", picture, "--width", "320", "--height", "200", "--aid", "1")
    asked = {"resource-type": "image", "image-width": 320, "image-height": 200, "aid": 1}
    assert json.loads(picture.read_text()) == asked

    simulator = await run(PROFILES / "switch.hasaccessory", options=("--setup-code", CODE))
    await well(ctl, "pair", address(simulator.accessory), "--code", CODE, "--alias", "s")
    status, output, errors = await ctl("resource", "s", "-o", picture)
    assert (status, output) == (1, "") and errors.startswith("hapctl resource: the accessory sent no picture: ") and "404" in errors
    assert json.loads(picture.read_text()) == asked
    status, _, errors = await ctl("resource", "bulb", "-o", tmp_path / "nowhere" / "x.jpg")
    assert status == 3 and "x.jpg can't be created: No such file" in errors
    assert sorted(path.name for path in tmp_path.glob("*.jpg*")) == ["bulb.jpg"]


async def test_pairings_of_aiohomekit_are_imported_and_exported(run, ctl, phone, phones, tmp_path):
    simulator = await run(PROFILES / "switch.hasaccessory", options=("--setup-code", CODE))
    home = await phone.pair(simulator.accessory)
    theirs = tmp_path / "theirs.json"
    theirs.write_text(json.dumps({"hall": home.data}))
    assert await well(ctl, "keys", "import", theirs) == f"hall  {simulator.accessory.device_id}\n"
    await well(ctl, "put", "hall/On", "on")
    await home.close()

    ours = tmp_path / "ours.json"
    await well(ctl, "keys", "export", "hall", "-o", ours)
    data = json.loads(ours.read_text())["hall"]
    assert {key: data[key] for key in home.data if key in data and key != "AccessoryIPs"} == {
        key: home.data[key] for key in home.data if key in data and key != "AccessoryIPs"
    }
    again = (await phones()).open(data)
    accessories = await again.accessories()
    on = next((1, c["iid"]) for s in accessories[0]["services"] for c in s["characteristics"] if c["type"].startswith("00000025"))
    assert await again.value(on) == 1


@pytest_asyncio.fixture
async def discovering(ctl):
    """`await discovering(WORD…)`: starts `hapctl discover --json` on loopback, and ends it after the test."""
    running = []

    async def start(*words, environment=None):
        where = () if environment else ("--interface", "lo")
        program = await Simulator.launch(
            ctl.program, "discover", "--json", *where, *words, "--state", ctl.state, environment=environment
        )
        running.append(program)
        return program

    yield start
    for program in running:
        await program.clean_up()


def tells(event, device_id, **members):
    return lambda line: (
        line.get("event") == event and line.get("deviceID") == device_id and all(line.get(k) == v for k, v in members.items())
    )


async def test_discover_finds_accessories_of_hapsim_and_hap_python(run, ctl, discovering, tmp_path):
    simulator = await run(PROFILES / "garage-kilgo.hasaccessory", options=("--setup-code", CODE))
    bulb = await run(program=(sys.executable, BULB, tmp_path / "state.json"))
    once = await discovering()
    ours = await once.wait(lambda line: line.get("deviceID") == simulator.accessory.device_id)
    assert ours == {
        **ours, "event": "appeared", "name": simulator.accessory.name, "category": "garage-door-opener", "paired": False,
        "port": simulator.accessory.port, "configurationNumber": 1, "stateNumber": 1, "protocolVersion": "1.1",
        "interface": "lo", "alias": None, "remarks": [],
    }  # fmt: skip
    assert address(simulator.accessory) in ours["addresses"]
    theirs = await once.wait(lambda line: line.get("deviceID") == bulb.accessory.device_id)
    assert theirs["category"] == "lightbulb" and theirs["addresses"] == [address(bulb.accessory)] and theirs["paired"] is False
    assert theirs["model"] == "Harness Bulb" and theirs["name"].startswith("Harness Bulb ")
    # `hapctl discover` ends by itself after a time without new records.
    assert await once.ended() == 0 and once.errors == []
    text = await well(ctl, "discover", "--interface", "lo")
    assert f"Garage Door Opener  {simulator.accessory.device_id}  {address(simulator.accessory)}  not paired  c# 1\n" in text


async def test_discover_reports_accessories_that_appear_change_and_disappear(run, ctl, discovering):
    watcher = await discovering("--watch")
    simulator = await run(PROFILES / "switch.hasaccessory", options=("--setup-code", CODE))
    own = simulator.accessory.device_id
    await watcher.wait(tells("appeared", own, paired=False, alias=None))
    await well(ctl, "pair", address(simulator.accessory), "--code", CODE, "--alias", "s")
    # The change can arrive before the alias is stored.
    await watcher.wait(tells("changed", own, paired=True, statusFlags=0))
    assert "  paired  c# 1  called s\n" in await well(ctl, "discover", "--interface", "lo")
    seen = len(watcher.said)
    await well(ctl, "unpair", "s")
    await watcher.wait(tells("changed", own, paired=False, statusFlags=1), since=seen)
    await simulator.stop()
    await watcher.wait(tells("gone", own))
    assert await watcher.stop(signal.SIGINT) == 0 and watcher.errors == []


async def test_an_accessory_is_paired_and_identified_by_its_name_and_device_id(run, ctl, tmp_path):
    bulb = await run(program=(sys.executable, BULB, tmp_path / "state.json"))
    lo = ("--interface", "lo")
    said = [json.loads(line) for line in (await well(ctl, "discover", "--json", *lo)).splitlines()]
    name = next(line["name"] for line in said if line["deviceID"] == bulb.accessory.device_id)
    await well(ctl, "pair", name.upper(), "--code", CODE, "--alias", "bulb", *lo)
    assert address(bulb.accessory) in await well(ctl, "list")
    # By the alias, and by the name on the network. Both select the same pairing.
    await well(ctl, "put", "bulb/Brightness", "40", *lo)
    assert "Brightness: 40 %" in await well(ctl, "get", f"{name.lower()}/Brightness", *lo)

    simulator = await run(PROFILES / "switch.hasaccessory", options=("--setup-code", CODE))
    own = simulator.accessory.device_id.lower()
    await well(ctl, "identify", own, *lo)
    await simulator.wait(lambda line: line.get("event") == "identify")
    status, _, errors = await ctl("get", f"{own}/On", *lo)
    assert status == 1 and "has no saved pairing" in errors
    await well(ctl, "pair", own, "--code", CODE, "--alias", "s", *lo)
    await well(ctl, "unpair", simulator.accessory.name, *lo)
    await well(ctl, "identify", simulator.accessory.name, *lo)


async def test_an_accessory_with_a_new_port_is_found_and_its_address_is_stored(run, ctl, tmp_path):
    state = tmp_path / "sim"
    simulator = await run(PROFILES / "switch.hasaccessory", state=state, options=("--setup-code", CODE, "--port", "0"))
    before = address(simulator.accessory)
    await well(ctl, "pair", before, "--code", CODE, "--alias", "s")
    await simulator.stop()
    # Another accessory has the old port now. hapctl must not use it.
    squatter = await run(PROFILES / "lock.hasaccessory", options=("--port", before.split(":")[1]))
    simulator = await run(PROFILES / "switch.hasaccessory", state=state, options=("--port", "0"))
    after = address(simulator.accessory)
    assert after != before
    status, _, errors = await ctl("get", "s/On")
    assert status == 1 and "another accessory" in errors, "without --interface there is no search"
    assert "On: " in await well(ctl, "get", "s/On", "--interface", "lo")
    kept = await well(ctl, "list")
    assert after in kept and before not in kept
    # The stored address is now correct, so no search is needed.
    assert "On: " in await well(ctl, "get", "s/On")
    await squatter.stop()
    await simulator.stop()
    status, _, errors = await ctl("get", "s/On", "--interface", "lo")
    assert status == 3 and "connection refused" in errors and after in errors
    assert after in await well(ctl, "list")


def announce(name, host):
    """Sends the records of an accessory whose host name has these labels."""

    def wire(labels):
        return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"

    def record(owner, kind, data):
        return owner + struct.pack(">HHIH", kind, 1, 120, len(data)) + data

    kind = [b"_hap", b"_tcp", b"local"]
    service = wire([name, *kind])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for option in socket.SO_REUSEADDR, socket.SO_REUSEPORT:
            sender.setsockopt(socket.SOL_SOCKET, option, 1)
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
        sender.bind(("", 5353))
        sender.sendto(
            struct.pack(">6H", 0, 0x8400, 0, 4, 0, 0)
            + record(wire(kind), 12, service)
            + record(service, 33, struct.pack(">3H", 0, 0, 80) + wire(host))
            + record(service, 16, b"\x04sf=1\x04ci=5")
            + record(wire(host), 1, socket.inet_aton("127.0.0.1")),
            ("224.0.0.251", 5353),
        )


HOSTS_THAT_ARE_NONE = [
    [b"\0", b"local"], [b"a b.c", b"local"], [b"\xff", b"local"], [b"\xc3" * 63, b"\xc3" * 63, b"\xc3" * 63, b"\xc3" * 55, b"local"],
    [b"local"], [],
]  # fmt: skip


async def test_discover_uses_the_machines_daemon_and_continues_after_its_end(run, ctl, discovering, tmp_path):
    async with Daemon(tmp_path / "daemon") as daemon:
        watcher = await discovering("--watch", environment=daemon.environment)
        for number, host in enumerate(HOSTS_THAT_ARE_NONE):
            announce(b"Stranger %d" % number, host)
        announce(b"Good", [b"good", b"local"])
        await watcher.wait(lambda line: line.get("name") == "Good")
        simulator = await run(PROFILES / "switch.hasaccessory", options=("--setup-code", CODE, "--bonjour", "embedded"))
        own = simulator.accessory.device_id
        await watcher.wait(tells("appeared", own, paired=False))
        # The daemon finds IPv4 and IPv6 addresses one after the other, so the second address can be reported as a change.
        found = await watcher.wait(lambda line: line.get("deviceID") == own and address(simulator.accessory) in line.get("addresses", ()))
        assert found["host"].startswith("hapsim-") and found["paired"] is False
        await well(ctl, "pair", address(simulator.accessory), "--code", CODE, "--alias", "s")
        # The change can arrive before the alias is stored.
        await watcher.wait(tells("changed", own, paired=True))
        seen = len(watcher.said)
        await daemon.stop()
        await watcher.wait(tells("gone", own), since=seen)
        seen = len(watcher.said)
        await daemon.start()
        await watcher.wait(tells("appeared", own, paired=True, alias="s"), since=seen, patience=60)
        await simulator.stop()
        await watcher.wait(tells("gone", own), since=seen)
        assert await watcher.stop(signal.SIGINT) == 0
        assert watcher.errors == ["hapctl discover: accessories can't be discovered: no mDNS daemon answers"]
