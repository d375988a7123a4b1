"""hapsim's responder with the records of a Matter device: subtypes, several services of one host, one service in a packet.

`MDNSAnnouncer` (Tests/MDNSAnnouncer) announces the services that it reads from standard input. The Matter controller is not part of the project.
MATTER_CONTROLLER names its folder. With that variable `make test-deps` creates the environment of the controller.

On real sockets because a Matter controller is a third party.
"""

import asyncio
import json
import os
import socket
import struct
from pathlib import Path

import pytest
import pytest_asyncio
from matter_controller import CONTROLLER, ENVIRONMENT, PYTHON, isolated, with_controller
from process import PATIENCE, Simulator, hapsim, run_to_its_end
from second_host import FAR, FAR_ADDRESS, FAR_LINK_LOCAL, NEAR, NEAR_ADDRESS
from zeroconf import DNSIncoming, IPVersion, ServiceStateChange
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf
from zeroconf.const import _TYPE_SRV

TEXT = ["D=3840", "CM=1", "VP=65521+32768", "DT=257", "DN=Simulated light", "PH=33", "SII=500", "SAI=300", "SAT=4000", "T=0"]
HOST = "0A1B2C3D4E5F"
OPERATIONAL = ["87E1B004E235A130-0000000000000001", "87E1B004E235A130-0000000000000002", "2906C908D115D362-8FC7772401CD0696"]


def commissionable(name, discriminator=3840):
    subtypes = [f"_L{discriminator}", f"_S{discriminator >> 8}", "_V65521", "_CM", "_T257"]
    return {"name": name, "type": "_matterc._udp", "subtypes": subtypes, "port": 5540, "text": TEXT, "host": HOST}


def operational(name):
    fabric = name.split("-")[0]
    return {"name": name, "type": "_matter._tcp", "subtypes": [f"_I{fabric}"], "port": 5540, "text": TEXT[6:], "host": HOST}


@pytest.fixture
def announcer():
    program = Path(hapsim()).with_name("MDNSAnnouncer")
    assert os.access(program, os.X_OK), f"{program} isn't built"
    return program


@pytest_asyncio.fixture
async def announced(run, second_host, announcer):
    """`await announced(SERVICE…)`: the second host announces exactly these services. Returns after all are registered."""
    process = await Simulator.launch(*second_host.namespace, announcer, FAR)

    async def announce(*services):
        seen = len(process.said)
        await process.send(json.dumps({"services": services}))
        await process.wait(lambda line: line.get("event") == "taken", since=seen)
        for service in services:
            await process.wait(lambda line, name=service["name"]: (line.get("event"), line.get("name")) == ("registered", name))

    yield announce
    process.process.stdin.close()
    assert await process.ended() == 0, process.transcript()


class Listener(asyncio.DatagramProtocol):
    """Collects every multicast packet of the second host over IPv4."""

    def __init__(self):
        self.packets = []
        self._news = asyncio.Event()

    def datagram_received(self, data, source):
        if source[0] == FAR_ADDRESS:
            self.packets.append(DNSIncoming(data))
            self._news.set()

    @property
    def services(self):
        """The names of the SRV records of each response."""
        return [{r.name for r in packet.answers() if r.type == _TYPE_SRV} for packet in self.packets if packet.is_response()]

    async def hear(self, names):
        """Waits until the responses contained SRV records with these names."""
        async with asyncio.timeout(PATIENCE):
            while not set().union(*self.services) >= names:
                self._news.clear()
                await self._news.wait()


@pytest_asyncio.fixture
async def listener(second_host):
    heard = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    heard.bind(("224.0.0.251", 5353))
    group = struct.pack("4s4sI", socket.inet_aton("224.0.0.251"), socket.inet_aton(NEAR_ADDRESS), socket.if_nametoindex(NEAR))
    heard.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
    transport, protocol = await asyncio.get_running_loop().create_datagram_endpoint(Listener, sock=heard)
    yield protocol
    transport.close()


async def test_a_service_is_found_by_each_subtype_and_has_its_own_packets(second_host, announced, listener):
    service, other = commissionable("0123456789ABCDEF"), commissionable("FEDCBA9876543210", discriminator=1)
    nodes = [operational(name) for name in OPERATIONAL]
    await announced(service, other, *nodes)
    zeroconf = AsyncZeroconf(interfaces=[NEAR_ADDRESS], ip_version=IPVersion.V4Only)
    found = asyncio.Queue()
    full = f"{service['name']}._matterc._udp.local."

    def changed(zeroconf, service_type, name, state_change):
        if state_change is ServiceStateChange.Added:
            found.put_nowait((service_type, name))

    try:
        types = {f"{subtype}._sub._matterc._udp.local." for subtype in service["subtypes"]}
        AsyncServiceBrowser(zeroconf.zeroconf, sorted(types), handlers=[changed])
        async with asyncio.timeout(60):
            seen = set()
            while {kind for kind, name in seen if name == full} != types:
                seen.add(await found.get())
        # Only this device has the long and the short discriminator.
        assert {name for kind, name in seen if kind.startswith(("_L3840.", "_S15."))} == {full}
        info = AsyncServiceInfo("_matterc._udp.local.", full)
        assert await info.async_request(zeroconf.zeroconf, 60_000)
        assert (info.port, info.server) == (5540, f"{HOST}.local.")
        assert set(info.parsed_addresses()) == {FAR_ADDRESS, FAR_LINK_LOCAL}
        assert info.text == b"".join(bytes([len(text)]) + text.encode() for text in TEXT)
    finally:
        await zeroconf.async_close()
    # The packets arrive apart from the announcer's lines.
    await listener.hear({full, *(f"{name}._matter._tcp.local." for name in OPERATIONAL)})
    await announced(service)
    assert max(map(len, listener.services)) == 1, "a packet contains SRV records of several services"


@with_controller
@pytest.mark.parametrize("found_by", ["long discriminator", "short discriminator"])
async def test_a_matter_controller_commissions_what_it_finds(found_by, second_host, announcer, tmp_path):
    """The controller finds the commissionable service by a subtype, then the operational service. After that a second fabric finds another commissioning
    window and its own operational service."""
    device = await Simulator.launch(
        *second_host.namespace, PYTHON, Path(__file__).with_name("matter_device.py"), announcer, FAR, tmp_path,
        environment={"PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    try:
        await device.wait(lambda line: line.get("event") == "ready")
        # Manual codes contain only the upper four bits of the discriminator.
        by = ("--code", "34970112332") if found_by == "short discriminator" else ("--passcode", "20202021", "--discriminator", "3840")
        steps = ("read 0/BasicInformation/VendorName", "second", "remove")
        status, output, errors = await run_to_its_end(
            *isolated(tmp_path, CONTROLLER / "controller.py", "--paa", tmp_path / "paa", "--storage", tmp_path / "storage.json", *by, *steps),
            environment=ENVIRONMENT, patience=120,
        )  # fmt: skip
        assert status == 0, (output, errors[-6000:])
        events = [json.loads(line)["event"] for line in output.splitlines()]
        assert events == ["controller", "commissioned", "read", "window", "second fabric", "fabrics", "removed", "end"]
    finally:
        await device.clean_up()
