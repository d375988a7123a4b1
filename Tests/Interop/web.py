"""A client of the control API that uses only the sockets of the standard library."""

import asyncio
import json

from process import PATIENCE


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]


class Web:
    """One connection. `ask` sends a request and waits for the answer."""

    def __init__(self, reader, writer, host):
        self.reader, self.writer, self.host = reader, writer, host

    @classmethod
    async def connect(cls, simulator):
        address = control(simulator)
        reader, writer = await asyncio.open_connection(*address, limit=1 << 24)
        return cls(reader, writer, "%s:%d" % address)

    async def ask(self, method, target, body=None, **fields):
        await self.send(method, target, body, **fields)
        return await self.answer(has_body=method != "HEAD")

    async def send(self, method, target, body=None, **fields):
        content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = {"Host": self.host, **{name.replace("_", "-"): value for name, value in fields.items()}}
        if body is not None:
            lines.setdefault("Content-Type", "application/json")
            lines.setdefault("Content-Length", str(len(content)))
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
        await self.raw(f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode() + content)

    async def raw(self, data):
        self.writer.write(data)
        await self.writer.drain()

    async def head(self):
        text = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = text.strip().split("\r\n")
        return int(first.split()[1]), {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}

    async def answer(self, has_body=True):
        async with asyncio.timeout(PATIENCE):
            status, fields = await self.head()
            count = int(fields.get("content-length", 0)) if has_body else 0
            return Answer(status, fields, await self.reader.readexactly(count))

    async def follow(self, target, **fields):
        """Returns server-sent events as (id, name, data), beginning with the first event after this call returned."""
        await self.send("GET", target, **fields)
        async with asyncio.timeout(PATIENCE):
            status, fields = await self.head()
        assert (status, fields["content-type"]) == (200, "text/event-stream")
        return self._events()

    async def _events(self):
        event = {}
        while line := (await self.reader.readline()).decode():
            line = line.rstrip("\n")
            if not line and "data" in event:
                yield event.get("id"), event.get("event"), json.loads(event["data"])
                event = {}
            elif not line:
                event = {}
            elif not line.startswith(":"):
                name, value = line.split(": ", 1)
                event[name] = value

    async def is_over(self):
        """Waits until the other end closes. Returns False if it sends a byte instead."""
        async with asyncio.timeout(PATIENCE):
            try:
                return await self.reader.read(1) == b""
            except ConnectionResetError:
                return True

    def close(self):
        self.writer.close()


def control(simulator):
    """Returns host and port of a simulator's control API."""
    url = simulator.said[0]["control"]
    host, port = url.split("/")[2].rsplit(":", 1)
    return host.strip("[]"), int(port)


async def first(events, name, **members):
    """Returns the next event of this name with these members."""
    async with asyncio.timeout(PATIENCE):
        async for number, event, data in events:
            if event == name and members.items() <= data.items():
                return number, data
    raise AssertionError(f"the stream ended without {name} {members}")
