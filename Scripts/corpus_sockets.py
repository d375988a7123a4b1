"""The parts of Scripts/corpus with aiohomekit over real sockets: captures of all profiles, state folders, and their replay.

It runs in a network namespace that has only a loopback interface, with the clients of Tests/Interop. Ports of accessories are fixed.
"""
import asyncio
import contextlib
import io
import json
import os
import pathlib
import shutil
import sqlite3
import sys

import corpus_compare
from corpus_texts import ROOT

sys.path.insert(0, str(ROOT / "Tests" / "Interop"))
from network import Network  # noqa: E402
from phone import Phone, another_controller, batches, pair_setup, same  # noqa: E402
from process import Simulator  # noqa: E402
from values import characteristics, good  # noqa: E402

PORT, CODE = "8826", "031-45-154"
SERVE = ("--port", PORT, "--setup-code", CODE, "--setup-id", "CORP", "--seed", "1")
FROZEN = (*SERVE, "--virtual-time")
STATES = ("lock", "garage-kilgo", "bridge-two-lights", "thermostat", "kitchen-sink")
IDENTIFY = "00000014-0000-1000-8000-0026BB765291"
PATIENCE = 20  # seconds for an event


def profile_path(name):
    return f"Profiles/{name}.hasaccessory"


def profiles():
    return sorted(path.stem for path in (ROOT / "Profiles").glob("*.hasaccessory"))


def enter(recorder):
    """Makes this process work in the folder of the recorder, with its programs."""
    os.environ.update(recorder.environment, HAPSIM=recorder.program("hapsim"))
    os.chdir(recorder.work)


async def clean_up(simulator):
    """Ends the process. Unlike in tests, its output is not printed."""
    with contextlib.redirect_stdout(io.StringIO()):
        await asyncio.shield(simulator.clean_up())


async def announced(simulator):
    """Waits until the accessory has found itself on the network, so that every recording contains this event."""
    await simulator.ready()
    await simulator.wait(lambda line: line.get("event") == "self-check", patience=PATIENCE)


def lines(said):
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in said)


def writable(listed):
    """Returns the characteristic to write: the first with two writable values, or Identify."""
    found = [(i, c) for i, c in listed.items() if "pw" in c["perms"]]
    several = [(i, c) for i, c in found if len(good(c)) > 1 and c["format"] not in ("tlv8", "data")]
    return (several or found)[0]


async def write(home, listed):
    identifier, c = writable(listed)
    values = good(c)
    value = next((v for v in values if not same(v, c.get("value"))), values[0])
    await home.put_one(identifier, timed="tw" in c["perms"], value=value)
    return identifier, value


async def cause_event(simulator, home, listed):
    """Sets the first characteristic that accepts a value by hand, and waits for the event."""
    for identifier, c in listed.items():
        if "ev" not in c["perms"] or c["format"] in ("tlv8", "data"):
            continue
        now = (await home.get(identifier))[identifier].get("value") if "pr" in c["perms"] else None
        for value in (v for v in good(c) if not same(v, now)):
            answer = await simulator.command("set", characteristic="{}.{}".format(*identifier), value=value)
            if answer["ok"]:
                await home.events.wait(identifier, value, patience=PATIENCE)
                return


async def use(simulator, phone):
    """Acts as a controller: pairs, lists, reads all, subscribes, writes one, receives one event, unpairs."""
    home = await phone.pair(simulator.accessory)
    listed = dict(characteristics(await home.accessories()))
    for batch in batches(i for i, c in listed.items() if "pr" in c["perms"]):
        await home.get(*batch)
    for batch in batches(i for i, c in listed.items() if "ev" in c["perms"]):
        await home.subscribe(*batch)
    await write(home, listed)
    await cause_event(simulator, home, listed)
    await home.unpair()


async def record_capture(recorder, network, name):
    folder = recorder.work / "captures"
    shutil.rmtree(folder, ignore_errors=True)
    simulator = await Simulator.run(profile_path(name), options=(*FROZEN, "--control", "off", "--capture", "captures"))
    try:
        await announced(simulator)
        service = await network.wait(simulator.accessory.device_id, sf="1")
        record = "".join(f"{key}={value}\n" for key, value in sorted(service.txt))
        async with Phone(network) as phone:
            await use(simulator, phone)
        await simulator.stop()
    finally:
        await clean_up(simulator)
    recorder.add(f"live/{name}.txt", f"{service.name}\n{record}{lines(simulator.said)}{''.join(simulator.errors)}")
    keep_capture(recorder, next(folder.iterdir()), name)


def keep_capture(recorder, file, name):
    kept = recorder.out / "kept" / "captures" / f"{name}.hapcapture"
    kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(file, kept.name)
    recorder.run(f"captures/{name}.txt", "hapsim", "replay", kept.name, "--show")
    shutil.move(kept.name, kept)


def schema(path):
    """Returns the tables of a database with their numbers of rows."""
    database = sqlite3.connect(path)
    tables = database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
    rows = [f"{sql}\n" for _, sql in tables]
    for name, sql in tables:
        if sql.upper().startswith("CREATE TABLE"):
            rows.append(f"{name}: {database.execute(f'SELECT count(*) FROM {name}').fetchone()[0]} rows\n")
    rows.append(f"user_version {database.execute('PRAGMA user_version').fetchone()[0]}\n")
    database.close()
    return "".join(rows)


