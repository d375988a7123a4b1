"""Faults: what goes wrong on purpose, seen by a controller of others."""

import asyncio
import json
import time

import pytest
from aiohomekit.exceptions import AccessoryDisconnectedError, HomeKitException

from phone import another_controller, characteristic, pair_setup
from process import PROFILES, hapsim, run_to_its_end

LAMP = PROFILES / "light-white.hasaccessory"
BRIDGE = PROFILES / "bridge-two-lights.hasaccessory"


async def paired(run, phone, profile=LAMP, *faults):
    simulator = await run(profile, options=[word for fault in faults for word in ("--fault", fault)])
    home = await phone.pair(simulator.accessory)
    return simulator, home, await home.accessories()


async def fault(simulator, text, is_on=True):
    answer = await simulator.command("fault", fault=text, value=is_on)
    assert answer["ok"] is True, answer


async def took(action):
    begin = time.monotonic()
    result = await action
    return time.monotonic() - begin, result


# MARK: the network


@pytest.mark.parametrize("text", ["trickle:bytes=7:every=1ms", "chop:at=1", "chop:at=3:pause=20ms", "chop:at=20", "latency:by=50ms:jitter=20ms", "latency-in:by=50ms", "bandwidth:rate=20000"])
async def test_pairing_and_reading_go_through_a_bad_network(run, phone, text):
    """[F25] Everything comes, only not at once."""
    simulator, home, accessories = await paired(run, phone, LAMP, text)
    switch = characteristic(accessories, "ON")
    assert await home.put((*switch, True)) == {}
    assert await home.value(switch) == 1
    assert (await simulator.command("status"))["accessories"][0]["faults"] == [text]


async def test_latency_comes_and_goes_while_it_runs(run, phone):
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, "latency:by=700ms")
    duration, value = await took(home.value(switch))
    assert duration >= 0.7 and value == 0
    await fault(simulator, "latency", False)
    duration, _ = await took(home.value(switch))
    assert duration < 0.7
    assert [(e["fault"], e["on"]) for e in simulator.said if e.get("event") == "fault"] == [("latency", True), ("latency", False)]


async def test_what_stalls_follows_when_the_fault_is_over(run, phone):
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, "stall")
    reading = asyncio.create_task(home.value(switch))
    done, _ = await asyncio.wait([reading], timeout=0.5)
    assert not done
    await fault(simulator, "stall", False)
    assert await reading == 0


async def test_who_is_deaf_hears_later(run, phone):
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, "deaf")
    reading = asyncio.create_task(home.value(switch))
    done, _ = await asyncio.wait([reading], timeout=0.5)
    assert not done
    await fault(simulator, "deaf", False)
    assert await reading == 0


@pytest.mark.parametrize("text", ["cut:bytes=50", "reset:bytes=50", "cut:bytes=0"])
async def test_connections_break_in_the_middle_of_an_answer(run, phone, text):
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, text)
    with pytest.raises((AccessoryDisconnectedError, HomeKitException, TimeoutError)):
        await home.value(switch)
    await fault(simulator, text.split(":")[0], False)
    assert await home.value(switch) == 0


async def connects(accessory):
    """Whether a connection stays open for a moment."""
    try:
        reader, writer = await asyncio.open_connection(accessory.address, accessory.port)
    except ConnectionError:
        return None
    try:
        await asyncio.wait_for(reader.read(1), 0.3)
        writer.close()
        return None
    except TimeoutError:
        return writer
    except ConnectionError:
        return None


async def test_new_connections_are_refused(run):
    simulator = await run(LAMP)
    await fault(simulator, "refuse")
    assert await connects(simulator.accessory) is None
    await fault(simulator, "refuse", False)
    assert await connects(simulator.accessory) is not None


async def test_the_ninth_connection_is_refused(run):
    "[F33]"
    simulator = await run(LAMP, options=("--fault", "session-cap:sessions=8"))
    kept = [await connects(simulator.accessory) for _ in range(8)]
    assert all(kept)
    assert await connects(simulator.accessory) is None
    kept.pop().close()
    await simulator.wait(lambda line: line.get("event") == "disconnected")
    assert await connects(simulator.accessory) is not None


async def test_a_fault_is_for_one_controller_alone(run, phone, phones):
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, f"latency:by=600ms:controller={home.identifier}")
    duration, _ = await took(home.value(switch))
    assert duration >= 0.6
    await fault(simulator, "latency:by=600ms:controller=SOMEBODY-ELSE")
    duration, _ = await took(home.value(switch))
    assert duration < 0.6


async def test_who_has_said_all_still_gets_a_late_answer(run):
    """Half a connection is closed behind the request, and both ways are slow."""
    simulator = await run(LAMP, options=("--fault", "latency:by=200ms", "--fault", "latency-in:by=200ms"))
    reader, writer = await asyncio.open_connection(simulator.accessory.address, simulator.accessory.port)
    writer.write(b"GET /accessories HTTP/1.1\r\nHost: x\r\n\r\n")
    writer.write_eof()
    duration, answer = await took(asyncio.wait_for(reader.read(), 10))
    assert answer.startswith(b"HTTP/1.1 470") and duration >= 0.4
    writer.close()


