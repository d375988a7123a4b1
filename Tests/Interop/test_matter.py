"""hapsim's accessories as Matter nodes, with connectedhomeip's controller on another host, and aiohomekit at the same accessory.

The Matter controller is not part of the project. MATTER_CONTROLLER names its folder. With that variable `make test-deps` creates the environment of the
controller. The tests of this module share one controller, because it takes two seconds to start. Each test has its own node IDs.

On real sockets because a Matter controller and aiohomekit are third parties, and because of `kill -9`.
"""

import asyncio
import base64
import itertools
import json
import shutil
import signal
from pathlib import Path

import pytest
import pytest_asyncio

from conftest import profiles_of_the_day, shipped_profiles
from ctl import ctl, done
from matter_controller import MatterController, Refused, with_controller
from matter_payload import discriminator
from network import Network
from phone import Phone, characteristic
from process import PROFILES, Simulator, hapsim, run_to_its_end
from second_host import FAR, FAR_LINK_LOCAL, NEAR, NEAR_ADDRESS, NEAR_LINK_LOCAL, SecondHost

pytestmark = with_controller

LIGHT, GARAGE, BRIDGE, LOCK, BUTTON, IRRIGATION, KITCHEN_SINK = NAMED = [
    PROFILES / f"{name}.hasaccessory"
    for name in ("light-colour", "garage-kilgo", "bridge-two-lights", "lock", "button", "irrigation", "kitchen-sink")
]
COFFEE_MACHINE = PROFILES / "coffee-machine.hasaccessory"
FADE_RATE = "7E536242-341C-4862-BE90-272CE15BD633"
VENDOR_CLUSTERS, OTHER_VENDOR = 0xFFF1_FD00, 0xFFF2
ADDRESS = f"{FAR_LINK_LOCAL}%{NEAR}"
PASSCODE = 20202021
JUMP = {"transitionTime": 0, "optionsMask": 0, "optionsOverride": 0}  # of a command that has a transition
SECURED, UNSECURED = 1, 0
FIRST_CONTROLLER = 112233
node_ids = itertools.count(1)


def bridge_of(count):
    """Returns the profile of a bridge with lights that are named "Lamp 1" and so on."""
    profile = json.loads(BRIDGE.read_text())
    lamp = json.dumps(profile["bridgedAccessories"][0])
    names = [f"Lamp {number}" for number in range(1, count + 1)]
    profile["bridgedAccessories"] = [json.loads(lamp.replace("Desk Lamp", name).replace("LAMP-1", name)) for name in names]
    return {**profile, "name": "Large Bridge", "serialNumber": "BRIDGE-2"}


def bridge_of_everything():
    """Returns the profile of a bridge with the accessories of all shipped profiles. Of several copies, it has one."""
    accessories = []
    for path in shipped_profiles():
        profile = json.loads(path.read_text())
        for accessory in (profile, *profile.get("bridgedAccessories", [])):
            if services := accessory.get("services"):
                members = {key: accessory[key] for key in ("name", "category") if key in accessory}
                accessories.append({**members, "serialNumber": f"ALL-{len(accessories) + 1}", "services": services})
    head = {"format": "hasaccessory/1", "name": "Bridge of All", "serialNumber": "ALL-0", "category": "bridge"}
    return {**head, "bridgedAccessories": accessories}


@pytest.fixture(scope="module")
def host():
    with SecondHost() as host:
        yield host


@pytest_asyncio.fixture
async def phone(host):
    network = Network(NEAR_ADDRESS)
    async with Phone(network) as phone:
        yield phone
    await network.close()


@pytest.fixture(scope="module")
def large_bridge(tmp_path_factory):
    path = tmp_path_factory.mktemp("profiles") / "large.hasaccessory"
    path.write_text(json.dumps(bridge_of(60)))
    return path


@pytest.fixture(scope="module")
def full_bridge(tmp_path_factory):
    path = tmp_path_factory.mktemp("profiles") / "full.hasaccessory"
    path.write_text(json.dumps(bridge_of_everything()))
    return path


@pytest.fixture(scope="module")
def of_the_day():
    """Chosen once, because the day may end during the tests."""
    return profiles_of_the_day(shipped_profiles())


@pytest_asyncio.fixture(scope="module")
async def seed(large_bridge, full_bridge, of_the_day, tmp_path_factory):
    """A state folder of all profiles, with the certificates that the controller has to trust. It reads them once, at its start."""
    everything = {*NAMED, *of_the_day, large_bridge, full_bridge}
    while True:
        state = tmp_path_factory.mktemp("seed") / "state"
        simulator = await Simulator.run(*everything, state=state, options=("--matter", "--bonjour", "off"))
        try:
            await simulator.ready()
        finally:
            await simulator.clean_up()
        # A controller searches for a node with its discriminator, so they must differ. They are random, and of thirty nodes two have the same one in
        # about one of ten runs.
        if len({discriminator(said["matter"]["payload"]) for said in simulator.said[0]["accessories"]}) == len(everything):
            return state


