"""Browses for `_hap._tcp` with another implementation, and prints JSON lines with the number of services found and the time. A process of mdns.py.

    mdns_finder.py zeroconf ADDRESS COUNT    python-zeroconf on the interface with this address
    mdns_finder.py avahi COUNT               avahi-browse, through the daemon of DBUS_SYSTEM_BUS_ADDRESS

    {"ready": true}                       it browses
    {"found": N, "at": T}                 N instance names at time T of CLOCK_MONOTONIC: at every tenth of COUNT
    {"complete": N, "at": T}              zeroconf: N of them with SRV, TXT and an address
    {"txt": [NAME, STRING], "at": T}      zeroconf: a TXT record of NAME with STRING, after the line NAME<tab>STRING on standard input
"""

import asyncio
import json
import signal
import subprocess
import sys
import time

from zeroconf import DNSAddress, DNSService, DNSText, IPVersion, RecordUpdateListener, ServiceStateChange
from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf

TYPE = "_hap._tcp.local."


def show(**members):
    print(json.dumps(members), flush=True)


class Milestones:
    """Prints a line at every tenth of `count`."""

    def __init__(self, name, count):
        self.name, self.step, self.shown = name, max(1, count // 10), 0

    def reach(self, number):
        while number >= self.shown + self.step:
            self.shown += self.step
            show(**{self.name: self.shown, "at": time.monotonic()})


class Finder(RecordUpdateListener):
    def __init__(self, count):
        self.names, self.services, self.texts, self.hosts = set(), {}, set(), set()
        self.found, self.complete = Milestones("found", count), Milestones("complete", count)
        self.wanted = None  # (full name, string)

    def changed(self, zeroconf, service_type, name, state_change):
        if state_change is ServiceStateChange.Added:
            self.names.add(name)
            self.found.reach(len(self.names))

    def async_update_records(self, zeroconf, now, updates):
        for update in updates:
            record = update.new
            if record.ttl == 0:
                continue
            if isinstance(record, DNSText):
                self.texts.add(record.name)
                self._see(record)
            elif isinstance(record, DNSService):
                self.services[record.name] = record.server
            elif isinstance(record, DNSAddress):
                self.hosts.add(record.name)

    def async_update_records_complete(self):
        if len(self.texts) < self.complete.shown + self.complete.step:
            return
        self.complete.reach(sum(name in self.texts and host in self.hosts for name, host in self.services.items()))

    def _see(self, record):
        if self.wanted and record.name == self.wanted[0] and self.wanted[1].encode() in record.text:
            show(txt=self.wanted, at=time.monotonic())
            self.wanted = None


async def by_zeroconf(address, count):
    zeroconf = AsyncZeroconf(interfaces=[address], ip_version=IPVersion.V4Only)
    finder = Finder(count)
    zeroconf.zeroconf.async_add_listener(finder, None)
    AsyncServiceBrowser(zeroconf.zeroconf, [TYPE], handlers=[finder.changed])
    show(ready=True)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async for line in reader:
        name, _, string = line.decode().rstrip("\n").partition("\t")
        finder.wanted = (f"{name}.{TYPE}", string)


def by_avahi(count):
    command = ["stdbuf", "--output=L", "avahi-browse", "--parsable", "--no-db-lookup", "_hap._tcp"]
    browse = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    signal.signal(signal.SIGTERM, lambda *_: browse.terminate())
    show(ready=True)
    found, names = Milestones("found", count), set()
    for line in browse.stdout:
        mark, _, _, name = line.split(";")[:4]
        if mark == "+":
            names.add(name)
            found.reach(len(names))


if sys.argv[1] == "zeroconf":
    asyncio.run(by_zeroconf(sys.argv[2], int(sys.argv[3])))
else:
    by_avahi(int(sys.argv[2]))
