"""How long an accessory takes, seen from a controller: `make bench`.

The controller is aiohomekit, which is slower than what it measures: reads per second here are a floor, not what hapsim can do. Numbers compare
two states of hapsim on one machine, and nothing else.
"""

import asyncio
import logging
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests" / "Interop"))


from network import Network  # noqa: E402
from phone import Phone, characteristic, pair_setup  # noqa: E402
from process import PROFILES, Simulator  # noqa: E402

LIGHT = PROFILES / "light-colour.hasaccessory"


def show(name, samples, unit="ms"):
    ordered = sorted(samples)
    p99 = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    median = statistics.median(ordered)
    print(f"{name:42} median {median:9.2f} {unit}   p99 {p99:9.2f} {unit}   n {len(ordered)}", flush=True)
    return median


async def start(*options):
    simulator = await Simulator.run(LIGHT, options=options)
    await simulator.ready()
    return simulator


async def timed(samples, awaitable):
    start = time.perf_counter()
    result = await awaitable
    samples.append((time.perf_counter() - start) * 1000)
    return result


async def main():
    logging.getLogger("aiohomekit").setLevel(logging.CRITICAL)  # it mourns every session that is closed here
    starts = []
    for _ in range(10):
        simulator = await timed(starts, start("--bonjour", "off"))
        await simulator.stop()
    show("start until ready", starts)

    network = Network()
    simulator = await start()
    accessory = simulator.accessory
    async with Phone(network) as phone:
        found = await phone.find(accessory)
        setups, verifies, reads, writes = [], [], [], []
        for _ in range(20):
            home = phone.open(await timed(setups, pair_setup(found, accessory.setup_code)))
            await home.unpair()
        show("Pair Setup, M1 to M6", setups)
        keys = await pair_setup(found, accessory.setup_code)
        for _ in range(50):
            home = phone.open(keys)
            await timed(verifies, home.pairing._ensure_connected())
            await home.close()
        show("connect and Pair Verify", verifies)
        home = phone.open(keys)
        brightness = characteristic(await home.accessories(), "BRIGHTNESS")
        for number in range(5000):
            await timed(reads, home.get(brightness))
            await timed(writes, home.put((*brightness, number % 101)))
        show("read a characteristic", reads)
        show("write a characteristic", writes)
        await home.unpair()
    status = Path(f"/proc/{simulator.process.pid}/status").read_text()
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    print(f"{'most memory of the process':42} {peak / 1024:.1f} MiB")
    await simulator.stop()
    await network.close()


if __name__ == "__main__":
    asyncio.run(main())