@pytest_asyncio.fixture(scope="module")
async def other_vendor(seed, tmp_path_factory):
    """A state folder of an accessory of another vendor. Its certificate is in the folder that the controller trusts."""
    state = tmp_path_factory.mktemp("other-vendor") / "state"
    options = ("--matter", "--matter-vendor", hex(OTHER_VENDOR), "--bonjour", "off")
    simulator = await Simulator.run(COFFEE_MACHINE, state=state, options=options)
    try:
        await simulator.ready()
    finally:
        await simulator.clean_up()
    shutil.copytree(state / "matter-trust", seed / "matter-trust", dirs_exist_ok=True)
    return state


@pytest_asyncio.fixture(scope="module")
async def matter(host, seed, other_vendor, tmp_path_factory):
    controller = await MatterController.start(tmp_path_factory.mktemp("controller"), seed / "matter-trust")
    yield controller
    await controller.close()


@pytest_asyncio.fixture
async def device(run, host, seed, tmp_path):
    """`await device(PROFILE, OPTION…)`: hapsim on the second host, with a state folder in which nothing was added to a fabric. A second call
    continues with the state of the first."""
    state = tmp_path / "state"
    shutil.copytree(seed, state)

    async def start(profile, *more):
        options = ("--matter", "--matter-passcode", str(PASSCODE), "--bonjour", "embedded", *more)
        simulator = await run(profile, state=state, options=options, interfaces=(FAR,), namespace=host.namespace)
        return Device(simulator, state)

    return start


class Device:
    """hapsim with one accessory and the Matter part of its ready line."""

    def __init__(self, simulator, state):
        self.simulator, self.state = simulator, state
        (said,) = simulator.said[0]["accessories"]
        self.payload, self.manual_code, self.port = (said["matter"][key] for key in ("payload", "manualCode", "port"))

    async def kill(self):
        assert await self.simulator.stop(signal.SIGKILL) == -signal.SIGKILL

    async def command(self, *words, **members):
        answer = await self.simulator.command(*words, **members)
        assert answer["ok"], answer
        return answer


class Node:
    """A node as a controller of one fabric sees it: `await node.read("1/OnOff/OnOff")`."""

    def __init__(self, controller, fabric="home"):
        self.controller, self.fabric, self.id = controller, fabric, next(node_ids)

    def __getattr__(self, call):
        return lambda *arguments: self.controller(call, self.fabric, self.id, *arguments)

    async def value(self, path):
        (value,) = (await self.read(path)).values()
        return value

    async def fabrics(self):
        return await self.read("0/OperationalCredentials/Fabrics", False)


@pytest_asyncio.fixture
async def node(matter):
    """`node(FABRIC)`: a node ID that no test has used."""
    return lambda fabric="home": Node(matter, fabric)


async def commissioned(node, device, code=None):
    await node.commission(code or device.payload)
    return node


async def composed(node, endpoints):
    """Checks the structure of all endpoints."""
    there, attributes, problems = await node.composition()
    assert (there, problems) == (endpoints, [])
    return attributes


async def endpoint_of(node, label):
    """Returns the number of a bridged accessory's endpoint."""
    labels = await node.read("*/BridgedDeviceBasicInformation/NodeLabel")
    (endpoint,) = (path.split("/")[0] for path, value in labels.items() if value == label)
    return endpoint


def level(brightness):
    return max(1, round(brightness * 254 / 100))


def brightness(level):
    return max(1, round(level * 100 / 254))


async def test_a_light_has_the_same_values_over_matter_and_over_hap(device, node, phone):
    light = await device(LIGHT)
    lamp = await commissioned(node(), light)
    await composed(lamp, endpoints=2)
    home = await phone.pair(light.simulator.accessory)
    accessories = await home.accessories()
    on, bright, hue, saturation = (characteristic(accessories, name) for name in ("ON", "BRIGHTNESS", "HUE", "SATURATION"))

    async def both():
        values = await home.get(on, bright, hue, saturation)
        names = ("OnOff/OnOff", "LevelControl/CurrentLevel", "ColorControl/CurrentHue", "ColorControl/CurrentSaturation")
        return [values[i]["value"] for i in (on, bright, hue, saturation)], [await lamp.value(f"1/{name}") for name in names]

    assert await both() == ([0, 100, 30, 60], [False, 254, round(30 * 254 / 360), round(60 * 254 / 100)])
    await lamp.invoke("1/OnOff/On")
    await lamp.invoke("1/LevelControl/MoveToLevel", {"level": 64, **JUMP})
    await lamp.invoke("1/ColorControl/MoveToHueAndSaturation", {"hue": 127, "saturation": 254, **JUMP})
    assert await both() == ([1, brightness(64), 180, 100], [True, level(brightness(64)), 127, 254])
    await lamp.write("1/OnOff/StartUpOnOff", 1)
    assert await lamp.value("1/OnOff/StartUpOnOff") == 1
    with pytest.raises(Refused, match="ConstraintError|InvalidCommand"):
        await lamp.invoke("1/LevelControl/MoveToLevel", {"level": 255, **JUMP})


