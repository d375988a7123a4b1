"""Reactions of controllers to accessories that break a rule: aiohomekit 4.0.1 and hapctl run against ten of the defects, and the results are recorded.

The record is met.json in this folder. docs/internals/defects-met.md is generated from it. `pytest --rewrite-met` writes both again.

On real sockets because aiohomekit is a third party. hapctl is the built program, and runs against the same defects.
"""

import asyncio
import json
import re
from pathlib import Path

import pytest

from process import PROFILES, ROOT, hapsim

RECORD = Path(__file__).with_name("met.json")
PAGE = ROOT / "docs" / "internals" / "defects-met.md"
LIGHTS = PROFILES / "bridge-two-lights.hasaccessory"
DEFECTS = [
    "setup-accessory-proof-wrong", "setup-signature-wrong", "setup-m2-as-text", "verify-wrong-accessory-signature",
    "frame-too-long", "counter-starts-at-1", "identify-null", "event-as-plain-json", "read-status-beside-value",
    "event-with-status",
]  # fmt: skip
CONTROLLERS = ["aiohomekit", "hapctl"]
ON, NAME = "25", "23"
# Parts of a message that differ between runs.
VARYING = [(r"(127\.0\.0\.1|\]):\d+", r"\1:PORT"), (r"[0-9A-F]{2}(:[0-9A-F]{2}){5}", "DEVICE-ID"), (r"0x[0-9a-f]{6,}", "0x…")]


class Refusal(Exception):
    """An error message of hapctl."""


def settled(text):
    """Returns the text as one line, without the parts that vary."""
    text = " ".join(str(text).split())
    for pattern, word in VARYING:
        text = re.sub(pattern, word, text)
    return text[:160]


async def attempted(steps):
    """Runs the steps until one fails. Returns the result of each."""
    done = {}
    for name, step in steps:
        try:
            async with asyncio.timeout(120):
                await step()
            done[name] = "goes well"
        except TimeoutError:
            done[name] = "gets no answer"
            break
        except Exception as error:  # any exception of aiohomekit is recorded
            said = str(error) if isinstance(error, Refusal) else f"{type(error).__name__}: {error}".rstrip(": ")
            done[name] = settled(said)
            break
    return done


def first_of(accessories, type):
    """Returns the first characteristic of a type."""
    for accessory in accessories:
        for service in accessory["services"]:
            for entry in service["characteristics"]:
                if entry["type"].lstrip("0").split("-")[0] == type:
                    return accessory["aid"], entry["iid"]
    raise LookupError(type)


async def aiohomekit(simulator, phones):
    phone = await phones()
    accessory = simulator.accessory
    known = {}

    async def pair():
        known["home"] = await phone.pair(accessory)

    async def database():
        accessories = await known["home"].accessories()
        known["on"] = first_of(accessories, ON)

    async def event():
        home = known["home"]
        await home.subscribe(known["on"])
        value = not await home.value(known["on"])
        number = ".".join(map(str, known["on"]))
        assert (await simulator.command("set", characteristic=number, value=value)).get("ok", True)
        await home.events.wait(known["on"], value, patience=100)

    return await attempted(
        [
            ("pairs", pair), ("reads the database", database), ("reads", lambda: known["home"].value(known["on"])),
            ("writes", lambda: known["home"].put((*known["on"], True))), ("hears an event", event),
            ("unpairs", lambda: known["home"].unpair()),
        ]
    )  # fmt: skip


