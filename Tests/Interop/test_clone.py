"""hapctl and hapsim make profiles of devices. A controller sees no difference between a device and its copy except the identity.

On real sockets because aiohomekit and HAP-python are third parties, and profiles go through files of the built programs.
"""

import contextlib
import json
import os
import plistlib
import sys
import uuid
from pathlib import Path

import pytest
from aiohomekit.exceptions import AuthenticationError
from aiohomekit.model.characteristics import CharacteristicsTypes
from process import PROFILES, hapsim, run_to_its_end

CODE = "031-45-154"
HERE = Path(__file__).parent
DEVICES = sorted((HERE.parent / "Vectors" / "devices").glob("*.json"))
STRANGERS = {
    "bulb": (sys.executable, HERE / "bulb.py"),
    **{kind: (sys.executable, HERE / "strangers.py", kind) for kind in ("lock", "bridge", "camera")},
}


@pytest.fixture
def ctl(tmp_path):
    """`await ctl(WORD…)`: runs hapctl with a state folder of this test, and returns its output. Standard error must be empty unless `notes` is true."""
    program = Path(hapsim()).with_name("hapctl")
    assert os.access(program, os.X_OK), f"{program} isn't built"

    async def run(*words, notes=False):
        status, output, errors = await run_to_its_end(program, *words, "--state", tmp_path / "ctl")
        assert status == 0 and (notes or not errors), (words, status, output, errors)
        return output

    return run


async def paired(ctl, accessory, alias):
    """Pairs with hapctl."""
    return await ctl("pair", f"{accessory.address}:{accessory.port}", "--code", CODE, "--alias", alias)


async def validated(path):
    status, output, _ = await run_to_its_end(hapsim(), "validate", path)
    assert status == 0, output


@pytest.mark.parametrize("device", DEVICES, ids=lambda path: path.stem)
async def test_a_recorded_device_is_imported_served_and_read_back_equal(device, run, ctl, phone, tmp_path):
    profile, again = tmp_path / "first.hasaccessory", tmp_path / "second.hasaccessory"
    status, output, errors = await run_to_its_end(hapsim(), "import", device, "-o", profile)
    if status != 0:  # The device has errors: they are reported, and no profile is written without --fix.
        assert status == 1 and not profile.exists() and str(device) in errors and "--fix" in errors
        status, output, told = await run_to_its_end(hapsim(), "import", device, "-o", profile, "--fix")
        assert status == 0 and told in errors
    await validated(profile)
    simulator = await run(profile, options=("--setup-code", CODE))
    await paired(ctl, simulator.accessory, "copy")
    await ctl("export", "copy", "-o", again)
    first, second = (json.loads(path.read_text(), object_hook=forget_the_machine) for path in (profile, again))
    assert first.pop("category") and second.pop("category") and first == second
    await ctl("unpair", "copy")

    # Also with a controller that is not ours.
    home = await phone.pair(simulator.accessory)
    read = [
        (a["aid"], s["iid"], s["type"], c["iid"], c["type"], c["format"], sorted(c["perms"]), value(c))
        for a in await home.accessories() for s in a["services"] for c in s["characteristics"]
    ]  # fmt: skip
    recorded = json.loads(device.read_text())
    if device.stem != "eve_energy":  # Services of this device have the iids of their characteristics, so they got new iids.
        assert read == [
            (a["aid"], s["iid"], long(s["type"]), c["iid"], long(c["type"]), c["format"], sorted(c["perms"]), value(c))
            for a in recorded for s in a["services"] for c in s["characteristics"]
        ]  # fmt: skip


def value(c):
    """Returns the value, or None for the current heating state: hapsim computes it from a simulated room (docs/reference/behaviours.md)."""
    return None if long(c["type"]) == CharacteristicsTypes.HEATING_COOLING_CURRENT else c.get("value")


def forget_the_machine(node):
    """Removes the current heating state from a profile."""
    if node.get("type") == "CurrentHeatingCoolingState":
        node.pop("value", None)
    return node


