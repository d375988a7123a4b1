"""How accessories become visible and stay visible: mDNS daemons that start and end, names in use, networks that change.

On real sockets because Avahi is a third party, and the kernel adds and removes interfaces and addresses.
"""

import asyncio
from contextlib import asynccontextmanager

import pytest
from zeroconf import DNSOutgoing, DNSText, IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf
from zeroconf.const import _CLASS_IN, _CLASS_UNIQUE, _FLAGS_AA, _FLAGS_QR_RESPONSE, _TYPE_TXT

from mdns_daemon import Daemon
from process import PATIENCE, PROFILES
from second_host import ip

LOCK, SWITCH = PROFILES / "lock.hasaccessory", PROFILES / "switch.hasaccessory"


def is_event(event, **members):
    return lambda line: line.get("event") == event and all(line.get(k) == v for k, v in members.items())


@pytest.fixture
def own(run):
    """`await own(daemon, PROFILE…, bonjour=, interfaces=)`: a simulator that finds the test's daemon, or no daemon."""
    nowhere = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/dev/null/no-bus-here"}

    async def start(daemon, *profiles, bonjour="auto", interfaces=("lo",)):
        environment = daemon.environment if daemon else nowhere
        return await run(*profiles, options=("--bonjour", bonjour), interfaces=interfaces, environment=environment)

    return start


async def test_the_daemon_announces_again_after_it_was_killed_and_restarted(own, network, phone, tmp_path):
    "[AD.30, AD.31, AD.32]"
    async with Daemon(tmp_path / "daemon") as daemon:
        simulator = await own(daemon, LOCK, bonjour="daemon")
        assert simulator.said[0]["bonjour"] == "daemon"
        accessory = simulator.accessory
        service = await network.wait(accessory.device_id, sf="1")
        assert service.host == "daemon-host.local."
        await simulator.wait(is_event("self-check", visible=True))
        home = await phone.pair(accessory)
        await network.wait(accessory.device_id, sf="0")

        seen = len(simulator.said)
        await daemon.stop()
        await simulator.wait(is_event("trouble"), since=seen)
        assert await home.accessories(), "an open connection is served without a daemon"
        await daemon.start()
        await simulator.wait(is_event("advertised"), since=seen, patience=60)
        # The current record is announced, not the first one.
        await network.wait(accessory.device_id, sf="0")
        await home.unpair()
        await network.wait(accessory.device_id, sf="1")
        assert await simulator.stop() == 0


async def test_a_name_in_use_at_the_daemon_is_changed_and_reported(own, network, tmp_path):
    "[AD.33]"
    async with Daemon(tmp_path / "daemon") as daemon:
        first = await own(daemon, LOCK, bonjour="daemon")
        name = (await first.wait(is_event("advertised")))["name"]
        second = await own(daemon, LOCK, bonjour="daemon")
        renamed = await second.wait(is_event("renamed"))
        assert renamed["from"] == name and renamed["to"] == f"{name} (2)"
        await second.wait(is_event("advertised", name=f"{name} (2)"))
        for simulator in first, second:
            await network.wait(simulator.accessory.device_id, sf="1")


@pytest.mark.parametrize("bonjour", ["daemon", "embedded"])
async def test_a_name_in_use_on_the_network_is_changed_and_reported(bonjour, own, network, tmp_path):
    "[AD.33]"
    other = AsyncZeroconf(interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only)
    name = "Front Door Lock"
    info = ServiceInfo(
        "_hap._tcp.local.", f"{name}._hap._tcp.local.", port=9, properties={"id": "00:00:00:00:00:01"},
        server="someone.local.", parsed_addresses=["127.0.0.1"],
    )  # fmt: skip
    try:
        await (await other.async_register_service(info))
        async with Daemon(tmp_path / "daemon") as daemon:
            simulator = await own(daemon, LOCK, bonjour=bonjour)
            renamed = await simulator.wait(is_event("renamed"))
            assert renamed["from"] == name
            await simulator.wait(is_event("advertised", name=renamed["to"]))
            await network.wait(simulator.accessory.device_id, sf="1")
    finally:
        await other.async_unregister_all_services()
        await other.async_close()


async def test_a_name_without_another_owner_is_kept(own, network):
    """RFC 6762 §9: a responder that finds a conflict in a verified record probes again. It changes its name only if the probing fails."""
    simulator = await own(None, SWITCH, bonjour="embedded")
    name = simulator.accessory.name
    device_id = simulator.accessory.device_id
    await network.wait(device_id, sf="1")
    for sf in b"sf=6", b"sf=7":
        lie = DNSOutgoing(_FLAGS_QR_RESPONSE | _FLAGS_AA)
        data = b"".join(bytes([len(string)]) + string for string in (f"id={device_id}".encode(), sf))
        lie.add_answer_at_time(DNSText(f"{name}._hap._tcp.local.", _TYPE_TXT, _CLASS_IN | _CLASS_UNIQUE, 4500, data), 0)
        network.zeroconf.zeroconf.async_send(lie)
    await network.wait(device_id, sf="7")
    # Announced again, after three probes.
    await network.wait(device_id, sf="1")
    assert not [line for line in simulator.said if line.get("event") == "renamed"]


