"""homekit_python 0.19, the second controller, in a separate process. It pairs only with method 1.

It runs in its own virtual environment, which `make test-deps` creates (requirements-homekit-python.txt).
"""

import asyncio
import json
from pathlib import Path

from process import PATIENCE, ROOT

PYTHON = ROOT / ".venv-homekit-python/bin/python"
CALLS = Path(__file__).with_name("homekit_python_calls.py")


class Refused(Exception):
    """homekit_python raised an exception."""


class HomekitPython:
    """homekit_python in a separate process. `await it("pairings", data)` calls a function of homekit_python_calls.py."""

    @classmethod
    async def start(cls):
        assert PYTHON.exists(), f"{PYTHON} is missing; run `make test-deps`"
        self = cls()
        self.process = await asyncio.create_subprocess_exec(
            str(PYTHON), str(CALLS), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 24
        )
        return self

    async def __call__(self, name, *arguments):
        async with asyncio.timeout(PATIENCE):
            self.process.stdin.write(json.dumps([name, *arguments]).encode() + b"\n")
            await self.process.stdin.drain()
            line = await self.process.stdout.readline()
        assert line, "homekit_python ended; see its standard error"
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(f"{answer['error']}: {answer['message']}")
        return answer["result"]

    async def pair(self, accessory):
        """Pairs, and returns the pairing's data. homekit_python omits leading zeros of public keys, salt, session key and proofs.
        Therefore about one pairing in 40 fails with an accessory that keeps them. Four failures in a row are improbable."""
        for _ in range(3):
            try:
                return await self("pair", accessory.device_id, accessory.setup_code)
            except Refused as refusal:
                if not any(text in str(refusal) for text in ("AuthenticationError: step 5", "perform_pair_setup: State not M4")):
                    raise
        return await self("pair", accessory.device_id, accessory.setup_code)

    async def close(self):
        self.process.stdin.close()
        async with asyncio.timeout(PATIENCE):
            await self.process.wait()