async def test_a_captured_commissioning_is_shown_step_by_step_and_hap_is_replayed(device, node, phone, tmp_path):
    folder = tmp_path / "captures"
    light = await device(LIGHT, "--capture", str(folder))
    lamp = await commissioned(node(), light)
    home = await phone.pair(light.simulator.accessory)
    on = characteristic(await home.accessories(), "ON")
    assert await home.subscribe(on) == {}
    await lamp.subscribe("1/OnOff/OnOff")
    await lamp.invoke("1/OnOff/On")
    await home.events.wait(on, 1)
    assert await home.put((*on, False)) == {}
    with pytest.raises(Refused):
        await lamp.invoke("1/LevelControl/MoveToLevel", {"level": 255, **JUMP})
    await light.kill()

    (path,) = folder.iterdir()
    status, output, errors = await run_to_its_end(hapsim(), "replay", path, "--show", "--json")
    said = json.loads(output)
    assert (status, errors, said["difference"], said["matterDifference"]) == (0, "", None, None)
    assert said["matterComparisons"] > 5
    shown = [message for message in said["messages"] if "message" in message]
    assert said["matterMessages"] == len(shown) and [message for message in shown if "problem" in message] == []
    assert any(message["message"] == "Acknowledgement" for message in shown)
    assert all(message["peer"].startswith(("[fe80:", "fe80:")) for message in shown)
    steps = [(message["from"], message["message"]) for message in shown if not message["repeated"] and message["message"] != "Acknowledgement"]
    received, sent = "controller", "accessory"
    assert is_subsequence(
        [(received, "PBKDFParamRequest"), (sent, "PBKDFParamResponse"), (received, "Pake1"), (sent, "Pake2"), (received, "Pake3"), (sent, "StatusReport"),
         (received, "Sigma1"), (sent, "Sigma2"), (received, "Sigma3"), (sent, "StatusReport"),
         (received, "SubscribeRequest"), (sent, "ReportData"), (received, "StatusResponse"), (sent, "SubscribeResponse")],
        steps,
    )  # fmt: skip
    commands = [(message["session"], text.split(" {")[0]) for message in shown if message["message"] == "InvokeRequest" for text in message["content"][:1]]
    root, credentials = "endpoint 0 GeneralCommissioning", "endpoint 0 OperationalCredentials"
    steps_of_pase = [f"{root}.ArmFailSafe", f"{root}.SetRegulatoryConfig", *[f"{credentials}.{name}" for name in
        ("CertificateChainRequest", "AttestationRequest", "CsrRequest", "AddTrustedRootCertificate", "AddNoc")]]  # fmt: skip
    assert is_subsequence([*(("PASE", step) for step in steps_of_pase), ("CASE", f"{root}.CommissioningComplete"), ("CASE", "endpoint 1 OnOff.On")], commands)
    contents = [text for message in shown for text in message["content"]]
    assert any(text.startswith(f"{credentials}.AddNoc") and "(16 bytes, hidden)" in text for text in contents)
    assert "endpoint 1 OnOff.On: success (0x0)" in contents and "endpoint 1 OnOff.OnOff = true" in contents
    assert any(text.startswith("endpoint 1 LevelControl.MoveToLevel: ") and "success" not in text for text in contents)
    # As text, with the messages of HAP.
    status, output, _ = await run_to_its_end(hapsim(), "replay", path, "--show")
    assert status == 0 and "PUT /characteristics" in output and "EVENT/1.0 200 OK" in output
    assert "> Matter " in output and f"    {root}.ArmFailSafe {{" in output and "all as recorded" in output
    # Another value of a report is found.
    lines = path.read_text().splitlines()
    report = next(message["bytes"] for message in shown if message["message"] == "ReportData" and "endpoint 1 OnOff.OnOff = true" in message["content"])
    payload = bytes.fromhex(report)
    number = next(number for number, line in enumerate(lines) if base64.b64encode(payload).decode() in line)
    changed = tmp_path / "changed.hapcapture"
    other = {**json.loads(lines[number]), "bytes": base64.b64encode(payload.replace(b"\x29\x02", b"\x28\x02")).decode()}
    changed.write_text("\n".join([*lines[:number], json.dumps(other), *lines[number + 1 :]]) + "\n")
    status, _, errors = await run_to_its_end(hapsim(), "replay", changed)
    assert status == 1 and f":{number + 1}: Matter: endpoint 1 OnOff.OnOff differs: recorded false, now true" in errors
    # A file that was damaged is refused with the line.
    number = next(number for number, line in enumerate(lines) if json.loads(line).get("is") == "message")
    lines[number] = json.dumps({**json.loads(lines[number]), "session": "TLS"})
    path.write_text("\n".join(lines) + "\n")
    status, _, errors = await run_to_its_end(hapsim(), "replay", path)
    assert status == 1 and f":{number + 1}: " in errors and "session must be unsecured, PASE, CASE" in errors


