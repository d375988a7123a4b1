"""haptest fuzz finds an injected defect, minimizes the message and replays it.

On real sockets because the accessories that crash and hang are programs in Python, and signals, exit statuses and files are those of the built program.
FuzzedTests.swift fuzzes hapsim, in a simulated world.
"""

import asyncio
import json
import os
import shlex
import signal
import sys
from pathlib import Path

import pytest
from process import PROFILES, hapsim, run_to_its_end

HERE = Path(__file__).parent
LIGHT = PROFILES / "light-colour.hasaccessory"


def haptest():
    program = Path(os.environ.get("HAPTEST") or Path(hapsim()).with_name("haptest"))
    assert os.access(program, os.X_OK), f"{program} isn't built"
    return program


async def fuzz(*words, patience=500):
    return await run_to_its_end(haptest(), "fuzz", *words, patience=patience)


def fragile(how, port=0):
    return shlex.join([sys.executable, str(HERE / "fragile.py"), how, str(port)])


async def test_a_process_that_crashes_on_a_byte(tmp_path):
    file = tmp_path / "found.json"
    words = ("--exec", fragile("dies"), "--area", "tlv", "--seed", "3", "--max-rounds", "60", "--reproducer", file)
    status, output, errors = await fuzz(*words)
    assert status == 1, output + errors
    assert "there is a 0xFF" in output and "ended with status 42" in output and str(file) in output
    found = json.loads(file.read_text())
    assert (found["format"], found["area"], found["seed"], found["finding"]) == (1, "tlv", 3, "ended")
    assert found["confirmed"] is True
    (message,) = found["messages"]
    assert message == {
        "connection": 0, "way": "plain", "request": "POST /pair-verify", "bytes": "ff", "note": message["note"],
    }  # fmt: skip

    status, output, errors = await fuzz("--exec", fragile("dies"), "--replay", file)
    assert (status, output.splitlines()[-1]) == (1, "the failure still occurs: the accessory's process ended with status 42"), errors
    status, output, errors = await fuzz("--exec", fragile("stands"), "--replay", file)
    assert status == 0 and output.startswith("the failure no longer occurs"), errors


async def test_the_result_as_json(tmp_path):
    """haptest prints one document to standard output, with any result."""

    async def result(*words):
        status, output, errors = await fuzz(*words, "--json")
        assert errors == "" and output.count("\n") == 1, output + errors
        return status, json.loads(output)

    file = tmp_path / "found.json"
    chosen = ("--area", "tlv", "--seed", "3", "--max-rounds", "60")
    status, found = await result("--exec", fragile("dies"), *chosen, "--reproducer", file)
    assert (status, found["result"], found["seed"], found["file"]) == (1, "finding", 3, str(file))
    assert found["finding"]["kind"] == "ended" and found["finding"]["message"].endswith("ended with status 42")
    assert any("there is a 0xFF" in line for line in found["finding"]["details"])
    assert found["reproducer"] == json.loads(file.read_text())
    assert found["sent"]["messages"] > 0

    status, again = await result("--exec", fragile("dies"), "--replay", file)
    assert (status, again["result"], again["finding"]["kind"]) == (1, "finding", "ended")
    status, gone = await result("--exec", fragile("stands"), "--replay", file)
    assert (status, gone["result"], "finding" in gone) == (0, "nothing-found", False)
    status, well = await result("--exec", fragile("stands"), "--area", "tlv", "--seed", "3", "--max-rounds", "2")
    assert (status, well["result"], well["sent"]["rounds"]) == (0, "nothing-found", 2)
    assert sum(well["sent"]["answers"].values()) > 0

    # If the reproducer file cannot be written, the document contains the reproducer.
    status, output, errors = await fuzz("--exec", fragile("dies"), *chosen, "--reproducer", "/dev/full", "--json")
    lost = json.loads(output)
    assert (status, lost["file"], lost["reproducer"]["area"]) == (1, None, "tlv") and "/dev/full" in errors


async def test_the_same_seed_finds_the_same_failure(tmp_path):
    texts = set()
    for name in ("a", "b"):
        words = ("--area", "tlv", "--seed", "5", "--max-rounds", "60", "--reproducer", tmp_path / name)
        assert (await fuzz("--exec", fragile("dies"), *words))[0] == 1
        texts.add((tmp_path / name).read_text())
    assert len(texts) == 1


async def test_a_process_that_hangs(tmp_path):
    """A new connection must be answered within ten seconds."""
    file = tmp_path / "hangs.json"
    file.write_text(
        json.dumps(
            {
                "format": 1, "area": "tlv", "seed": 1, "target": "", "state": "found", "finding": "unreachable", "message": "",
                "messages": [{"connection": 0, "way": "plain", "request": "POST /pair-verify", "bytes": "ff"}],
            }
        )
    )  # fmt: skip
    status, output, errors = await fuzz("--exec", fragile("hangs"), "--replay", file)
    assert status == 1 and "still occurs: it doesn't answer on new connections within 10s" in output, output + errors


async def test_a_defect_that_needs_a_session(tmp_path):
    file = tmp_path / "found.json"
    bulb = shlex.join([sys.executable, str(HERE / "fragile_bulb.py"), str(tmp_path / "state.json")])
    status, output, errors = await fuzz(
        "--exec", bulb, "--area", "json", "--seed", "1", "--max-rounds", "40", "--reproducer", file, patience=500
    )
    assert status == 1 and "this bulb crashes on a remote write" in output, output + errors
    found = json.loads(file.read_text())
    (message,) = found["messages"]
    assert (message["way"], message["request"], found["confirmed"]) == ("sealed", "PUT /characteristics", True)
    body = bytes.fromhex(message["bytes"])
    assert b"remote" in body and len(body) < 120, body
    # The accessory was restarted and unpaired, although it crashed while paired.
    assert json.loads((tmp_path / "state.json").read_text())["paired_clients"] == {}


async def test_an_interrupted_run_unpairs(run, phone):
    accessory = (await run(LIGHT)).accessory
    process = await asyncio.create_subprocess_exec(
        haptest(), "fuzz", f"{accessory.address}:{accessory.port}", "--code", accessory.setup_code,
        "--area", "http", "--area", "json", "--max-rounds", "5", stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(500):
        while b"http, paired" not in await process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        await process.communicate()
    assert process.returncode == 0
    assert await phone.pair(accessory)


@pytest.mark.parametrize(
    "words, status, said",
    [
        (("127.0.0.1:1",), 3, "can't be reached"),
        ((), 2, "HOST:PORT or NAME is missing, or --exec"),
        (("127.0.0.1:1", "--area", "html"), 2, "there are tlv, http, json, frame"),
        (("127.0.0.1:1", "--replay", "/nowhere.json"), 3, "/nowhere.json can't be read"),
        (("--exec", "exit 3"), 3, "the accessory doesn't start"),
    ],
)
async def test_impossible_arguments_are_refused(words, status, said):
    ended, output, errors = await fuzz(*words)
    assert ended == status and said in errors, output + errors


async def test_a_file_that_is_no_reproducer_is_refused(tmp_path):
    file = tmp_path / "broken.json"
    file.write_text('{"format": 1,\n "area": "html"}')
    status, _, errors = await fuzz("127.0.0.1:1", "--replay", file)
    assert status == 2 and f"{file}:2:10: area: one of these is expected: tlv, http, json, frame" in errors, errors
