"""The control API over its socket: what programs see of it, and who is turned away."""

import asyncio
import os
import sys
from pathlib import Path
from socket import gethostname

import openapi_spec_validator
import pytest
import pytest_asyncio

from phone import characteristic
from process import PATIENCE, PROFILES, hapsim, run_to_its_end
from web import Web, control

GARAGE = PROFILES / "garage-door.hasaccessory"
BRIDGE = PROFILES / "bridge-two-lights.hasaccessory"
LAMP = PROFILES / "light-white.hasaccessory"


@pytest_asyncio.fixture
async def webs():
    """`await webs(simulator)`: a connection to its control API, closed when the test is over."""
    opened = []

    async def new(simulator):
        opened.append(await Web.connect(simulator))
        return opened[-1]

    yield new
    for web in opened:
        web.close()


async def first(events, name, **members):
    """The next event of a name, with these members."""
    async with asyncio.timeout(PATIENCE):
        async for number, event, data in events:
            if event == name and members.items() <= data.items():
                return number, data
    raise AssertionError(f"the stream ended without {name} {members}")


async def test_a_controller_and_the_api_see_what_the_other_does(run, phone, webs):
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
    # From the API to the controller, in its own time.
    assert (await web.ask("POST", "/v1/clock/advance", {"duration": "8s"})).json["now"] == 8
    await home.events.wait(current, 0)
    refused = await web.ask("PUT", "/v1/accessories/1/characteristics/TargetDoorState", {"value": 2})
    assert refused.status == 422 and "maxValue is 1" in refused.error["message"]
    # Its pairing goes by hand, durably, and with it the session.
    assert (await web.ask("DELETE", f"/v1/accessories/1/pairings/{home.identifier}")).json == {"pairings": 1}
    await first(events, "unpaired", controller=home.identifier)
    assert (await web.ask("GET", "/v1/accessories/1")).json["statusFlags"] == 1


async def test_who_comes_back_is_told_what_was_missed(run, webs):
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
    # A number of another process says nothing here: everything that is known is told, and that it isn't all.
    stranger = await webs(simulator)
    events = await stranger.follow("/v1/events?after=123456")
    name, data = None, None
    async with asyncio.timeout(PATIENCE):
        async for _, name, data in events:
            break
    assert (name, data["after"]) == ("lost", 123456)


async def test_numbers_of_another_process_say_nothing(run, webs):
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
async def test_all_is_told_from_the_first_who_asks(options, run, phone, webs):
    """The simulator prints JSON: with --quiet only trouble, otherwise each event. Neither is in the log before a client reads it."""
    simulator = await run(LAMP, options=options)
    web, listener = await webs(simulator), await webs(simulator)
    # Adds nothing to the journal: nobody looks yet.
    await web.ask("PUT", "/v1/accessories/1/characteristics/Brightness", {"value": 3})
    events = await listener.follow("/v1/events")
    home = await phone.pair(simulator.accessory)
    await first(events, "paired", number=1)
    await home.put((*characteristic(await home.accessories(), "ON"), 1))
    await first(events, "requested")
    await first(events, "wrote", controller=home.identifier)
    log = (await web.ask("GET", "/v1/log?event=changed,wrote")).json["events"]
    assert [event["event"] for event in log] == ["wrote"]
    # Whatever is served from then on is told of, too.
    added = await web.ask("POST", "/v1/accessories", {"format": "hasaccessory/1", "name": "Desk", "category": "lightbulb", "services": [{"type": "LightBulb"}]})
    await web.ask("PUT", f"/v1/accessories/{added.json['number']}/characteristics/On", {"value": True})
    await first(events, "changed", number=added.json["number"])