async def test_hap_and_matter_see_each_others_writes_in_order(device, node, phone, matter):
    light = await device(LIGHT)
    lamp = await commissioned(node(), light)
    home = await phone.pair(light.simulator.accessory)
    accessories = await home.accessories()
    on, bright = characteristic(accessories, "ON"), characteristic(accessories, "BRIGHTNESS")
    assert await home.subscribe(on, bright) == {}
    number = await lamp.subscribe("1/OnOff/OnOff", "1/LevelControl/CurrentLevel")
    first = len(matter.reports)
    assert await home.put((*on, True)) == {}
    await matter.reported(lambda line: line.get("path") == "1/6/0" and line["value"] is True, first)
    steps = range(10, 60, 10)
    for percent in steps:
        assert await home.put((*bright, percent)) == {}
        await lamp.invoke("1/LevelControl/MoveToLevel", {"level": level(percent + 5), **JUMP})
    await home.events.wait(bright, 55)
    await matter.reported(lambda line: line.get("path") == "1/8/0" and line["value"] == level(55), first)
    # A report has the latest value, so a subscriber of Matter can miss values, but never gets an older one later.
    levels = [line["value"] for line in matter.reports[first:] if line.get("report") == number and line["path"] == "1/8/0"]
    assert is_subsequence(levels, [level(value) for percent in steps for value in (percent, percent + 5)])
    # HAP sends no event to the controller that wrote the value.
    assert is_subsequence(home.events.of(bright), [percent + 5 for percent in steps])
    assert home.events.of(on) == []


async def test_after_writes_at_the_same_time_both_have_the_last_value(device, node, phone, matter):
    light = await device(LIGHT)
    lamp = await commissioned(node(), light)
    home = await phone.pair(light.simulator.accessory)
    bright = characteristic(await home.accessories(), "BRIGHTNESS")
    assert await home.subscribe(bright) == {}
    await lamp.invoke("1/OnOff/On")
    await lamp.subscribe("1/LevelControl/CurrentLevel")
    first = len(matter.reports)
    evens, odds = range(2, 42, 2), range(1, 41, 2)

    async def write_over_hap():
        for percent in odds:
            assert await home.put((*bright, percent)) == {}

    async def write_over_matter():
        for percent in evens:
            await lamp.invoke("1/LevelControl/MoveToLevel", {"level": level(percent), **JUMP})

    await asyncio.gather(write_over_hap(), write_over_matter())
    last = await home.value(bright)
    assert last in (evens[-1], odds[-1]) and await lamp.value("1/LevelControl/CurrentLevel") == level(last)
    await matter.reported(lambda line: line.get("path") == "1/8/0" and line["value"] == level(last), first)
    levels = [line["value"] for line in matter.reports[first:] if line.get("path") == "1/8/0"]
    assert levels[-1] == level(last)
    if last == evens[-1]:  # HAP sends no event for its own controller's write
        await home.events.wait(bright, last)


def is_subsequence(some, everything):
    rest = iter(everything)
    return all(value in rest for value in some)


async def test_a_bridge_of_sixty_lights_is_read_in_chunks_and_switches_one(device, node, large_bridge):
    bridge = await commissioned(node(), await device(large_bridge))
    # The root, the aggregator and the lights.
    attributes = await composed(bridge, endpoints=62)
    assert attributes > 60 * 30
    found = await bridge.read("*/OnOff/OnOff")
    assert len(found) == 60 and set(found.values()) == {False}
    one = await endpoint_of(bridge, "Lamp 42")
    await bridge.invoke(f"{one}/OnOff/On")
    assert {path for path, value in (await bridge.read("*/OnOff/OnOff")).items() if value} == {f"{one}/6/0"}
    assert len(await bridge.read("*/OnOff/*")) == 60 * len(await bridge.read(f"{one}/OnOff/*"))


async def test_each_profile_has_a_consistent_structure(run, host, node, seed, of_the_day, tmp_path):
    """The profiles of the day, and the one with custom services, whose vendor clusters must not be those of connectedhomeip's own tests."""
    state = tmp_path / "state"
    shutil.copytree(seed, state)
    profiles = {*of_the_day, KITCHEN_SINK}
    options = ("--matter", "--bonjour", "embedded")
    simulator = await run(*sorted(profiles), state=state, options=options, interfaces=(FAR,), namespace=host.namespace)
    found = {}
    for accessory in simulator.said[0]["accessories"]:
        one = node()
        await one.commission(accessory["matter"]["payload"])
        found[accessory["name"]] = await one.composition()
    assert {name: problems for name, (_, _, problems) in found.items() if problems} == {}
    assert len(found) == len(profiles) and all(endpoints > 1 for endpoints, _, _ in found.values())


async def test_one_bridge_of_all_profiles_has_the_structure_that_its_validation_prints(device, node, full_bridge):
    status, output, _ = await run_to_its_end(hapsim(), "validate", full_bridge, "--matter", "--json")
    (said,) = json.loads(output)["profiles"]
    table = said["matter"]["endpoints"]
    assert status == 0 and len(table) > 100 and [problem for problem in said["problems"] if problem["rule"].startswith("matter")] == []
    bridge = await commissioned(node(), await device(full_bridge))
    await composed(bridge, endpoints=len(table) + 1)
    there = {f"{e['endpoint']}/{c['id']}/{a['id']}" for e in table for c in e["clusters"] for a in c["attributes"]}
    found = {path for path in await bridge.read("*/*/*") if not path.startswith("0/") and not 0xFFF8 <= int(path.split("/")[2]) <= 0xFFFD}
    assert there == found


