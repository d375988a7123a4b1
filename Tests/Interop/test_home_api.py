"""The API of homes over its socket, with accessories of HAP-python: what programs can do with it, and what users may do.

On real sockets because web clients, HAP-python and schemathesis are third parties.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from socket import gethostname
from urllib.parse import quote

import openapi_spec_validator
import pytest_asyncio
from home_web import ZONE, homes  # noqa: F401 (fixture)
from process import PATIENCE, run_to_its_end
from test_home_hub import CODE
from web import Web, control, first

HERE = Path(__file__).parent
HOME = "/v1/homes/My%20Home"


class Client:
    """A client with a token."""

    def __init__(self, web, token):
        self.web, self.token = web, token

    @property
    def field(self):
        return {"Authorization": f"Bearer {self.token}"}

    async def ask(self, method, target, body=None, status=200):
        """Returns the body of the answer, which has to have this status."""
        answer = await self.web.ask(method, target, body, **self.field)
        assert answer.status == status, (method, target, answer.status, answer.body)
        return json.loads(answer.body) if answer.body else None

    async def follow(self):
        return await self.web.follow("/v1/homes/events", **self.field)


@pytest_asyncio.fixture
async def clients():
    """`await clients(home, token)`: a client of the hub's API, which is closed after the test."""
    opened = []

    async def new(home, token=None):
        opened.append(await Web.connect(home.page))
        return Client(opened[-1], token or home.address.partition("token=")[2])

    yield new
    for web in opened:
        web.close()


@pytest_asyncio.fixture
async def bulb(run, homes, tmp_path):
    """A hub with a home, and HAP-python's bulb in it: `bulb.accessory`."""
    home = homes()
    home.accessory = (await run(program=(sys.executable, HERE / "bulb.py", tmp_path / "bulb.state"))).accessory
    home.hub = await home.serve()
    await home.well("new", "My Home", "--zone", ZONE, "--owner", "Anna")
    return home


async def end(events):
    """Waits for the end of an event stream."""
    async with asyncio.timeout(PATIENCE):
        async for _ in events:
            pass


async def test_a_bulb_of_hap_python_is_added_in_steps_controlled_and_removed(bulb, clients):
    client, listener = await clients(bulb), await clients(bulb)
    events = await listener.follow()
    setup = await client.ask("POST", "/v1/homes/setups", {"home": "My Home"}, 201)
    target = f"/v1/homes/setups/{setup['id']}"
    assert setup["step"] == "code"
    await client.ask("POST", target + "/answers", {"code": CODE})
    while not (await client.ask("GET", target))["candidates"]:
        await first(events, "setup")
    await client.ask("POST", target + "/answers", {"choose": bulb.accessory.device_id})
    while (await first(events, "setup"))[1]["setup"]["step"] != "page":
        pass
    await client.ask("POST", target + "/answers", {"name": "Desk Lamp", "newRoom": "Study"})
    while (await first(events, "setup"))[1]["setup"]["step"] != "done":
        pass

    home = await client.ask("GET", HOME)
    (lamp,) = home["accessories"]
    (study,) = home["rooms"]
    assert (lamp["name"], lamp["room"], study["name"]) == ("Desk Lamp", study["id"], "Study")
    on = f"{HOME}/characteristics/{quote('Desk Lamp/On', safe='')}"
    assert (await client.ask("PUT", on, {"value": "on"}))["value"] is True
    assert (await client.ask("GET", on))["value"] is True
    # The write of another app is an event.
    await bulb.well("set", "Desk Lamp/On", "off")
    identifier = (await client.ask("GET", on))["characteristic"]
    while {"characteristic": identifier, "value": False} not in (await first(events, "values"))[1]["values"]:
        pass
    await client.ask("POST", "/v1/homes/commands", {"command": "add-action-set", "home": home["id"], "name": "Bright"})
    scene = next(scene for scene in (await client.ask("GET", HOME))["scenes"] if scene["name"] == "Bright")
    await client.ask("POST", "/v1/homes/commands", {"command": "add-action", "actionSet": scene["id"], "characteristic": identifier, "value": True})
    result = (await client.ask("POST", f"{HOME}/scenes/bright/execute"))["result"]
    assert [action["outcome"] for action in result["actions"]] == ["done"]
    assert await bulb.values("Desk Lamp/On") == [True]
    await client.ask("DELETE", f"{HOME}/accessories/Desk%20Lamp")
    assert (await client.ask("GET", HOME))["accessories"] == []