async def test_other_manners(run, phone, webs):
    "A controller is met by them after the start anew that they take."
    simulator = await run(LAMP)
    web = await webs(simulator)
    home = await phone.pair(simulator.accessory)
    await home.accessories()
    assert (await web.ask("PUT", "/v1/accessories/1/conduct", {"preset": "hap-nodejs", "booleans": "words"})).json["booleans"] == "words"
    assert (await web.ask("GET", "/v1/accessories/1")).json["pairings"]
    switch = characteristic(await home.accessories(), "ON")
    assert await home.put((*switch, 1)) == {}
    wrong = await web.ask("PUT", "/v1/accessories/1/conduct", b'{\n  "boolean": true}')
    assert (wrong.status, wrong.error["line"]) == (422, 2) and "booleans" in wrong.error["message"]


async def test_the_structure_changes_under_a_controller(run, phone, webs):
    "It keeps its connection, its ids and its subscription."
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


async def test_a_replaced_profile_lets_a_door_arrive_on_time(run, webs):
    "A behaviour continues if its service and parameters are unchanged, and starts again if a parameter changed."
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

    # The same edit again with another travel time: now the door starts again.
    await web.ask("PUT", "/v1/accessories/1/characteristics/TargetDoorState", {"value": "closed"})
    await advance("6s")
    profile["services"][0]["behaviour"]["travelTime"] = "9s"
    assert (await web.ask("PUT", "/v1/accessories/1/profile", profile)).status == 200
    await advance("8s")
    assert (await door())["word"] == "closing"
    await advance("1s")
    _, arrived = await first(events, "changed", word="closed", iid=iid)
    assert arrived["now"] == 8 + 6 + 9


