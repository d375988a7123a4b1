"""hapsim's mDNS with other implementations across a network: Avahi, python-zeroconf, aiohomekit, homekit_python and haptest.

hapsim runs on a second host, which a veth pair connects with this one. The other implementations run here, unless a test differs.

On real sockets because Avahi, python-zeroconf, aiohomekit and homekit_python are third parties.
"""

import asyncio
import json
import shlex
import socket
from contextlib import asynccontextmanager
from pathlib import Path

import direct
import pytest
from avahi_browse import AvahiBrowse
from mdns_daemon import Daemon
from phone import Phone
from plain import PlainConnection
from process import PROFILES, Accessory, Simulator, hapsim, run_to_its_end
from second_host import FAR, FAR_ADDRESS, NEAR, NEAR_ADDRESS
from zeroconf import NonUniqueNameException, ServiceInfo

LOCK, SWITCH = PROFILES / "lock.hasaccessory", PROFILES / "switch.hasaccessory"
TYPE = "_hap._tcp.local."
OWN = ("--bonjour", "embedded")
# Names with dots, backslashes, octets beyond ASCII and characters that presentation forms escape, up to the maximum length of a label.
NAMES = [r"Küche 2.0\Süd", 'a.b\\032c; "d" 100 %', "灯" * 21]


def is_event(event, **members):
    return lambda line: line.get("event") == event and all(line.get(k) == v for k, v in members.items())


async def identified(simulator, network):
    """Sends `identify` to the announced address and port, and checks that the simulator's accessory gets it."""
    service = await network.wait(simulator.accessory.device_id, sf="1")
    await network.until(lambda: network.addresses.get(service.host), f"an address of {service.host}")
    (address,) = {socket.inet_ntop(socket.AF_INET, a) for a in network.addresses[service.host] if len(a) == 4}
    said = simulator.said[0]["accessories"][0]
    seen = len(simulator.said)
    async with PlainConnection(Accessory.of({**said, "address": address, "port": service.port})) as connection:
        assert (await connection.ask("POST", "/identify")).status == 204
    await simulator.wait(is_event("identify"), since=seen)


# MARK: avahi-daemon with avahi-browse


async def seen_by_avahi(simulator, browse, name, address):
    """Checks that avahi-browse finds and resolves the service, and reports its TXT changes and its goodbye."""
    accessory = simulator.accessory
    await browse.wait("+", name)
    resolved = await browse.resolved(name, id=accessory.device_id, sf="1")
    assert (resolved.address, resolved.port) == (address, accessory.port)
    await direct.pair(accessory)
    await browse.resolved(name, id=accessory.device_id, sf="0")
    assert (await simulator.command("unpair"))["ok"]
    await browse.resolved(name, sf="1")
    seen = browse.count
    assert await simulator.stop() == 0
    await browse.wait("-", name, since=seen)


@pytest.mark.parametrize("name", NAMES)
async def test_avahi_browse_on_another_host(name, second_host, far, tmp_path):
    async with Daemon(tmp_path / "daemon", interfaces=(NEAR,), ipv6=False) as daemon, AvahiBrowse(daemon) as browse:
        simulator = await far(LOCK, options=("--name", name))
        assert simulator.accessory.name == name
        await seen_by_avahi(simulator, browse, name, FAR_ADDRESS)


async def test_avahi_browse_on_the_same_host(run, tmp_path):
    async with Daemon(tmp_path / "daemon") as daemon, AvahiBrowse(daemon) as browse:
        simulator = await run(LOCK, options=(*OWN, "--name", NAMES[0]))
        await seen_by_avahi(simulator, browse, NAMES[0], "127.0.0.1")


async def test_avahi_finds_accessories_that_were_announced_before_it_started(second_host, far, tmp_path):
    """Avahi sends a query; no new announcement is sent."""
    simulator = await far(LOCK, SWITCH)
    for accessory in simulator.accessories:
        await simulator.wait(is_event("self-check", accessory=accessory.name))
    async with Daemon(tmp_path / "daemon", interfaces=(NEAR,)) as daemon, AvahiBrowse(daemon) as browse:
        for accessory in simulator.accessories:
            await browse.resolved(accessory.name, id=accessory.device_id, sf="1")


