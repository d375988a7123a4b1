"""Preset `hap-python` compared with HAP-python 5.0.0: the same database, the same requests, the same answers.

On real sockets because HAP-python is a third party.
"""

import json
import sys
from pathlib import Path

import pytest
from plain import PlainConnection
from process import PROFILES
from test_harness import pair_in_the_end

METADATA = ["unit", "minValue", "maxValue", "minStep", "maxLen", "maxDataLen", "valid-values", "valid-values-range"]
TWIN = Path(__file__).with_name("twin.py")


def profile_of(accessories):
    """Returns the profile of a database that a controller read."""
    (accessory,) = accessories
    services = []
    for service in accessory["services"]:
        characteristics = []
        for entry in service["characteristics"]:
            kept = {k: v for k, v in entry.items() if k not in ("description", "ev")}
            if kept.get("value", 0) is None:
                del kept["value"]
            for member in METADATA:
                kept.setdefault(member)  # null: without the metadata of Apple's definition
            characteristics.append(kept)
        kept = {"type": service["type"], "iid": service["iid"], "characteristics": characteristics}
        if service.get("primary"):
            kept["primary"] = True
        services.append(kept)
    return {
        "format": "hasaccessory/1", "name": "Twin", "category": "lightbulb", "quirks": "hap-python", "services": services,
    }  # fmt: skip


class Ids:
    """The iids of the characteristics, by type."""

    def __init__(self, accessories):
        self.of = {}
        for service in accessories[0]["services"]:
            for entry in service["characteristics"]:
                self.of.setdefault(entry["type"].lstrip("0").split("-")[0], entry["iid"])

    def __getitem__(self, type):
        return self.of[type]


def write(*entries, **members):
    return "PUT", "/characteristics", json.dumps({"characteristics": [{"aid": 1, **e} for e in entries], **members})


def questions(ids):
    """Yields name, method, target and body of each request. Both accessories get the requests in this order."""
    on, brightness, hue = ids["25"], ids["8"], ids["13"]
    target, state, press, identify, model = ids["35"], ids["33"], ids["73"], ids["14"], ids["21"]
    every = ",".join(f"1.{iid}" for iid in ids.of.values() if iid != identify)
    yield "accessories", "GET", "/accessories", None
    yield "read", "GET", f"/characteristics?id=1.{on},1.{brightness}", None
    yield "read with flags", "GET", f"/characteristics?id=1.{on}&meta=1&perms=1&type=1&ev=1", None
    yield "read with an odd flag", "GET", f"/characteristics?id=1.{on}&meta=yes", None
    yield "read with an odd key", "GET", f"/characteristics?id=1.{on}&x=1", None
    yield "read twice", "GET", f"/characteristics?id=1.{on},1.{on}", None
    yield "read an unknown iid", "GET", f"/characteristics?id=1.999,1.{on}", None
    yield "read an unknown aid", "GET", f"/characteristics?id=9.9,1.{on}", None
    yield "read what is write-only", "GET", f"/characteristics?id=1.{identify}", None
    yield "read no id", "GET", "/characteristics?id=", None
    yield "read without a query", "GET", "/characteristics", None
    yield "read no number", "GET", "/characteristics?id=a.b", None
    yield "write", *write({"iid": on, "value": True}, {"iid": brightness, "value": 40})
    yield "read back", "GET", f"/characteristics?id=1.{on},1.{brightness}", None
    yield "write a number for true", *write({"iid": on, "value": 0})
    yield "write true for a number", *write({"iid": brightness, "value": True})
    yield "read back 1", "GET", f"/characteristics?id=1.{on},1.{brightness}", None
    yield "write too much", *write({"iid": brightness, "value": 101}, {"iid": hue, "value": -1})
    yield "read back 2", "GET", f"/characteristics?id=1.{brightness},1.{hue}", None
    yield "write off the step", *write({"iid": target, "value": 21.234})
    yield "read back 3", "GET", f"/characteristics?id=1.{target}", None
    yield "write a whole float", *write({"iid": brightness, "value": 30.0})
    yield "read back 4", "GET", f"/characteristics?id=1.{brightness}", None
    yield "write a fraction", *write({"iid": brightness, "value": 30.7})
    yield "read back a fraction", "GET", f"/characteristics?id=1.{brightness}", None
    yield "write what is not valid", *write({"iid": state, "value": 7}, {"iid": on, "value": True})
    yield "write text for a number", *write({"iid": brightness, "value": "ten"})
    yield "write null", *write({"iid": brightness, "value": None})
    yield "write neither value nor ev", *write({"iid": brightness})
    yield "write what is read-only", *write({"iid": model, "value": "T-2"})
    yield "ask for a response", *write({"iid": on, "value": False, "r": True})
    yield "subscribe", *write({"iid": on, "ev": True})
    yield "subscribe to what has no events", *write({"iid": model, "ev": True})
    yield "subscribe and write", *write({"iid": brightness, "ev": True, "value": 12})
    yield "write an unknown iid", *write({"iid": 999, "value": 1}, {"iid": on, "value": True})
    yield "subscribe to an unknown iid", *write({"iid": 999, "ev": True}, {"iid": brightness, "value": 11})
    yield "write nothing", *write()
    yield "write with an unknown pid", *write({"iid": brightness, "value": 13}, pid=5)
    yield "read back 5", "GET", f"/characteristics?id=1.{brightness}", None
    yield "prepare", "PUT", "/prepare", json.dumps({"ttl": 60_000, "pid": 6})
    yield "write what was prepared", *write({"iid": brightness, "value": 14}, pid=6)
    yield "prepare without a pid", "PUT", "/prepare", json.dumps({"ttl": 60_000})
    yield "prepare without JSON", "PUT", "/prepare", "{"
    yield "prepare without an object", "PUT", "/prepare", "[]"
    yield "write without characteristics", "PUT", "/characteristics", "{}"
    yield "write no JSON", "PUT", "/characteristics", "{"
    yield "unknown address", "GET", "/nothing", None
    yield "wrong method", "POST", "/accessories", "{}"
    yield "resource", "POST", "/resource", json.dumps({"resource-type": "image", "image-width": 8, "image-height": 8})
    yield "identify", *write({"iid": identify, "value": True})
    yield "press", "GET", f"/characteristics?id=1.{press}", None
    yield "everything in the end", "GET", f"/characteristics?id={every}", None


