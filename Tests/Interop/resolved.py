"""systemd-resolved, which `make test-deps` unpacks and does not install: a resolver with multicast DNS.

It writes files in /run and /etc, and changes from root to the user systemd-resolve. Therefore it runs in a mount namespace with separate folders, where
that user name has the id of root. It ignores loopback interfaces.
"""

import asyncio
import os
import signal
from dataclasses import dataclass, field
from pathlib import Path

from mdns_daemon import Bus
from process import PATIENCE, ROOT

UNPACKED = Path(os.environ.get("SYSTEMD_RESOLVED", ROOT / ".build/systemd-resolved"))
CONFIGURATION = """[Resolve]
DNS=
FallbackDNS=
MulticastDNS=yes
LLMNR=no
DNSSEC=no
DNSOverTLS=no
DNSStubListener=no
"""
SCRIPT = """
set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd /etc/systemd
mount -t tmpfs tmpfs /etc/systemd
cp "$1/resolved.conf" /etc/systemd
mount --bind "$1/passwd" /etc/passwd
exec "$2"
"""


class Failed(Exception):
    """An error of resolvectl. Its message is the text of resolvectl."""


@dataclass
class Resolved:
    """`async with Resolved(folder, interface) as resolved:` resolves by multicast on that interface."""

    folder: Path
    interface: str
    bus: Bus = None
    process: object = None
    errors: list = field(default_factory=list)

    async def __aenter__(self):
        # Newer packages have it below /usr.
        places = [UNPACKED / "lib/systemd/systemd-resolved", UNPACKED / "usr/lib/systemd/systemd-resolved"]
        program = next((place for place in places if place.exists()), None)
        assert program, f"{places[0]} is missing; run `make test-deps`"
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "resolved.conf").write_text(CONFIGURATION)
        (self.folder / "passwd").write_text(
            Path("/etc/passwd").read_text() + "systemd-resolve:x:0:0::/:/usr/sbin/nologin\n"
        )
        self.bus = Bus(self.folder)
        await self.bus.start()
        self.environment = {
            **os.environ, **self.bus.environment,
            "LD_LIBRARY_PATH": str(UNPACKED / "libraries"), "SYSTEMD_LOG_TARGET": "console",
            "SYSTEMD_LOG_LEVEL": "debug", "SYSTEMD_COLORS": "0",
        }  # fmt: skip
        self.process = await asyncio.create_subprocess_exec(
            "unshare", "--mount", "sh", "-c", SCRIPT, "sh", self.folder, program,
            env=self.environment, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        ready = asyncio.Event()
        self._reader = asyncio.create_task(self._read(ready))
        async with asyncio.timeout(PATIENCE):
            await ready.wait()
        assert self.process.returncode is None, "\n".join(self.errors)
        await self.ctl("mdns", self.interface, "yes")
        return self

    async def __aexit__(self, *_):
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        await self.process.wait()
        await self._reader
        await self.bus.stop()
        print("--- systemd-resolved printed:\n  " + "\n  ".join(line for line in self.errors if "message type=" not in line))

    async def _read(self, ready):
        async for line in self.process.stderr:
            self.errors.append(line.decode(errors="replace").rstrip("\n"))
            if "acquired requested service name" in self.errors[-1]:
                ready.set()
        ready.set()

    async def ctl(self, *words):
        """Runs resolvectl and returns its output. Raises Failed with its errors."""
        process = await asyncio.create_subprocess_exec(
            UNPACKED / "usr/bin/resolvectl", *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env={**self.environment, "SYSTEMD_LOG_LEVEL": "info"},
        )  # fmt: skip
        async with asyncio.timeout(PATIENCE):
            output, errors = await process.communicate()
        if process.returncode != 0:
            raise Failed(errors.decode().strip())
        return output.decode()

    async def forget(self):
        """Empties its cache. `--cache=no` is not enough: the question then lists the cached records as known answers, and a responder omits these."""
        await self.ctl("flush-caches")

    async def service(self, name, service_type="_hap._tcp"):
        """Returns the service of this instance name as (host, port, addresses, TXT entries)."""
        output = await self.ctl("--legend=no", "service", name, service_type, "local")
        head, *rest = output.splitlines()
        host, _, port = head.rsplit(": ", 1)[1].split(" ")[0].rpartition(":")
        lines = [line.split(" -- link:")[0].strip() for line in rest if line.strip()]
        entries = dict(line.split("=", 1) for line in lines if "=" in line)
        return host, int(port), {line.split("%")[0] for line in lines if "=" not in line}, entries

    async def names(self, service_type="_hap._tcp"):
        """Returns the full names of the services of a type, in presentation form."""
        output = await self.ctl("--legend=no", "query", "--type=PTR", f"{service_type}.local")
        return [line.split(" IN PTR ")[1].split(" -- link:")[0].strip() for line in output.splitlines() if " IN PTR " in line]