def long(uuid):
    """Returns the UUID as aiohomekit writes it: 36 characters, in capitals."""
    if len(uuid) == 32:
        uuid = "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]))
    return uuid.upper() if "-" in uuid else f"{uuid.upper():0>8}-0000-1000-8000-0026BB765291"


async def paired_strangers(phone, accessory):
    """Pairs aiohomekit with HAP-python. They treat leading zeros of A, B and S differently, so about one pairing in 85 fails."""
    for _ in range(2):
        with contextlib.suppress(AuthenticationError):
            return await phone.pair(accessory)
    return await phone.pair(accessory)


@pytest.mark.parametrize("kind", STRANGERS)
async def test_a_copy_of_a_hap_python_accessory_has_the_same_database(kind, run, ctl, phone, phones, tmp_path):
    stranger = await run(program=(*STRANGERS[kind], tmp_path / "state.json"))
    await paired(ctl, stranger.accessory, "original")
    profile = tmp_path / "copy.hasaccessory"
    await ctl("export", "original", "-o", profile)
    raw = await ctl("accessories", "original", "--raw")
    await ctl("unpair", "original")
    await validated(profile)

    copy = await run(profile, options=("--setup-code", CODE))
    await paired(ctl, copy.accessory, "copy")
    assert canonical(await ctl("accessories", "copy", "--raw")) == canonical(raw)
    await ctl("unpair", "copy")

    # aiohomekit reads the same database from both, except the order of permissions.
    theirs = await (await paired_strangers(phone, stranger.accessory)).accessories()
    ours = await (await (await phones()).pair(copy.accessory)).accessories()
    assert alike(ours) == alike(theirs)


def canonical(text):
    """Returns an answer to GET /accessories with sorted members, short types and sorted permissions. Booleans stay unchanged."""
    return json.dumps(alike(json.loads(text)["accessories"]), sort_keys=True)


def alike(accessories):
    for accessory in accessories:
        for service in accessory["services"]:
            for flag in ("primary", "hidden"):
                if service.get(flag) is False:
                    del service[flag]
            if not service.get("linked", True):
                del service["linked"]
            for characteristic in service["characteristics"]:
                characteristic["perms"].sort()
                characteristic["type"] = long(characteristic["type"])
                value = characteristic.get("value")
                if isinstance(value, float) and value == int(value):
                    characteristic["value"] = int(value)
            service["type"] = long(service["type"])
    return accessories


@pytest.mark.parametrize("name", ["kitchen-sink", "bridge-two-lights", "garage-kilgo", "bridge-149"])
async def test_a_copy_of_a_hapsim_accessory_answers_the_same_bytes(name, run, ctl, tmp_path):
    original = await run(PROFILES / f"{name}.hasaccessory", options=("--setup-code", CODE))
    await paired(ctl, original.accessory, "original")
    profile = tmp_path / "copy.hasaccessory"
    await ctl("export", "original", "-o", profile)
    before = await ctl("accessories", "original", "--raw")
    copy = await run(profile, options=("--setup-code", CODE))
    await paired(ctl, copy.accessory, "copy")
    assert await ctl("accessories", "copy", "--raw") == before
    # The profile of the copy is valid.
    await validated(profile)


async def test_a_redacted_profile_has_no_names_and_identifiers_of_the_owner(run, ctl, tmp_path):
    stranger = await run(program=(*STRANGERS["bridge"], tmp_path / "state.json"))
    await paired(ctl, stranger.accessory, "original")
    profile = tmp_path / "copy.hasaccessory"
    await ctl("export", "original", "-o", profile, "--redact")
    text = profile.read_text()
    for word in ("Hall", "Cellar", "Attic", "BRIDGE-0001", stranger.accessory.device_id):
        assert word not in text
    for word in ('"Strangers"', '"B-1"', "-12.5", '"aid": 77'):
        assert word in text, word
    await validated(profile)
    program = Path(hapsim()).with_name("hapctl")
    status, _, errors = await run_to_its_end(program, "export", "original", "-o", profile, "--state", tmp_path / "ctl")
    assert status == 3 and "already exists" in errors and profile.read_text() == text