async def test_what_happens_to_others_lets_nothing_go(run, phone, phones):
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    keys = another_controller(home.data)
    await home.add(keys)
    await fault(simulator, f"stall:controller={home.identifier}")
    reading = asyncio.create_task(home.value(switch))
    other = (await phones()).open(keys)
    assert await other.value(switch) == 0
    await fault(simulator, "chunked")
    done, _ = await asyncio.wait([reading], timeout=0.3)
    assert not done
    await fault(simulator, "stall", False)
    assert await reading == 0


# MARK: messages


@pytest.mark.parametrize("message", ["setup-M2", "setup-M4", "setup-M6"])
async def test_each_message_of_a_pairing_may_be_late(run, phone, message):
    "[F9]"
    simulator = await run(LAMP, options=("--fault", f"delay-message:message={message}:by=600ms"))
    found = await phone.find(simulator.accessory)
    duration, _ = await took(pair_setup(found, simulator.accessory.setup_code))
    assert duration >= 0.6


@pytest.mark.parametrize("message", ["setup-M2", "setup-M4", "setup-M6"])
async def test_a_pairing_that_breaks_can_be_made_again(run, phone, message):
    "[F9, F11] The connection ends behind a message; behind M6 the accessory is paired."
    simulator = await run(LAMP)
    await fault(simulator, f"cut-before:message={message}")
    found = await phone.find(simulator.accessory)
    with pytest.raises(Exception) as failure:
        await pair_setup(found, simulator.accessory.setup_code)
    assert not isinstance(failure.value, AssertionError)
    await fault(simulator, "cut-before", False)
    status = (await simulator.command("status"))["accessories"][0]
    if message == "setup-M6":
        assert len(status["pairings"]) == 1, "it was stored before the answer was lost"
    else:
        assert status["pairings"] == []
        await pair_setup(found, simulator.accessory.setup_code)


async def test_a_request_that_is_cut_off_is_not_carried_out(run, phone):
    "[F11]"
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, "cut-request:message=write")
    with pytest.raises(Exception):
        await home.put((*switch, True))
    await fault(simulator, "cut-request", False)
    assert await home.value(switch) == 0


async def test_answers_in_chunks(run, phone):
    "[F28]"
    simulator, home, accessories = await paired(run, phone, LAMP, "chunked")
    assert await home.value(characteristic(accessories, "ON")) == 0


async def test_identifiers_in_small_letters(run, phone):
    "[F12] aiohomekit takes the pairing; Pair Verify names the accessory otherwise than its record did."
    simulator = await run(LAMP)
    keys = await pair_setup(await phone.find(simulator.accessory), simulator.accessory.setup_code)
    await fault(simulator, "lower-case-identifiers")
    home = phone.open(keys)
    with pytest.raises(Exception) as failure:
        await home.accessories()
    assert not isinstance(failure.value, AssertionError)


# MARK: events


async def test_events_come_twice_reversed_late_or_not_at_all(run, phone):
    "[F21, F22, F23]"
    simulator, home, accessories = await paired(run, phone)
    switch, brightness = characteristic(accessories, "ON"), characteristic(accessories, "BRIGHTNESS")
    await fault(simulator, "echo-subscription")
    assert await home.subscribe(switch, brightness) == {}
    await home.events.wait(switch, False)
    await fault(simulator, "echo-subscription", False)

    await fault(simulator, "double-events")
    since = len(home.events.seen)
    assert (await simulator.command("set", characteristic="On", value=True))["ok"]
    first = await home.events.wait(switch, True, since)
    await home.events.wait(switch, True, first + 1)
    await fault(simulator, "double-events", False)

    await fault(simulator, "lost-events")
    since = len(home.events.seen)
    assert (await simulator.command("set", characteristic="On", value=False))["ok"]
    told = await simulator.wait(lambda line: line.get("event") == "told" and line["value"] == 0 and line["name"] == "On")
    assert told["controller"] == home.identifier
    assert await home.value(switch) == 0
    assert home.events.of(switch, since) == []
    await fault(simulator, "lost-events", False)

    await fault(simulator, "late-event")
    since = len(home.events.seen)
    await home.pairing.unsubscribe([switch])
    await home.events.wait(switch, False, since)


async def test_a_button_that_nobody_pressed(run, phone):
    "[F24]"
    simulator, home, accessories = await paired(run, phone, PROFILES / "button-single.hasaccessory")
    button = characteristic(accessories, "INPUT_EVENT")
    assert await home.value(button) is None
    await fault(simulator, "ghost-press")
    assert await home.value(button) == 0


# MARK: values


