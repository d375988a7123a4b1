"""A separate mDNS daemon: a D-Bus daemon and avahi-daemon, started in this network namespace and stopped afterwards.

The folder of avahi-daemon's pid file is fixed. Therefore avahi-daemon runs in a mount namespace with a separate folder at that path.
A daemon of the machine is not affected.
"""

import asyncio
import os
import shlex
import shutil
import signal
from pathlib import Path

from process import PATIENCE

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_type="method_call"/>
    <allow send_type="signal"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="signal"/>
    <allow receive_type="error"/>
    <allow send_destination="*"/>
    <allow eavesdrop="true"/>
  </policy>
</busconfig>
"""

AVAHI = """[server]
host-name={host}
use-ipv4=yes
use-ipv6={ipv6}
ratelimit-interval-usec=0
{interfaces}
[wide-area]
enable-wide-area=no
[publish]
publish-hinfo=no
publish-workstation=no
[reflector]
[rlimits]
"""


class Bus:
    """A D-Bus system bus for one test. Its socket is in a folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.process = None

    @property
    def environment(self):
        return {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.folder}/bus"}

    async def start(self):
        socket = self.folder / "bus"
        socket.unlink(missing_ok=True)
        configuration = self.folder / "bus.conf"
        configuration.write_text(BUS.format(socket=socket))
        self.process = await asyncio.create_subprocess_exec(
            "dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile", "--print-address=1",
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        async with asyncio.timeout(PATIENCE):
            assert await self.process.stdout.readline(), "the bus did not start"

    async def stop(self, how=signal.SIGTERM):
        if self.process is not None and self.process.returncode is None:
            self.process.send_signal(how)
            await self.process.wait()
        self.process = None


class Daemon:
    """`async with Daemon(folder) as daemon:`. Programs that connect to it need the environment `daemon.environment`."""

    def __init__(self, folder: Path, host="daemon-host", interfaces=("lo",), namespace=(), ipv6=True, services=None):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.host = host
        self.interfaces = interfaces
        self.ipv6 = ipv6
        # A folder of static services, which replaces the machine's folder.
        self.services = services
        # A prefix for the command, such as `ip netns exec NAME`.
        self.namespace = tuple(namespace)
        self.bus = Bus(folder)
        self.avahi = None
        self.said = []
        self._reader = None

    @property
    def environment(self):
        return self.bus.environment

    async def __aenter__(self):
        await self.start_bus()
        await self.start()
        return self

    async def __aexit__(self, *_):
        await self.stop(signal.SIGTERM)
        await self.stop_bus()

    async def start_bus(self):
        await self.bus.start()

    async def stop_bus(self, how=signal.SIGTERM):
        await self.bus.stop(how)

    async def start(self):
        """Starts avahi-daemon, and waits until it accepts services."""
        configuration = self.folder / "avahi.conf"
        interfaces = f"allow-interfaces={','.join(self.interfaces)}" if self.interfaces else ""
        configuration.write_text(AVAHI.format(host=self.host, interfaces=interfaces, ipv6="yes" if self.ipv6 else "no"))
        daemon = shutil.which("avahi-daemon", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        assert daemon, "avahi-daemon is not installed; `make deps` installs it"
        self.said = []
        # The run folder exists only where the scripts of the package have created it.
        script = 'mkdir -p /run/avahi-daemon && mount -t tmpfs tmpfs /run/avahi-daemon && '
        if self.services:
            script += f"mount --bind {shlex.quote(str(self.services))} /etc/avahi/services && "
        script += 'exec "$@"'
        self.avahi = await asyncio.create_subprocess_exec(
            *self.namespace, "unshare", "--mount", "sh", "-c", script, "sh",
            daemon, "-f", str(configuration), "--no-drop-root", "--no-chroot", "--no-rlimits",
            env={**os.environ, **self.environment},
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        ready = asyncio.Event()
        self._reader = asyncio.create_task(self._read(self.avahi, ready))
        async with asyncio.timeout(PATIENCE):
            await ready.wait()
        assert self.avahi.returncode is None and any("startup complete" in line for line in self.said), self.said

    async def _read(self, process, ready):
        async for line in process.stderr:
            self.said.append(line.decode(errors="replace").rstrip("\n"))
            if "startup complete" in self.said[-1]:
                ready.set()
        ready.set()

    async def stop(self, how=signal.SIGKILL):
        """Ends avahi-daemon, by default with SIGKILL, so that it sends no goodbye."""
        if self.avahi is not None and self.avahi.returncode is None:
            self.avahi.send_signal(how)
            await self.avahi.wait()
            await self._reader
        self.avahi = None

    def pause(self):
        """Stops the process, so that the daemon does not respond."""
        self.avahi.send_signal(signal.SIGSTOP)

    def resume(self):
        self.avahi.send_signal(signal.SIGCONT)