async def test_users_may_do_what_their_role_permits_until_their_token_ends(bulb, clients):
    await bulb.well("add", "--code", CODE, "--device", bulb.accessory.device_id)
    for name, role in (("Ben", "guest"), ("Cleo", "administrator")):
        await bulb.well("user", "add", name, "--role", role)
    owner = await clients(bulb)
    ben, cleo = [await clients(bulb, await bulb.token(name)) for name in ("Ben", "Cleo")]
    (entry,) = (await ben.ask("GET", "/v1/homes"))["homes"]
    assert (entry["role"], entry["sharedBy"]) == ("guest", "Anna")
    lamp = (await ben.ask("GET", HOME))["accessories"][0]
    on = f"{HOME}/characteristics/{quote(lamp['name'] + '/On', safe='')}"
    await ben.ask("PUT", on, {"value": True})
    room = {"command": "add-room", "home": entry["id"], "name": "Hall"}
    refused = await ben.ask("POST", "/v1/homes/commands", room, 403)
    assert (refused["error"]["number"], refused["error"]["rule"]) == (17, "U1")
    await cleo.ask("POST", "/v1/homes/commands", room)
    ben_id = next(user["id"] for user in (await owner.ask("GET", HOME))["users"] if user["name"] == "Ben")
    await cleo.ask("POST", "/v1/homes/commands", {"command": "remove-user", "user": ben_id}, 403)
    await cleo.ask("POST", f"{HOME}/users/Ben/token", {}, 403)

    # The removal of a user ends the user's event streams, and a new token those of the one before.
    streams = [await (await clients(bulb, client.token)).follow() for client in (ben, cleo, owner)]
    await bulb.well("user", "remove", "Ben")
    await end(streams[0])
    await ben.ask("GET", "/v1/homes", status=401)
    status, new, errors = await bulb.run("hub", "token", "Cleo", "--renew")
    assert (status, errors) == (0, "")
    new = new.strip()
    assert (await owner.ask("POST", f"{HOME}/users/Cleo/token", {}))["token"] == new
    await end(streams[1])
    await cleo.ask("GET", "/v1/homes", status=401)
    cleo = await clients(bulb, new)
    await cleo.ask("GET", "/v1/homes")
    # The owner's stream continues, also after a new start of the hub with the same token.
    address = bulb.address
    assert await bulb.hub.stop() == 0
    await end(streams[2])
    await bulb.serve(control(bulb.page)[0] + ":%d" % control(bulb.page)[1])
    assert bulb.address == address
    await (await clients(bulb, new)).ask("GET", "/v1/homes")


async def test_the_owner_of_a_shared_home_is_not_the_owner_of_this_hub(bulb, homes, clients):
    guest = homes("guest")
    await guest.serve()
    ben = await clients(guest)
    request = (await ben.ask("POST", "/v1/homes/share-requests", {"name": "Ben"}))["document"]
    shared = await (await clients(bulb)).ask("POST", f"{HOME}/users", {"shareRequest": request, "role": "administrator"}, 201)
    await ben.ask("POST", "/v1/homes/shares", {"share": shared["document"]})
    home = await ben.ask("GET", HOME)
    assert (home["role"], home["mayEdit"], home["sharedBy"]) == ("administrator", False, "Anna")
    for name in ("Anna", "Ben"):
        refused = await ben.ask("POST", f"{HOME}/users/{name}/token", {"renew": True}, 409)
        assert refused["error"]["rule"] == "U1"
    await ben.ask("GET", "/v1/homes")


async def test_requests_without_a_token_and_from_other_sites_are_refused(bulb, clients):
    await bulb.well("add", "--code", CODE, "--device", bulb.accessory.device_id)
    client = await clients(bulb)
    host, port = control(bulb.page)
    lamp = (await client.ask("GET", HOME))["accessories"][0]
    target = f"{HOME}/characteristics/{quote(lamp['name'] + '/On', safe='')}"
    before = (await client.ask("GET", target))["value"]
    for fields, status in (
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": f"Basic {client.token}"}, 401),
        ({**client.field, "Host": f"evil.example:{port}"}, 403),
        ({**client.field, "Origin": "http://evil.example"}, 403),
        ({**client.field, "Origin": "null"}, 403),
        ({**client.field, "Sec_Fetch_Site": "cross-site"}, 403),
        ({**client.field, "Content_Type": "text/plain"}, 415),
    ):
        web = (await clients(bulb)).web
        answer = await web.ask("PUT", target, {"value": not before}, **fields)
        assert answer.status == status, fields
        assert "access-control-allow-origin" not in answer.fields
    for fields in ({"Host": f"{gethostname()}:{port}"}, {"Origin": f"http://{host}:{port}"}):
        web = (await clients(bulb)).web
        answer = await web.ask("GET", target, None, **{**client.field, **fields})
        assert (answer.status, answer.json["value"]) == (200, before), (fields, answer.body)
    # The page is no secret, but cannot be embedded.
    page = await (await clients(bulb)).web.ask("GET", "/")
    assert page.status == 200 and "frame-ancestors 'none'" in page.fields["content-security-policy"]


async def test_the_description_is_valid(bulb, clients):
    openapi_spec_validator.validate(await (await clients(bulb)).ask("GET", "/v1/openapi.json"))


async def test_the_api_of_homes_conforms_to_its_description(bulb, clients):
    """As the test of the control API. A new token for the owner would end all other requests, so the hook leaves these out."""
    await bulb.well("add", "--code", CODE, "--device", bulb.accessory.device_id, "--name", "Lamp")
    await bulb.well("scene", "add", "Evening", "Lamp/On", "on")
    await bulb.well("trigger", "add", "dusk", "--when", "at 18:00", "--run", "Evening")
    program = Path(sys.executable).with_name("schemathesis")
    examples = os.environ.get("API_EXAMPLES", "2")
    client = await clients(bulb)
    status, output, errors = await run_to_its_end(
        program, "--config-file", HERE / "schemathesis_homes.toml", "run",
        "http://%s:%d/v1/openapi.json" % control(bulb.page), "--header", f"Authorization: Bearer {client.token}",
        "--checks", "all", "-n", examples, "--seed", "1",
        # Its answer is endless by design.
        "--exclude-operation-id", "followEvents", "--continue-on-failure",
        patience=560 if examples == "2" else 3000,  # a minute alone; some minutes next to all other tests
        environment={"SCHEMATHESIS_HOOKS": str(HERE / "schemathesis_hooks.py")},
    )  # fmt: skip
    print(output)
    assert status == 0, (output[-6000:], errors)
