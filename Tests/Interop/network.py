"""The mDNS records of one interface as python-zeroconf receives them: the accessories and their TXT records."""

import asyncio
from dataclasses import dataclass, field

from aiohomekit.zeroconf import HAP_TYPE_TCP, HAP_TYPE_UDP
from zeroconf import DNSAddress, DNSPointer, DNSService, DNSText, IPVersion, RecordUpdateListener, ServiceStateChange
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from process import PATIENCE


@dataclass
class Service:
    """The records last received for one `_hap._tcp` service."""

    name: str  # full name
    txt: list = field(default_factory=list)  # (key, value) in the order of the record, including duplicates
    port: int | None = None
    host: str | None = None
    is_gone: bool = False  # the last record was a goodbye
    goodbyes: int = 0

    @property
    def values(self):
        return dict(self.txt)


class Network(RecordUpdateListener):
    """Receives every record from the moment it is opened. It does not read zeroconf's cache, which holds the old and the new TXT record
    for a second after a change. aiohomekit's controllers share its zeroconf."""

    def __init__(self, address="127.0.0.1"):
        """`address` is this host's address on the interface."""
        self.zeroconf = AsyncZeroconf(interfaces=[address], ip_version=IPVersion.V4Only)
        self.services = {}  # full name -> Service
        self.addresses = {}  # host name -> set of addresses
        self._news = asyncio.Condition()
        self._tasks = set()
        self.zeroconf.zeroconf.async_add_listener(self, None)
        # Sends the queries. aiohomekit searches for a browser of both types, and registers with it.
        self._browser = AsyncServiceBrowser(
            self.zeroconf.zeroconf, [HAP_TYPE_TCP, HAP_TYPE_UDP], handlers=[self._changed]
        )

    async def close(self):
        await self._browser.async_cancel()
        await self.zeroconf.async_close()

    def _later(self, coroutine):
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _changed(self, zeroconf, service_type, name, state_change):
        """Requests the records that an announcement did not contain."""
        service = self.services.get(name)
        if state_change is ServiceStateChange.Added and (service is None or not service.txt or service.port is None):
            self._later(AsyncServiceInfo(service_type, name).async_request(zeroconf, 3000))

    def async_update_records(self, zeroconf, now, updates):
        for update in updates:
            # zeroconf also reports records that expire from its cache. A goodbye has a TTL of 0 from the beginning.
            if update.new.ttl == 0 or not update.new.is_expired(now):
                self._take(update.new)
        self._later(self._tell())

    def async_update_records_complete(self):
        """Does nothing: callers wait for values, not for packets."""

    def _take(self, record):
        if isinstance(record, DNSPointer) and record.name == HAP_TYPE_TCP:
            service = self._service(record.alias)
            service.is_gone = record.ttl == 0
            service.goodbyes += service.is_gone
        elif isinstance(record, DNSAddress):
            self.addresses.setdefault(record.name, set()).add(record.address)
        elif not record.name.endswith("." + HAP_TYPE_TCP) or record.ttl == 0:
            return
        elif isinstance(record, DNSText):
            self._service(record.name).txt = list(entries(record.text))
        elif isinstance(record, DNSService):
            service = self._service(record.name)
            service.port, service.host = record.port, record.server

    def _service(self, name):
        return self.services.setdefault(name, Service(name))

    async def _tell(self):
        async with self._news:
            self._news.notify_all()

    def find(self, device_id):
        return next((s for s in self.services.values() if s.values.get("id") == device_id and not s.is_gone), None)

    async def wait(self, device_id, patience=PATIENCE, **txt):
        """Waits until the TXT record of a device has these values, and returns the service: `wait(id, sf="0")`."""

        def there():
            service = self.find(device_id)
            return service is not None and service.port is not None and txt.items() <= service.values.items()

        await self.until(there, f"{device_id} with {txt}", patience)
        return self.find(device_id)

    def follow(self, simulator):
        """Lets `until` check its condition also after each line of this simulator."""
        simulator.followers.append(self._tell)

    async def until(self, condition, what, patience=PATIENCE):
        """Waits until `condition()` is true. It is checked after each packet and after each line of the simulators that `follow` registered."""
        try:
            async with asyncio.timeout(patience):
                async with self._news:
                    await self._news.wait_for(condition)
        except TimeoutError:
            raise AssertionError(f"waited {patience} s for {what}; seen: {self.services}") from None

    async def wait_for_goodbye(self, name, before=0, patience=PATIENCE):
        """Waits for a goodbye of a service, given by its full name, after the first `before` goodbyes."""
        async with asyncio.timeout(patience):
            async with self._news:
                await self._news.wait_for(lambda: self.services[name].goodbyes > before)


def entries(text):
    """Yields the strings of a TXT record's data as (key, value)."""
    while text:
        length, text = text[0], text[1:]
        entry, text = text[:length], text[length:]
        if entry:
            key, _, value = entry.decode().partition("=")
            yield key, value
