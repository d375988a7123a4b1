"""A hub of hapctl with accessories made with HAP-python, and with several apps, each in its own process.

On real sockets because HAP-python is a third party, and because the apps are killed and stopped by signals.
"""

import asyncio
import base64
import json
import os
import signal
import sys
import uuid
from pathlib import Path

import pytest
import pytest_asyncio
from process import PROFILES, Simulator, hapsim, run_to_its_end

HERE = Path(__file__).parent
CODE = "031-45-154"
# Together more than a hub and the system keep for an app that does not read: a change has about 170 bytes.
ROOMS, CHANGES = 400, 9000


class Home:
    """The folder of a hub, and hapctl with this folder."""

    def __init__(self, folder):
        self.program = Path(hapsim()).with_name("hapctl")
        assert os.access(self.program, os.X_OK), f"{self.program} isn't built"
        self.folder = folder
        self.started = []

    async def run(self, *words):
        """Runs a command. Returns the exit status, the output and the errors."""
        return await run_to_its_end(self.program, *words, "--folder", self.folder)

    async def well(self, *words):
        """Runs `hapctl home WORD… --json`, which has to succeed. Returns the last object that it prints."""
        status, output, errors = await self.run("home", *words, "--json")
        assert status == 0, (words, status, output, errors)
        return json.loads(output.splitlines()[-1])

    async def values(self, *paths):
        return [reading["value"] for reading in (await self.well("get", *paths))["values"]]

    async def start(self, *words):
        process = await Simulator.launch(self.program, *words, "--folder", self.folder)
        self.started.append(process)
        return process

    async def serve(self):
        """Starts the hub, and waits until apps can attach."""
        hub = await self.start("hub", "run", "--interface", "lo")
        await hub.wait(lambda line: "Apps attach" in line.get("not JSON", ""))
        return hub

    async def watch(self):
        """Starts `hapctl home watch`, and waits until the hub lists it with its subscriptions."""
        before = len([app for app in await self.apps() if app["app"] == "hapctl home watch"])
        app = await self.start("home", "watch", "--json")
        while len([app for app in await self.apps() if app["app"] == "hapctl home watch" and app["subscriptions"]]) <= before:
            pass  # each round is a process, so this does not spin
        return app

    async def apps(self):
        status, output, errors = await self.run("hub", "status", "--json")
        assert (status, errors) == (0, ""), (output, errors)
        return json.loads(output)["status"]["apps"]


@pytest_asyncio.fixture
async def home(tmp_path):
    home = Home(tmp_path / "home")
    yield home
    for process in reversed(home.started):
        if process.process.returncode is None:
            process.process.send_signal(signal.SIGCONT)
        await process.clean_up()


class RawApp:
    """An app that speaks the protocol of the socket itself, so that it can stop reading."""

    @classmethod
    async def attach(cls, home, name):
        app = cls()
        app.reader, app.writer = await asyncio.open_unix_connection(str(home.folder / "hub.sock"), limit=1 << 26)
        assert json.loads(await app.reader.readline()) == {"protocol": 1}
        app.answers = 0
        app.events = []
        app.homes = (await app.ask("attach", app=name))["model"]["homes"]
        return app

    async def line(self):
        """Returns the next line; None at the end."""
        line = await self.reader.readline()
        return json.loads(line) if line else None

    async def ask(self, request, **members):
        """Sends a request, and returns its answer."""
        (answer,) = await self.ask_all([{"request": request, **members}])
        return answer

    async def ask_all(self, requests):
        """Sends all requests, and returns their answers, which come in the same order."""
        first = self.answers + 1
        self.answers += len(requests)
        lines = [json.dumps({"id": first + offset, **request}).encode() + b"\n" for offset, request in enumerate(requests)]
        self.writer.write(b"".join(lines))
        await self.writer.drain()
        answers = []
        while len(answers) < len(requests):
            line = await self.line()
            assert line is not None, "the hub closed the connection"
            if "id" in line:
                assert line["id"] == first + len(answers) and "error" not in line, line
                answers.append(line)
            else:
                self.events.append(line)
        return answers

    def close(self):
        self.writer.close()


