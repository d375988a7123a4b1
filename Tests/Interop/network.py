"""The mDNS of one interface as python-zeroconf hears it: which accessories there are, and what their TXT records say."""

import asyncio
from dataclasses import dataclass, field

from aiohomekit.zeroconf import HAP_TYPE_TCP, HAP_TYPE_UDP
from zeroconf import DNSAddress, DNSPointer, DNSService, DNSText, IPVersion, RecordUpdateListener, ServiceStateChange
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from process import PATIENCE


@dataclass
class Service:
    """What was last heard of one `_hap._tcp` service."""

    name: str  # in full
    txt: list = field(default_factory=list)  # (key, value) in the order of the record, none dropped
    port: int | None = None
    host: str | None = None
    is_gone: bool = False  # a goodbye was the last that came
    goodbyes: int = 0

    @property
    def values(self):
        return dict(self.txt)


class Network(RecordUpdateListener):
    """Hears every record from the moment it is opened. (Not from zeroconf's cache: for a second after a change that
    holds the old TXT record beside the new one.) aiohomekit's controllers share its zeroconf."""

    def __init__(self, address="127.0.0.1"):
        """`address` is this host's own on the interface."""
        self.zeroconf = AsyncZeroconf(interfaces=[address], ip_version=IPVersion.V4Only)
        self.services = {}  # full name -> Service
        self.addresses = {}  # host name -> set of addresses
        self._news = asyncio.Condition()
        self._tasks = set()
        self.zeroconf.zeroconf.async_add_listener(self, None)
        # Sends the queries. aiohomekit looks for a browser of both types, and registers with it.
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
        """Asks for what an announcement left out."""
        service = self.services.get(name)
        if state_change is ServiceStateChange.Added and (service is None or not service.txt or service.port is None):
            self._later(AsyncServiceInfo(service_type, name).async_request(zeroconf, 3000))

    def async_update_records(self, zeroconf, now, updates):
        for update in updates:
            # What its cache lets go of is handed over, too; a goodbye has no time from the start.
            if update.new.ttl == 0 or not update.new.is_expired(now):
                self._take(update.new)
        self._later(self._tell())

    def async_update_records_complete(self):
        """Nothing: a caller waits for values, not for packets."""

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
        """The service of a device once its TXT record holds these values, waiting for them: `wait(id, sf="0")`."""

        def there():
            service = self.find(device_id)
            return service is not None and service.port is not None and txt.items() <= service.values.items()

        await self.until(there, f"{device_id} with {txt}", patience)
        return self.find(device_id)

    def follow(self, simulator):
        """Asks conditions of `until` after each line of this simulator, too."""
        simulator.followers.append(self._tell)

    async def until(self, condition, what, patience=PATIENCE):
        """Waits until `condition()` holds, which is asked after each packet, and after each line of the simulators that it follows."""
        try:
            async with asyncio.timeout(patience):
                async with self._news:
                    await self._news.wait_for(condition)
        except TimeoutError:
            raise AssertionError(f"{what} did not hold in {patience} s; seen: {self.services}") from None

    async def wait_for_goodbye(self, name, before=0, patience=PATIENCE):
        """Waits for a goodbye of a service, by its full name, after so many that came before."""
        async with asyncio.timeout(patience):
            async with self._news:
                await self._news.wait_for(lambda: self.services[name].goodbyes > before)


def entries(text):
    """The strings of a TXT record's data as (key, value)."""
    while text:
        length, text = text[0], text[1:]
        entry, text = text[:length], text[length:]
        if entry:
            key, _, value = entry.decode().partition("=")
            yield key, value
