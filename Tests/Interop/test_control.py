"""The control API over its socket: what programs can see and do with it.

On real sockets because web clients and schemathesis are third parties.
"""

import asyncio
import os
import sys
from pathlib import Path

import openapi_spec_validator
import pytest

from phone import characteristic
from process import PATIENCE, PROFILES, hapsim, run_to_its_end
from web import control, first

GARAGE = PROFILES / "garage-door.hasaccessory"
BRIDGE = PROFILES / "bridge-two-lights.hasaccessory"
LAMP = PROFILES / "light-white.hasaccessory"


async def test_a_controller_and_the_api_see_changes_of_each_other(run, phone, webs):
    simulator = await run(GARAGE, options=("--virtual-time",))
    web, listener = await webs(simulator), await webs(simulator)
    events = await listener.follow("/v1/events")
    (listed,) = (await web.ask("GET", "/v1/accessories")).json["accessories"]
    details = (await web.ask("GET", f"/v1/accessories/{listed['number']}")).json
    assert details["setupCode"] == simulator.accessory.setup_code and details["pairings"] == []
    home = await phone.pair(simulator.accessory)
    await first(events, "paired", number=1)
    accessories = await home.accessories()
    target, current = characteristic(accessories, "DOOR_STATE_TARGET"), characteristic(accessories, "DOOR_STATE_CURRENT")
    assert await home.subscribe(current) == {}
    _, request = await first(events, "requested")
    assert request["request"].startswith(("GET ", "PUT ", "POST "))
    await first(events, "subscribed", iid=current[1])
    (connection,) = (await web.ask("GET", "/v1/accessories/1/connections")).json["connections"]
    assert connection["controller"] == home.identifier and f"1.{current[1]}" in connection["subscriptions"]
    # From the controller to the API.
    assert await home.put((*target, 0)) == {}
    _, wrote = await first(events, "wrote", iid=target[1])
    assert (wrote["value"], wrote["word"], wrote["controller"]) == (0, "open", home.identifier)
    # From the API to the controller, in simulated time.
    assert (await web.ask("POST", "/v1/clock/advance", {"duration": "8s"})).json["now"] == 8
    await home.events.wait(current, 0)
    refused = await web.ask("PUT", "/v1/accessories/1/characteristics/TargetDoorState", {"value": 2})
    assert refused.status == 422 and "maxValue is 1" in refused.error["message"]
    # Deleting the pairing is durable, and ends its session.
    assert (await web.ask("DELETE", f"/v1/accessories/1/pairings/{home.identifier}")).json == {"pairings": 1}
    await first(events, "unpaired", controller=home.identifier)
    assert (await web.ask("GET", "/v1/accessories/1")).json["statusFlags"] == 1


async def test_a_client_that_reconnects_gets_the_events_that_it_missed(run, webs):
    simulator = await run(LAMP)
    web, one = await webs(simulator), await webs(simulator)
    events = await one.follow("/v1/events?event=changed")
    await web.ask("PUT", "/v1/accessories/1/characteristics/Brightness", {"value": 11})
    number, _ = await first(events, "changed", value=11)
    one.close()
    for value in (12, 13):
        await web.ask("PUT", "/v1/accessories/1/characteristics/Brightness", {"value": value})
    again = await webs(simulator)
    events = await again.follow("/v1/events?event=changed", Last_Event_ID=number)
    assert [(await first(events, "changed"))[1]["value"] for _ in range(2)] == [12, 13]
    # An unknown number has no meaning in this process: all known events are sent, after an event `lost`.
    stranger = await webs(simulator)
    events = await stranger.follow("/v1/events?after=123456")
    name, data = None, None
    async with asyncio.timeout(PATIENCE):
        async for _, name, data in events:
            break
    assert (name, data["after"]) == ("lost", 123456)


