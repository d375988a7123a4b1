"""An example of a test of your controller: the test drives the garage door, and checks its state.

    python3 Examples/python/test_garage.py hapsim Profiles

The arguments are the paths of hapsim and of its profiles. This test sets values as a person at the door; in your test, your controller writes them.
"""

import sys

from hapsim import Hapsim, Refused


def test_the_door_stops_at_an_obstruction(program, profiles):
    with Hapsim.start(f"{profiles}/garage-door.hasaccessory", program=program) as hapsim:
        door = hapsim.accessory("Garage Door")
        door.set("TargetDoorState", "open")
        hapsim.advance("8s")
        assert door.value("CurrentDoorState") == "open"
        door.set("TargetDoorState", "closed")
        hapsim.advance("2s")
        assert door.value("CurrentDoorState") == "closing"
        last = hapsim.log()[-1]["seq"]
        door.do("obstruct")
        event = hapsim.wait("changed", after=last, name="Obstruction Detected")
        assert event["value"] is True
        assert door.value("CurrentDoorState") != "closing"


def test_an_invalid_value_is_refused(program, profiles):
    with Hapsim.start(f"{profiles}/garage-door.hasaccessory", program=program) as hapsim:
        door = hapsim.accessory("Garage Door")
        try:
            door.set("TargetDoorState", 2)
        except Refused as refusal:
            assert refusal.status == 422 and "maxValue is 1" in str(refusal)
        else:
            raise AssertionError("the value was accepted")


def test_an_accessory_is_made_from_service_types(program, profiles):
    with Hapsim.start(f"{profiles}/garage-door.hasaccessory", program=program) as hapsim:
        profile = hapsim.ask("POST", "/v1/profiles", {"services": ["LightBulb:Brightness"], "name": "Desk lamp"})
        lamp = hapsim.add(profile)
        lamp.set("Brightness", 30)
        lamp.fault("latency", by="2s")
        assert lamp.details["faults"] == ["latency:by=2s"]
        assert [one.number for one in hapsim.accessories] == [1, 2]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: test_garage.py HAPSIM PROFILES")
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test(*sys.argv[1:])
            print(f"passed: {name[5:].replace('_', ' ')}")