async def test_accessories_of_hap_python_are_added_and_run_by_scenes_and_triggers(run, home, tmp_path):
    """The lock, the bulb and the bridge are HAP-python's. A second controller unlocks the door, which fires the trigger."""
    python = sys.executable
    lock = await run(program=(python, HERE / "strangers.py", "lock", tmp_path / "lock.state"))
    bridge = await run(program=(python, HERE / "strangers.py", "bridge", tmp_path / "bridge.state"))
    bulb = await run(program=(python, HERE / "bulb.py", tmp_path / "bulb.state"))
    hub = await home.serve()
    await home.well("new", "My Home", "--zone", "Europe/Berlin")
    for device, room in [(lock, "Hall"), (bridge, "Hall"), (bulb, "Kitchen")]:
        added = await home.well("add", "--code", CODE, "--device", device.accessory.device_id, "--room", room)
        assert added["accessories"], added
    shown = (await home.well("show"))["home"]
    names = {accessory["name"] for accessory in shown["accessories"]}
    assert {"Front Door", "House", "Hall Lamp", "Cellar", "Attic Lamp", "Harness Bulb"} <= names, names

    lights = ["Hall Lamp/On", "Attic Lamp/On", "Harness Bulb/On"]
    await home.well("scene", "add", "hi house", *(word for light in lights for word in (light, "on")), "Hall Lamp/Hue", "120")
    await home.well("scene", "add", "night", "Front Door/Lock Target State", "secured", *(word for light in lights for word in (light, "off")))
    done = await home.well("run", "hi house")
    assert [action["outcome"] for action in done["actions"]] == ["done"] * 4, done
    assert await home.values(*lights, "Hall Lamp/Hue") == [True, True, True, 120]
    await home.well("run", "night")
    assert await home.values(*lights, "Front Door/Lock Current State") == [False, False, False, 1]

    await home.well(
        "trigger", "add", "arrived home", "--when", "Front Door/Lock Current State is unsecured",
        "--if", "Hall Lamp/On is false", "--run", "hi house",
    )  # fmt: skip
    watcher = await home.watch()
    await home.well("set", "Front Door/Lock Target State", "unsecured")
    await watcher.wait(lambda line: line.get("event") == "executed" and line["trigger"])
    assert await home.values(*lights) == [True, True, True]
    evaluations = (await home.well("why", "arrived home"))["evaluations"]
    assert [evaluation["outcome"] for evaluation in evaluations] == ["executed"], evaluations

    # The pairings end with the accessories.
    for device in ["Front Door", "House", "Harness Bulb"]:
        await home.well("remove", device)
    assert (await home.well("show"))["home"]["accessories"] == []
    assert await hub.stop() == 0


async def test_a_home_with_accessories_of_hap_python_is_shared_with_a_second_hub(run, home, tmp_path):
    """The second hub has pairings of its own with HAP-python's bulb and bridge, and loses them with the removal of its user."""
    python = sys.executable
    bulb = await run(program=(python, HERE / "bulb.py", tmp_path / "bulb.state"))
    bridge = await run(program=(python, HERE / "strangers.py", "bridge", tmp_path / "bridge.state"))
    hub = await home.serve()
    guest = Home(tmp_path / "guest")
    guest.started = home.started
    guest_hub = await guest.serve()
    await home.well("new", "My Home", "--zone", "Europe/Berlin", "--owner", "Anna")
    for device in [bulb, bridge]:
        await home.well("add", "--code", CODE, "--device", device.accessory.device_id)
    await home.well("scene", "add", "bright", "Harness Bulb/On", "on", "Hall Lamp/On", "on")

    request, share = tmp_path / "ben.json", tmp_path / "home.hashare"
    status, _, errors = await guest.run("home", "user", "request", "Ben", "-o", request)
    assert status == 0, errors
    shared = await home.well("user", "share", request, "-o", share)
    assert shared["later"] == []
    await guest.well("user", "accept", share)
    lights = ["Harness Bulb/On", "Hall Lamp/On"]
    done = await guest.well("run", "bright")
    assert [action["outcome"] for action in done["actions"]] == ["done", "done"], done
    assert await home.values(*lights) == [True, True]
    await home.well("set", "Hall Lamp/On", "off")
    assert await guest.values(*lights) == [True, False]
    status, _, errors = await guest.run("home", "room", "add", "Kitchen")
    assert status == 1 and "(rule U1)" in errors, errors

    # HAP-python keeps open sessions of a removed pairing, but makes no new one.
    await home.well("user", "remove", "Ben")
    assert await guest_hub.stop() == 0
    guest_hub = await guest.serve()
    status, output, _ = await guest.run("home", "set", "Harness Bulb/On", "off", "--json")
    assert status == 1, output
    assert await home.values(*lights) == [True, False]
    assert await guest_hub.stop() == 0 and await hub.stop() == 0