async def test_several_simulators_share_the_network_with_a_daemon(own, network, tmp_path):
    "[AD.34]"
    async with Daemon(tmp_path / "daemon") as daemon:
        running = [
            await own(daemon, LOCK, bonjour="embedded"),
            await own(daemon, SWITCH, bonjour="daemon"),
            await own(None, PROFILES / "outlet.hasaccessory", PROFILES / "button.hasaccessory", bonjour="embedded"),
        ]
        for simulator in running:
            for accessory in simulator.accessories:
                await network.wait(accessory.device_id, sf="1")
            await simulator.wait(is_event("self-check", visible=True))
        hosts = [network.services[f"{a.name}._hap._tcp.local."].host for s in running for a in s.accessories]
        assert len(set(hosts)) == len(hosts)


async def test_on_loopback_auto_selects_the_embedded_responder_and_off_announces_nothing(own, network, tmp_path):
    async with Daemon(tmp_path / "daemon") as daemon:
        simulator = await own(daemon, LOCK)
        assert simulator.said[0]["bonjour"] == "embedded"
        silent = await own(daemon, SWITCH, bonjour="off")
        assert silent.said[0]["bonjour"] == "off" and "bonjourReason" not in silent.said[0]


async def test_a_missing_daemon_is_reported_and_the_accessory_is_served(own, phone):
    simulator = await own(None, LOCK, bonjour="daemon")
    trouble = await simulator.wait(is_event("trouble"))
    assert "no mDNS daemon answers" in trouble["message"]
    assert await simulator.stop() == 0


@asynccontextmanager
async def interface(name, *addresses):
    """Creates a separate network in this namespace."""
    ip("link", "add", name, "type", "veth", "peer", "name", f"{name}-far")
    try:
        ip("link", "set", f"{name}-far", "up")
        ip("link", "set", name, "multicast", "on", "up")
        for address in addresses:
            ip("addr", "add", address, "dev", name)
        yield
    finally:
        ip("link", "delete", name)


async def told(simulator, at, wanted):
    """Waits until the announced addresses of the accessory's host are as wanted. Each query uses a new python-zeroconf, which accepts the first answer.
    A new address is announced only after probing."""
    async with asyncio.timeout(PATIENCE):
        while True:
            other = AsyncZeroconf(interfaces=[at], ip_version=IPVersion.V4Only)
            try:
                info = AsyncServiceInfo("_hap._tcp.local.", f"{simulator.accessory.name}._hap._tcp.local.")
                if await info.async_request(other.zeroconf, PATIENCE * 1000) and wanted(set(info.parsed_addresses())):
                    return
            finally:
                await other.async_close()


@pytest.mark.parametrize("bonjour", ["embedded", "daemon"])
async def test_addresses_and_interfaces_are_followed(bonjour, own, tmp_path):
    "[AD.35, AD.36]"
    async with interface("hap0", "10.91.0.1/24"), Daemon(tmp_path / "daemon", interfaces=("hap0",)) as daemon:
        simulator = await own(daemon, LOCK, interfaces=("hap0",), bonjour=bonjour)
        await simulator.wait(is_event("advertised"))
        await told(simulator, "10.91.0.1", lambda addresses: "10.91.0.1" in addresses)

        if bonjour == "embedded":  # the daemon follows its addresses by itself
            seen = len(simulator.said)
            ip("addr", "add", "10.91.0.2/24", "dev", "hap0")
            await simulator.wait(lambda line: "10.91.0.2" in line.get("addresses", []), since=seen)
            await told(simulator, "10.91.0.1", lambda addresses: {"10.91.0.1", "10.91.0.2"} <= addresses)
            seen = len(simulator.said)
            ip("addr", "add", "fd91::1/64", "dev", "hap0", "nodad")
            await simulator.wait(lambda line: "fd91::1" in line.get("addresses", []), since=seen)
            seen = len(simulator.said)
            ip("addr", "del", "10.91.0.2/24", "dev", "hap0")
            await simulator.wait(lambda line: "addresses" in line and "10.91.0.2" not in line["addresses"], since=seen)
            await told(simulator, "10.91.0.1", lambda addresses: "10.91.0.1" in addresses and "10.91.0.2" not in addresses)

            seen = len(simulator.said)
            ip("link", "set", "hap0", "down")
            await simulator.wait(is_event("trouble"), since=seen)
            seen = len(simulator.said)
            ip("link", "set", "hap0", "up")
            await simulator.wait(is_event("advertised"), since=seen, patience=60)
        else:
            ip("link", "set", "hap0", "down")
            await asyncio.to_thread(ip, "link", "set", "hap0", "up")
        await told(simulator, "10.91.0.1", lambda addresses: "10.91.0.1" in addresses)
