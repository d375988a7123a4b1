"""Profiles/schema.json compared with the validator: `hapsim validate` refuses everything that the schema refuses.

Without sockets: the built program reads files.
"""

import copy
import json
import random
import subprocess

import pytest
from jsonschema import Draft202012Validator

from process import PROFILES, hapsim

SCHEMA = json.loads((PROFILES / "schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)

CUSTOM = "7E536242-341C-4862-BE90-272CE15BD633"
C0 = "services/0/characteristics/0"


def lamp(**members):
    return {"name": "Lamp", "services": [{"type": "LightBulb"}], **members}


def root(**members):
    return {"format": "hasaccessory/1", **lamp(**members)}


def bridge(*bridged):
    return {"format": "hasaccessory/1", "name": "Bridge", "category": "bridge", "bridgedAccessories": list(bridged)}


def service(**members):
    return root(services=[{"type": "LightBulb", **members}])


def characteristic(**members):
    return service(characteristics=[members])


def custom(format="int", **members):
    return characteristic(type=CUSTOM, format=format, perms=["pr", "pw"], **members)


# Invalid documents, and the place of the error by the schema.
BROKEN = [
    ([], ""),
    ({}, ""),
    (root(format="hasaccessory/2"), "format"),
    ({"format": "hasaccessory/1", "services": []}, ""),
    ({"format": "hasaccessory/1", "name": "Thing"}, ""),
    (root(manufactuer="Kilgo"), ""),
    (root(copies=2), ""),
    (root(name=""), "name"),
    (root(name="x" * 65), "name"),
    (root(name=5), "name"),
    (root(model=""), "model"),
    (root(serialNumber="x" * 65), "serialNumber"),
    (root(firmwareRevision="1.0b"), "firmwareRevision"),
    (root(setupCode="12345678"), "setupCode"),
    (root(setupCode="123-45-678"), "setupCode"),
    (root(setupID="abcd"), "setupID"),
    (root(deviceID="AA:BB:CC:DD:EE"), "deviceID"),
    (root(aid=2), "aid"),
    (root(services={}), "services"),
    (root(services=[1]), "services/0"),
    (root(services=[{}]), "services/0"),
    (root(services=[{"type": "Switch", "primary": True}, {"type": "Outlet", "primary": True}]), "services"),
    (root(quirks="hap-nodjs"), "quirks"),
    (root(quirks=1), "quirks"),
    (root(quirks={"preset": "x"}), "quirks/preset"),
    (root(quirks={"tellsBusy": 1}), "quirks/tellsBusy"),
    (root(quirks={"tellsBussy": True}), "quirks"),
    (root(quirks={"maximumTries": -1}), "quirks/maximumTries"),
    (root(quirks={"unverified": "470 -1"}), "quirks/unverified"),
    (root(quirks={"chunked": "often"}), "quirks/chunked"),
    (bridge({"name": "Lamp"}), "bridgedAccessories/0"),
    (bridge(lamp(setupCode="031-45-154")), "bridgedAccessories/0"),
    (bridge(lamp(copies=0)), "bridgedAccessories/0/copies"),
    (bridge(lamp(copies=150)), "bridgedAccessories/0/copies"),
    (bridge(lamp(aid=1)), "bridgedAccessories/0/aid"),
    (service(primary=1), "services/0/primary"),
    (service(iid=0), "services/0/iid"),
    (service(iid=2**64), "services/0/iid"),
    (service(linked=["a", "a"]), "services/0/linked"),
    (service(matter=True), "services/0/matter"),
    (service(matter={}), "services/0/matter"),
    (service(matter={"deviceType": "OnOfLight"}), "services/0/matter"),
    (service(matter={"deviceType": "OnOffLight", "x": 1}), "services/0/matter"),
    (service(characteristics=[{}]), C0),
    (characteristic(type="On", valeu=True), C0),
    (characteristic(type="On", value=[1]), f"{C0}/value"),
    (characteristic(type=CUSTOM), C0),
    (characteristic(type=CUSTOM, format="boolean", perms=["pr"]), f"{C0}/format"),
    (characteristic(type=CUSTOM, format="bool", perms=[]), f"{C0}/perms"),
    (characteristic(type=CUSTOM, format="bool", perms=["pr", "pr"]), f"{C0}/perms"),
    (characteristic(type=CUSTOM, format="bool", perms=["rw"]), f"{C0}/perms/0"),
    (custom(unit="second"), f"{C0}/unit"),
    (custom(minStep=0), f"{C0}/minStep"),
    (custom(minValue=0.5), f"{C0}/minValue"),
    (custom(maxLen=5), f"{C0}/maxLen"),
    (custom(value=1.5), f"{C0}/value"),
    (custom(value=True), f"{C0}/value"),
    (custom("string", maxLen=257), f"{C0}/maxLen"),
    (custom("string", minValue=1), f"{C0}/minValue"),
    (custom("string", value=1), f"{C0}/value"),
    (custom("float", value="1"), f"{C0}/value"),
    (custom("float", **{"valid-values": [1]}), f"{C0}/valid-values"),
    (custom("data", value="!"), f"{C0}/value"),
    (custom("data", maxLen=1), f"{C0}/maxLen"),
    (custom("bool", minValue=0), f"{C0}/minValue"),
    (custom(**{"valid-values": []}), f"{C0}/valid-values"),
    (custom(**{"valid-values": [0, "x"]}), f"{C0}/valid-values/1"),
    (custom(**{"valid-values-range": [1]}), f"{C0}/valid-values-range"),
    (custom(matter={"attribute": "1"}), f"{C0}/matter"),
    (custom(matter={"cluster": "FC01"}), f"{C0}/matter"),
    (custom(matter={"cluster": "FC01", "attribute": "1", "command": "1"}), f"{C0}/matter"),
    (custom(matter={"cluster": 64513, "attribute": "1"}), f"{C0}/matter"),
    (custom(matter={"cluster": "FC01", "attribute": "x"}), f"{C0}/matter"),
]  # fmt: skip


def places(document):
    """Returns the places of the schema's errors."""
    return ["/".join(map(str, error.absolute_path)) for error in VALIDATOR.iter_errors(document)]


def refused(documents, folder):
    """Returns for each document whether `hapsim validate` refuses it. All are checked in one run."""
    files = []
    for number, document in enumerate(documents):
        files.append(folder / f"{number}.hasaccessory")
        files[-1].write_text(json.dumps(document))
    done = subprocess.run([hapsim(), "validate", "--json", *files], capture_output=True, timeout=100)
    assert done.returncode in (0, 1), done.stderr
    told = json.loads(done.stdout)["profiles"]
    assert [entry["file"] for entry in told] == [str(file) for file in files]
    return [not entry["servable"] for entry in told]


def test_the_schema_is_valid():
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_every_shipped_profile_is_valid(profile):
    assert places(json.loads(profile.read_text())) == []


def test_the_unchanged_documents_are_valid():
    for document in root(), bridge(lamp(copies=149)), service(), characteristic(type="On", value=True), custom():
        assert places(document) == []
    assert places(root(**{"x-note": {"a": 1}})) == []


@pytest.mark.parametrize("document, place", BROKEN, ids=lambda it: json.dumps(it)[-70:])
def test_a_broken_profile_is_refused_at_its_place(document, place):
    assert set(places(document)) == {place}


def test_the_validator_refuses_the_broken_documents(tmp_path):
    verdicts = refused([document for document, _ in BROKEN], tmp_path)
    assert [document for (document, _), isRefused in zip(BROKEN, verdicts) if not isRefused] == []


def test_all_presets_of_quirks_are_valid_and_all_their_fields_are_in_the_schema():
    fields = SCHEMA["$defs"]["quirks"]["properties"].keys() - {"preset"}
    for preset in SCHEMA["$defs"]["preset"]["enum"]:
        shown = json.loads(subprocess.run([hapsim(), "quirks", preset], capture_output=True, timeout=100).stdout)
        assert shown.keys() == fields
        assert places(root(quirks=shown)) == [] and places(root(quirks=preset)) == []


JUNK = [None, True, False, 0, 1, -1, 1.5, 2**64, "", "x", "x" * 70, [], {}, [1], ["x", "x"], {"x": 1}, "pr", "AQ=="]


def mutant(document, chance):
    """Returns a profile with one to three members or elements removed, duplicated, renamed or replaced."""
    document = copy.deepcopy(document)
    for _ in range(chance.randint(1, 3)):
        spots = []

        def walk(node):
            items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else []
            for key, child in items:
                spots.append((node, key))
                walk(child)

        walk(document)
        node, key = chance.choice(spots)
        match chance.randrange(4):
            case 0:
                del node[key]
            case 1 if isinstance(node, list):
                node.append(copy.deepcopy(node[key]))
            case 1:
                node[chance.choice(["minValue", "maxLen", "iid", "format", "value", "name", "oops"])] = node.pop(key)
            case _:
                node[key] = copy.deepcopy(chance.choice(JUNK))
    return document


def test_the_validator_refuses_everything_that_the_schema_refuses(tmp_path):
    """Shipped profiles with random changes. The schema is never stricter than the validator."""
    chance = random.Random(3)
    shipped = [json.loads(path.read_text()) for path in sorted(PROFILES.glob("*.hasaccessory"))]
    mutants = [mutant(chance.choice(shipped), chance) for _ in range(1500)]
    invalid = [document for document in mutants if places(document)]
    assert len(invalid) > 500
    verdicts = refused(invalid, tmp_path)
    stricter = [list(VALIDATOR.iter_errors(d))[0] for d, isRefused in zip(invalid, verdicts) if not isRefused]
    assert [f"{error.json_path}: {error.message}" for error in stricter] == []