async def test_a_custom_characteristic_is_an_attribute_of_the_vendor(device, node, phone):
    garage = await device(GARAGE)
    door = await commissioned(node(), garage)
    everything = await door.read("*/*/*")
    ((path, described),) = (
        (path, value) for path, value in everything.items()
        if int(path.split("/")[1]) > VENDOR_CLUSTERS and path.endswith(f"/{0x4000}") and FADE_RATE in json.dumps(value)
    )  # fmt: skip
    (rate,) = (entry for entry in described if entry["1"] == FADE_RATE)
    assert [rate[str(tag)] for tag in range(2, 8)] == ["Fade Rate", "float", "seconds", 0, 10, 0.1]
    attribute = path.removesuffix(str(0x4000)) + str(rate["0"])
    assert await door.value(attribute) == 1.5
    home = await phone.pair(garage.simulator.accessory)
    identifier = characteristic(await home.accessories(), FADE_RATE)
    assert await door.write(attribute, 2.5) == "Success"
    assert await home.value(identifier) == 2.5
    assert await home.put((*identifier, 0.5)) == {}
    assert await door.value(attribute) == 0.5
    assert await door.write(attribute, 10.5) == "ConstraintError"
    assert await door.write(attribute, "fast") == "InvalidDataType"
    assert await door.value(attribute) == 0.5


async def test_another_vendor_is_attested_and_has_clusters_of_its_own(run, host, node, other_vendor, tmp_path):
    state = tmp_path / "state"
    shutil.copytree(other_vendor, state)
    options = ("--matter", "--matter-vendor", hex(OTHER_VENDOR), "--bonjour", "embedded")
    simulator = await run(COFFEE_MACHINE, state=state, options=options, interfaces=(FAR,), namespace=host.namespace)
    machine = await commissioned(node(), Device(simulator, state))
    await composed(machine, endpoints=3)
    assert await machine.value("0/BasicInformation/VendorID") == OTHER_VENDOR
    assert await machine.value("1/Descriptor/DeviceTypeList") == [{"0": OTHER_VENDOR << 16 | 1, "1": 1}]
    cluster = OTHER_VENDOR << 16 | 0xFD01
    assert [number for number in await machine.value("1/Descriptor/ServerList") if number > 0xFFFF] == [cluster]
    assert await machine.write(f"1/{cluster}/2", 7) == "Success"
    assert await machine.value(f"1/{cluster}/2") == 7


async def test_a_fabric_is_removed_without_harm_to_another(device, node):
    light = await device(LIGHT)
    first = await commissioned(node("home"), light)
    code = await first.window(180)
    second = await commissioned(node("guest"), light, code)
    (fabrics,) = (await second.fabrics()).values()
    assert [fabric["254"] for fabric in fabrics] == [1, 2]
    assert [fabric["4"] for fabric in fabrics] == [first.id, second.id]
    await first.invoke("1/OnOff/On")
    removed = await second.invoke("0/OperationalCredentials/RemoveFabric", {"fabricIndex": 1})
    assert removed["statusCode"] == 0
    (fabrics,) = (await second.fabrics()).values()
    assert [fabric["254"] for fabric in fabrics] == [2]
    assert await second.value("1/OnOff/OnOff") is True


async def test_a_removed_controller_gets_no_session_and_no_reports(device, node, matter, host):
    """The record of the removed fabric is gone. A record of another responder leads its controller to the node all the same."""
    light = await device(LIGHT)
    first = await commissioned(node("home"), light)
    second = await commissioned(node("guest"), light, await first.window(180))
    numbers = [await one.subscribe("1/OnOff/OnOff") for one in (first, second)]
    name = await first.instance()
    removed = await second.invoke("0/OperationalCredentials/RemoveFabric", {"fabricIndex": 1})
    assert removed["statusCode"] == 0
    announcer = await Simulator.launch(*host.namespace, Path(hapsim()).with_name("MDNSAnnouncer"), FAR)
    try:
        text = ["SII=500", "SAI=300", "SAT=4000", "T=0"]
        service = {"name": name, "type": "_matter._tcp", "subtypes": [], "port": light.port, "text": text, "host": "removed"}
        await announcer.send(json.dumps({"services": [service]}))
        await announcer.wait(lambda line: line.get("event") == "registered")
        for _ in range(2):  # the first attempt has the data of a resumption
            await first.expire()
            seen = len(light.simulator.said)
            with pytest.raises(Refused):
                await first.connect()
            refused = await light.simulator.wait(lambda line: line.get("request") == "Matter: handshake", since=seen)
            assert refused["reason"] == "the initiator asks for another node"
    finally:
        announcer.process.stdin.close()
        assert await announcer.ended() == 0
    since = len(matter.reports)
    await light.command("set", characteristic="On", value=True)
    await matter.reported(lambda line: line.get("report") == numbers[1] and line["value"] is True, since)
    assert [line for line in matter.reports if line.get("ended") == numbers[1]] == []
    assert [line for line in matter.reports[since:] if line.get("report") == numbers[0]] == []
    assert await second.value("1/OnOff/OnOff") is True


