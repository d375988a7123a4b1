"""hapctl reads the database again when the profile of a running accessory is replaced.

On real sockets because it is about the built programs: their standard streams and options. `Tests/ProgramTests` has the proxy in a simulated world.
"""

import asyncio
import json

from process import PATIENCE, PROFILES
from test_hapctl import ctl
from test_hapctl_proxy import before, garage

__all__ = ["ctl"]  # a fixture


async def add_an_outlet(simulator, tmp_path):
    """Replaces the garage's profile by one with an additional service, which increments c#."""
    profile = json.loads((PROFILES / "garage-kilgo.hasaccessory").read_text())
    profile["services"].append({"type": "Outlet", "name": "Socket"})
    path = tmp_path / "replacement.hasaccessory"
    path.write_text(json.dumps(profile))
    answer = await simulator.command("replace", profile=str(path))
    assert answer["ok"], answer


async def test_a_shell_reads_the_database_of_a_replaced_profile_by_itself(run, ctl, tmp_path):
    simulator = await garage(run, ctl)
    shell = await asyncio.create_subprocess_exec(
        ctl.program, "shell", "garage", "--interface", "lo", "--state", ctl.state,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(PATIENCE):
            shell.stdin.write(b"get On\n")
            assert b"On: " in await shell.stdout.readline()
            await add_an_outlet(simulator, tmp_path)
            assert await shell.stdout.readline() == b"The accessory's database has changed.\n"
            shell.stdin.write(b'get "Outlet In Use"\n')
            assert b"Outlet In Use: " in await shell.stdout.readline()
            shell.stdin.close()
            assert await shell.wait() == 0
    finally:
        if shell.returncode is None:
            shell.kill()


async def test_a_proxy_increments_its_configuration_number(run, ctl, network, tmp_path):
    simulator = await garage(run, ctl)
    proxy = await before(run, ctl, "garage", "--interface", "lo")
    await network.wait(proxy.accessory.device_id, **{"c#": "1"})
    await add_an_outlet(simulator, tmp_path)
    await network.wait(proxy.accessory.device_id, **{"c#": "2"})
    assert await proxy.stop() == 0
