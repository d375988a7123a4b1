"""Scenarios, which are files with events for accessories: with third-party controllers and without controllers.

On real sockets because aiohomekit is a third party; scenarios without a controller run in virtual time.
"""

import asyncio
import contextlib
import json

import pytest
from aiohomekit.exceptions import AccessoryDisconnectedError

from phone import characteristic
from process import PROFILES, ROOT, hapsim, run_to_its_end

SCENARIOS = ROOT / "Examples" / "scenarios"
ALONE = ("--ephemeral", "--bonjour", "off", "--interface", "lo")


def written(folder, text):
    path = folder / "scenario.yaml"
    path.write_text(text)
    return path


async def play(path, *options):
    """Plays a scenario without controllers, in virtual time. Returns exit status, the lines of standard output, and standard error."""
    status, output, errors = await run_to_its_end(
        hapsim(), "run", "--scenario", path, "--virtual-time", "--json", *ALONE, *options
    )
    return status, [json.loads(line) for line in output.splitlines()], errors


async def test_the_demonstration_of_2015(run, phones):
    """A lock, a motion sensor and a bridge with two lights. The door is unlocked with motion and without."""
    simulator = await run(options=("--scenario", SCENARIOS / "coming-home.yaml", "--virtual-time"))
    lock, sensor, bridge = simulator.accessories
    phone = await phones()
    door, hall, lamps = [await phone.pair(accessory) for accessory in (lock, sensor, bridge)]
    state = characteristic(await door.accessories(), "LOCK_MECHANISM_CURRENT_STATE")
    motion = characteristic(await hall.accessories(), "MOTION_DETECTED")
    listed = await lamps.accessories()
    switches = sorted(
        (a["aid"], c["iid"]) for a in listed for s in a["services"] for c in s["characteristics"] if c["type"].startswith("00000025-")
    )
    assert len(switches) == 2
    seen = []
    for name, home in (("door", door), ("hall", hall), ("lamps", lamps)):
        home.pairing.dispatcher_connect(lambda event, name=name: seen.extend((name, value["value"]) for value in event.values()))
    # The sensor's event must arrive before the door's event, because the automation needs it.
    for home, ids in ((lamps, switches), (hall, [motion]), (door, [state])):
        assert await home.subscribe(*ids) == {}

    # The automation: if the door is unlocked during motion, the lights are switched on.
    unlocked = await door.events.wait(state, 0)
    assert hall.events.seen == []
    locked = await door.events.wait(state, 1, since=unlocked)
    await hall.events.wait(motion, True)
    await door.events.wait(state, 0, since=locked)
    assert await lamps.put(*((*switch, True) for switch in switches)) == {}
    for switch in switches:
        await lamps.events.wait(switch, False)

    assert await simulator.ended() == 0
    (end,) = [line for line in simulator.said if line["event"] == "scenario"]
    assert end["passed"] and end["scenario"] == "Coming home" and end["now"] > 7 * 3600
    assert door.events.of(state) == [0, 1, 0]
    assert hall.events.of(motion) == [True]
    assert [lamps.events.of(switch) for switch in switches] == [[False], [False]]


async def test_a_day_in_virtual_time_ends_at_once():
    status, lines, errors = await play(SCENARIOS / "a-day-of-the-garage.yaml")
    assert (status, errors) == (0, "")
    notes = [(line["text"], line["now"]) for line in lines if line["event"] == "note"]
    assert notes[0] == ("To work", 7 * 3600) and notes[-1] == ("Midnight", 24 * 3600)
    states = [line["word"] for line in lines if line.get("name") == "Current Door State"]
    assert states[:4] == ["opening", "open", "closing", "closed"] and states[-1] == "closed"
    # The same seed produces the same day. Only the addresses in the ready line differ.
    assert (await play(SCENARIOS / "a-day-of-the-garage.yaml"))[1][1:] == lines[1:]


async def test_a_failed_expectation_reports_the_actual_value(tmp_path):
    path = written(
        tmp_path,
        f"""
profiles: [{PROFILES / "garage-kilgo.hasaccessory"}]
steps:
  - {{ after: 1s, set: {{ characteristic: TargetDoorState, value: open }} }}
  - expect: {{ characteristic: CurrentDoorState, is: open }}
    within: 3s
""",
    )
    status, lines, errors = await play(path)
    assert status == 1
    assert lines[-1] | {"log": None} == {
        "event": "scenario", "scenario": "", "passed": False, "now": 4, "file": str(path), "line": 5, "column": 5,
        "message": 'expected within 3s: CurrentDoorState is "open"; Current Door State is opening (2)', "log": None,
    }  # fmt: skip
    assert [entry["text"] for entry in lines[-1]["log"]][-2:] == ["Target Door State (1.12): open (0)", "Current Door State (1.11): opening (2)"]
    assert f'{path}:5:5: expected within 3s: CurrentDoorState is "open"; Current Door State is opening (2) (at 0:00:04.000)' in errors
    assert "before that:" in errors