async def test_faults_of_the_network_and_of_values(device, node, matter):
    light = await device(LIGHT)
    lamp = await commissioned(node(), light)

    async def fault(text, value=True):
        return (await light.command("fault", fault=text, value=value)).get("withoutEffectOn")

    for text in ("drop-datagrams:share=20", "duplicate-datagrams", "reorder-datagrams", "corrupt-datagrams:share=20"):
        assert await fault(text) == ["HAP"]
        for _ in range(2):
            before = await lamp.value("1/OnOff/OnOff")
            await lamp.invoke("1/OnOff/Toggle")
            assert await lamp.value("1/OnOff/OnOff") is not before, text
        await fault(text.split(":")[0], False)
    assert await fault("trickle") == ["Matter"]
    assert await fault("out-of-range:value=5000") is None
    assert await lamp.value("1/LevelControl/CurrentLevel") == 5000
    await fault("out-of-range", False)
    assert await fault("failing-read:status=-70408") is None
    assert "Timeout" in (await lamp.value("1/OnOff/OnOff"))["failure"]
    await fault("failing-read", False)
    number = await lamp.subscribe("1/OnOff/OnOff", "1/LevelControl/CurrentLevel")
    await fault("lost-events:which=first")
    since = len(matter.reports)
    await light.command("set", characteristic="On", value=True)
    await light.command("set", characteristic="On", value=False)
    await light.command("set", characteristic="Brightness", value=50)
    await matter.reported(lambda line: line.get("report") == number and line["path"] == "1/8/0", since)
async def node_of(light):
    """Returns the Matter part of `hapsim ctl list`."""
    (accessory,) = (await done(light.state, "list"))["accessories"]
    return accessory["matter"]


async def test_a_second_fabric_is_added_in_a_window_of_ctl_and_removed_by_ctl(device, node, matter):
    light = await device(LIGHT)
    first = await commissioned(node("home"), light)
    assert (await node_of(light))["window"] is None
    window = (await done(light.state, "open-window", "enhanced", "300"))["window"]
    assert window["payload"] != light.payload and window["manualCode"] != light.manual_code
    assert 290 < (await node_of(light))["window"]["seconds"] <= 300
    status, _, errors = await ctl(light.state, "open-window")
    assert status == 1 and "is open already: use its codes, or close it first with 'close-window'" in errors
    second = await commissioned(node("guest"), light, window["manualCode"])
    state = await node_of(light)
    assert [(fabric["index"], int(fabric["nodeID"], 16)) for fabric in state["fabrics"]] == [(1, first.id), (2, second.id)]
    assert state["window"] is None and state["commissioned"]
    assert await second.value("1/OnOff/OnOff") is False
    await first.subscribe("1/OnOff/OnOff")
    await second.subscribe("1/OnOff/OnOff")
    assert (await node_of(light))["subscriptions"] == 2

    seen, reports = len(light.simulator.said), len(matter.reports)
    assert await ctl(light.state, "remove-fabric", "2") == (0, "The fabric was removed.\n", "")
    await light.simulator.wait(lambda line: (line.get("event"), line.get("controller")) == ("unpaired", "Matter fabric 2"), since=seen)
    ended = await light.simulator.wait(lambda line: line.get("event") == "subscription-ended", since=seen)
    assert ended["controller"].startswith("Matter fabric 2 node ")
    with pytest.raises(Refused):
        await second.read_in_time("1/OnOff/OnOff", 3)
    # The first fabric does not notice: its session and its subscription go on.
    await first.invoke("1/OnOff/On")
    await matter.reported(lambda line: line.get("path") == "1/6/0" and line["value"] is True, reports)
    assert [line for line in matter.reports[reports:] if "ended" in line and line["ended"] == 0] == []
    assert [fabric["index"] for fabric in (await node_of(light))["fabrics"]] == [1]


async def test_a_controller_is_commissioned_in_a_basic_window_of_ctl_after_one_that_was_closed(device, node):
    light = await device(LIGHT)
    await commissioned(node("home"), light)
    window = (await done(light.state, "open-window"))["window"]
    assert (window["payload"], window["manualCode"], window["kind"]) == (light.payload, light.manual_code, "basic")
    assert await ctl(light.state, "close-window") == (0, "Done.\n", "")
    late = node("guest")
    with pytest.raises(Refused):
        await late.pase(ADDRESS, PASSCODE, light.port)
    refused = await light.simulator.wait(lambda line: line.get("reason") == "no commissioning window is open")
    assert refused["peer"].startswith(f"[{NEAR_LINK_LOCAL}")
    await done(light.state, "open-window", "basic", "900")
    second = await commissioned(node("guest"), light)
    ((_, fabric),) = (await second.fabrics()).values()
    assert fabric["4"] == second.id


