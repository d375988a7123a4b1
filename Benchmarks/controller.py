"""Measures hapctl's commands as whole processes, compared with aiohomekit: part of `make bench`.

Both are started for each sample, connect, verify, send a request and end. The accessory is hapsim on loopback.
"""

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "Interop"))

import direct  # noqa: E402
from process import PROFILES, Simulator, hapsim  # noqa: E402
from aiohomekit.controller import Controller  # noqa: E402
from network import Network  # noqa: E402
from samples import show  # noqa: E402

CODE = "031-45-154"
HAPCTL = Path(hapsim()).with_name("hapctl")


async def errand(*words):
    """Runs a command. Returns its time in milliseconds, and its output."""
    start = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *map(str, words), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    output, errors = await process.communicate()
    took = (time.perf_counter() - start) * 1000
    assert process.returncode == 0, (words, output, errors)
    return took, output.decode()


async def compare(name, count, ours, theirs):
    """Runs the commands alternately, so that variations of the machine affect all of them."""
    samples = [[], []]
    for _ in range(count):
        for index, words in enumerate((ours, theirs)):
            samples[index].append((await errand(*words))[0])
    a = show(f"hapctl: {name}", samples[0])
    b = show(f"aiohomekit: {name}", samples[1])
    print(f"{'ratio':42} {a / b:.3f}", flush=True)


async def paired(profile, folder, name):
    """Yields a simulator, hapctl's pairing with it under that alias, and aiohomekit's keys in a file."""
    simulator = await Simulator.run(profile, options=("--setup-code", CODE, "--bonjour", "off"))
    await simulator.ready()
    accessory = simulator.accessory
    keys = folder / f"{name}.json"
    data = await direct.pair(accessory)
    data |= {"AccessoryIP": accessory.address, "AccessoryPort": accessory.port, "Connection": "IP"}
    keys.write_text(json.dumps({name: data}))
    await errand(HAPCTL, "keys", "import", keys, "--state", folder)
    keys.write_text(json.dumps(data))
    theirs = (keys, accessory.address, accessory.port)
    return simulator, theirs


async def stamped(seen, label, awaitable):
    await awaitable
    seen[label] = time.perf_counter()


async def discovery(folder):
    """Measures the time from an announcement until hapctl, and aiohomekit in this process, have found the accessory with its address. Both browse
    before it, so the measured part is the queries for data that the announcement lacks."""
    samples = {"hapctl": [], "aiohomekit": []}
    watcher = await Simulator.launch(
        HAPCTL, "discover", "--watch", "--json", "--interface", "lo", "--state", folder
    )
    network = Network()
    controller = Controller(async_zeroconf_instance=network.zeroconf)
    await controller.async_start()
    for _ in range(10):
        simulator = await Simulator.run(PROFILES / "switch.hasaccessory", options=("--bonjour", "embedded"))
        await simulator.ready()
        device = simulator.accessory.device_id
        seen = {}
        await asyncio.gather(
            stamped(seen, "announced", simulator.wait(lambda line: line.get("event") == "advertised", patience=20)),
            stamped(seen, "hapctl", watcher.wait(lambda line: line.get("deviceID") == device, patience=20)),
            stamped(seen, "aiohomekit", controller.async_find(device, timeout=20)),
        )
        for who, list in samples.items():
            list.append((seen[who] - seen["announced"]) * 1000)
        await simulator.stop()
    await controller.async_stop()
    await network.close()
    await watcher.stop()
    for who, list in samples.items():
        show(f"{who}: found after its announcement", list)


async def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        light, theirs = await paired(PROFILES / "light-colour.hasaccessory", folder, "light")
        _, text = await errand(HAPCTL, "get", "light/Brightness", "--json", "--state", folder)
        entry = json.loads(text)["characteristics"][0]
        ids = (entry["aid"], entry["iid"])
        await compare(
            "get, a process each", 30, (HAPCTL, "get", "light/Brightness", "--state", folder),
            (sys.executable, HERE / "aiohomekit_once.py", "get", *theirs, *ids),
        )  # fmt: skip
        await light.stop()
        bridge, theirs = await paired(PROFILES / "bridge-149.hasaccessory", folder, "bridge")
        await compare(
            "150 accessories, a process each", 10,
            (HAPCTL, "export", "bridge", "-o", folder / "copy", "--force", "--state", folder),
            (sys.executable, HERE / "aiohomekit_once.py", "database", *theirs),
        )  # fmt: skip
        await bridge.stop()
        await discovery(folder)


if __name__ == "__main__":
    asyncio.run(main())
