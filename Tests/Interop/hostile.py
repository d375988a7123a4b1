"""Opens many hostile connections at once. Each one is malformed, slow, endless, never read or has wrong lengths.

usage: hostile.py ADDRESS PORT CONNECTIONS SECONDS SEED

Prints its counts as one line of JSON.
"""

import errno
import json
import os
import random
import resource
import select
import socket
import struct
import sys
import time

GET = b"GET /accessories HTTP/1.1\r\nHost: x\r\n\r\n"
TLV = b"Content-Type: application/pairing+tlv8\r\n"


def post(target, body):
    return b"POST %s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s" % (target, TLV, len(body), body)


def drip(chance):
    """Slowloris: sends a request without an end, one byte at a time."""
    request = GET[:-2] + b"X-Slow: " + b"y" * 7000
    for byte in request:
        yield bytes([byte])


def silence(chance):
    yield b""


def headers_without_end(chance):
    yield b"GET / HTTP/1.1\r\n"
    while True:
        yield b"X-%d: %s\r\n" % (chance.randrange(1000), b"z" * 200)


def lengths_that_lie(chance):
    yield chance.choice(
        [
            b"PUT /characteristics HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            b"PUT /characteristics HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
            b"PUT /characteristics HTTP/1.1\r\nContent-Length: 4294967297\r\n\r\nx",
            b"POST /pair-setup HTTP/1.1\r\nContent-Length: 32768\r\n\r\n" + b"\x06\x01\x01" * 1000,
            b"POST /pair-setup HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
            b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
            b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 5000,
            b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        ]
    )


def noise(chance):
    while True:
        yield chance.randbytes(chance.randrange(1, 4000))


def deaf(chance):
    """Sends requests continuously and reads no answer."""
    while True:
        yield GET * 50


def verify_flood(chance):
    while True:
        yield post(b"/pair-verify", b"\x06\x01\x01\x03\x20" + chance.randbytes(32))


def verify_nonsense(chance):
    yield post(b"/pair-verify", b"\x06\x01\x01\x03\x20" + chance.randbytes(32))
    while True:
        yield post(b"/pair-verify", b"\x06\x01\x03\x05\x78" + chance.randbytes(120))


def setup_flood(chance):
    while True:
        yield post(b"/pair-setup", b"\x00\x01\x00\x06\x01\x01")


def addresses(chance):
    while True:
        target = chance.choice([b"/resource", b"/secure-message", b"/identify", b"/pairings", b"/prepare", b"/" + b"a" * 3000])
        yield post(target, chance.randbytes(chance.randrange(100)))


WAYS = [
    drip, drip, silence, headers_without_end, lengths_that_lie, noise, deaf, verify_flood, verify_nonsense, setup_flood, addresses,
]  # fmt: skip


class Attacker:
    def __init__(self, way, ending, chance):
        self.way, self.ending, self.chance = way, ending, chance
        self.pieces = way(chance)
        self.unsent = b""
        self.socket = socket.socket()
        self.socket.setblocking(False)
        if way is deaf:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)

    def end(self):
        if self.ending == "reset":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif self.ending == "half":
            try:
                self.socket.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        self.socket.close()


def main(address, port, connections, seconds, seed):
    chance = random.Random(seed)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    poll = select.epoll()
    attackers = {}
    done = {"opened": 0, "closed by the accessory": 0, "most at once": 0, "bytes sent": 0, "refused": 0}
    deadline = time.monotonic() + seconds

    def start():
        attacker = Attacker(chance.choice(WAYS), chance.choice(["reset", "half", "close"]), chance)
        try:
            status = attacker.socket.connect_ex((address, port))
        except OSError as error:
            status = error.errno
        if status not in (0, errno.EINPROGRESS):
            done["refused"] += 1
            attacker.socket.close()
            return
        attackers[attacker.socket.fileno()] = attacker
        poll.register(attacker.socket.fileno(), select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)
        done["opened"] += 1

    def stop(attacker):
        poll.unregister(attacker.socket.fileno())
        del attackers[attacker.socket.fileno()]
        attacker.end()

    def act(attacker):
        """Takes one step. Returns whether the connection continues."""
        try:
            if attacker.way is not deaf:
                while data := attacker.socket.recv(65536):
                    pass
                done["closed by the accessory"] += 1
                return False
        except BlockingIOError:
            pass
        except OSError:
            done["closed by the accessory"] += 1
            return False
        try:
            if not attacker.unsent:
                attacker.unsent = next(attacker.pieces, b"")
            if attacker.unsent:
                sent = attacker.socket.send(attacker.unsent)
                done["bytes sent"] += sent
                attacker.unsent = attacker.unsent[sent:]
        except BlockingIOError:
            pass
        except OSError:
            done["closed by the accessory"] += 1
            return False
        return chance.random() > 0.002

    while time.monotonic() < deadline:
        while len(attackers) < connections and time.monotonic() < deadline:
            start()
            if done["opened"] % 200 == 0:
                break
        done["most at once"] = max(done["most at once"], len(attackers))
        for descriptor, _ in poll.poll(0.001, 512):
            if descriptor in attackers and not act(attackers[descriptor]):
                stop(attackers[descriptor])
        # Connections without an event of the poll continue too.
        for attacker in chance.sample(list(attackers.values()), min(300, len(attackers))):
            if attacker.socket.fileno() in attackers and not act(attacker):
                stop(attacker)
    for attacker in list(attackers.values()):
        stop(attacker)
    print(json.dumps(done), flush=True)


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]))