async def test_a_killed_node_keeps_its_fabric(device, node):
    light = await device(LIGHT)
    lamp = await commissioned(node(), light)
    await lamp.invoke("1/OnOff/On")
    assert await lamp.write("0/BasicInformation/NodeLabel", "den") == "Success"
    await light.kill()
    await device(LIGHT)
    await lamp.expire()
    assert await lamp.value("1/OnOff/OnOff") is True
    assert await lamp.value("0/BasicInformation/NodeLabel") == "den"
    ((fabric,),) = (await lamp.fabrics()).values()
    assert fabric["4"] == lamp.id


@pytest.mark.parametrize("how", ["killed", "disarmed"])
async def test_a_commissioning_without_its_end_leaves_no_fabric(device, node, how):
    """The node has a fabric that it has not confirmed. Then it is killed, or the commissioner ends the fail-safe."""
    light = await device(LIGHT)
    unfinished = node("home")
    await unfinished.pase(ADDRESS, PASSCODE, light.port)
    assert await unfinished.add_fabric() == {"status": 0, "fabric": 1}
    if how == "killed":
        await light.kill()
        light = await device(LIGHT)
    else:
        await unfinished.invoke("0/GeneralCommissioning/ArmFailSafe", {"expiryLengthSeconds": 0, "breadcrumb": 0})
    lamp = await commissioned(node("guest"), light)
    ((fabric,),) = (await lamp.fabrics()).values()
    assert fabric["4"] == lamp.id
    await composed(lamp, endpoints=2)


async def test_an_offline_lamp_is_not_reachable_and_comes_back(device, node, matter):
    bridge = await device(BRIDGE)
    lamps = await commissioned(node(), bridge)
    desk, floor = [await endpoint_of(lamps, name) for name in ("Desk Lamp", "Floor Lamp")]
    reachable = f"{desk}/BridgedDeviceBasicInformation/Reachable"
    await lamps.subscribe(reachable)
    first = len(matter.reports)
    await bridge.command("offline", accessory="Desk Lamp")
    await matter.reported(lambda line: line.get("path") == f"{desk}/57/17" and line["value"] is False, first)
    assert await lamps.value(reachable) is False
    assert "Failure (0x1)" in (await lamps.value(f"{desk}/OnOff/OnOff"))["failure"]
    assert await lamps.value(f"{floor}/OnOff/OnOff") is False
    with pytest.raises(Refused, match=r"Failure \(0x1\)"):
        await lamps.invoke(f"{desk}/OnOff/On")
    await bridge.command("online", accessory="Desk Lamp")
    await matter.reported(lambda line: line.get("path") == f"{desk}/57/17" and line["value"] is True, first)
    assert await lamps.value(f"{desk}/OnOff/OnOff") is False
    await lamps.invoke(f"{desk}/OnOff/On")
    assert await lamps.value(f"{desk}/OnOff/OnOff") is True


async def test_a_factory_reset_removes_the_fabrics_and_keeps_the_code(device, node):
    light = await device(LIGHT)
    await commissioned(node("home"), light)
    await light.command("factory-reset")
    after = await commissioned(node("guest"), light)
    ((fabric,),) = (await after.fabrics()).values()
    assert fabric["254"] == 1 and fabric["4"] == after.id


async def test_unpair_removes_pairings_and_leaves_fabrics(device, node, phone):
    light = await device(LIGHT)
    lamp = await commissioned(node(), light)
    home = await phone.pair(light.simulator.accessory)
    on = characteristic(await home.accessories(), "ON")
    assert await home.value(on) == 0
    assert (await light.command("unpair"))["pairings"] == 1
    await lamp.invoke("1/OnOff/On")
    again = await phone.pair(light.simulator.accessory)
    assert await again.value(on) == 1


async def test_a_light_that_is_added_to_a_bridge_is_reported(device, node, matter, tmp_path):
    bridge = await device(BRIDGE)
    lamps = await commissioned(node(), bridge)
    before = await lamps.value("0/Descriptor/PartsList")
    desk = await endpoint_of(lamps, "Desk Lamp")
    await lamps.subscribe("0/Descriptor/PartsList", "1/Descriptor/PartsList")
    first = len(matter.reports)
    profile = json.loads(BRIDGE.read_text())
    profile["bridgedAccessories"] += bridge_of(1)["bridgedAccessories"]
    larger = tmp_path / "larger.hasaccessory"
    larger.write_text(json.dumps(profile))
    await bridge.command("replace", profile=str(larger))
    for endpoint in (0, 1):
        said = await matter.reported(lambda line, path=f"{endpoint}/29/3": line.get("path") == path, first)
        assert len(said["value"]) == len(before) + 1 - endpoint
    await composed(lamps, endpoints=5)
    added = await endpoint_of(lamps, "Lamp 1")
    assert int(added) not in before and desk == await endpoint_of(lamps, "Desk Lamp")
    await lamps.invoke(f"{added}/OnOff/On")
    assert await lamps.value(f"{added}/OnOff/OnOff") is True


