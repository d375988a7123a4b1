"""A controller made with aiohomekit 4.0.1: it discovers, pairs, reads, writes and subscribes."""

import asyncio
import itertools
import json
import uuid

from aiohomekit.controller import Controller
from aiohomekit.controller.ip.discovery import IpDiscovery
from aiohomekit.exceptions import AuthenticationError, HttpErrorResponse
from aiohomekit.model.characteristics import CharacteristicsTypes
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from process import PATIENCE

PID = 11122333  # of every timed write; an accessory accepts a pid once, whatever its number


class Phone:
    """One controller with its pairings. Controllers on one network share no pairings."""

    def __init__(self, network):
        self.controller = Controller(async_zeroconf_instance=network.zeroconf)
        self.network = network
        self.homes = []

    async def __aenter__(self):
        await self.controller.async_start()
        return self

    async def __aexit__(self, *_):
        for home in self.homes:
            await home.close()
        await self.controller.async_stop()

    async def find(self, accessory):
        """Returns the description that aiohomekit discovered for the accessory's device ID."""
        return await self.controller.async_find(accessory.device_id, timeout=PATIENCE)

    async def pair(self, accessory, code=None):
        """Runs Pair Setup with the code of the ready line. Later requests use the session that Pair Verify creates."""
        return self.open(await pair_setup(await self.find(accessory), code or accessory.setup_code))

    def open(self, pairing_data):
        """Opens an existing pairing. It uses `load_pairing` and not the object that Pair Setup returned, because aiohomekit reports a new port
        after a restart only to a loaded pairing."""
        home = Home(self.controller.load_pairing(f"home-{uuid.uuid4()}", dict(pairing_data)), pairing_data)
        self.homes.append(home)
        return home


async def pair_setup(discovery, code):
    """Runs Pair Setup on a separate connection, and returns the keys of both sides."""
    discovery = IpDiscovery(discovery.controller, discovery.description)
    try:
        async with asyncio.timeout(PATIENCE):
            finish = await discovery.async_start_pairing("unused")
            pairing = await finish(code)
    finally:
        await discovery.close()
    return pairing.pairing_data


def another_controller(pairing_data):
    """Returns keys of a second controller for an accessory that the first controller paired, as an admin would transfer them."""
    key = Ed25519PrivateKey.generate()
    raw = serialization.Encoding.Raw
    seed = key.private_bytes(raw, serialization.PrivateFormat.Raw, serialization.NoEncryption())
    return {
        **pairing_data,
        "iOSPairingId": str(uuid.uuid4()).upper(),
        "iOSDeviceLTSK": seed.hex(),
        "iOSDeviceLTPK": key.public_key().public_bytes(raw, serialization.PublicFormat.Raw).hex(),
    }


