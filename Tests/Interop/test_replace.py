"""A profile that is replaced while controllers are connected.

On real sockets because aiohomekit is a third party.
"""

import json

from phone import characteristic
from process import PROFILES


def edited(tmp_path, change, name="edited.hasaccessory"):
    """Writes a changed profile of the switchable light."""
    profile = json.loads((PROFILES / "light-switchable.hasaccessory").read_text())
    change(profile)
    path = tmp_path / name
    path.write_text(json.dumps(profile))
    return path


def add_a_switch(profile):
    profile["services"].append(
        {"type": "Switch", "name": "Second", "characteristics": [{"type": "On", "value": False}]}
    )


async def test_controllers_stay_connected_and_get_the_changes(run, phones, network, tmp_path):
    "[AD.22, EV.40, EV.41, DB.14]"
    simulator = await run(PROFILES / "light-switchable.hasaccessory", state=tmp_path / "state")
    phone = await (await phones()).pair(simulator.accessory)
    before = await phone.accessories()
    on = characteristic(before, "ON")
    assert await phone.subscribe(on) == {}
    device_id = simulator.accessory.device_id
    await network.wait(device_id, **{"c#": "1"})

    answer = await simulator.command("replace", profile=str(edited(tmp_path, add_a_switch)))
    assert (answer["ok"], answer["configurationNumber"]) == (True, 2), answer
    await network.wait(device_id, **{"c#": "2", "s#": "1", "sf": "0"})
    after = await phone.accessories()
    assert [s for s in after[0]["services"] if s["type"] in {b["type"] for b in before[0]["services"]}][0] \
        == before[0]["services"][0]
    second = [
        (1, c["iid"]) for s in after[0]["services"][1:] for c in s["characteristics"]
        if c["type"].startswith("00000025") and (1, c["iid"]) != on
    ]  # fmt: skip
    assert len(second) == 1
    assert await phone.put((*second[0], True)) == {}

    # On has another value in this profile: subscribers get an event. A new value alone does not increment c#.
    def lit(profile):
        add_a_switch(profile)
        profile["services"][0]["characteristics"][0]["value"] = True

    answer = await simulator.command("replace", profile=str(edited(tmp_path, lit)))
    assert (answer["ok"], answer["configurationNumber"]) == (True, 2), answer
    await phone.events.wait(on, True)
    assert await phone.value(second[0]) is True or await phone.value(second[0]) == 1

    # Back to the first profile, and then a restart: the iids are the same, and c# is kept.
    answer = await simulator.command("replace", profile=str(PROFILES / "light-switchable.hasaccessory"))
    assert (answer["ok"], answer["configurationNumber"]) == (True, 3), answer
    assert await phone.get(second[0]) == {second[0]: {"status": -70409, "description": "Resource does not exist."}} \
        or (await phone.get(second[0]))[second[0]]["status"] == -70409
    assert (await simulator.stop()) == 0
    again = await run(PROFILES / "light-switchable.hasaccessory", state=tmp_path / "state")
    await network.wait(device_id, **{"c#": "3"})
    assert again.accessory.device_id == device_id


async def test_a_profile_that_cannot_be_served_changes_nothing(run, phone, tmp_path):
    simulator = await run(PROFILES / "light-switchable.hasaccessory")
    home = await phone.pair(simulator.accessory)
    on = characteristic(await home.accessories(), "ON")

    def broken(profile):
        profile["services"][0]["type"] = "LightBlub"

    def another(profile):
        profile["deviceID"] = "11:22:33:44:55:66"

    def numbered(profile):
        profile["services"][0]["iid"] = 77

    for change, said in (
        (broken, "LightBlub"), (another, "another accessory"), (numbered, "iid"), (None, "No such file"),
    ):  # fmt: skip
        path = edited(tmp_path, change) if change else tmp_path / "none.hasaccessory"
        answer = await simulator.command("replace", profile=str(path))
        assert answer["ok"] is False, answer
        assert said in answer["error"]["message"], answer
        assert await home.put((*on, True)) == {}
    status = await simulator.command("status")
    assert status["accessories"][0]["configurationNumber"] == 1


async def test_a_new_firmware_revision_increments_the_configuration_number(run, network, tmp_path):
    "[AD.10]"
    simulator = await run(PROFILES / "light-switchable.hasaccessory")
    path = edited(tmp_path, lambda profile: profile.update(firmwareRevision="1.0.1"))
    answer = await simulator.command("replace", profile=str(path))
    assert (answer["ok"], answer["configurationNumber"]) == (True, 2), answer
    await network.wait(simulator.accessory.device_id, **{"c#": "2"})