@pytest.mark.parametrize("failures", [19, 20])
async def test_twenty_wrong_passcodes_close_the_window(device, node, failures):
    light = await device(LIGHT)
    for _ in range(failures):
        seen = len(light.simulator.said)
        await attempt(node(), light, PASSCODE + 1)
        await light.simulator.wait(lambda line: line.get("request") == "Matter: handshake", since=seen)
    last = node("guest")
    if failures < 20:
        await last.commission(light.payload)
    else:
        with pytest.raises(Refused):
            await last.pase(ADDRESS, PASSCODE, light.port)


async def attempt(node, device, passcode):
    """Tries a wrong passcode. The controller refuses to begin until its last attempt has ended, a moment after it has reported the failure."""
    while True:
        with pytest.raises(Refused) as refusal:
            await node.pase(ADDRESS, passcode, device.port)
        if "CHIPDeviceController.cpp" not in str(refusal.value):
            return


async def test_a_device_without_a_trusted_certificate_gets_no_fabric(run, host, node, tmp_path):
    options = ("--matter", "--bonjour", "embedded")
    stranger = Device(await run(LIGHT, state=tmp_path, options=options, interfaces=(FAR,), namespace=host.namespace), tmp_path)
    with pytest.raises(Refused):
        await node().commission(stranger.payload)
    await stranger.simulator.wait(lambda line: line["event"] == "verified")
    assert "paired" not in [line["event"] for line in stranger.simulator.said]
    undone = await stranger.simulator.wait(lambda line: line.get("request") == "Matter: commissioning")
    assert undone["event"] == "refused" and any(address in undone["peer"] for address in (NEAR_LINK_LOCAL, NEAR_ADDRESS))


async def test_a_lock_needs_timed_commands_and_reports_operations(device, node, phone):
    lock = await device(LOCK)
    bolt = await commissioned(node(), lock)
    await composed(bolt, endpoints=3)
    home = await phone.pair(lock.simulator.accessory)
    current = characteristic(await home.accessories(), "LOCK_MECHANISM_CURRENT_STATE")
    assert await home.subscribe(current) == {}
    with pytest.raises(Refused, match="NeedsTimedInteraction"):
        await bolt.invoke("1/DoorLock/UnlockDoor")
    await bolt.invoke("1/DoorLock/UnlockDoor", {}, 1000)
    await home.events.wait(current, UNSECURED)
    await bolt.invoke("1/DoorLock/LockDoor", {}, 1000)
    await home.events.wait(current, SECURED)
    operations = [fields for _, fields in await bolt.events("1/DoorLock/LockOperation")]
    assert [fields["lockOperationType"] for fields in operations] == [1, 0]
    # Remote, and by the controller that sent the commands.
    who = {(fields["operationSource"], fields["fabricIndex"], fields["sourceNode"]) for fields in operations}
    assert who == {(7, 1, FIRST_CONTROLLER)}


async def test_the_remaining_time_of_a_valve_is_asked_of_the_device(device, node):
    garden = await device(IRRIGATION)
    valves = await commissioned(node(), garden)
    remaining = "2/ValveConfigurationAndControl/RemainingDuration"
    assert await valves.value(remaining) is None
    await valves.invoke("2/ValveConfigurationAndControl/Open", {"openDuration": 60}, 1000)
    assert await valves.value(remaining) in range(1, 61)
    await garden.command("stall", characteristic="RemainingDuration", service="Lawn", value=True)
    assert "Busy" in (await valves.value(remaining))["failure"]


async def test_a_double_press_is_the_events_of_a_switch(device, node):
    button = await device(BUTTON)
    switch = await commissioned(node(), button)
    await button.command("press", kind="double")
    presses = ["InitialPress", "ShortRelease", "InitialPress", "MultiPressOngoing", "ShortRelease", "MultiPressComplete"]
    events = await switch.events("1/Switch/*")
    assert [name for name, _ in events] == presses
    assert events[-1][1]["totalNumberOfPressesCounted"] == 2


async def test_a_reboot_and_a_power_cut_leave_the_fabric(device, node):
    light = await device(LIGHT)
    lamp = await commissioned(node(), light)
    reboots = await lamp.value("0/GeneralDiagnostics/RebootCount")
    for count, how in enumerate(("reboot", "power-cut"), start=1):
        await light.command(how)
        await lamp.expire()
        assert await lamp.value("0/GeneralDiagnostics/RebootCount") == reboots + count


async def test_the_window_opens_again_after_the_last_fabric(device, node):
    light = await device(LIGHT)
    first = await commissioned(node("home"), light)
    assert await first.write("0/BasicInformation/NodeLabel", "den") == "Success"
    await first.invoke("0/OperationalCredentials/RemoveFabric", {"fabricIndex": 1})
    second = await commissioned(node("guest"), light)
    ((fabric,),) = (await second.fabrics()).values()
    assert fabric["4"] == second.id and fabric["254"] == 1
    assert await second.value("0/BasicInformation/NodeLabel") == ""
