"""HTTP on a connection that is not secured: one request, one answer, byte for byte."""

import asyncio
from dataclasses import dataclass

from process import PATIENCE


@dataclass(frozen=True)
class Answer:
    status_line: str
    headers: dict  # names in lower case
    body: bytes

    @property
    def status(self):
        return int(self.status_line.split(" ")[1])


class PlainConnection:
    """A connection that stays open between requests, as in HTTP/1.1."""

    def __init__(self, accessory):
        self.accessory = accessory

    async def __aenter__(self):
        self.reader, self.writer = await asyncio.open_connection(self.accessory.address, self.accessory.port)
        return self

    async def __aexit__(self, *_):
        self.writer.close()

    async def send(self, data):
        self.writer.write(data)
        await self.writer.drain()

    async def ask(self, method, target, body=b""):
        head = f"{method} {target} HTTP/1.1\r\nHost: accessory\r\n"
        if body:
            head += f"Content-Length: {len(body)}\r\n"
        await self.send(head.encode() + b"\r\n" + body)
        return await self.answer()

    async def answer(self):
        async with asyncio.timeout(PATIENCE):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
            status_line, *lines = head.removesuffix("\r\n\r\n").split("\r\n")
            headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        return Answer(status_line, headers, body)

    async def closed(self):
        """Waits until the other side closes, and returns its remaining bytes."""
        async with asyncio.timeout(PATIENCE):
            return await self.reader.read()
