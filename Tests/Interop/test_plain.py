"""Answers on a connection without Pair Verify.

On real sockets because it sends bytes from a program that is not ours.
"""

import asyncio
import json

import pytest

from plain import PlainConnection
from process import PROFILES

LIGHT = PROFILES / "light-colour.hasaccessory"


@pytest.mark.parametrize("target", ["/accessories", "/characteristics?id=1.1"])
async def test_secured_addresses_answer_470(target, run):
    "[HTTP.1, HTTP.2, HTTP.25]"
    accessory = (await run(LIGHT)).accessory
    async with PlainConnection(accessory) as connection:
        answer = await connection.ask("GET", target)
        assert answer.status_line == "HTTP/1.1 470 Connection Authorization Required"
        assert answer.headers["content-type"] == "application/hap+json"
        assert json.loads(answer.body) == {"status": -70411}
        body = b'{"characteristics":[{"aid":1,"iid":2,"value":true}]}'
        assert (await connection.ask("PUT", "/characteristics", body)).status == 470


async def test_identify_is_accepted_only_while_unpaired(run, phone):
    "[ID.1, ID.2]"
    simulator = await run(LIGHT)
    async with PlainConnection(simulator.accessory) as connection:
        answer = await connection.ask("POST", "/identify")
        assert (answer.status, answer.body) == (204, b"")
        await simulator.wait(lambda line: line.get("event") == "identify")
        await phone.pair(simulator.accessory)
        answer = await connection.ask("POST", "/identify")
        assert (answer.status, json.loads(answer.body)) == (400, {"status": -70401})


async def test_malformed_requests_do_not_affect_other_connections(run, phone):
    "[HTTP.32, HTTP.33, CN.3]"
    accessory = (await run(LIGHT)).accessory
    home = await phone.pair(accessory)
    async with asyncio.timeout(60):
        for garbage in (
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,  # a TLS ClientHello, as a browser sends it
            b"\r\n" * 5000,
            b"GET " + b"x" * 100_000,
            b"POST /pair-setup HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
            b"POST /pair-setup HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
            b"\xff" * 64,
        ):
            async with PlainConnection(accessory) as connection:
                try:
                    await connection.send(garbage)
                    await connection.closed()
                except ConnectionError:
                    pass  # closed before all bytes were read
            assert await home.accessories()