async def test_authorization_data_reaches_an_accessory_of_hap_python(run, home, tmp_path):
    """The safe is HAP-python's, and refuses writes without the right data. The hub keeps the data when it starts again."""
    safe = await run(program=(sys.executable, HERE / "strangers.py", "safe", tmp_path / "safe.state"))
    hub = await home.serve()
    await home.well("new", "My Home", "--zone", "Europe/Berlin")
    await home.well("add", "--code", CODE, "--device", safe.accessory.device_id)

    async def turn(state):
        """Returns the identifier of the characteristic, and the outcome with its HAP status."""
        _, output, _ = await home.run("home", "set", "Strongbox/Lock Target State", state, "--json")
        (action,) = json.loads(output)["actions"]
        return action["characteristic"], (action["outcome"], action.get("status"))

    async def authorize(data):
        app = await RawApp.attach(home, "safe")
        await app.ask("authorize", characteristic=target, **({"data": base64.b64encode(data).decode()} if data else {}))
        app.close()

    target, outcome = await turn("unsecured")
    assert outcome == ("refused", -70411)
    await authorize(b"please")
    assert (await turn("unsecured"))[1] == ("refused", -70411)
    await authorize(b"open sesame")
    assert (await turn("unsecured"))[1][0] == "done"
    assert await home.values("Strongbox/Lock Current State") == [0]
    assert await hub.stop() == 0

    hub = await home.serve()
    assert (await turn("secured"))[1][0] == "done"
    assert await home.values("Strongbox/Lock Current State") == [1]
    await authorize(None)
    assert (await turn("unsecured"))[1] == ("refused", -70411)
    assert await home.values("Strongbox/Lock Current State") == [1]
    assert await hub.stop() == 0


async def test_one_app_is_killed_one_is_slow_and_one_is_late(run, home):
    """The app that sends a command gets its completion, all others the change. None of them delays the hub."""
    simulator = await run(PROFILES / "lock.hasaccessory", options=("--setup-code", CODE))
    hub = await home.serve()
    await home.well("new", "My Home", "--zone", "Europe/Berlin")
    await home.well("add", "--code", CODE, "--device", simulator.accessory.device_id)

    killed, watching = await home.watch(), await home.watch()
    slow = await RawApp.attach(home, "slow")
    writer = await RawApp.attach(home, "writer")
    (model,) = [entry["id"] for entry in writer.homes]
    killed.process.send_signal(signal.SIGKILL)

    # The slow app reads nothing during changes that are larger than all buffers.
    slow.writer.transport.pause_reading()

    def perform(command, **members):
        return {"request": "perform", "command": {"command": command, **members}}

    added = await writer.ask_all([perform("add-room", home=model, name=f"Room {number}") for number in range(ROOMS)])
    room = added[0]["changes"][0]["object"]["id"]
    names = [f"Hall {number} {uuid.uuid4().hex}" for number in range(CHANGES)]
    for start in range(0, CHANGES, 100):
        await writer.ask_all([perform("rename", object=room, name=name) for name in names[start : start + 100]])
    name = names[-1]
    # Its own changes are answers, not events.
    assert not [event for event in writer.events if event.get("event") == "changed"]
    assert [app for app in await home.apps() if app["app"] == "slow"][0]["gaps"] == 1

    await watching.wait(lambda line: line.get("event") == "changed" and name in json.dumps(line))
    late = await RawApp.attach(home, "late")
    assert name in json.dumps(late.homes) and len(late.homes[0]["rooms"]) == ROOMS

    # The slow app reads what was kept, learns that it missed events, and attaches again.
    slow.writer.transport.resume_reading()
    seen = 0
    while (line := await slow.line())["event"] != "missed":
        # The hub reports reachability a quarter of a second after a change, so this event can come first.
        assert line["event"] in ("changed", "reachability"), line
        seen += 1
    assert 0 < seen < ROOMS + CHANGES
    again = await slow.ask("attach", app="slow")
    assert name in json.dumps(again)
    await writer.ask_all([perform("rename", object=room, name="Last")])
    for app in (slow, late):
        while (line := await app.line())["event"] != "changed":
            pass
        assert "Last" in json.dumps(line)

    assert "killed" not in json.dumps(await home.apps())
    assert len([app for app in await home.apps() if app["app"] == "hapctl home watch"]) == 1
    assert (await home.run("hub", "stop"))[0] == 0
    assert await hub.ended() == 0
    while (line := await late.line()) is not None:
        last = line
    assert last == {"event": "stopping"}
    for app in (slow, writer, late):
        app.close()


async def test_a_hub_is_backed_up_and_restored(home, tmp_path):
    hub = await home.serve()
    await home.well("new", "Before", "--zone", "Europe/Berlin")
    backup = tmp_path / "copy"
    status, output, _ = await home.run("hub", "backup", backup)
    assert status == 0 and oct(backup.stat().st_mode)[-3:] == "600" and "secret" in output
    status, _, errors = await home.run("hub", "backup", backup)
    assert status == 3 and "exists already" in errors
    await home.well("rename", "Before", "After")
    status, _, errors = await home.run("hub", "restore", backup)
    assert status == 3 and "already running" in errors and "hapctl hub stop" in errors
    status, _, errors = await home.run("hub", "run")
    assert status == 3 and "already running" in errors
    assert await hub.stop() == 0
    assert (await home.run("hub", "restore", backup))[0] == 0
    # Without a hub, each command works as one.
    assert [entry["name"] for entry in (await home.well("list"))["homes"]] == ["Before"]
    status, _, errors = await home.run("hub", "status")
    assert status == 3 and "hapctl hub run" in errors
    status, _, errors = await home.run("hub", "restore", tmp_path / "absent")
    assert status == 3 and "absent" in errors