PLAIN = [
    ("GET", "/accessories"), ("GET", "/characteristics?id=1.9"), ("GET", "/nothing"), ("POST", "/identify"), ("PUT", "/characteristics"),
    ("POST", "/pairings"), ("POST", "/resource"), ("PUT", "/prepare"),
]  # fmt: skip

# The known differences of the preset, with the reason. The quirks page in docs/ has the same list.
DIFFERENCES = {
    "plain PUT /characteristics": "before Pair Verify HAP-python omits the status of a successful write",
    "plain PUT /prepare": "the same",
    "plain POST /pairings": "before Pair Verify HAP-python fails an assertion",
}


def parsed(answer):
    status, body = answer
    try:
        return status, json.loads(body)
    except ValueError:
        return status, bytes(body)


async def test_preset_hap_python_answers_as_hap_python_does(run, phones, tmp_path):
    theirs = await run(program=(sys.executable, TWIN, tmp_path / "state.json"))
    their_home = await pair_in_the_end(await phones(), theirs.accessory)
    status, body = await their_home.request("GET", "/accessories")
    database = json.loads(body)["accessories"]
    profile = tmp_path / "twin.hasaccessory"
    profile.write_text(json.dumps(profile_of(database)))

    ours = await run(profile)
    our_home = await pair_in_the_end(await phones(), ours.accessory)

    differing = {}
    for name, method, target, body in questions(Ids(database)):
        body = body.encode() if body is not None else None
        told = [parsed(await home.request(method, target, body)) for home in (their_home, our_home)]
        if told[0] != told[1]:
            differing[name] = told
    for method, target in PLAIN:
        told = []
        for accessory in theirs.accessory, ours.accessory:
            async with PlainConnection(accessory) as connection:
                answer = await connection.ask(method, target)
                told.append(parsed((answer.status, answer.body)))
        if told[0] != told[1]:
            differing[f"plain {method} {target}"] = told
    for name, told in differing.items():
        print(f"{name}\n  theirs {told[0]}\n  ours   {told[1]}")
    assert set(differing) == set(DIFFERENCES)


RESOURCE = {"homekit-adk": 470, "hap-nodejs": 470, "hap-python": 500, "brutella-hap": 404, "homespan": 404}


@pytest.mark.parametrize("preset", RESOURCE)
async def test_resource_before_pair_verify_without_a_camera_is_answered_with_the_status_of_the_stack(run, preset):
    ours = await run(PROFILES / "lock.hasaccessory", options=("--quirks", preset))
    async with PlainConnection(ours.accessory) as connection:
        answer = await connection.ask("POST", "/resource", b"{}")
        assert answer.status == RESOURCE[preset]
        assert answer.headers.get("transfer-encoding") == ("chunked" if preset == "hap-nodejs" else None)
        if preset == "homespan":
            assert await connection.closed() == b""


async def test_quirks_can_leave_a_request_without_an_answer(run, tmp_path):
    quirks = tmp_path / "silent.json"
    quirks.write_text(json.dumps({"unverified": "none", "unknownAddress": "none close", "securesUnknownAddresses": False}))
    ours = await run(PROFILES / "lock.hasaccessory", options=("--quirks", quirks))
    async with PlainConnection(ours.accessory) as connection:
        await connection.send(b"GET /accessories HTTP/1.1\r\n\r\n")
        assert (await connection.ask("PUT", "/pair-setup")).status == 405
        await connection.send(b"GET /nothing HTTP/1.1\r\n\r\n")
        assert await connection.closed() == b""