async def test_event_numbers_of_another_process_are_ignored(run, webs):
    simulator = await run(LAMP)
    web = await webs(simulator)
    await web.ask("GET", "/v1/log")
    await web.ask("PUT", "/v1/accessories/1/characteristics/Brightness", {"value": 3})
    index = (await web.ask("GET", "/v1")).json
    run_id, last = index["run"], index["lastEvent"]
    assert last > 0
    events = await (await webs(simulator)).follow("/v1/events", Last_Event_ID=f"other{run_id}-{last}")
    async with asyncio.timeout(PATIENCE):
        assert (await anext(events))[1] == "lost"
        assert (await anext(events))[0] == f"{run_id}-1"


@pytest.mark.parametrize("options", [("--quiet",), ()])
async def test_all_events_are_sent_from_the_first_client_on(options, run, phone, webs):
    """The simulator prints JSON: with --quiet only errors, otherwise each event. In both cases recording begins with the first client."""
    simulator = await run(LAMP, options=options)
    web, listener = await webs(simulator), await webs(simulator)
    # No event is recorded, because no client has read the log or the events.
    await web.ask("PUT", "/v1/accessories/1/characteristics/Brightness", {"value": 3})
    events = await listener.follow("/v1/events")
    home = await phone.pair(simulator.accessory)
    await first(events, "paired", number=1)
    await home.put((*characteristic(await home.accessories(), "ON"), 1))
    await first(events, "requested")
    await first(events, "wrote", controller=home.identifier)
    log = (await web.ask("GET", "/v1/log?event=changed,wrote")).json["events"]
    assert [event["event"] for event in log] == ["wrote"]
    # Events of accessories that are added later are sent too.
    added = await web.ask("POST", "/v1/accessories", {"format": "hasaccessory/1", "name": "Desk", "category": "lightbulb", "services": [{"type": "LightBulb"}]})
    await web.ask("PUT", f"/v1/accessories/{added.json['number']}/characteristics/On", {"value": True})
    await first(events, "changed", number=added.json["number"])


async def test_quirks_are_replaced_over_the_api(run, phone, webs):
    """The quirks apply after the restart that they cause."""
    simulator = await run(LAMP)
    web = await webs(simulator)
    home = await phone.pair(simulator.accessory)
    await home.accessories()
    assert (await web.ask("PUT", "/v1/accessories/1/quirks", {"preset": "hap-nodejs", "booleans": "words"})).json["booleans"] == "words"
    assert (await web.ask("GET", "/v1/accessories/1")).json["pairings"]
    switch = characteristic(await home.accessories(), "ON")
    assert await home.put((*switch, 1)) == {}
    wrong = await web.ask("PUT", "/v1/accessories/1/quirks", b'{\n  "boolean": true}')
    assert (wrong.status, wrong.error["line"]) == (422, 2) and "booleans" in wrong.error["message"]


async def test_a_change_of_the_structure_keeps_the_session_of_a_controller(run, phone, webs):
    """The controller keeps its connection, its iids and its subscription."""
    simulator = await run(LAMP)
    web = await webs(simulator)
    home = await phone.pair(simulator.accessory)
    accessories = await home.accessories()
    switch = characteristic(accessories, "ON")
    assert await home.subscribe(switch) == {}
    (before,) = (await web.ask("GET", "/v1/accessories/1/connections")).json["connections"]
    profile = (await web.ask("GET", "/v1/accessories/1/profile")).json
    profile["services"][0]["characteristics"].insert(0, {
        "type": "A1B2C3D4-0000-4000-8000-001122334455", "description": "Fade Rate", "format": "uint16",
        "perms": ["pr", "pw", "ev"], "value": 5,
    })  # fmt: skip
    replaced = await web.ask("PUT", "/v1/accessories/1/profile", profile)
    assert replaced.json == {"configurationNumber": 2}
    (after,) = (await web.ask("GET", "/v1/accessories/1/connections")).json["connections"]
    assert (after["id"], after["subscriptions"]) == (before["id"], before["subscriptions"])
    await web.ask("PUT", f"/v1/accessories/1/characteristics/{switch[0]}.{switch[1]}", {"value": True})
    await home.events.wait(switch, 1)
    rate = (await web.ask("GET", "/v1/accessories/1/characteristics/FadeRate")).json
    assert await home.value((rate["aid"], rate["iid"])) == 5


