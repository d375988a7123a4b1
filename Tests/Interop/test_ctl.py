"""Commands for a running accessory, through `hapsim ctl` and standard input, and their effect on controllers.

On real sockets because aiohomekit is a third party, and the kernel provides local sockets and peer identities.
"""

import asyncio
import json
import os
import signal
import socket
import stat

import pytest

from ctl import ctl, done
from phone import another_controller, characteristic
from process import PATIENCE, PROFILES, hapsim, run_to_its_end

GARAGE = PROFILES / "garage-door.hasaccessory"
BRIDGE = PROFILES / "bridge-two-lights.hasaccessory"
BUTTON = PROFILES / "button.hasaccessory"
OPEN, CLOSED, OPENING, CLOSING, STOPPED = range(5)


def control(state):
    return sorted((state / "control").iterdir())


async def eventually_value(home, identifier):
    """Returns a value after the controller has reconnected. Waits for events of aiohomekit, without a delay."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await home.value(identifier)
            except Exception as error:  # aiohomekit raises several kinds of errors while it reconnects
                if isinstance(error, (TimeoutError, asyncio.CancelledError, AssertionError)):
                    raise
                await asyncio.sleep(0)


async def test_ctl_sets_obstructs_lists_and_stops_a_door(run, phone, tmp_path):
    simulator = await run(GARAGE, state=tmp_path)
    home = await phone.pair(simulator.accessory)
    accessories = await home.accessories()
    target, current = characteristic(accessories, "DOOR_STATE_TARGET"), characteristic(accessories, "DOOR_STATE_CURRENT")
    assert await home.subscribe(target, current) == {}
    assert await ctl(tmp_path, "set", "Target Door State", "open") == (0, "Done.\n", "")
    await home.events.wait(target, OPEN)
    await home.events.wait(current, OPENING)
    for word, is_there in (("on", True), ("off", False)):
        await done(tmp_path, "obstruct", word, "--accessory", simulator.accessory.name)
        assert await home.value(characteristic(accessories, "OBSTRUCTION_DETECTED")) == is_there
    status, output, _ = await ctl(tmp_path, "list")
    assert status == 0 and output.startswith(simulator.accessory.name) and "paired" in output
    status, output, _ = await ctl(tmp_path, "status")
    assert status == 0 and "Target Door State: open (0)" in output and home.identifier in output
    assert stat.S_IMODE((tmp_path / "control").stat().st_mode) == 0o700
    (there,) = control(tmp_path)
    assert stat.S_IMODE(there.stat().st_mode) == 0o600 and stat.S_ISSOCK(there.stat().st_mode)
    assert await ctl(tmp_path, "stop") == (0, "Done.\n", "")
    assert await simulator.ended() == 0
    assert control(tmp_path) == []


async def test_a_press_sends_an_event(run, phone, tmp_path):
    simulator = await run(BUTTON, state=tmp_path)
    home = await phone.pair(simulator.accessory)
    button = characteristic(await home.accessories(), "INPUT_EVENT")
    assert await home.subscribe(button) == {}
    assert await ctl(tmp_path, "press", "double") == (0, "Done.\n", "")
    await home.events.wait(button, 1)


async def test_a_lamp_behind_a_bridge_goes_offline_and_comes_back(run, phone, tmp_path):
    "[CH.90, EV.45, SV-23]"
    simulator = await run(BRIDGE, state=tmp_path)
    home = await phone.pair(simulator.accessory)
    accessories = await home.accessories()
    first, second = (characteristic(accessories, "ON", aid=aid) for aid in (2, 3))
    assert await home.subscribe(first, second) == {}
    await done(tmp_path, "offline", "Desk Lamp")
    read = await home.get(first, second)
    assert read[first]["status"] == -70402 and read[second]["value"] == False  # noqa: E712
    assert await home.put((*first, True), (*second, True)) == {first: -70402, second: 0}
    since = len(home.events.seen)
    await done(tmp_path, "set", "On", "true", "--accessory", "Desk Lamp")
    await done(tmp_path, "set", "On", "false", "--accessory", "Floor Lamp")
    await home.events.wait(second, False, since)
    assert home.events.of(first) == []
    status, output, _ = await ctl(tmp_path, "list")
    assert status == 0 and "Desk Lamp  offline" in output
    assert [a["aid"] for a in await home.accessories()] == [a["aid"] for a in accessories]
    await done(tmp_path, "online", "Desk Lamp")
    await home.events.wait(first, True, since)
    assert await home.value(first) == True  # noqa: E712
    status, _, errors = await ctl(tmp_path, "offline", "Light Bridge")
    assert status == 1 and "only a bridged accessory" in errors


async def test_the_radio_is_switched_off_and_on(run, network, phone, tmp_path):
    simulator = await run(GARAGE, state=tmp_path)
    accessory = simulator.accessory
    home = await phone.pair(accessory)
    current = characteristic(await home.accessories(), "DOOR_STATE_CURRENT")
    service = await network.wait(accessory.device_id, sf="0")
    goodbyes = service.goodbyes
    await done(tmp_path, "radio", "off")
    await network.wait_for_goodbye(service.name, before=goodbyes)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(accessory.address, accessory.port)
    # A person can still open the door by hand.
    await done(tmp_path, "set", "Current Door State", "open")
    await done(tmp_path, "radio", "on")
    await network.wait(accessory.device_id, sf="0")
    assert await eventually_value(home, current) == OPEN
    assert (await done(tmp_path, "list"))["accessories"][0]["port"] == accessory.port


@pytest.mark.parametrize("how", ["reboot", "power-cut"])
async def test_a_controller_reconnects_after_a_restart(run, network, phone, tmp_path, how):
    simulator = await run(GARAGE, state=tmp_path)
    accessory = simulator.accessory
    home = await phone.pair(accessory)
    target = characteristic(await home.accessories(), "DOOR_STATE_TARGET")
    assert await home.put((*target, OPEN)) == {}
    service = await network.wait(accessory.device_id, sf="0")
    goodbyes = service.goodbyes
    await done(tmp_path, how)
    if how == "reboot":
        await network.wait_for_goodbye(service.name, before=goodbyes)
    status = (await done(tmp_path, "status"))["accessories"][0]
    assert status["port"] == accessory.port and status["deviceID"] == accessory.device_id
    assert await eventually_value(home, target) == OPEN
    await network.wait(accessory.device_id, sf="0")
    if how == "power-cut":
        assert service.goodbyes == goodbyes


async def test_a_factory_reset_changes_the_device_id(run, network, phones, tmp_path):
    simulator = await run(GARAGE, state=tmp_path)
    before = simulator.accessory
    await (await phones()).pair(before)
    await network.wait(before.device_id, sf="0")
    device_id = (await done(tmp_path, "factory-reset"))["deviceID"]
    assert device_id != before.device_id
    service = await network.wait(device_id, sf="1")
    assert service.port == before.port and service.values["c#"] == "1"
    after = type(before)(**{**before.__dict__, "device_id": device_id})
    home = await (await phones()).pair(after)  # with the code on the label
    assert len(await home.pairings()) == 1


async def test_disconnecting_one_of_two(run, phones, tmp_path):
    simulator = await run(GARAGE, state=tmp_path)
    home = await (await phones()).pair(simulator.accessory)
    keys = another_controller(home.data)
    await home.add(keys)
    other = (await phones()).open(keys)
    current = characteristic(await home.accessories(), "DOOR_STATE_CURRENT")
    assert await other.value(current) == CLOSED
    assert await done(tmp_path, "disconnect", other.identifier) == {"id": None, "ok": True, "connections": 1}
    assert await home.value(current) == CLOSED
    assert await eventually_value(other, current) == CLOSED
    assert (await done(tmp_path, "disconnect"))["connections"] >= 1
    status, _, errors = await ctl(tmp_path, "disconnect", home.identifier[:-1])
    assert status == 1 and f'did you mean "{home.identifier}"?' in errors


async def test_accessories_are_added_and_removed(run, network, phone, tmp_path):
    simulator = await run(GARAGE, state=tmp_path)
    os.symlink(PROFILES / "switch.hasaccessory", tmp_path / "switch.hasaccessory")
    process = await asyncio.create_subprocess_exec(
        hapsim(), "ctl", "add", "switch.hasaccessory", "--state", tmp_path, "--json",
        cwd=tmp_path, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    added = json.loads((await process.communicate())[0])
    await network.wait(added["deviceID"], sf="1")
    accessory = type(simulator.accessory)(
        added["name"], added["deviceID"], added["setupCode"], added["setupPayload"], added["category"],
        simulator.accessory.address, added["port"],
    )  # fmt: skip
    home = await phone.pair(accessory)
    on = characteristic(await home.accessories(), "ON")
    await done(tmp_path, "set", "On", "on", "--accessory", added["name"])
    assert await home.value(on) == True  # noqa: E712
    service = await network.wait(added["deviceID"])
    goodbyes = service.goodbyes
    await done(tmp_path, "remove", added["name"])
    await network.wait_for_goodbye(service.name, before=goodbyes)
    assert [a["name"] for a in (await done(tmp_path, "list"))["accessories"]] == [simulator.accessory.name]


async def test_a_door_opens_only_after_time_is_advanced(run, phone, tmp_path):
    simulator = await run(GARAGE, state=tmp_path, options=("--virtual-time",))
    home = await phone.pair(simulator.accessory)
    accessories = await home.accessories()
    target, current = characteristic(accessories, "DOOR_STATE_TARGET"), characteristic(accessories, "DOOR_STATE_CURRENT")
    assert await home.subscribe(current) == {}
    assert await home.put((*target, OPEN)) == {}
    await home.events.wait(current, OPENING)
    # Standard input and ctl use the same clock.
    assert (await simulator.command("advance", duration="1s"))["now"] == 1
    assert await home.value(current) == OPENING
    assert await ctl(tmp_path, "advance", "1h") == (0, "The time is 3601 s.\n", "")
    await home.events.wait(current, OPEN)
    assert await ctl(tmp_path, "list") == (0, (await ctl(tmp_path, "list"))[1], "")
    assert "Time is frozen at 3601 s." in (await ctl(tmp_path, "list"))[1]


async def test_several_processes_share_a_folder(run, tmp_path):
    first = await run(GARAGE, state=tmp_path)
    second = await run(BRIDGE, state=tmp_path)
    assert len(control(tmp_path)) == 2
    await done(tmp_path, "set", "On", "on", "--accessory", "Floor Lamp")
    await done(tmp_path, "obstruct", "--accessory", first.accessory.name)
    status, output, errors = await ctl(tmp_path, "reboot")
    assert (status, output) == (2, "") and errors.startswith("hapsim ctl: 2 hapsim processes run with the state in")
    for simulator in (first, second):
        assert f"process {simulator.process.pid} (" in errors
    status, output, _ = await ctl(tmp_path, "list")
    assert status == 0 and first.accessory.name in output and "Floor Lamp" in output
    status, _, errors = await ctl(tmp_path, "reboot", "--accessory", "Flor Lamp")
    assert status == 1 and 'did you mean "Floor Lamp"?' in errors
    # A killed process leaves its socket without an owner.
    await second.stop(signal.SIGKILL)
    assert len(control(tmp_path)) == 2
    await done(tmp_path, "obstruct", "off")
    assert len(control(tmp_path)) == 1
    await first.stop(signal.SIGKILL)
    status, output, errors = await ctl(tmp_path, "list")
    assert (status, output, errors) == (3, "", f"hapsim ctl: no hapsim process runs with the state in {tmp_path}\n")
    assert control(tmp_path) == []


async def test_wrong_usage_is_reported_and_has_no_effect(run, tmp_path):
    simulator = await run(GARAGE, state=tmp_path)
    for words, says in (
        (("dance",), "there is no command dance: did you mean advance?"),
        (("set", "On"), "VALUE is missing: set CHARACTERISTIC VALUE"),
        (("obstruct", "yes"), "obstruct is on or off, not yes"),
        (("battery", "101"), "battery takes a whole number from 0 to 100, not 101"),
        (("advance", "soon"), 'a duration such as "500ms"'),
        (("list", "all"), "unexpected argument all: list"),
    ):
        status, output, errors = await ctl(tmp_path, *words)
        assert (status, output) == (2, ""), (words, errors)
        assert says in errors, errors
    status, output, errors = await ctl(tmp_path, "set", "Target Dor State", "open")
    assert (status, output) == (1, "")
    assert errors.startswith("hapsim ctl: ") and len(errors.splitlines()) == 1
    assert (await simulator.command("status"))["ok"] is True


async def test_hostile_clients_do_not_block_other_clients(run, tmp_path):
    simulator = await run(GARAGE, state=tmp_path)
    (path,) = control(tmp_path)
    idle = []
    for _ in range(40):  # more than the limit of connections
        one = socket.socket(socket.AF_UNIX)
        one.connect(str(path))
        idle.append(one)
    await done(tmp_path, "list")
    reader, writer = await asyncio.open_unix_connection(str(path))
    writer.write(b"x" * 200_000 + b'\n{"id":1,"command":"list"}\nnonsense\n\n{"id":2,"command":"status"}')
    writer.write_eof()
    async with asyncio.timeout(PATIENCE):
        answers = [json.loads(line) for line in (await reader.read()).splitlines()]
    assert [a["ok"] for a in answers] == [False, True, False, True], answers
    assert "65536" in answers[0]["error"]["message"]
    assert answers[1]["id"] == 1 and answers[3]["id"] == 2
    writer.close()
    # A client that sends continuously and never reads.
    greedy = socket.socket(socket.AF_UNIX)
    greedy.connect(str(path))
    greedy.setblocking(False)
    sent = 0
    try:
        while sent < 64 << 20:
            sent += greedy.send(b'{"command":"status"}\n' * 1000)
    except BlockingIOError:
        pass
    assert sent < 64 << 20
    await done(tmp_path, "list")
    for one in (*idle, greedy):
        one.close()
    assert (await simulator.command("status"))["ok"] is True
