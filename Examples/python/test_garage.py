"""An example of tests of your controller: a test operates an accessory, and checks its state.

    pip install hapsim-VERSION-py3-none-any.whl pytest      # the wheel of a release of hapsim; `hapsim` is on PATH
    pytest Examples/python

The fixture `hapsim` starts accessories. These tests set values as a person at the door; in your test, your controller writes them.
"""

import pytest

from hapsim import Refused


def test_the_door_stops_at_an_obstruction(hapsim):
    world = hapsim("garage-door")
    door = world.accessory("Garage Door")
    door.set("TargetDoorState", "open")
    world.advance("8s")
    assert door.value("CurrentDoorState") == "open"
    door.set("TargetDoorState", "closed")
    world.advance("2s")
    assert door.value("CurrentDoorState") == "closing"
    last = world.log()[-1]["seq"]
    door.do("obstruct")
    event = world.wait("changed", after=last, name="Obstruction Detected")
    assert event["value"] is True
    assert door.value("CurrentDoorState") != "closing"


def test_an_invalid_value_is_refused(hapsim):
    world = hapsim("garage-door")
    door = world.accessory("Garage Door")
    with pytest.raises(Refused, match="maxValue is 1") as refusal:
        door.set("TargetDoorState", 2)
    assert refusal.value.status == 422


def test_an_accessory_is_made_from_service_types(hapsim):
    world = hapsim("garage-door")
    profile = world.ask("POST", "/v1/profiles", {"services": ["LightBulb:Brightness"], "name": "Desk lamp"})
    lamp = world.add(profile)
    lamp.set("Brightness", 30)
    lamp.fault("latency", by="2s")
    assert lamp.details["faults"] == ["latency:by=2s"]
    assert [one.number for one in world.accessories] == [1, 2]
