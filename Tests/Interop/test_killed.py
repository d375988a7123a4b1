"""SIGKILL, two hundred times, during pairings, writes and replacements of the profile. Afterwards every answered change is stored, and no change
is stored incompletely.

On real sockets because real processes are killed.
"""

import asyncio
import json
import os
import random
import signal

import pytest

from direct import Session, pair
from process import PROFILES, hapsim, run_to_its_end

ROUNDS = int(os.environ.get("KILLED_ROUNDS", "200"))


async def doomed(simulator, work, chance, longest):
    """Runs `work` until the process is killed at a random time. Returns the result of `work`, or its exception."""
    task = asyncio.ensure_future(work)
    asyncio.get_running_loop().call_later(chance.uniform(0, longest), simulator.process.kill)
    await simulator.ended()
    task.cancel()
    return (await asyncio.gather(task, return_exceptions=True))[0]


async def known_pairings(state):
    status, output, errors = await run_to_its_end(hapsim(), "pairings", "--state", state, "--json")
    assert status == 0, errors
    return json.loads(output)["accessories"]


def variants(tmp_path):
    """Writes three profiles of the same accessory, with no, one and two additional services."""
    plain = json.loads((PROFILES / "light-colour.hasaccessory").read_text())
    paths = []
    for number in range(3):
        profile = json.loads(json.dumps(plain))
        for extra in range(number):
            profile["services"].append({"type": "Switch", "name": f"Extra {extra}", "id": f"extra-{extra}"})
        paths.append(tmp_path / f"variant-{number}.hasaccessory")
        paths[-1].write_text(json.dumps(profile))
    return paths


def ids(database):
    """Maps (service type, index among services of this type, characteristic type or None) to the iid."""
    found = {}
    for service in database[0]["services"]:
        place = sum(key[0] == service["type"] and key[2] is None for key in found)
        found[service["type"], place, None] = service["iid"]
        for entry in service["characteristics"]:
            found[service["type"], place, entry["type"]] = entry["iid"]
    return found


def brightness(database):
    return next(
        c["iid"] for s in database[0]["services"] for c in s["characteristics"]
        if c["type"].lstrip("0").split("-")[0] == "8"
    )  # fmt: skip


# Two hundred starts and kills, on a busy machine.
@pytest.mark.timeout(1800)
async def test_every_answered_change_is_stored_after_a_kill(run, tmp_path):
    "[ST.1, ST.4]"
    chance = random.Random(int(os.environ.get("KILLED_SEED", "1")))
    profiles = variants(tmp_path)
    state = tmp_path / "state"
    options = ("--bonjour", "off")
    identity = keys = value = None
    seen_ids, number, profile = {}, 1, 0
    kills = dict.fromkeys(["pairing", "paired", "writing", "replacing"], 0)
    # The duration of a pairing depends on the machine. The time range of the kill grows after an unanswered pairing and shrinks after an answered one.
    pairing_span = 0.12

    for round in range(ROUNDS):
        simulator = await run(profiles[profile], state=state, options=options)
        accessory = simulator.accessory
        identity = identity or (accessory.device_id, accessory.setup_code)
        assert (accessory.device_id, accessory.setup_code) == identity, "it is another accessory"

        # Every fifth round begins with a factory reset and a pairing.
        if keys is None:
            result = await doomed(simulator, pair(accessory), chance, pairing_span)
            pairing_span *= 0.75 if isinstance(result, dict) else 1.1
            (entry,) = await known_pairings(state)
            count = len(entry["pairings"])
            kills["pairing"] += 1
            if isinstance(result, dict):
                assert count == 1, f"round {round}: M6 was sent, but the pairing is not stored"
                kills["paired"] += 1
                keys = result
            elif count == 1:
                # Stored without an answer: the controller has no keys, so the accessory is reset, as a person would do.
                status, _, errors = await run_to_its_end(hapsim(), "reset", accessory.name, "--state", state, "--yes")
                assert status == 0, errors
                identity, seen_ids, number = None, {}, 1
            value = None
            if keys is None and chance.random() < 0.3:
                simulator = await run(profiles[profile], state=state, options=options)
                keys = await pair(simulator.accessory)
                await simulator.stop(signal.SIGKILL)
            continue

        async with Session(accessory, keys) as session:
            database = await session.database()
            for key, iid in ids(database).items():
                # A service that was removed and added again has new iids. An iid never names two things, and services that stay keep their iids.
                assert seen_ids.setdefault(iid, key) == key, f"round {round}: {iid} was {seen_ids[iid]}, and is now {key}"
                if key[0].lstrip("0").split("-")[0] != "49":
                    assert list(seen_ids.values()).count(key) == 1, f"round {round}: {key} has another iid"
            iid = brightness(database)
            found = await session.get(1, iid)
            if value is not None:
                assert found in value, f"round {round}: the value is {found}, but one of {value} was written"
            answered = [found]

            async def write():
                while True:
                    following = answered[-1] % 100 + 1
                    value_in_flight[0] = following
                    await session.put(1, iid, following)
                    answered.append(following)

            async def replace():
                nonlocal number
                while True:
                    profile_in_flight[0] = chance.randrange(3)
                    answer = await simulator.command("replace", profile=str(profiles[profile_in_flight[0]]))
                    assert answer["ok"], answer
                    assert answer["configurationNumber"] >= number, "c# was decremented"
                    number = answer["configurationNumber"]

            value_in_flight, profile_in_flight = [found], [profile]
            if chance.random() < 0.7:
                await doomed(simulator, write(), chance, 0.06)
                kills["writing"] += 1
            else:
                await doomed(simulator, replace(), chance, 0.06)
                profile = profile_in_flight[0]
                kills["replacing"] += 1
            value = {answered[-1], value_in_flight[0]}
        if round % 5 == 4:
            status, _, errors = await run_to_its_end(hapsim(), "reset", accessory.name, "--state", state, "--yes")
            assert status == 0, errors
            keys, value, number = None, None, 1
            identity, seen_ids = None, {}
    print(f"killed {ROUNDS} times: {kills}")
    assert min(kills.values()) > 0 or ROUNDS < 100
