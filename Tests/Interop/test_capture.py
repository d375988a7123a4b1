"""Captures a run and replays it.

On real sockets because aiohomekit is a third party, and signals and files are those of the built program.
"""

import json
import signal
import stat

from phone import another_controller, characteristic
from process import PROFILES, hapsim, run_to_its_end


async def replay(path, *options):
    return await run_to_its_end(hapsim(), "replay", path, *options)


async def test_a_replayed_run_sends_the_same_bytes(run, phones, tmp_path):
    folder = tmp_path / "captures"
    simulator = await run(
        PROFILES / "garage-door.hasaccessory", PROFILES / "kitchen-sink.hasaccessory", options=("--capture", str(folder))
    )
    for accessory in simulator.accessories:
        first, second = await phones(), await phones()
        home = await first.pair(accessory)
        accessories = await home.accessories()
        keys = another_controller(home.data)
        await home.add(keys)
        other = second.open(keys)
        if accessory.category == "garage-door-opener":
            door = characteristic(accessories, "DOOR_STATE_TARGET")
            assert await other.subscribe(door) == {}
            assert await home.put((*door, 0)) == {}
            await other.events.wait(door, 0)
        assert (await other.request("GET", "/nothing"))[0] == 404
        assert (await home.request("PUT", "/characteristics", b"{"))[0] == 400
        await home.remove(other.identifier)
    # Like a crash.
    assert await simulator.stop(signal.SIGKILL) == -9

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = sorted(folder.iterdir())
    assert len(files) == 2
    for path in files:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        status, output, errors = await replay(path)
        assert (status, errors) == (0, ""), errors
        assert "all as recorded" in output
        status, output, _ = await replay(path, "--show")
        assert status == 0
        for text in "> connection 1", "POST /pair-setup HTTP/1.1", "GET /accessories HTTP/1.1", "HTTP/1.1 404 Not Found":
            assert text in output, text
        status, output, _ = await replay(path, "--show", "--json")
        said = json.loads(output)
        assert (status, said["difference"]) == (0, None)
        assert {message["from"] for message in said["messages"]} == {"controller", "accessory"}
        assert sum(len(message["bytes"]) for message in said["messages"]) > 0
    shown = [(await replay(path, "--show"))[1] for path in files]
    assert any("EVENT/1.0 200 OK" in text for text in shown)

    # A changed answer is reported with its line.
    lines = files[0].read_text().splitlines()
    number = next(n for n, line in enumerate(lines) if json.loads(line).get("is") == "sent")
    entry = json.loads(lines[number])
    entry["bytes"] = "AAAA" + entry["bytes"][4:]
    lines[number] = json.dumps(entry)
    changed = tmp_path / "changed.hapcapture"
    changed.write_text("\n".join(lines) + "\n")
    status, output, _ = await replay(changed, "--json")
    assert (status, json.loads(output)["difference"]["line"]) == (1, number + 1)
    status, _, errors = await replay(changed)
    assert status == 1 and f"changed.hapcapture:{number + 1}: " in errors and "different bytes" in errors
    # A capture that was cut off is replayed until its last complete line.
    text = files[0].read_bytes()
    changed.write_bytes(text[: len(text) * 2 // 3])
    assert (await replay(changed))[0] == 0
    # An existing capture is not overwritten, and a file that cannot be created is reported.
    status, _, errors = await run_to_its_end(
        hapsim(), "run", PROFILES / "lock.hasaccessory", "--ephemeral", "--interface", "lo", "--capture", changed
    )
    assert status == 3 and str(changed) in errors
