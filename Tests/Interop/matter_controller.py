"""connectedhomeip's controller in a separate process.

It runs in its own virtual environment, which `make test-deps` creates if MATTER_CONTROLLER names the folder of a Matter controller.
"""

import asyncio
import itertools
import json
import os
from pathlib import Path

import pytest

from process import PATIENCE, ROOT

CONTROLLER = Path(os.environ.get("MATTER_CONTROLLER") or "/nonexistent")
PYTHON = ROOT / ".venv-matter/bin/python"
ENVIRONMENT = {"LD_LIBRARY_PATH": str(ROOT / ".build/matter-libraries/libraries"), "PYTHONDONTWRITEBYTECODE": "1"}
CALLS = Path(__file__).with_name("matter_controller_calls.py")
with_controller = pytest.mark.skipif(
    not CONTROLLER.is_dir(), reason="MATTER_CONTROLLER does not name the folder of a Matter controller (controller.py)"
)

# The controller stores its files in /data, a fixed path. Each controller runs in a mount namespace with a separate root folder and an empty /data.
# Therefore it writes no file to the machine's root folder, and controllers that run at the same time share no folder.
SEPARATE_ROOT = """
root=$1
shift
mount -t tmpfs tmpfs "$root"
for entry in /*; do
  if [ -L "$entry" ]; then
    cp -P "$entry" "$root/"
  elif [ -d "$entry" ] && [ "$entry" != /data ]; then
    mkdir "$root$entry"
    mount --rbind "$entry" "$root$entry"
  fi
done
mkdir "$root/data"
exec chroot "$root" "$@"
"""


def isolated(folder, *command):
    """Returns the command that runs a controller with a root folder in `folder`."""
    assert PYTHON.exists(), f"{PYTHON} is missing; run `make test-deps MATTER_CONTROLLER={CONTROLLER}`"
    root = folder / "root"
    root.mkdir()
    return "unshare", "--mount", "sh", "-ec", SEPARATE_ROOT, "sh", root, PYTHON, *command


class Refused(Exception):
    """The controller raised an exception."""


class MatterController:
    """A controller in a separate process. `await controller("read", …)` calls a function of matter_controller_calls.py."""

    @classmethod
    async def start(cls, folder, trusted):
        """`folder` gets its files; `trusted` has the certificates that it trusts."""
        self = cls()
        command = isolated(folder, CALLS, folder / "storage.json", trusted)
        self.log = (folder / "controller.log").open("wb")
        self.process = await asyncio.create_subprocess_exec(
            *map(str, command), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=self.log,
            limit=1 << 24, env={**os.environ, **ENVIRONMENT},
        )  # fmt: skip
        self.reports = []  # lines of subscriptions
        self._numbers = itertools.count(1)
        self._open = {}  # number of a call -> future of its answer
        self._news = asyncio.Condition()
        self._reader = asyncio.create_task(self._read())
        return self

    async def _read(self):
        async for line in self.process.stdout:
            said = json.loads(line)
            if "call" in said:
                # The answer to a call that timed out is ignored.
                if answer := self._open.pop(said["call"], None):
                    answer.set_result(said)
                continue
            async with self._news:
                self.reports.append(said)
                self._news.notify_all()
        for answer in self._open.values():
            answer.set_result(None)
        self._open.clear()

    async def __call__(self, name, *arguments):
        assert not self._reader.done(), f"the controller ended; see {self.log.name}"
        number = next(self._numbers)
        self._open[number] = asyncio.get_running_loop().create_future()
        try:
            self.process.stdin.write(json.dumps([number, name, *arguments]).encode() + b"\n")
            async with asyncio.timeout(PATIENCE):
                answer = await self._open[number]
        finally:
            self._open.pop(number, None)
        assert answer, f"the controller ended; see {self.log.name}"
        if "error" in answer:
            raise Refused(f"{answer['error']}: {answer['message']}")
        return answer["result"]

    async def reported(self, wanted, since=0):
        """Waits for the first line of a subscription from number `since` for which `wanted` is true, and returns it."""

        def found():
            return next((line for line in self.reports[since:] if wanted(line)), None)

        try:
            async with asyncio.timeout(PATIENCE):
                async with self._news:
                    await self._news.wait_for(lambda: found() is not None)
        except TimeoutError:
            raise AssertionError(f"no such report; reports from number {since}: {self.reports[since:]}") from None
        return found()

    async def close(self):
        self.process.kill()  # it has nothing to do at its end
        await self.process.wait()
        await self._reader
        self.log.close()
