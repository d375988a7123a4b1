#!/usr/bin/env python3
"""Pairs with a HomeKit garage door, opens it, closes it, prints the events of the accessory, and unpairs.

The controller is aiohomekit, the library of Home Assistant's "HomeKit Device" integration. Serve a door first:

    make run                      # in another terminal; it prints the setup code
    .venv/bin/python Examples/pair-and-drive-garage.py --code 031-45-154

`make deps` makes the .venv. Elsewhere: `pip install aiohomekit==4.0.1`.
"""

import argparse
import asyncio
import sys

from aiohomekit.controller import Controller
from aiohomekit.exceptions import AccessoryNotFoundError, HomeKitException
from aiohomekit.model.categories import Categories
from aiohomekit.model.characteristics import CharacteristicsTypes
from aiohomekit.model.status_flags import StatusFlags
from aiohomekit.zeroconf import HAP_TYPE_TCP, HAP_TYPE_UDP, ZeroconfServiceListener
from zeroconf import IPVersion
from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf

OPEN, CLOSED = 0, 1
DOOR_STATES = ["open", "closed", "opening", "closing", "stopped"]
FADE_RATE = "7E536242-341C-4862-BE90-272CE15BD633"  # a custom characteristic of the Kilgo garage


async def find_door(controller, device_id, patience):
    """Returns the accessory with this device ID, or the first unpaired garage door that is found."""
    if device_id:
        return await controller.async_find(device_id, timeout=patience)
    async with asyncio.timeout(patience):
        while True:
            async for found in controller.async_discover():
                about = found.description
                if about.category == Categories.GARAGE and about.status_flags & StatusFlags.UNPAIRED:
                    return found
            await asyncio.sleep(0.1)


def ids_by_type(accessories):
    """Returns a map from characteristic type to (aid, iid). It is enough for a garage; other accessories may have two of a type."""
    return {
        characteristic["type"].upper(): (accessory["aid"], characteristic["iid"])
        for accessory in accessories
        for service in accessory["services"]
        for characteristic in service["characteristics"]
    }


async def drive(pairing, patience):
    ids = ids_by_type(await pairing.list_accessories_and_characteristics())
    current, target = ids[CharacteristicsTypes.DOOR_STATE_CURRENT], ids[CharacteristicsTypes.DOOR_STATE_TARGET]
    names = {current: "current door state", target: "target door state"}

    news = asyncio.Queue()

    def heard(event):
        for identifier, entry in event.items():
            news.put_nowait((identifier, entry.get("value")))

    pairing.dispatcher_connect(heard)
    await pairing.subscribe([current, target])

    async def until(state):
        while True:
            identifier, value = await news.get()
            if identifier not in names:
                continue
            print(f"  {names[identifier]}: {DOOR_STATES[value]}", flush=True)
            if (identifier, value) == (current, state):
                return

    if FADE_RATE in ids:
        await put(pairing, ids[FADE_RATE], 2.5)
        answer = await pairing.get_characteristics([ids[FADE_RATE]])
        print(f"fade rate: {answer[ids[FADE_RATE]]['value']}")
    for state in (OPEN, CLOSED):
        print(f"writing target door state {DOOR_STATES[state]}", flush=True)
        await put(pairing, target, state)
        async with asyncio.timeout(patience):
            await until(state)


async def put(pairing, identifier, value):
    refused = await pairing.put_characteristics([(*identifier, value)])
    if refused:
        raise SystemExit(f"the accessory refused {value} for {identifier}: {refused[identifier]}")


async def main(options):
    zeroconf = AsyncZeroconf(interfaces=[options.interface], ip_version=IPVersion.V4Only)
    browser = AsyncServiceBrowser(zeroconf.zeroconf, [HAP_TYPE_TCP, HAP_TYPE_UDP], listener=ZeroconfServiceListener())
    controller = Controller(async_zeroconf_instance=zeroconf)
    await controller.async_start()
    try:
        found = await find_door(controller, options.device_id, options.patience)
        about = found.description
        print(f"found: {about.name} ({about.id.upper()}) at {about.address}:{about.port}")
        finish_pairing = await found.async_start_pairing("garage")
        pairing = await finish_pairing(options.code)
        print("paired")
        try:
            await drive(pairing, options.patience)
        finally:
            await pairing.remove_pairing(pairing.pairing_data["iOSPairingId"])
            await pairing.shutdown()
            print("unpaired")
    except TimeoutError:
        raise SystemExit(f"the door was not found or did not move within {options.patience:g} seconds")
    except (AccessoryNotFoundError, HomeKitException) as error:
        raise SystemExit(f"{type(error).__name__}: {error}")
    finally:
        await controller.async_stop()
        await browser.async_cancel()
        await zeroconf.async_close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--code", required=True, help="the setup code, as printed: XXX-XX-XXX")
    parser.add_argument("--device-id", help="the accessory (default: the first unpaired garage door)")
    parser.add_argument("--interface", default="127.0.0.1", help="address of the interface to search on (%(default)s)")
    parser.add_argument("--patience", type=float, default=30, help="seconds to wait for the accessory, and for each movement (%(default)s)")
    sys.exit(asyncio.run(main(parser.parse_args())))
