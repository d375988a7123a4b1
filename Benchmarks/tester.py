"""Measures haptest as a whole process: its start, the lint of a bridge's database, and all cases against hapsim. Part of `make bench`."""

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
from samples import show  # noqa: E402

HAPTEST = Path(hapsim()).with_name("haptest")


async def errand(*words):
    """Runs a command. Returns its time in milliseconds, its exit status and its output."""
    start = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *map(str, words), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    output, errors = await process.communicate()
    return (time.perf_counter() - start) * 1000, process.returncode, output.decode(), errors.decode()


async def database(folder):
    """Yields a file with the answer of a bridge of 150 to GET /accessories."""
    simulator = await Simulator.run(PROFILES / "bridge-149.hasaccessory", options=("--setup-code", "031-45-154", "--bonjour", "off"))
    await simulator.ready()
    keys = await direct.pair(simulator.accessory)
    async with direct.Session(simulator.accessory, keys) as session:
        accessories = await session.database()
    await simulator.clean_up()
    path = folder / "bridge.json"
    path.write_text(json.dumps({"accessories": accessories}))
    return path


async def main():
    show("haptest: start (list)", [(await errand(HAPTEST, "list"))[0] for _ in range(20)])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = await database(folder)
        show("haptest: lint of 150 accessories", [(await errand(HAPTEST, "lint", path))[0] for _ in range(20)])
        for profile in ("kitchen-sink", "lock"):
            command = f"exec {hapsim()} run {PROFILES / profile}.hasaccessory --ephemeral --interface lo --commands"
            took, status, output, _ = await errand(HAPTEST, "run", "--exec", command, "--interface", "lo")
            show(f"haptest: everything, {profile} (exit {status})", [took])
            print(output.splitlines()[-2] if output else "")


asyncio.run(main())