async def test_other_sites_are_turned_away(run, webs):
    "[DNS rebinding, cross-site requests] Nothing of it is carried out."
    simulator = await run(LAMP)
    _, port = control(simulator)
    body = {"value": 99}
    target = "/v1/accessories/1/characteristics/Brightness"
    for fields, status in (
        ({"Host": f"evil.example:{port}"}, 403),
        ({"Host": None}, 403),
        ({"Host": f"{gethostname().partition('.')[0]}:{port}"}, 403),
        ({"Host": f"{gethostname().partition('.')[0]}.local:{port}"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": f"http://localhost:{port}"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
    ):
        web = await webs(simulator)
        answer = await web.ask("PUT", target, body, **fields)
        assert answer.status == status, fields
        assert "access-control-allow-origin" not in answer.fields
        if status == 403:
            assert await web.is_over()
    web = await webs(simulator)
    asked = await web.ask("OPTIONS", target, Origin=f"http://127.0.0.1:{port}", Access_Control_Request_Method="PUT")
    assert asked.status == 405 and "access-control-allow-methods" not in asked.fields
    assert (await web.ask("GET", target)).json["value"] != 99
    assert (await web.ask("PUT", target, body, Origin=f"http://127.0.0.1:{port}")).json["value"] == 99


async def test_what_is_too_much_or_makes_no_sense_is_refused(run, webs):
    simulator = await run(LAMP)
    for request, status in (
        (b"GET /v1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4194305\r\n\r\n", 413),
        (b"GET /v1 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n", 413),
        (b"GET /v1 HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n", 431),
        (b"GET /v1 HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", 431),
        (b"GET /v1 HTTP/2.0\r\n\r\n", 505),
        (b"nonsense\r\n\r\n", 400),
        (b"GET /%ff HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET http://evil.example/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 403),
    ):
        web = await webs(simulator)
        await web.raw(request)
        answer = await web.answer()
        assert answer.status == status, request[:60]
        assert answer.error["message"] and await web.is_over()
    deep = await webs(simulator)
    answer = await deep.ask("POST", "/v1/accessories", b"[" * 100_000)
    assert answer.status == 400 and answer.error["line"] == 1
    assert (await (await webs(simulator)).ask("GET", "/v1")).status == 200


async def test_requests_follow_each_other_on_a_connection(run, webs):
    simulator = await run(LAMP)
    web = await webs(simulator)
    for _ in range(3):
        assert (await web.ask("GET", "/v1")).status == 200
    # Several at once, in pieces, with chunks.
    host = web.host.encode()
    text = b"GET /v1 HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"
    text += b"PUT /v1/accessories/1/characteristics/Brightness HTTP/1.1\r\nHost: " + host
    text += b"\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{\"value\":\r\n3\r\n 7}\r\n0\r\n\r\n"
    text += b"GET /v1/clock HTTP/1.0\r\nHost: " + host + b"\r\n\r\n"
    for start in range(0, len(text), 50):
        await web.raw(text[start : start + 50])
    answers = [await web.answer() for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 200]
    assert answers[1].json["value"] == 7 and answers[2].fields["connection"] == "close"
    assert await web.is_over()
    # HEAD has the head alone, and a body that is announced is waited for.
    web = await webs(simulator)
    head = await web.ask("HEAD", "/v1/openapi.json")
    assert (head.status, head.body) == (200, b"") and int(head.fields["content-length"]) > 10_000
    await web.send("PUT", "/v1/accessories/1/characteristics/Brightness", Expect="100-continue", Content_Type="application/json", Content_Length="11")
    async with asyncio.timeout(PATIENCE):
        assert (await web.head())[0] == 100
    await web.raw(b'{"value":8}')
    assert (await web.answer()).json["value"] == 8


async def test_more_connections_than_places(run, webs):
    "Who asks nothing gives way; who is told events stays."
    simulator = await run(LAMP)
    listener = await webs(simulator)
    events = await listener.follow("/v1/events")
    idle = [await webs(simulator) for _ in range(200)]
    web = await webs(simulator)
    await web.ask("PUT", "/v1/accessories/1/characteristics/Brightness", {"value": 5})
    await first(events, "changed", value=5)
    assert await idle[0].is_over()


async def test_beyond_loopback_a_token_is_needed(run, webs, tmp_path):
    status, output, errors = await run_to_its_end(hapsim(), "run", LAMP, "--ephemeral", "--control", "0.0.0.0:0")
    assert (status, output) == (2, "") and "--control-token" in errors
    simulator = await run(LAMP, options=("--control", "127.0.0.1:0", "--control-token", "open-sesame"))
    assert simulator.said[0]["control"].endswith("/#token=open-sesame")
    web = await webs(simulator)
    assert (await web.ask("GET", "/")).status == 200, "the page is no secret"
    refused = await web.ask("GET", "/v1")
    assert refused.status == 401 and refused.fields["www-authenticate"] == "Bearer"
    assert (await (await webs(simulator)).ask("GET", "/v1", Authorization="Bearer open-sesamE")).status == 401
    assert (await (await webs(simulator)).ask("GET", "/v1", Authorization="Bearer open-sesame")).status == 200
    assert (await (await webs(simulator)).ask("GET", "/v1/events")).status == 401
    # With a token the machine's own name is accepted.
    own = {"Host": gethostname().partition(".")[0], "Authorization": "Bearer open-sesame"}
    assert (await (await webs(simulator)).ask("GET", "/v1", **own)).status == 200
    # Before its body is there, and from a file.
    (tmp_path / "token").write_text("from-a-file\n")
    kept = await run(LAMP, options=("--control", "127.0.0.1:0", "--control-token-file", tmp_path / "token"))
    early = await webs(kept)
    await early.send("POST", "/v1/accessories", Content_Length="4000000", Content_Type="application/json")
    assert (await early.answer()).status == 401
    assert (await (await webs(kept)).ask("GET", "/v1", Authorization="Bearer from-a-file")).status == 200
    for options, code in (
        (("--control-token-file", tmp_path / "none"), 3),
        (("--control-token-file", tmp_path / "token", "--control-token", "open-sesame"), 2),
    ):
        status, output, errors = await run_to_its_end(hapsim(), "run", LAMP, "--ephemeral", *options)
        assert (status, output) == (code, "") and "--control-token-file" in errors, errors


async def test_a_scenario_over_the_api(run, webs):
    simulator = await run(LAMP)
    web, listener = await webs(simulator), await webs(simulator)
    events = await listener.follow("/v1/events")
    assert (await web.ask("GET", "/v1/scenario")).json == {"state": "none"}
    wrong = await web.ask("PUT", "/v1/scenario", {"yaml": "steps:\n  - st: {}\n"})
    assert wrong.status == 422 and (wrong.error["line"], wrong.error["column"]) == (2, 5)
    # Nor may it have files of this machine read.
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
async def test_a_scenario_over_the_api_hears_events_without_a_reader(options, run, webs):
    simulator = await run(LAMP, options=options)
    web = await webs(simulator)
    text = "steps:\n  - when: { event: changed, characteristic: On }\n  - set: { characteristic: Brightness, value: 77 }\n"
    assert (await web.ask("PUT", "/v1/scenario", {"yaml": text})).json["state"] == "playing"
    await web.ask("PUT", "/v1/accessories/1/characteristics/On", {"value": True})
    assert (await web.ask("GET", "/v1/scenario")).json["state"] == "passed"


async def test_with_control_all_is_recorded_from_the_start(run, webs):
    simulator = await run(LAMP, options=("--control", "0"))
    web = await webs(simulator)
    await web.ask("PUT", "/v1/accessories/1/characteristics/Brightness", {"value": 3})
    events = (await web.ask("GET", "/v1/log?event=changed")).json["events"]
    assert [event["value"] for event in events] == [3]


async def test_what_comes_over_the_api_is_recorded(run, webs, tmp_path):
    "With the accessory that it was for: whoever plays it again has no path that says so."
    file = tmp_path / "recorded.yaml"
    simulator = await run(GARAGE, LAMP, command="record", options=("--output", file))
    answer = await (await webs(simulator)).ask("PUT", "/v1/accessories/2/characteristics/Brightness", {"value": 33})
    assert answer.status == 200
    assert await simulator.stop() == 0
    (step,) = (line for line in file.read_text().splitlines() if "set:" in line)
    assert simulator.accessories[1].name in step and "33" in step, step


async def test_it_can_be_off_or_in_the_way_of_another(run, webs):
    simulator = await run(LAMP, options=("--control", "off"))
    assert "control" not in simulator.said[0]
    other = await run(LAMP)
    _, port = control(other)
    status, _, errors = await run_to_its_end(hapsim(), "run", LAMP, "--ephemeral", "--interface", "lo", "--bonjour", "off", "--control", str(port))
    assert status == 3 and str(port) in errors


@pytest.mark.parametrize("example", ["python", "curl"])
async def test_an_example_does_what_it_shows(example):
    folder = PROFILES.parent / "Examples" / example
    program = (sys.executable, folder / "test_garage.py") if example == "python" else (folder / "walk.sh",)
    status, output, errors = await run_to_its_end(*program, hapsim(), PROFILES)
    assert (status, errors.count("Traceback")) == (0, 0), (output, errors)
    if example == "python":
        assert output.count("passed: ") == 3


async def test_the_description_is_valid(run, webs):
    simulator = await run(LAMP)
    document = (await (await webs(simulator)).ask("GET", "/v1/openapi.json")).json
    openapi_spec_validator.validate(document)


async def test_the_api_is_as_it_is_described(run):
    """schemathesis finds nothing: examples, limits, what it makes up, and links from one request to the next. API_EXAMPLES says how much it makes up;
    `make api-fuzz` has it ask some ten thousand times."""
    simulator = await run(GARAGE, BRIDGE)
    program = Path(sys.executable).with_name("schemathesis")
    examples = os.environ.get("API_EXAMPLES", "4")
    status, output, errors = await run_to_its_end(
        program, "--config-file", Path(__file__).with_name("schemathesis.toml"), "run",
        "http://%s:%d/v1/openapi.json" % control(simulator), "--checks", "all", "-n", examples, "--seed", "1",
        # It never ends, as it should.
        "--exclude-operation-id", "followEvents", "--continue-on-failure", patience=280 if examples == "4" else 3000,
    )  # fmt: skip
    print(output)
    assert status == 0, (output[-4000:], errors)
