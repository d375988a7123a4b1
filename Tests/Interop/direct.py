"""aiohomekit's protocol without its discovery. It connects to a port, for tests that start an accessory hundreds of times."""

import asyncio
import uuid

from aiohomekit.controller.ip.connection import HomeKitConnection, SecureHomeKitConnection
from aiohomekit.protocol import perform_pair_setup_part1, perform_pair_setup_part2

from process import PATIENCE


async def _converse(connection, machine):
    request, expected = machine.send(None)
    while True:
        response = await connection.post_tlv("/pair-setup", body=request, expected=expected)
        try:
            request, expected = machine.send(response)
        except StopIteration as result:
            return result.value


async def pair(accessory):
    """Runs Pair Setup and returns the keys of both sides. When it returns, M6 was received."""
    connection = HomeKitConnection(None, [accessory.address], accessory.port)
    async with asyncio.timeout(PATIENCE):
        await connection._connect_once()
        try:
            salt, key = await _converse(connection, perform_pair_setup_part1(with_auth=False))
            code = accessory.setup_code
            return await _converse(connection, perform_pair_setup_part2(code, str(uuid.uuid4()), salt, key))
        finally:
            if connection.transport:
                connection.transport.close()


class Session:
    """`async with Session(accessory, keys) as session:` runs Pair Verify. The session never reconnects."""

    def __init__(self, accessory, keys):
        data = {**keys, "AccessoryIP": accessory.address, "AccessoryPort": accessory.port}
        self.connection = SecureHomeKitConnection(None, data)

    async def __aenter__(self):
        async with asyncio.timeout(PATIENCE):
            await self.connection._connect_once()
        return self

    async def __aexit__(self, *_):
        if self.connection.transport:
            self.connection.transport.close()

    async def database(self):
        async with asyncio.timeout(PATIENCE):
            return (await self.connection.get_json("/accessories"))["accessories"]

    async def put(self, aid, iid, value):
        """Writes a value. Returns after 204 was received."""
        body = {"characteristics": [{"aid": aid, "iid": iid, "value": value}]}
        async with asyncio.timeout(PATIENCE):
            assert await self.connection.put_json("/characteristics", body) == {}

    async def get(self, aid, iid):
        async with asyncio.timeout(PATIENCE):
            answer = await self.connection.get_json(f"/characteristics?id={aid}.{iid}")
        return answer["characteristics"][0]["value"]
