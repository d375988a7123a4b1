"""The harness with an accessory that is not ours: a failure here is a defect of the harness, not of hapsim.

On real sockets because HAP-python and aiohomekit are third parties.
"""

import sys
from pathlib import Path

from aiohomekit.exceptions import AuthenticationError
from aiohomekit.zeroconf import HAP_TYPE_TCP
from zeroconf import IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from phone import another_controller, characteristic

BULB = Path(__file__).with_name("bulb.py")


async def pair_in_the_end(phone, accessory):
    """Pairs in up to four attempts. HAP-python strips leading zeros where aiohomekit pads, so one pairing in a hundred fails."""
    for _ in range(3):
        try:
            return await phone.pair(accessory)
        except AuthenticationError:
            pass
    return await phone.pair(accessory)


def test_every_file_has_a_reason_not_to_run_in_a_simulated_world():
    files = sorted(BULB.parent.glob("test_*.py"))
    told = [path for path in files if "\nOn real sockets because " in path.read_text() or "\nWithout sockets: " in path.read_text()]
    assert len(files) > 40 and [path.name for path in files if path not in told] == []


async def test_a_bulb_of_hap_python_is_found_paired_controlled_and_unpaired(run, network, phones, tmp_path):
    bulb = await run(program=(sys.executable, BULB, tmp_path / "state.json"))
    accessory = bulb.accessory
    service = await network.wait(accessory.device_id, sf="1")
    assert service.port == accessory.port

    first, second = await phones(), await phones()
    home = await pair_in_the_end(first, accessory)
    await network.wait(accessory.device_id, sf="0")
    accessories = await home.accessories()
    on, brightness = characteristic(accessories, "ON"), characteristic(accessories, "BRIGHTNESS")

    keys = another_controller(home.data)
    await home.add(keys)
    other = second.open(keys)
    assert await other.subscribe(on, brightness) == {}
    assert await home.subscribe(on, brightness) == {}

    # The second controller gets the event of the first one's write; the first one gets only the answer.
    assert await home.put((*on, True)) == {}
    await other.events.wait(on, 1)
    assert await other.put((*brightness, 40)) == {}
    await home.events.wait(brightness, 40)
    assert home.events.of(on) == []
    assert (await home.get(on, brightness)) == {on: {"value": 1}, brightness: {"value": 40}}

    assert sorted(p["pairingId"] for p in await home.pairings()) == sorted([home.identifier, other.identifier])
    await home.remove(other.identifier)
    await home.unpair()
    await network.wait(accessory.device_id, sf="1")
    assert await bulb.stop() == 0  # no goodbye: HAP-python 5.0.0 does not wait until zeroconf has sent it


async def test_a_service_and_its_goodbye_are_received(network):
    other = AsyncZeroconf(interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only)
    try:
        info = AsyncServiceInfo(
            HAP_TYPE_TCP, f"Lamp.{HAP_TYPE_TCP}", port=1, properties={"id": "0A:0B:0C:0D:0E:0F", "sf": "1"},
            server="lamp.local.", parsed_addresses=["127.0.0.1"],
        )  # fmt: skip
        await (await other.async_register_service(info))
        seen = await network.wait("0A:0B:0C:0D:0E:0F", sf="1")
        assert (seen.name, seen.port, seen.txt) == (info.name, 1, [("id", "0A:0B:0C:0D:0E:0F"), ("sf", "1")])
        await (await other.async_unregister_service(info))
        await network.wait_for_goodbye(info.name)
        assert network.find("0A:0B:0C:0D:0E:0F") is None
    finally:
        await other.async_close()