async def test_a_door_arrives_on_time_although_the_profile_is_replaced(run, webs):
    """A behaviour continues if its service and parameters are unchanged, and starts again if a parameter changed."""
    simulator = await run(GARAGE, options=("--virtual-time",))
    web, listener = await webs(simulator), await webs(simulator)
    events = await listener.follow("/v1/events?event=changed")
    profile = (await web.ask("GET", "/v1/accessories/1/profile")).json
    profile["services"].append({"type": "Switch", "name": "Fan"})

    async def advance(duration):
        assert (await web.ask("POST", "/v1/clock/advance", {"duration": duration})).status == 200

    async def door():
        return (await web.ask("GET", "/v1/accessories/1/characteristics/CurrentDoorState")).json

    iid = (await door())["iid"]
    await web.ask("PUT", "/v1/accessories/1/characteristics/TargetDoorState", {"value": "open"})
    await advance("6s")
    assert (await web.ask("PUT", "/v1/accessories/1/profile", profile)).json == {"configurationNumber": 2}
    assert (await door())["word"] == "opening"
    await advance("2s")
    _, arrived = await first(events, "changed", word="open", iid=iid)
    assert arrived["now"] == 8

    # The same edit with another travel time: now the door starts again.
    await web.ask("PUT", "/v1/accessories/1/characteristics/TargetDoorState", {"value": "closed"})
    await advance("6s")
    profile["services"][0]["behaviour"]["travelTime"] = "9s"
    assert (await web.ask("PUT", "/v1/accessories/1/profile", profile)).status == 200
    await advance("8s")
    assert (await door())["word"] == "closing"
    await advance("1s")
    _, arrived = await first(events, "changed", word="closed", iid=iid)
    assert arrived["now"] == 8 + 6 + 9


async def test_a_scenario_over_the_api(run, webs):
    simulator = await run(LAMP)
    web, listener = await webs(simulator), await webs(simulator)
    events = await listener.follow("/v1/events")
    assert (await web.ask("GET", "/v1/scenario")).json == {"state": "none"}
    wrong = await web.ask("PUT", "/v1/scenario", {"yaml": "steps:\n  - st: {}\n"})
    assert wrong.status == 422 and (wrong.error["line"], wrong.error["column"]) == (2, 5)
    # A scenario of the API must not read files of this machine.
    for command in ("add", "replace"):
        wrong = await web.ask("PUT", "/v1/scenario", {"yaml": f"steps:\n  - {command}: {{ profile: {LAMP} }}\n"})
        assert (wrong.status, wrong.error["line"]) == (422, 2), wrong.body
    text = "steps:\n  - set: { characteristic: Brightness, value: 77 }\n  - note: done\n  - when: { event: changed, characteristic: On }\n"
    assert (await web.ask("PUT", "/v1/scenario", {"yaml": text})).json["state"] == "playing"
    await first(events, "scenario", state="playing")
    await first(events, "note", text="done")
    assert (await web.ask("PUT", "/v1/scenario", {"yaml": text})).status == 409
    await web.ask("PUT", "/v1/accessories/1/characteristics/On", {"value": True})
    await first(events, "scenario", passed=True)
    assert (await web.ask("GET", "/v1/scenario")).json["state"] == "passed"
    assert (await web.ask("DELETE", "/v1/scenario")).status == 409


@pytest.mark.parametrize("options", [("--quiet",), ()])
async def test_a_scenario_over_the_api_gets_events_without_a_client_of_events(options, run, webs):
    simulator = await run(LAMP, options=options)
    web = await webs(simulator)
    text = "steps:\n  - when: { event: changed, characteristic: On }\n  - set: { characteristic: Brightness, value: 77 }\n"
    assert (await web.ask("PUT", "/v1/scenario", {"yaml": text})).json["state"] == "playing"
    await web.ask("PUT", "/v1/accessories/1/characteristics/On", {"value": True})
    assert (await web.ask("GET", "/v1/scenario")).json["state"] == "passed"