async def hapctl(simulator, folder):
    accessory = simulator.accessory
    program = Path(hapsim()).with_name("hapctl")
    known = {}

    async def run(*words):
        process = await asyncio.create_subprocess_exec(
            program, *map(str, words), "--state", folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        try:
            output, errors = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode:
            raise Refusal(f"exit {process.returncode}: {errors.decode().strip().splitlines()[-1] if errors else ''}")
        return output.decode()

    async def database():
        accessories = json.loads(await run("accessories", "sink", "--json"))["accessories"]
        known["on"] = ".".join(map(str, first_of(accessories, ON)))

    async def event():
        watcher = await asyncio.create_subprocess_exec(
            program, "watch", f"sink/{known['on']}", "--json", "--state", folder,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            await simulator.wait(lambda line: line.get("event") == "subscribed")
            for value in (True, False):
                await simulator.command("set", characteristic=known["on"], value=value)
            while (line := await watcher.stdout.readline()) and b'"value"' not in line:
                pass
            if not line:
                raise Refusal("it ended")
        finally:
            watcher.kill()
            await watcher.wait()

    return await attempted(
        [
            ("pairs", lambda: run("pair", f"{accessory.address}:{accessory.port}", "--code", accessory.setup_code, "--alias", "sink")),
            ("reads the database", database), ("reads", lambda: run("get", f"sink/{known['on']}")),
            ("writes", lambda: run("put", f"sink/{known['on']}", "true")), ("hears an event", event),
            ("unpairs", lambda: run("unpair", "sink")),
        ]
    )  # fmt: skip


def page(record):
    """Returns the record as a page of the documentation."""
    lines = [
        "# Ten defects, and the reactions of controllers", "",
        "<!-- Written by Tests/Interop/test_defects.py. Do not edit. -->",
        "This page shows how two controllers react to an accessory that breaks one rule (see [defects](../reference/defects.md)). A controller pairs, reads the database, reads, writes, waits for an event and unpairs.",
        "A cell shows the step at which the controller stopped, and its error. A test runs both controllers against each defect, and writes this page.", "",
        "| defect | aiohomekit 4.0.1 | hapctl |", "|---|---|---|",
    ]  # fmt: skip
    for defect in DEFECTS:
        cells = []
        for controller in CONTROLLERS:
            met = record[defect][controller]
            bad = [f"**{step}**: {said}" for step, said in met.items() if said != "goes well"]
            cells.append((bad[0] if bad else "no error").replace("|", "\\|"))
        lines.append(f"| `{defect}` | {cells[0]} | {cells[1]} |")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("controller", CONTROLLERS)
@pytest.mark.parametrize("defect", DEFECTS)
async def test_controllers_react_as_recorded(defect, controller, run, phones, tmp_path, pytestconfig):
    simulator = await run(LIGHTS, options=("--defect", defect))
    met = await (aiohomekit(simulator, phones) if controller == "aiohomekit" else hapctl(simulator, tmp_path / "ctl"))
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if pytestconfig.getoption("--rewrite-met"):
        record.setdefault(defect, {})[controller] = met
        RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
        if all(set(record.get(each, {})) == set(CONTROLLERS) for each in DEFECTS):
            PAGE.write_text(page(record))
    assert told(record[defect][controller]) == told(met)


def told(met):
    """Returns the record without the details of AccessoryDisconnectedError, because aiohomekit's message varies."""
    return {step: re.sub(r"(AccessoryDisconnectedError): .*", r"\1", outcome) for step, outcome in met.items()}


def test_the_page_shows_the_record():
    assert PAGE.read_text() == page(json.loads(RECORD.read_text()))


async def test_an_unknown_defect_is_refused_with_the_nearest_name():
    process = await asyncio.create_subprocess_exec(
        hapsim(), "run", LIGHTS, "--ephemeral", "--interface", "lo", "--defect", "setup-m2-as-txt",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, errors = await process.communicate()
    assert process.returncode == 2 and output == b""
    assert b'there is no defect "setup-m2-as-txt": did you mean "setup-m2-as-text"?' in errors


async def test_custom_defects_are_served_and_their_errors_are_reported(run, phone, tmp_path):
    own = tmp_path / "own.yaml"
    own.write_text(
        "area: own\ndefects:\n  - id: all-names-are-hm\n    breaks: RD-01\n    what: Every name is read as Hm.\n"
        "    rules:\n      - when: { answer: GET /characteristics }\n        json: [{ set: '/characteristics/*[type=Name]/value', to: Hm }]\n"
    )
    simulator = await run(LIGHTS, options=("--defect", "all-names-are-hm", "--defects", own))
    home = await phone.pair(simulator.accessory)
    name = first_of(await home.accessories(), NAME)
    assert await home.value(name) == "Hm"
    own.write_text(own.read_text().replace("when:", "whe:"))
    # The defects are read also without --defect.
    for chosen in (("--defect", "all-names-are-hm"), ()):
        process = await asyncio.create_subprocess_exec(
            hapsim(), "run", LIGHTS, "--ephemeral", "--interface", "lo", *chosen, "--defects", own,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        _, errors = await process.communicate()
        assert process.returncode == 1
        assert f'{own}:7:9: defects[0].rules[0].whe: there is no member "whe" here: did you mean "when"?'.encode() in errors
