"""All functions of hapctl with accessories of HAP-python: find by name, pair, read, write, watch, list pairings and unpair.

On real sockets because HAP-python is a third party.
"""

import asyncio
import base64
import json
import os
import sys
from pathlib import Path

import pytest
from process import PATIENCE, Simulator, hapsim, run_to_its_end
from strangers import SNAPSHOT

CODE = "031-45-154"
STRANGERS = Path(__file__).with_name("strangers.py")
LOOPBACK = ("--interface", "lo")


@pytest.fixture
def ctl(tmp_path):
    """`await ctl(WORD…)`: runs hapctl, which must succeed, and returns its output."""
    program = Path(hapsim()).with_name("hapctl")
    assert os.access(program, os.X_OK), f"{program} isn't built"

    async def run(*words):
        status, output, errors = await run_to_its_end(program, *words, "--state", tmp_path / "ctl")
        assert status == 0, (words, status, output, errors)
        return output

    run.program = program
    run.state = tmp_path / "ctl"
    return run


def item(kind, value):
    return bytes([kind, len(value)]) + value


async def found_and_paired(run, ctl, kind, tmp_path):
    """Finds an accessory of HAP-python on the network and pairs with it by its device ID."""
    stranger = await run(program=(sys.executable, STRANGERS, kind, tmp_path / "state.json"))
    device = stranger.accessory.device_id
    found = [json.loads(line) for line in (await ctl("discover", "--json", *LOOPBACK)).splitlines()]
    (seen,) = [line for line in found if line["deviceID"] == device]
    assert seen["paired"] is False and seen["addresses"] == [f"127.0.0.1:{stranger.accessory.port}"]
    await ctl("pair", device, "--code", CODE, "--alias", kind, *LOOPBACK)
    return stranger, seen


async def watched(ctl, what, write):
    """Returns the first event of `what` after `write`. HAP-python does not report the subscription, so `write` is repeated until an event arrives."""
    watcher = await Simulator.launch(ctl.program, "watch", what, "--json", "--count", "1", "--state", ctl.state)
    try:
        for number in range(20):
            await write(number)
            try:
                await watcher.wait(lambda line: "name" in line, patience=1)
                break
            except (TimeoutError, AssertionError):
                continue
        assert await watcher.ended() == 0
        return watcher.said[-1]
    finally:
        await watcher.clean_up()


async def test_a_lock(run, ctl, tmp_path):
    _, seen = await found_and_paired(run, ctl, "lock", tmp_path)
    assert seen["category"] == "door-lock"
    assert "Manufacturer: \"Strangers & Söhne\"" in await ctl("accessories", "lock")
    assert "Lock Current State: secured (1)" in await ctl("get", "lock/Lock Current State")

    async def turn(number):
        await ctl("put", "lock/Lock Target State", "unsecured" if number % 2 == 0 else "secured")

    event = await watched(ctl, "lock/Lock Current State", turn)
    assert event["name"] == "Lock Current State" and event["value"] in (0, 1)
    assert json.loads(await ctl("pairings", "list", "lock", "--json"))["pairings"][0]["admin"] is True
    await ctl("unpair", "lock")
    found = [json.loads(line) for line in (await ctl("discover", "--json", *LOOPBACK)).splitlines()]
    assert [line["paired"] for line in found if line["deviceID"] == seen["deviceID"]] == [False]


async def test_a_bridge(run, ctl, tmp_path):
    _, seen = await found_and_paired(run, ctl, "bridge", tmp_path)
    assert seen["category"] == "bridge"
    database = json.loads(await ctl("accessories", "bridge", "--raw"))["accessories"]
    assert [accessory["aid"] for accessory in database] == [1, 2, 77, 3]
    on = {
        accessory["aid"]: c["iid"]
        for accessory in database for s in accessory["services"] for c in s["characteristics"] if c["type"] == "25"
    }  # fmt: skip

    async def switch(number):
        await ctl("put", f"bridge/3.{on[3]}", "on" if number % 2 == 0 else "off", f"bridge/2.{on[2]}", "on")

    event = await watched(ctl, f"bridge/3.{on[3]}", switch)
    assert (event["aid"], event["iid"], event["name"]) == (3, on[3], "On")
    read = json.loads(await ctl("get", f"bridge/2.{on[2]}", "bridge/Current Temperature", "--json"))["characteristics"]
    assert [entry["value"] for entry in read] == [True, -12.5]
    await ctl("unpair", "bridge")


async def test_a_camera(run, ctl, tmp_path):
    _, seen = await found_and_paired(run, ctl, "camera", tmp_path)
    assert seen["category"] == "ip-camera"
    picture = tmp_path / "porch.jpg"
    await ctl("resource", "camera", "-o", picture, "--width", "640", "--height", "480")
    assert picture.read_bytes() == SNAPSHOT
    assert "Streaming Status: " in await ctl("accessories", "camera")
    await ctl("identify", "camera")
    # The destination of the stream as TLV8: a session, an address with two ports, and two sets of keys.
    keys = item(1, b"\0") + item(2, bytes(16)) + item(3, bytes(14))
    place = item(1, b"\0") + item(2, b"127.0.0.1") + item(3, b"\x10\x27") + item(4, b"\x12\x27")
    endpoints = item(1, bytes(range(16))) + item(3, place) + item(4, keys) + item(5, keys)
    await ctl("put", "camera/Setup Endpoints", endpoints.hex())
    (answer,) = json.loads(await ctl("get", "camera/Setup Endpoints", "--json"))["characteristics"]
    assert base64.b64decode(answer["value"]).startswith(item(1, bytes(range(16))))
    await ctl("unpair", "camera")


async def test_a_bridge_with_the_public_api_of_the_library(run, ctl, tmp_path):
    """Examples/Controller finds, pairs, reads, writes and watches. hapctl uses the same keys and makes the change that the example waits for."""
    stranger = await run(program=(sys.executable, STRANGERS, "bridge", tmp_path / "state.json"))
    program = Path(hapsim()).with_name("ControllerExample")
    device = stranger.accessory.device_id
    example = await asyncio.create_subprocess_exec(
        "stdbuf", "-oL", program, ctl.state, device, CODE, "lo", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    said = []
    async with asyncio.timeout(PATIENCE):
        while not said or said[-1] != "watching":
            line = (await example.stdout.readline()).decode()
            assert line, said
            said.append(line.rstrip("\n"))
    assert said[0].startswith("found House") and said[0].endswith(f"{device}, not paired")
    assert any(line.startswith("On is ") and line.endswith(", status 0") for line in said), said
    assert "switched on" in said, said
    database = json.loads(await ctl("accessories", "example", "--raw"))["accessories"]
    (on,) = [c["iid"] for a in database if a["aid"] == 3 for s in a["services"] for c in s["characteristics"] if c["type"] == "25"]
    # The program prints `watching` after its subscriptions were answered.
    await ctl("put", f"example/3.{on}", "on")
    async with asyncio.timeout(PATIENCE):
        rest = (await example.stdout.read()).decode().splitlines()
    assert rest[0].startswith(f"3.{on} is ") and rest[-1] == "unpaired", rest
    assert await example.wait() == 0
