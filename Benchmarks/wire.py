"""The packets on the loopback interface, with the kernel's times. Needs a network namespace of its own: Scripts/in-loopback-namespace."""

import socket
import struct
from typing import NamedTuple

OUTGOING = 4  # packet(7): each packet on loopback is seen twice, and once as outgoing
EVERY_PROTOCOL = 3
SO_TIMESTAMPNS = 35  # socket(7); the module has no name for it


class Packet(NamedTuple):
    """A TCP packet with data. `time`: nanoseconds since 1970, when it was sent."""

    time: int
    source: int
    target: int
    size: int


class Wire:
    """Captures from its creation on. Use as a context."""

    def __enter__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(EVERY_PROTOCOL))
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        self.socket.bind(("lo", EVERY_PROTOCOL))
        self.socket.setblocking(False)
        return self

    def __exit__(self, *_):
        self.socket.close()

    def take(self):
        """Returns the packets since the last call."""
        packets = []
        while True:
            try:
                data, extra, _, address = self.socket.recvmsg(128, 128)
            except BlockingIOError:
                return packets
            if address[2] != OUTGOING or (packet := _tcp(data)) is None:
                continue
            (time,) = [_nanoseconds(value) for level, kind, value in extra if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS)]
            packets.append(Packet(time, *packet))


def _nanoseconds(value):
    seconds, nanoseconds = struct.unpack("qq", value[:16])
    return seconds * 1_000_000_000 + nanoseconds


def _tcp(data):
    """Returns the ports and the number of bytes of data; None for other packets, and without data."""
    if data[0] >> 4 == 4:
        header, protocol, length = (data[0] & 15) * 4, data[9], int.from_bytes(data[2:4])
    else:
        header, protocol, length = 40, data[6], int.from_bytes(data[4:6]) + 40
    if protocol != socket.IPPROTO_TCP:
        return None
    size = length - header - (data[header + 12] >> 4) * 4
    if size <= 0:
        return None
    return int.from_bytes(data[header : header + 2]), int.from_bytes(data[header + 2 : header + 4]), size
