"""A fleet as Matter nodes, with connectedhomeip's controller on another host.

The Matter controller is not part of the project; see matter_controller.py.

On real sockets because it is a third party.
"""

import base64

import pytest
import pytest_asyncio
from matter_controller import MatterController, with_controller
from matter_payload import discriminator
from process import PROFILES
from second_host import FAR

pytestmark = with_controller

COUNT = 50
FLEET = f"""fleet: 1
identity: fifty switches of a test
groups:
  - profile: {PROFILES}/switch.hasaccessory
    count: {COUNT}
"""


@pytest_asyncio.fixture
async def switches(run, second_host, tmp_path):
    """hapsim with a fleet on the second host."""
    file = tmp_path / "fleet.yaml"
    file.write_text(FLEET)
    options = ("--matter", "--bonjour", "embedded")
    return await run(file, command="fleet", options=options, interfaces=(FAR,), namespace=second_host.namespace)


@pytest_asyncio.fixture
async def matter(switches, tmp_path):
    """A controller that trusts all accessories of the fleet."""
    trusted = tmp_path / "trusted"
    trusted.mkdir()
    for accessory in switches.said[0]["accessories"]:
        (trusted / f"{accessory['name']}.der").write_bytes(base64.b64decode(accessory["matter"]["trustAnchorDER"]))
    controller = await MatterController.start(tmp_path, trusted)
    yield controller
    await controller.close()


def with_a_shared_digit(accessories):
    """Returns the last accessory whose manual code begins as those of others: the manual code has four bits of the discriminator."""
    short = [discriminator(accessory["matter"]["payload"]) >> 8 for accessory in accessories]
    return next(accessory for accessory, own in reversed(list(zip(accessories, short))) if short.count(own) > 1)


@pytest.mark.parametrize("code", ["payload", "manualCode"])
async def test_one_of_fifty_is_added_by_its_code_and_the_others_are_not(code, switches, matter):
    accessories = switches.said[0]["accessories"]
    assert len(accessories) == COUNT
    wanted = with_a_shared_digit(accessories)
    await matter("commission", "home", 1, wanted["matter"][code])
    unique = f"hapsim-{wanted['deviceID'].replace(':', '')}"
    assert await matter("read", "home", 1, "0/BasicInformation/UniqueID") == {"0/40/18": unique}
    await matter("invoke", "home", 1, "1/OnOff/On")
    await switches.wait(lambda line: line.get("event") == "wrote")
    assert {line["accessory"] for line in switches.said if line.get("event") == "wrote"} == {wanted["name"]}
    listed = (await switches.command("list"))["accessories"]
    assert {entry["name"]: len(entry["matter"]["fabrics"]) for entry in listed if entry["matter"]["fabrics"]} == {wanted["name"]: 1}
    # Without a session, the controller has to find the operational record of this node.
    await matter("expire", "home", 1)
    assert await matter("read", "home", 1, "1/OnOff/OnOff") == {"1/6/0": True}
