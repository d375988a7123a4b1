"""Asks questions over multicast DNS, one at a time, and measures the time until the records that a client needs have arrived."""

import socket
import struct
import time

from zeroconf import DNSAddress, DNSIncoming, DNSOutgoing, DNSPointer, DNSQuestion, DNSService, DNSText
from zeroconf.const import _CLASS_IN, _FLAGS_QR_QUERY, _TYPE_PTR, _TYPE_ANY

GROUP, PORT = "224.0.0.251", 5353
PATIENCE = 10  # seconds


class NoAnswer(Exception):
    pass


class Seen:
    """The records that have arrived since a question was sent."""

    def __init__(self):
        self.instances, self.texts, self.hosts, self.services = {}, set(), set(), {}

    def add(self, packet):
        for record in packet.answers():
            match record:
                case DNSPointer():
                    self.instances.setdefault(record.name.lower(), set()).add(record.alias)
                case DNSService():
                    self.services[record.name] = record.server
                case DNSText():
                    self.texts.add(record.name)
                case DNSAddress():
                    self.hosts.add(record.name)

    def complete(self, name):
        """Returns the instances of this name with SRV, TXT and an address."""
        of_name = self.instances.get(name.lower(), {name})
        return [one for one in of_name if one in self.texts and self.services.get(one) in self.hosts]


class Asker:
    """A client on the interface with this IPv4 address. Its source port is 5353, so the answers are multicast."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for option in socket.SO_REUSEADDR, socket.SO_REUSEPORT:
            self.socket.setsockopt(socket.SOL_SOCKET, option, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.bind((GROUP, PORT))
        near = socket.inet_aton(address)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + near)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, near)
        self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, struct.pack("B", 255))

    def close(self):
        self.socket.close()

    def browse(self, name, count=1):
        """Asks for all instances of a type or a subtype. Returns the seconds until `count` of them have all records."""
        self._skip()
        return self._until(Seen(), name, _TYPE_PTR, count)

    def browse_during(self, other, name, pause=0.1):
        """Asks for all instances of `other`, as another client does, and after the pause for those of `name`. Returns the seconds from the second
        question. Records that arrive between them count, because clients keep what they hear."""
        self._skip()
        self._ask(other, _TYPE_PTR)
        seen, end = Seen(), time.monotonic() + pause
        while (left := end - time.monotonic()) > 0:
            self._receive(seen, left)
        return self._until(seen, name, _TYPE_PTR, 1)

    def resolve(self, instance):
        """Asks for an instance. Returns the seconds until it has all records."""
        self._skip()
        return self._until(Seen(), instance, _TYPE_ANY, 1)

    def _until(self, seen, name, kind, count):
        start = time.monotonic()
        self._ask(name, kind)
        while len(seen.texts) < count or len(seen.complete(name)) < count:
            left = start + PATIENCE - time.monotonic()
            if left <= 0:
                raise NoAnswer(f"{name}: {len(seen.complete(name))} of {count} within {PATIENCE} s")
            self._receive(seen, left)
        return time.monotonic() - start

    def _receive(self, seen, patience):
        self.socket.settimeout(patience)
        try:
            packet = DNSIncoming(self.socket.recv(9000))
        except TimeoutError:
            return
        if packet.is_response():
            seen.add(packet)

    def _skip(self):
        """Drops what has arrived so far."""
        self.socket.setblocking(False)
        try:
            while True:
                self.socket.recv(9000)
        except BlockingIOError:
            pass

    def _ask(self, name, kind):
        query = DNSOutgoing(_FLAGS_QR_QUERY)
        query.add_question(DNSQuestion(name, kind, _CLASS_IN))
        for packet in query.packets():
            self.socket.sendto(packet, (GROUP, PORT))