async def test_a_name_that_avahi_has_is_changed(second_host, far, near_network, tmp_path):
    "[AD.12, AD.33]"
    async with Daemon(tmp_path / "daemon", interfaces=(NEAR,)) as daemon, published(daemon, *foreign_accessory("Front Door Lock")):
        simulator = await far(LOCK)
        renamed = await simulator.wait(is_event("renamed"))
        assert renamed["from"] == "Front Door Lock" and renamed["to"] != renamed["from"]
        service = await near_network.wait(simulator.accessory.device_id, sf="1")
        assert service.name == f"{renamed['to']}.{TYPE}"
        await identified(simulator, near_network)


async def test_avahi_changes_a_name_that_hapsim_has(second_host, far, near_network, tmp_path):
    """The accessory answers the probes for its name."""
    simulator = await far(LOCK)
    await simulator.wait(is_event("self-check", visible=True))
    async with Daemon(tmp_path / "daemon", interfaces=(NEAR,)) as daemon:
        async with published(daemon, *foreign_accessory("Front Door Lock")) as name:
            assert name != "Front Door Lock"
        await identified(simulator, near_network)
    assert not any(line.get("event") == "renamed" for line in simulator.said)


async def test_a_host_name_that_avahi_has_is_changed(second_host, far, near_network, tmp_path):
    """The accessory starts again with the same identity, and its host name is in use. (python-zeroconf would not defend a host name.)"""
    simulator = await far(LOCK, state=tmp_path / "state")
    service = await near_network.wait(simulator.accessory.device_id, sf="1")
    host = service.host.removesuffix(".")
    assert await simulator.stop() == 0
    await near_network.until(lambda: service.is_gone, "the goodbye")
    near_network.services.clear()
    near_network.addresses.clear()
    async with (
        Daemon(tmp_path / "daemon", interfaces=(NEAR,)) as daemon,
        published(daemon, "--address", "--no-reverse", host, NEAR_ADDRESS),
    ):
        again = await far(LOCK, state=tmp_path / "state")
        await again.wait(is_event("self-check", visible=True))
        service = await near_network.wait(again.accessory.device_id, sf="1")
        assert service.host.lower() != f"{host}.".lower()
        await identified(again, near_network)


def foreign_accessory(name):
    """Returns arguments of avahi-publish for a service like that of an accessory."""
    return "--service", name, "_hap._tcp", "9", "id=00:00:00:00:00:01"


@asynccontextmanager
async def published(daemon, *words):
    """Announces through the daemon with avahi-publish. Yields the resulting name of the service or the host."""
    publisher = await Simulator.launch("stdbuf", "--error=L", "avahi-publish", *words, environment=daemon.environment)
    try:
        said = await publisher.complaint("Established under name")
        yield said.split("'")[1]
    finally:
        await publisher.clean_up()


# MARK: python-zeroconf


@pytest.mark.parametrize("name", NAMES)
async def test_python_zeroconf_on_another_host(name, far, near_network):
    simulator = await far(LOCK, options=("--name", name))
    accessory = simulator.accessory
    service = await near_network.wait(accessory.device_id, sf="1")
    assert (service.name, service.port) == (f"{name}.{TYPE}", accessory.port)
    assert near_network.addresses[service.host] >= {socket.inet_aton(FAR_ADDRESS)}
    await identified(simulator, near_network)
    await direct.pair(accessory)
    await near_network.wait(accessory.device_id, sf="0")
    assert (await simulator.command("unpair"))["ok"]
    await near_network.wait(accessory.device_id, sf="1")
    goodbyes = service.goodbyes
    assert await simulator.stop() == 0
    await near_network.wait_for_goodbye(service.name, before=goodbyes)


def registered(name, host, port=9):
    return ServiceInfo(
        TYPE, f"{name}.{TYPE}", port=port, properties={"id": "00:00:00:00:00:01"}, server=host, parsed_addresses=[NEAR_ADDRESS]
    )