async def record_state(recorder, network, name):
    """Records a state folder with two controllers and a written value, and hapctl's folder with the first controller."""
    simulator = await Simulator.run(profile_path(name), state="old", options=(*FROZEN, "--control", "off"))
    try:
        accessory = (await simulator.ready())[0]
        async with Phone(network) as phone:
            pairing = await pair_setup(await phone.find(accessory), CODE)
            home = phone.open(pairing)
            await home.add(another_controller(pairing), admin=False)
            await write(home, dict(characteristics(await home.accessories())))
        await simulator.stop()
    finally:
        await clean_up(simulator)
    kept = recorder.out / "kept" / "states" / name
    kept.mkdir(parents=True)
    pathlib.Path("controller.json").write_text(json.dumps({"old": dict(pairing)}))
    recorder.run(f"live/state-{name}.txt", "hapctl", "keys", "import", "controller.json", "--state", "ctl", "--json")
    recorder.run(f"live/state-{name}.txt", "hapsim", "pairings", "--state", "old", "--json")
    for path in ("old/state.db", "old/values.db", "ctl/controller.db"):
        recorder.add(f"live/state-{name}.txt", f"{path}\n{schema(path)}\n")
    shutil.move("old", kept / "hapsim")
    shutil.move("ctl", kept / "hapctl")
    shutil.move("controller.json", kept / "controller.json")
    expected = await served_again(recorder, network, kept)
    (kept / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


async def served_again(recorder, network, kept):
    """Serves a copy of a recorded state folder, and returns the observations of the controllers that are paired in it."""
    for name in ("hapsim", "hapctl"):
        shutil.rmtree(f"copy-{name}", ignore_errors=True)
        shutil.copytree(kept / name, f"copy-{name}")
    (pairing,) = json.loads((kept / "controller.json").read_text()).values()
    # Without --setup-code, because the folder contains it.
    options = ("--port", PORT, "--virtual-time", "--seed", "1", "--control", "off")
    simulator = await Simulator.run(profile_path(kept.name), state="copy-hapsim", options=options)
    try:
        accessory = (await simulator.ready())[0]
        async with Phone(network) as phone:
            await phone.find(accessory)
            home = phone.open(pairing)
            found = {
                "device ID": accessory.device_id, "setup code": accessory.setup_code, "setup payload": accessory.setup_payload,
                "database": await home.accessories(), "pairings": await home.pairings(),
            }
        found["hapctl get"] = await asyncio.to_thread(recorder.ended, ["hapctl", "get", "old", "--state", "copy-hapctl", "--json"])
        found["configuration number"] = (await network.wait(accessory.device_id)).values["c#"]
        await simulator.stop()
    finally:
        await clean_up(simulator)
    return json.loads(json.dumps(found, default=dict))


async def record_sockets(recorder):
    network = Network()
    try:
        for name in profiles():
            await record_capture(recorder, network, name)
        for name in STATES:
            await record_state(recorder, network, name)
    finally:
        await network.close()


def replay_capture(recorder, corpus, kept):
    """Replays a capture of an earlier program. Returns the problems; none if the result is the same."""
    status, output, errors = recorder.ended(["hapsim", "replay", str(kept), "--json"])
    if status != 0 or json.loads(output)["difference"] is not None:
        return [f"exit status {status}: {(errors or output).strip()[:300]}"]
    path = f"captures/{kept.stem}.txt"
    before = corpus / (f"kept/shown/{kept.stem}.txt" if kept.name.startswith("world-") else path)
    _, output, _ = recorder.ended(["hapsim", "replay", str(kept), "--show"])
    then = corpus_compare.normalized(path, before.read_text())[1:]
    now = corpus_compare.normalized(path, f"{output}exit status 0\n\n")
    return corpus_compare.difference(path, then, now, [])


async def replay_state(recorder, network, kept):
    """Uses a state folder of an earlier program. Returns the problems; none if the controllers find the same."""
    expected = json.loads((kept / "expected.json").read_text())
    try:
        found = await served_again(recorder, network, kept)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    return [f"{name} was {str(was)[:400]}, and is now {str(found.get(name))[:400]}" for name, was in expected.items() if found.get(name) != was]


async def replay(recorder, corpus):
    """Prints the problems of this version with captures and states of another. Returns the number of those with problems."""
    corpus, failed = pathlib.Path(corpus), 0

    def report(kept, problems):
        for problem in problems[: corpus_compare.SHOWN_LINES]:
            print(f"{kept.relative_to(corpus)}: {problem}", flush=True)
        return bool(problems)

    captures = sorted((corpus / "kept").rglob("*.hapcapture"))
    for kept in captures:
        failed += report(kept, replay_capture(recorder, corpus, kept))
    states = sorted((corpus / "kept" / "states").iterdir())
    network = Network()
    try:
        for kept in states:
            failed += report(kept, await replay_state(recorder, network, kept))
    finally:
        await network.close()
    print(f"corpus: {len(captures)} captures and {len(states)} state folders replayed; {failed} differ")
    return failed
