"""Floods a port with connections from one address, and replaces each connection that is closed.

usage: flood.py ADDRESS PORT SOURCE CONNECTIONS KIND SECONDS

KIND is one of:

    silent   sends nothing
    head     sends a request head without an end, one byte at a time
    body     sends a request whose body lacks its last byte
    verify   sends valid M1 messages of Pair Verify repeatedly

Prints a line of JSON after all connections have been opened once, and another line at the end. It ends at the end of standard input, or
after SECONDS at the latest.
"""

import errno
import json
import os
import resource
import select
import socket
import sys
import time

HEAD = b"GET /accessories HTTP/1.1\r\nX-Slow: " + b"y" * 4000
SHORT = b"POST /pair-setup HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 30001\r\n\r\n" + b"y" * 30000
BODY = b"\x06\x01\x01\x03\x20"
BIND_ADDRESS_NO_PORT = 24


def verify():
    return b"POST /pair-verify HTTP/1.1\r\nContent-Type: application/pairing+tlv8\r\nContent-Length: 37\r\n\r\n" + BODY + os.urandom(32)


class Flood:
    def __init__(self, target, source, kind):
        self.target, self.source, self.kind = target, source, kind
        self.poll = select.epoll()
        self.sockets = {}
        self.sent = {}
        self.opened = self.closed = self.failed = 0
        self.turn = []

    def open(self):
        new = None
        try:
            new = socket.socket()
            new.setblocking(False)
            new.setsockopt(socket.IPPROTO_IP, BIND_ADDRESS_NO_PORT, 1)
            new.bind((self.source, 0))
            status = new.connect_ex(self.target)
        except OSError as error:
            status = error.errno
        if status not in (0, errno.EINPROGRESS):
            self.failed += 1
            return new and new.close()
        self.sockets[new.fileno()] = new
        wanted = select.EPOLLIN | (select.EPOLLOUT if self.kind in ("verify", "body") else 0)
        self.poll.register(new.fileno(), wanted)
        self.opened += 1

    def close(self, descriptor):
        self.poll.unregister(descriptor)
        self.sent.pop(descriptor, None)
        self.sockets.pop(descriptor).close()
        self.closed += 1

    def ask(self, descriptor):
        """Sends an M1, or the next M1 after an answer. For `body`, sends the incomplete request."""
        self.sockets[descriptor].send(SHORT if self.kind == "body" else verify())
        self.poll.modify(descriptor, select.EPOLLIN)

    def happened(self, descriptor, events):
        try:
            if events & select.EPOLLIN:
                if not self.sockets[descriptor].recv(65536):
                    return self.close(descriptor)
                self.ask(descriptor)
            elif events & (select.EPOLLHUP | select.EPOLLERR):
                self.close(descriptor)
            elif events & select.EPOLLOUT:
                self.ask(descriptor)
        except BlockingIOError:
            pass
        except OSError:
            self.close(descriptor)

    def drip(self, count):
        """Sends one byte on each of the next `count` connections, in turn."""
        for _ in range(count):
            if not self.turn:
                self.turn = list(self.sockets)
            if not self.turn:
                return
            descriptor = self.turn.pop()
            if descriptor not in self.sockets:
                continue
            at = self.sent.get(descriptor, 0)
            try:
                self.sockets[descriptor].send(HEAD[at : at + 1])
                self.sent[descriptor] = (at + 1) % len(HEAD)
            except BlockingIOError:
                pass
            except OSError:
                self.close(descriptor)


def main(address, port, source, connections, kind, seconds):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < connections + 20:
        sys.exit(f"flood.py: {connections} connections need {connections + 20} open files, but the hard limit is {hard}; raise it with 'ulimit -Hn'")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    flood = Flood((address, port), source, kind)
    end = time.monotonic() + seconds
    flood.poll.register(0, select.EPOLLIN | select.EPOLLHUP)
    is_told = False
    while time.monotonic() < end:
        for _ in range(min(connections - len(flood.sockets), 256)):
            flood.open()
        if not is_told and flood.opened >= connections:
            is_told = True
            print(json.dumps({"opened": flood.opened}), flush=True)
        for descriptor, events in flood.poll.poll(0.01, 512):
            if descriptor == 0:
                end = 0
            elif descriptor in flood.sockets:
                flood.happened(descriptor, events)
        if kind == "head":
            flood.drip(50)
    print(json.dumps({"opened": flood.opened, "closed": flood.closed, "failed": flood.failed}), flush=True)


main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5], float(sys.argv[6]))
