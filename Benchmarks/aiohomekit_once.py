"""The comparison for hapctl: one request of aiohomekit as a whole process, directly to the port.

usage: aiohomekit_once.py get|database KEYS.json ADDRESS PORT [AID IID]
"""

import asyncio
import json
import sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests" / "Interop"))

from direct import Session  # noqa: E402


async def main(errand, keys, address, port, *ids):
    accessory = SimpleNamespace(address=address, port=int(port))
    async with Session(accessory, json.loads(Path(keys).read_text())) as session:
        if errand == "get":
            print(await session.get(*map(int, ids)))
        else:
            print(len(json.dumps(await session.database())))


asyncio.run(main(*sys.argv[1:]))