class Home:
    """A pairing and its session."""

    def __init__(self, pairing, data):
        self.pairing = pairing
        self.data = dict(data)
        self.identifier = data["iOSPairingId"]
        self.events = Events(pairing)

    async def close(self):
        try:
            await self.pairing.shutdown()
        except AuthenticationError:
            pass  # the result of a connection attempt with a removed pairing

    async def accessories(self):
        async with asyncio.timeout(PATIENCE):
            return await self.pairing.list_accessories_and_characteristics()

    async def get(self, *ids):
        """Returns `{(aid, iid): {"value": …} or {"status": …}}`."""
        async with asyncio.timeout(PATIENCE):
            return await self.pairing.get_characteristics(list(ids))

    async def value(self, identifier):
        return (await self.get(identifier))[identifier]["value"]

    async def put(self, *writes, timed=False):
        """Writes `(aid, iid, value)`. Returns the statuses of a 207, or an empty result for a 204. With `timed`, sends a `prepare` first."""
        if timed:
            return await self._put_timed(*writes)
        async with asyncio.timeout(PATIENCE):
            answer = await self.pairing.put_characteristics(list(writes))
        return {identifier: entry["status"] for identifier, entry in answer.items()}

    async def _put_timed(self, *writes):
        """Sends the request itself, because aiohomekit has no timed writes."""
        body = {"characteristics": [{"aid": a, "iid": i, "value": v} for a, i, v in writes], "pid": PID}
        code, answer = await self.request("PUT", "/characteristics", json.dumps(body).encode())
        if code == 204:
            return {}
        assert code == 207, (code, answer)
        return {(e["aid"], e["iid"]): e["status"] for e in json.loads(answer)["characteristics"]}

    async def put_one(self, identifier, timed=False, **members):
        """Writes one entry with any members; with `timed`, sends a `prepare` first. Returns the HTTP status and the entry of a 207."""
        body = {"characteristics": [dict(zip(("aid", "iid"), identifier), **members)]}
        if timed:
            await self.prepare()
            body["pid"] = PID
        code, answer = await self.request("PUT", "/characteristics", json.dumps(body).encode())
        if code != 207:
            return code, None
        (entry,) = json.loads(answer)["characteristics"]
        assert (entry["aid"], entry["iid"]) == identifier
        return code, entry

    async def prepare(self):
        """Prepares one timed write, with a ttl of PATIENCE."""
        body = {"ttl": int(PATIENCE * 1000), "pid": PID}
        code, answer = await self.request("PUT", "/prepare", json.dumps(body).encode())
        assert (code, json.loads(answer)) == (200, {"status": 0})

    async def subscribe(self, *ids):
        """Subscribes. Returns the statuses of the refused characteristics."""
        async with asyncio.timeout(PATIENCE):
            answer = await self.pairing.subscribe(sorted(ids))
        return {identifier: entry["status"] for identifier, entry in (answer or {}).items() if entry["status"] != 0}

    async def request(self, method, target, body=None):
        """Sends a request over the secured session. Returns status and body, also for 4xx, for which aiohomekit raises an error."""
        await self.pairing._ensure_connected()
        headers = [("Content-Length", len(body)), ("Content-Type", "application/hap+json")] if body else None
        try:
            async with asyncio.timeout(PATIENCE):
                response = await self.pairing.connection.request(method, target, headers, body)
        except HttpErrorResponse as error:
            response = error.response
        return response.code, bytes(response.body)

    async def add(self, data, admin=True):
        async with asyncio.timeout(PATIENCE):
            await self.pairing.add_pairing(data["iOSPairingId"], data["iOSDeviceLTPK"], "Admin" if admin else "User")

    async def pairings(self):
        async with asyncio.timeout(PATIENCE):
            return await self.pairing.list_pairings()

    async def remove(self, identifier):
        async with asyncio.timeout(PATIENCE):
            await self.pairing.remove_pairing(identifier)

    async def unpair(self):
        await self.remove(self.identifier)


class Events:
    """The events that were received. aiohomekit also reports its own writes to its listeners; these are not included."""

    def __init__(self, pairing):
        self.seen = []  # (identifier, value) in the order of arrival
        self._news = asyncio.Condition()
        self._deliver = pairing.event_received
        self._tasks = set()
        pairing.event_received = self._received

    def _received(self, event):
        for entry in event["characteristics"]:
            self.seen.append(((entry["aid"], entry["iid"]), entry.get("value")))
        self._deliver(event)
        task = asyncio.ensure_future(self._tell())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self):
        async with self._news:
            self._news.notify_all()

    async def wait(self, identifier, value, since=0, patience=PATIENCE):
        """Waits until this event is among the events from number `since`. Returns its number."""

        def found():
            return next((n for n in range(since, len(self.seen)) if matches(self.seen[n], identifier, value)), None)

        try:
            async with asyncio.timeout(patience):
                async with self._news:
                    await self._news.wait_for(lambda: found() is not None)
        except TimeoutError:
            raise AssertionError(
                f"no event {identifier} = {value!r} in {patience} s; events from number {since}: {self.seen[since:]}"
            ) from None
        return found()

    def of(self, identifier, since=0):
        """Returns the received values of one characteristic."""
        return [value for seen, value in self.seen[since:] if seen == identifier]


def batches(things, count=100):
    """Yields lists of at most `count` elements, which fit into one request."""
    things = iter(things)
    while batch := list(itertools.islice(things, count)):
        yield batch


def matches(event, identifier, value):
    return event[0] == identifier and same(event[1], value)


def same(one, other):
    """Compares values by the rules of HAP: true equals 1, and floats may differ by rounding."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) < 1e-6 * max(1, abs(one), abs(other))
    return one == other


def characteristic(accessories, name_or_type, aid=None, service=None):
    """Returns the `(aid, iid)` of the only characteristic of a type. The type is aiohomekit's name or a UUID."""
    wanted = getattr(CharacteristicsTypes, name_or_type, name_or_type).upper()
    found = [
        (a["aid"], c["iid"])
        for a in accessories
        for s in a["services"]
        for c in s["characteristics"]
        if c["type"].upper() == wanted and aid in (None, a["aid"]) and service in (None, s["type"].upper())
    ]
    assert len(found) == 1, f"{name_or_type}: {found}"
    return found[0]