@pytest.mark.parametrize(
    "step, message",
    [
        ("- pres: Garage", 'there is no member "pres" here: did you mean "press"?'),
        ("- set: { characteristic: On }", '"value" is missing'),
        ("- advance: 5s", 'there is no member "advance" here'),
    ],
)
async def test_a_malformed_step_is_refused_before_the_run(tmp_path, step, message):
    path = written(tmp_path, f'profiles: [{PROFILES / "garage-kilgo.hasaccessory"}]\nsteps:\n  {step}\n')
    status, lines, errors = await play(path)
    assert (status, lines) == (1, [])
    assert errors.startswith(f"{path}:3:") and message in errors


async def test_a_recording_repeats_the_changes(run, phone, tmp_path):
    """A controller and commands drive the door. The recording repeats the changes without them."""
    path = tmp_path / "recorded.yaml"
    garage = PROFILES / "garage-kilgo.hasaccessory"
    simulator = await run(
        program=(hapsim(), "record", garage, "--output", path, "--json", "--commands", "--ephemeral", "--interface", "lo", "--virtual-time")
    )
    home = await phone.pair(simulator.accessory)
    target = characteristic(await home.accessories(), "DOOR_STATE_TARGET")
    assert await home.put((*target, 0)) == {}
    assert (await simulator.command("advance", duration="30s"))["ok"]
    assert (await simulator.command("obstruct", value=True))["ok"]
    assert (await simulator.command("advance", duration="500ms"))["ok"]
    assert not (await simulator.command("set", characteristic="TargetDoorState", value="ajar"))["ok"]
    assert (await simulator.command("obstruct", value=False))["ok"]
    assert await simulator.stop() == 0
    recorded = [line for line in simulator.said if line.get("event") == "changed"]
    text = path.read_text()
    assert "by controller" in text and "ajar" not in text and "paired with" in text

    status, lines, errors = await play(path, garage)
    assert (status, errors) == (0, "")
    again = [line for line in lines if line["event"] == "changed"]
    assert [(line["name"], line["value"]) for line in again if line["name"] != "Target Door State"] == [
        (line["name"], line["value"]) for line in recorded
    ]


async def test_a_recording_can_expect_the_writes_of_controllers(run, phone, phones, tmp_path):
    path = tmp_path / "recorded.yaml"
    lamp = PROFILES / "light-white.hasaccessory"
    simulator = await run(
        program=(hapsim(), "record", lamp, "--output", path, "--expect-controllers", "--json", "--ephemeral", "--interface", "lo")
    )
    home = await phone.pair(simulator.accessory)
    switch = characteristic(await home.accessories(), "ON")
    assert await home.put((*switch, True)) == {}
    assert await simulator.stop() == 0

    player = await run(lamp, options=("--scenario", path))
    home = await (await phones()).pair(player.accessory)
    assert await home.put((*switch, True)) == {}
    assert await player.ended() == 0


async def test_a_recording_overwrites_no_file(tmp_path):
    path = tmp_path / "recorded.yaml"
    path.write_text("mine")
    status, output, errors = await run_to_its_end(
        hapsim(), "record", PROFILES / "switch.hasaccessory", "--output", path, *ALONE
    )
    assert status == 3 and "already exists" in errors
    assert path.read_text() == "mine"


async def test_a_bad_network(run, phone):
    """The example with faults: aiohomekit writes on a slow network, and subscribes again after its connection is lost."""
    simulator = await run(options=("--scenario", SCENARIOS / "a-bad-network.yaml", "--virtual-time"))
    home = await phone.pair(simulator.accessory)
    database = await home.accessories()
    on, brightness = characteristic(database, "ON"), characteristic(database, "BRIGHTNESS")
    assert await home.subscribe(on) == {}
    await simulator.wait(lambda line: line.get("event") == "fault" and line["fault"] == "trickle" and line["on"])
    assert await home.put((*on, True)) == {}
    with contextlib.suppress(AccessoryDisconnectedError):
        assert await home.put((*brightness, 50)) == {}
    assert await simulator.ended(patience=60) == 0
    (end,) = [line for line in simulator.said if line["event"] == "scenario"]
    assert end["passed"], end
    # The first of the last two events was lost.
    await home.events.wait(on, True)
    assert (on, False) not in home.events.seen