async def test_reads_that_fail_and_values_that_can_not_be(run, phone):
    "[F29]"
    simulator, home, accessories = await paired(run, phone)
    switch, brightness = characteristic(accessories, "ON"), characteristic(accessories, "BRIGHTNESS")
    await fault(simulator, "failing-read:type=On:status=-70408")
    answer = await home.get(switch, brightness)
    assert answer[switch]["status"] == -70408 and answer[brightness]["value"] == 100
    await fault(simulator, "failing-read", False)
    await fault(simulator, "out-of-range:type=Brightness:value=4711")
    assert await home.value(brightness) == 4711
    await fault(simulator, "long-text:bytes=300")
    listed = await home.accessories()
    assert any(isinstance(c.get("value"), str) and len(c["value"]) == 300 for a in listed for s in a["services"] for c in s["characteristics"])


async def test_a_read_that_the_device_does_not_answer(run, phone):
    "[F35]"
    simulator, home, accessories = await paired(run, phone)
    switch, brightness = characteristic(accessories, "ON"), characteristic(accessories, "BRIGHTNESS")
    await fault(simulator, "slow-read:characteristic=On")
    answer = await home.get(switch, brightness)
    assert answer[switch]["status"] == -70408 and answer[brightness]["value"] == 100
    # Another one in its place: nothing of the first is left.
    await fault(simulator, "slow-read:characteristic=Brightness")
    assert await home.value(switch) == 0
    assert (await simulator.command("reboot"))["ok"]
    assert (await simulator.command("status"))["accessories"][0]["faults"] == []


async def test_an_accessory_behind_the_bridge_is_gone_and_comes_back(run, phone):
    "[F20]"
    simulator, home, accessories = await paired(run, phone, BRIDGE)
    assert [a["aid"] for a in accessories] == [1, 2, 3]
    await fault(simulator, "missing-accessory:aid=2")
    assert [a["aid"] for a in await home.accessories()] == [1, 3]
    await fault(simulator, "missing-accessory", False)
    await fault(simulator, "shifted-iids:by=500")
    iids = {c["iid"] for a in await home.accessories() for s in a["services"] for c in s["characteristics"]}
    assert min(iids) > 500


# MARK: the record


async def test_an_accessory_falls_silent(run, phone, network):
    "[F2, F3] Its connections stay."
    simulator, home, accessories = await paired(run, phone)
    switch = characteristic(accessories, "ON")
    await fault(simulator, "silence")
    await network.wait_for_goodbye(f"{simulator.accessory.name}._hap._tcp.local.")
    assert await home.value(switch) == 0
    assert (await simulator.command("reboot"))["ok"]
    assert await home.value(switch) == 0
    await fault(simulator, "silence", False)
    await network.wait(simulator.accessory.device_id, sf="0")
    assert [line["event"] for line in simulator.said if line.get("event") == "advertised"] in (["advertised"], ["advertised"] * 2)


async def test_the_record_lies(run, phone, network):
    "[F8]"
    simulator = await run(LAMP, options=("--fault", "wrong-sf:sf=0", "--fault", "wrong-config-number:number=77"))
    found = await phone.find(simulator.accessory)
    assert found.description.config_num == 77
    assert found.description.status_flags == 0


# MARK: wrong input


@pytest.mark.parametrize(
    "text, message",
    [
        ("latncy", 'there is no fault "latncy": did you mean "latency"?'),
        ("latency:bye=1s", 'there is no member "bye" here: did you mean "by"?'),
        ("latency:by=often", "by is a duration such as 500ms or 2s"),
        ("refuse:connection=5+", "refuse is for the accessory as a whole, not for some of its connections"),
    ],
)
async def test_a_wrong_fault_is_named_and_nothing_is_run(text, message):
    status, output, errors = await run_to_its_end(hapsim(), "run", LAMP, "--fault", text, "--ephemeral", "--bonjour", "off")
    assert status == 2 and message in errors and not output


async def test_a_fault_that_can_not_be_here_says_so(run, tmp_path):
    status, _, errors = await run_to_its_end(
        hapsim(), "run", LAMP, "--fault", "slow-read:characteristic=LockCurrentState", "--ephemeral", "--bonjour", "off", "--interface", "lo"
    )
    assert status == 2 and "slow-read" in errors
    simulator = await run(LAMP)
    answer = await simulator.command("fault", fault="stall", value=False)
    assert answer["error"]["message"] == 'the fault "stall" is not on'


async def test_faults_stand_in_profiles(run, tmp_path):
    profile = json.loads(LAMP.read_text())
    profile["faults"] = ["chunked", {"fault": "latency", "by": "10ms"}]
    path = tmp_path / "faulty.hasaccessory"
    path.write_text(json.dumps(profile))
    simulator = await run(path)
    assert (await simulator.command("status"))["accessories"][0]["faults"] == ["chunked", "latency:by=10ms"]
    profile["faults"] = ["chunkd"]
    path.write_text(json.dumps(profile))
    status, output, _ = await run_to_its_end(hapsim(), "validate", path)
    assert status == 1 and 'did you mean "chunked"?' in output