async def test_with_option_control_all_events_are_recorded_from_the_start(run, webs):
    simulator = await run(LAMP, options=("--control", "0"))
    web = await webs(simulator)
    await web.ask("PUT", "/v1/accessories/1/characteristics/Brightness", {"value": 3})
    events = (await web.ask("GET", "/v1/log?event=changed")).json["events"]
    assert [event["value"] for event in events] == [3]


async def test_requests_of_the_api_are_recorded_in_a_scenario(run, webs, tmp_path):
    """The recording names the accessory, because a replay does not have the path of the request."""
    file = tmp_path / "recorded.yaml"
    simulator = await run(GARAGE, LAMP, command="record", options=("--output", file))
    answer = await (await webs(simulator)).ask("PUT", "/v1/accessories/2/characteristics/Brightness", {"value": 33})
    assert answer.status == 200
    assert await simulator.stop() == 0
    (step,) = (line for line in file.read_text().splitlines() if "set:" in line)
    assert simulator.accessories[1].name in step and "33" in step, step


async def test_the_api_can_be_off_and_a_port_in_use_is_reported(run, webs):
    simulator = await run(LAMP, options=("--control", "off"))
    assert "control" not in simulator.said[0]
    other = await run(LAMP)
    _, port = control(other)
    status, _, errors = await run_to_its_end(hapsim(), "run", LAMP, "--ephemeral", "--interface", "lo", "--bonjour", "off", "--control", str(port))
    assert status == 3 and str(port) in errors


async def test_the_example_in_python_passes():
    """The tests of Examples/python, with the client of Packaging/python and its fixture for pytest."""
    folder, client = PROFILES.parent / "Examples/python", PROFILES.parent / "Packaging/python/src"
    status, output, errors = await run_to_its_end(
        sys.executable, "-m", "pytest", "-q", "--rootdir", folder, "-p", "hapsim.pytest_plugin", "--hapsim", hapsim(), folder,
        environment={"PYTHONPATH": str(client)},
    )  # fmt: skip
    assert status == 0 and "3 passed" in output, (output, errors)


async def test_the_example_for_curl_runs_without_errors():
    status, output, errors = await run_to_its_end(PROFILES.parent / "Examples/curl/walk.sh", hapsim(), PROFILES)
    assert status == 0, (output, errors)


async def test_the_description_is_valid(run, webs):
    simulator = await run(LAMP)
    document = (await (await webs(simulator)).ask("GET", "/v1/openapi.json")).json
    openapi_spec_validator.validate(document)


async def test_the_api_conforms_to_its_description(run):
    """schemathesis finds no error. It sends examples, limits and random requests, and follows links from one request to the next. API_EXAMPLES is the number
    of requests per operation; `make api-fuzz` sends some ten thousand."""
    simulator = await run(GARAGE, BRIDGE, options=("--matter",))
    program = Path(sys.executable).with_name("schemathesis")
    examples = os.environ.get("API_EXAMPLES", "4")
    status, output, errors = await run_to_its_end(
        program, "--config-file", Path(__file__).with_name("schemathesis.toml"), "run",
        "http://%s:%d/v1/openapi.json" % control(simulator), "--checks", "all", "-n", examples, "--seed", "1",
        # Its answer is endless by design.
        "--exclude-operation-id", "followEvents", "--continue-on-failure",
        patience=560 if examples == "4" else 3000,  # 56 s alone; some minutes next to all other tests
        environment={"SCHEMATHESIS_HOOKS": str(Path(__file__).with_name("schemathesis_hooks.py"))},
    )  # fmt: skip
    print(output)
    assert status == 0, (output[-4000:], errors)
