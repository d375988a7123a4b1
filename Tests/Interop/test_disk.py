"""A disk that is full or read-only: no write is incomplete, each failure is reported, and the accessory continues where that is safe.

On real sockets because the kernel reports full disks and folders that can't be written, and aiohomekit is a third party.
"""

import shutil
import signal
from pathlib import Path

import pytest
from aiohomekit.exceptions import InvalidError
from phone import characteristic
from process import PROFILES, hapsim, run_to_its_end

ROOM = 4 << 20


def on_a_disk(folder, options, *program):
    """Returns a command that runs a program with a separate disk at `folder`, mounted with `options`."""
    folder.mkdir()
    script = f'mount -t tmpfs -o {options} tmpfs "$0" && exec "$@"'
    return "unshare", "--mount", "sh", "-c", script, folder, *program


class Disk:
    """The disk of a running process, accessed from another mount namespace."""

    def __init__(self, process, folder):
        self.folder = Path(f"/proc/{process.pid}/root") / folder.relative_to("/")
        self.filler = self.folder / "filler"

    def fill(self):
        with self.filler.open("wb", buffering=0) as file:
            for size in (1 << 16, 1 << 12):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError as error:
                    assert error.errno == 28, error

    def empty(self):
        self.filler.unlink()


def is_trouble(line):
    return line.get("event") == "trouble"


async def test_a_full_disk_refuses_pairings_keeps_serving_and_recovers(run, phone, phones, tmp_path):
    folder = tmp_path / "state"
    arguments = (
        hapsim(), "run", PROFILES / "light-switchable.hasaccessory",
        "--state", folder, "--interface", "lo", "--json", "--commands",
    )  # fmt: skip
    simulator = await run(program=on_a_disk(folder, f"size={ROOM}", *arguments))
    disk = Disk(simulator.process, folder)

    # A pairing is refused, and the accessory stays unpaired.
    disk.fill()
    with pytest.raises(InvalidError, match="x06"):
        await phone.pair(simulator.accessory)
    trouble = await simulator.wait(is_trouble)
    assert "no room left" in trouble["message"], trouble
    inside = "nsenter", "-t", simulator.process.pid, "-m"
    status, output, _ = await run_to_its_end(*inside, hapsim(), "pairings", "--state", folder, "--json")
    assert (status, '"pairings":[]' in output.replace(" ", "")) == (0, True), output

    disk.empty()
    home = await phone.pair(simulator.accessory)
    on = characteristic(await home.accessories(), "ON")
    assert await home.subscribe(on) == {}

    # Values still change, are sent and can be read. One message reports that they are not stored.
    disk.fill()
    seen = len(simulator.said)
    for value in (1, 0) * 300:
        assert await home.put((*on, value)) == {}
        assert await home.value(on) == value
    assert await home.put((*on, 1)) == {}
    assert (await simulator.command("set", characteristic="On", value=False))["ok"]
    await home.events.wait(on, 0)
    troubles = [line for line in simulator.said[seen:] if is_trouble(line)]
    assert len(troubles) == 1 and "values are not stored" in troubles[0]["message"], troubles

    # With free space values are stored again, so the copy below has what the next start reads.
    disk.empty()
    assert await home.put((*on, 1)) == {}
    copy = tmp_path / "copy"
    shutil.copytree(disk.folder, copy, ignore=shutil.ignore_patterns("*.sock"))  # the process listens at a socket there
    await home.close()
    assert await simulator.stop(signal.SIGKILL) == -9
    again = await run(PROFILES / "light-switchable.hasaccessory", state=copy)
    assert again.accessory.device_id == simulator.accessory.device_id
    assert await (await phones()).open(home.data).value(on) == 1


async def test_a_read_only_state_folder_is_reported_before_any_accessory_is_served(tmp_path):
    folder = tmp_path / "state"
    arguments = hapsim(), "run", PROFILES / "switch.hasaccessory", "--state", folder, "--interface", "lo"
    status, output, errors = await run_to_its_end(*on_a_disk(folder, "ro", *arguments))
    assert (status, output) == (3, "")
    assert str(folder) in errors and "can't be written" in errors, errors