def archived(*objects):
    """Returns the output of NSKeyedArchiver for a graph: `objects` refer to each other by their position, from 1."""
    document = {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": plistlib.UID(1)}, "$objects": ["$null", *objects]}
    return plistlib.dumps(document, fmt=plistlib.FMT_BINARY)


class Archive:
    """Collects the objects of an archive in the form of Apple's simulator, as far as the form is known."""

    def __init__(self):
        self.objects = [None]
        self.classes = {}

    def add(self, value):
        self.objects.append(value)
        return plistlib.UID(len(self.objects))

    def of(self, name, **members):
        if name not in self.classes:
            self.classes[name] = self.add({"$classname": name, "$classes": [name, "NSObject"]})
        return self.add({"$class": self.classes[name], **members})

    def list(self, items):
        return self.of("NSMutableArray", **{"NS.objects": list(items)})

    def type(self, text):
        inner = self.of("NSUUID", **{"NS.uuidbytes": uuid.UUID(text).bytes})
        return self.of("HAKUUID", **{"HAK.uuid": inner})

    def characteristic(self, iid, kind, form, properties, value=None):
        members = {"HAK.uuid": self.type(long(kind)), "HAK.instanceid": iid, "HAK.format": form, "HAK.properties": properties}
        if value is not None:
            members["HAK.value"] = self.add(value) if isinstance(value, str) else value
        return self.of("HAKCharacteristic", **members)

    def service(self, iid, kind, characteristics):
        return self.of(
            "HAKService", **{"HAK.uuid": self.type(long(kind)), "HAK.instanceid": iid, "HAK.characteristics": self.list(characteristics)}
        )


async def test_an_archive_of_apples_simulator_is_served(run, phone, tmp_path):
    archive = Archive()
    information = archive.service(1, "3E", [
        archive.characteristic(2, "14", 1, 2), archive.characteristic(3, "20", 8, 1, "Kilgo"), archive.characteristic(4, "21", 8, 1, "K-1"),
        archive.characteristic(5, "23", 8, 1, "Old Lamp"), archive.characteristic(6, "30", 8, 1, "KILGO-1"),
    ])  # fmt: skip
    lamp = archive.service(8, "43", [
        archive.characteristic(9, "25", 1, 7, True), archive.characteristic(10, "7E536242-341C-4862-BE90-272CE15BD633", 7, 7, 1.5),
    ])  # fmt: skip
    accessory = archive.of(
        "HAKAccessory",
        **{
            "HAK.category": 5, "HAK.password": archive.add("518-08-582"), "HAK.setupID": archive.add("7OSX"),
            "HAK.instanceid": 1, "HAK.services": archive.list([information, lamp]), "HAK.invented": archive.add("x"),
        },
    )  # fmt: skip
    archive.objects[0] = {
        **{"NS.keys": [archive.add("kind"), archive.add("version"), archive.add("accessory")]},
        "NS.objects": [archive.add("accessory"), archive.add(1), accessory],
        "$class": archive.add({"$classname": "NSDictionary", "$classes": ["NSDictionary", "NSObject"]}),
    }
    file, profile = tmp_path / "old.hasaccessory", tmp_path / "lamp.hasaccessory"
    file.write_bytes(archived(*archive.objects))
    status, output, errors = await run_to_its_end(hapsim(), "import", file, "-o", profile)
    assert status == 0, (output, errors)
    assert "note: " in errors and "HAK.invented" in errors
    await validated(profile)
    simulator = await run(profile)
    assert (simulator.accessory.setup_code, simulator.accessory.name) == ("518-08-582", "Old Lamp")
    services = (await (await phone.pair(simulator.accessory)).accessories())[0]["services"]
    values = {c["type"]: c.get("value") for s in services for c in s["characteristics"]}
    assert values[long("25")] == 1 and values["7E536242-341C-4862-BE90-272CE15BD633"] == 1.5