async def test_a_name_that_python_zeroconf_has_is_changed(far, near_network):
    "[AD.12, AD.33]"
    zeroconf = near_network.zeroconf
    info = registered("Front Door Lock", "someone.local.")
    await (await zeroconf.async_register_service(info))
    simulator = await far(LOCK)
    renamed = await simulator.wait(is_event("renamed"))
    assert renamed["from"] == "Front Door Lock"
    service = await near_network.wait(simulator.accessory.device_id, sf="1")
    assert service.name == f"{renamed['to']}.{TYPE}"
    await identified(simulator, near_network)
    await (await zeroconf.async_unregister_service(info))


async def test_python_zeroconf_is_refused_a_name_that_hapsim_has(far, near_network):
    """The accessory answers the probes for its name."""
    simulator = await far(LOCK)
    await simulator.wait(is_event("self-check", visible=True))
    with pytest.raises(NonUniqueNameException):
        await near_network.zeroconf.async_register_service(registered("Front Door Lock", "someone.local."))
    await identified(simulator, near_network)


# MARK: controllers and haptest


async def test_aiohomekit_finds_an_accessory_on_another_host(far, near_network):
    simulator = await far(LOCK)
    async with Phone(near_network) as phone:
        found = await phone.find(simulator.accessory)
        assert (found.description.address, found.description.port) == (FAR_ADDRESS, simulator.accessory.port)
        home = await phone.pair(simulator.accessory)
        assert await home.accessories()


async def test_homekit_python_finds_accessories_on_another_host(far, homekit_python):
    simulator = await far(LOCK, SWITCH)
    found = {service["id"]: service for service in await homekit_python("discover")}
    for accessory in simulator.accessories:
        service = found[accessory.device_id]
        assert (service["address"], service["port"], service["sf"]) == (FAR_ADDRESS, accessory.port, "1")


@pytest.mark.timeout(450)
async def test_the_discovery_cases_of_haptest_pass_on_another_host(second_host, tmp_path):
    command = shlex.join([
        *second_host.namespace, hapsim(), "run", str(LOCK), "--ephemeral", "--commands", "--interface", FAR, *OWN,
    ])  # fmt: skip
    report = tmp_path / "report.json"
    haptest = Path(hapsim()).with_name("haptest")
    words = ("run", "--exec", f"exec {command}", "--interface", NEAR, "--select", "discovery", "--report-json", report)
    status, output, errors = await run_to_its_end(haptest, *words, patience=420)
    cases = json.loads(report.read_text())["cases"]
    assert status == 0, ([case for case in cases if case["result"] not in ("pass", "skip", "info")], output, errors)
    assert sum(case["result"] == "pass" for case in cases) >= 20, [(case["id"], case["result"]) for case in cases]


# MARK: several responders


async def test_five_responders_with_one_name_get_five_names(second_host, run, near_network, tmp_path):
    """On each of two hosts one simulator announces itself and another one uses a daemon. All start at the same time."""
    async with (
        Daemon(tmp_path / "near", host="near", interfaces=(NEAR,)) as near,
        Daemon(tmp_path / "far", host="far", interfaces=(FAR,), namespace=second_host.namespace) as far,
        published(near, *foreign_accessory("Front Door Lock")) as taken,
    ):
        there = {"interfaces": (FAR,), "namespace": second_host.namespace}
        here = {"interfaces": (NEAR,)}
        simulators = await asyncio.gather(
            run(LOCK, options=OWN, **here),
            run(LOCK, options=OWN, **there),
            run(LOCK, options=("--bonjour", "daemon"), environment=near.environment, **here),
            run(LOCK, options=("--bonjour", "daemon"), environment=far.environment, **there),
        )
        for simulator in simulators:
            await simulator.wait(is_event("self-check", visible=True))

        def names():
            return {s.accessory.device_id: last(s, "advertised")["name"] for s in simulators}

        def settled():
            found = {device: near_network.find(device) for device in names()}
            return all(found.values()) and all(found[d].name == f"{n}.{TYPE}" for d, n in names().items())

        for simulator in simulators:
            near_network.follow(simulator)
        await near_network.until(settled, "each accessory with the name that its simulator reports")
        assert len({taken, *names().values()}) == 5
        for simulator in simulators:
            await identified(simulator, near_network)


def last(simulator, event):
    return [line for line in simulator.said if line.get("event") == event][-1]
