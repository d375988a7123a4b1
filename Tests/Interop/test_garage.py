"""A garage door: it is opened, watched by two controllers and obstructed, and hapsim is killed and started again.

On real sockets because aiohomekit is a third party, and a process is killed.
"""

import signal
import sys

import pytest

from phone import another_controller, characteristic
from process import PROFILES, ROOT, hapsim, run_to_its_end

GARAGE = PROFILES / "garage-kilgo.hasaccessory"
FADE_RATE = "7E536242-341C-4862-BE90-272CE15BD633"
OPEN, CLOSED, OPENING, CLOSING, STOPPED = range(5)


async def two_phones(phones, accessory):
    home = await (await phones()).pair(accessory)
    keys = another_controller(home.data)
    await home.add(keys)
    other = (await phones()).open(keys)
    return home, other, await home.accessories(), await other.accessories()


@pytest.mark.long
async def test_the_door_opens_and_all_subscribers_get_the_events(run, phones):
    "[EV.8, EV.9]"
    simulator = await run(GARAGE)
    home, other, accessories, _ = await two_phones(phones, simulator.accessory)
    target = characteristic(accessories, "DOOR_STATE_TARGET")
    current = characteristic(accessories, "DOOR_STATE_CURRENT")
    obstruction = characteristic(accessories, "OBSTRUCTION_DETECTED")
    for listener in (home, other):
        assert await listener.subscribe(target, current, obstruction) == {}
    assert await home.get(target, current) == {target: {"value": CLOSED}, current: {"value": CLOSED}}

    assert await home.put((*target, OPEN)) == {}
    await other.events.wait(target, OPEN)
    for listener in (home, other):
        opening = await listener.events.wait(current, OPENING)
        await listener.events.wait(current, OPEN, since=opening)
    assert home.events.of(target) == []  # the writer gets no event
    assert home.events.of(current) == other.events.of(current) == [OPENING, OPEN]
    assert await other.get(target, current) == {target: {"value": OPEN}, current: {"value": OPEN}}

    for is_there in (True, False):
        since = len(home.events.seen), len(other.events.seen)
        answer = await simulator.command("obstruct", value=is_there)
        assert answer["ok"] is True, answer
        await home.events.wait(obstruction, is_there, since[0])
        await other.events.wait(obstruction, is_there, since[1])

    # A person closes the door: both controllers also get the event of the target state.
    since = len(home.events.seen), len(other.events.seen)
    answer = await simulator.command("set", accessory="Garage", characteristic="TargetDoorState", value="closed")
    assert answer["ok"] is True, answer
    for listener, start in zip((home, other), since):
        await listener.events.wait(target, CLOSED, start)
        closing = await listener.events.wait(current, CLOSING, start)
        await listener.events.wait(current, CLOSED, since=closing)


async def test_fade_rate_is_a_custom_characteristic(run, phone):
    "[CH.3, CH.6, CH.18]"
    home = await phone.pair((await run(GARAGE)).accessory)
    fade = characteristic(await home.accessories(), FADE_RATE)
    assert await home.value(fade) == 1.5
    assert await home.put((*fade, 2.5)) == {}
    assert await home.value(fade) == 2.5
    assert await home.put((*fade, 3)) == {}
    assert await home.value(fade) == 3
    assert await home.put((*fade, 10.1)) == {fade: -70410}
    assert await home.put((*fade, 2.55)) == {fade: -70410}
    assert await home.value(fade) == 3


async def test_both_controllers_reconnect_after_kill_9(run, network, phones, tmp_path):
    "[ST.1, ST.3, ST.4, ST.5, AD.10]"
    state = tmp_path / "state"
    simulator = await run(GARAGE, state=state)
    before = simulator.accessory
    home, other, accessories, _ = await two_phones(phones, before)
    fade = characteristic(accessories, FADE_RATE)
    brightness = characteristic(accessories, "BRIGHTNESS")
    configuration = network.find(before.device_id).values["c#"]
    assert await home.put((*fade, 4.2)) == {}
    assert await other.put((*brightness, 33)) == {}
    assert await simulator.stop(signal.SIGKILL) == -signal.SIGKILL

    after = (await run(GARAGE, state=state)).accessory
    assert (after.device_id, after.setup_code, after.setup_payload) == (
        before.device_id, before.setup_code, before.setup_payload,
    )  # fmt: skip
    service = await network.wait(after.device_id, sf="0")
    assert service.values["c#"] == configuration
    for keys in (home.data, other.data):  # as after a restart of the controller, with the new address
        returned = (await phones()).open({**keys, "AccessoryPort": after.port})
        assert await returned.get(fade, brightness) == {fade: {"value": 4.2}, brightness: {"value": 33}}
        assert await returned.accessories()
    assert len(await returned.pairings()) == 2

    # The sessions from before the kill reconnect after the mDNS announcement.
    assert await home.value(fade) == 4.2


async def test_an_accessory_cannot_run_twice(run, phone, tmp_path):
    "[ST.8]"
    simulator = await run(GARAGE, state=tmp_path)
    status, output, errors = await run_to_its_end(
        hapsim(), "run", GARAGE, "--json", "--interface", "lo", "--state", tmp_path
    )
    assert status == 3, (output, errors)
    assert len(errors.strip().splitlines()) == 1, errors
    assert '"ready"' not in output
    home = await phone.pair(simulator.accessory)  # the first process was not affected
    assert await home.accessories()


@pytest.mark.long
async def test_the_example_drives_the_door(run):
    simulator = await run(GARAGE)
    example = ROOT / "Examples" / "pair-and-drive-garage.py"
    status, output, errors = await run_to_its_end(
        sys.executable, example, "--code", simulator.accessory.setup_code, patience=300
    )
    assert status == 0, errors
    lines = [line.strip() for line in output.splitlines()]
    story = ["paired", "fade rate: 2.5"]
    for state, way in (("open", "opening"), ("closed", "closing")):
        # aiohomekit also reports its own writes.
        story += [f"writing target door state {state}", f"target door state: {state}"]
        story += [f"current door state: {way}", f"current door state: {state}"]
    assert lines[1:] == [*story, "unpaired"], output


@pytest.mark.parametrize("code", ["111-22-334", "999-88-776"])
async def test_the_example_reports_a_wrong_code(run, code):
    simulator = await run(GARAGE)
    if simulator.accessory.setup_code == code:
        pytest.skip("the random setup code equals the wrong code")
    example = ROOT / "Examples" / "pair-and-drive-garage.py"
    status, _, errors = await run_to_its_end(sys.executable, example, "--code", code)
    assert status == 1 and "AuthenticationError" in errors, errors
