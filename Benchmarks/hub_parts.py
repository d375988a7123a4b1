"""The parts of the measurements of hubs: the processes, and an app at the hub's socket."""

import base64
import itertools
import json
import os
import select
import signal
import socket
import subprocess
import threading
import time
from contextlib import contextmanager

import cost
from servers import CODE, HERE, Failed

PATIENCE = 60  # seconds
ENTRIES = 5  # writable characteristics of a light
MOST_OPEN = 32  # requests of an app without an answer


class Process:
    """A running program with lines on its output. Use as a context."""

    def __init__(self, *words, stdin=subprocess.DEVNULL):
        self.words = [str(word) for word in words]
        self.stdin = stdin

    def __enter__(self):
        self.begin = time.perf_counter()
        self.process = subprocess.Popen(self.words, stdin=self.stdin, stdout=subprocess.PIPE, text=True)
        return self

    @property
    def pid(self):
        return self.process.pid

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed(f"{' '.join(self.words[:3])} has ended with {self.process.wait()}")
        return line

    def separate(self, *others):
        """Gives this process the last core, which hapload has in the floors, and the other processes the others. Otherwise the system often runs a
        program and the one that it wakes up on one core, one after the other."""
        cores = os.sched_getaffinity(0)
        if len(cores) > 1:
            self.pin({max(cores)})
            for other in others:
                other.pin(cores - {max(cores)})

    def pin(self, cores):
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            os.sched_setaffinity(int(thread), cores)

    def memory(self):
        """Returns the resident MB."""
        return cost.memory(self.pid)[0]

    def cpu(self):
        """Returns the CPU seconds of all threads, also of those that have ended: clock_getcpuclockid(3)."""
        return time.clock_gettime((~self.pid << 3) | 2)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Fleet(Process):
    """`hapsim run --count`, with the ports from `port`."""

    def __init__(self, program, profile, count, port, *options, quiet=True):
        self.port = port
        super().__init__(
            program, "run", profile, *(["--count", count] if count > 1 else []), "--port", port, "--setup-code", CODE,
            "--interface", "lo", "--control", "off", "--ephemeral", "--commands", *(["--quiet"] if quiet else []), *options, stdin=subprocess.PIPE,
        )  # fmt: skip

    def __enter__(self):
        super().__enter__()
        accessories = json.loads(self.line())["accessories"]
        self.names = [accessory["name"] for accessory in accessories]
        self.devices = {accessory["deviceID"]: accessory["name"] for accessory in accessories}
        return self

    def name(self, device):
        return self.devices[device]

    def send(self, *commands):
        self.process.stdin.write("".join(json.dumps(command) + "\n" for command in commands))
        self.process.stdin.flush()

    def drain(self):
        """Reads all lines from now on, and counts those about subscriptions."""
        self.subscribed = 0
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self):
        for line in self.process.stdout:
            if '"event":"subscribed"' in line:
                self.subscribed += 1

    def until_subscribed(self, count):
        """Waits for this many subscriptions."""
        begin = time.perf_counter()
        while self.subscribed < count:
            if time.perf_counter() - begin > PATIENCE:
                raise Failed(f"{self.subscribed} of {count} subscriptions")
            time.sleep(0.002)

    def command(self, command, **members):
        """Sends a command, and waits for its answer."""
        self.send({"id": 0, "command": command, **members})
        while "ok" not in (answer := json.loads(self.line())):
            pass
        if not answer["ok"]:
            raise Failed(f"{command}: {answer}")


class Hub(Process):
    """`hapctl hub run`. `page` is the address of its page, with a token."""

    def __init__(self, program, folder, *options):
        self.folder = folder
        super().__init__(program, "hub", "run", "--folder", folder, "--interface", "lo", *options)

    def __enter__(self):
        super().__enter__()
        while "Apps attach" not in (line := self.line()):
            if "http://" in line:
                self.page = line[line.index("http://") :].strip()
        return self

    def app(self, name="bench", **options):
        return App(self.folder / "hub.sock", name, **options)


class App:
    """An app at the socket of a hub."""

    def __init__(self, path, name, receives=0):
        self.name = name
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        if receives:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        self.socket.connect(str(path))
        self.rest = b""
        self.numbers = itertools.count(1)
        self.events = []
        if json.loads(self.line()) != {"protocol": 1}:
            raise Failed("another protocol")
        self.attach()

    def attach(self):
        self.snapshot = self.ask("attach", app=self.name)

    def line(self):
        """Returns the next line."""
        while (end := self.rest.find(b"\n")) < 0:
            data = self.socket.recv(1 << 20)
            if not data:
                raise Failed("the hub closed the connection")
            self.rest += data
        line, self.rest = self.rest[:end], self.rest[end + 1 :]
        return line

    def send(self, request, **members):
        number = next(self.numbers)
        self.socket.sendall(json.dumps({"id": number, "request": request, **members}).encode() + b"\n")
        return number

    def ask(self, request, **members):
        return self.answers([(request, members)])[0]

    def timed(self, request, **members):
        """Returns the time of a request and its answer in milliseconds, and the answer."""
        start = time.perf_counter()
        number = self.send(request, **members)
        line = self._answer_line(number)
        took = (time.perf_counter() - start) * 1000
        return took, _answer(json.loads(line))

    def answer(self, number):
        """Waits for the answer to a request; events before it are forgotten."""
        return _answer(json.loads(self._answer_line(number)))

    def _answer_line(self, number):
        prefix = f'{{"id":{number},'.encode()
        while not (line := self.line()).startswith(prefix):
            pass
        return line

    def arrived(self):
        """Returns the lines that have arrived."""
        self.socket.setblocking(False)
        try:
            while data := self.socket.recv(1 << 20):
                self.rest += data
        except BlockingIOError:
            pass
        self.socket.settimeout(PATIENCE)
        *lines, self.rest = self.rest.split(b"\n")
        return lines

    def answers(self, requests):
        """Sends requests, and waits for all answers. Events are kept in `events`."""
        numbers, answers, waiting = [], {}, iter(requests)
        while True:
            while len(numbers) - len(answers) < MOST_OPEN and (request := next(waiting, None)):
                numbers.append(self.send(request[0], **request[1]))
            if len(answers) == len(numbers):
                return [answers[number] for number in numbers]
            line = json.loads(self.line())
            if "id" in line:
                answers[line["id"]] = _answer(line)
            else:
                self.events.append(line)

    def perform(self, command, **members):
        """Makes a change. Returns the identifier of the first object in its answer."""
        changes = self.ask("perform", command={"command": command, **members})["changes"]
        return next((change["object"]["id"] for change in changes if "object" in change), None)

    def until(self, wanted):
        """Waits for an event for which `wanted` is true, and returns it."""
        while True:
            event = self.events.pop(0) if self.events else json.loads(self.line())
            if wanted(event):
                return event

    def ready(self, count, subscriptions=0, pause=0.05):
        """Waits until exactly this many devices can be reached, and at least so many subscriptions are wanted altogether."""
        begin = time.perf_counter()
        while True:
            devices = self.ask("status")["status"]["devices"]
            reachable = [device for device in devices if device["reachable"]]
            if len(reachable) == count and sum(device["subscriptions"] for device in reachable) >= subscriptions:
                return
            if time.perf_counter() - begin > PATIENCE:
                raise Failed(f"{len(reachable)} of {count} can be reached: {[device for device in devices if not device['reachable']][:3]}")
            time.sleep(pause)

    def close(self):
        self.socket.close()


def _answer(line):
    if "error" in line:
        raise Failed(line["error"]["message"])
    return line


# The identifiers of characteristics follow from those of accessories: HomeObjectID.part(iid:).
SPREAD = 0x0271_9B3C_5E4D_A7F1_6C8E_23D9_B5F4_0A87


def part(accessory, iid):
    """Returns the identifier of a characteristic."""
    bits = int(accessory.replace("-", ""), 16)
    squeezed = bits & (1 << 62) - 1 | (bits >> 64 & 0xFFF) << 62 | bits >> 80 << 74
    number = squeezed + (iid + 1) * SPREAD
    bits = number & (1 << 62) - 1 | 2 << 62 | (number >> 62 & 0xFFF) << 64 | 8 << 76 | (number >> 74 & (1 << 48) - 1) << 80
    text = f"{bits:032X}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def writable(accessory):
    """Returns the writable characteristics of an accessory: their identifiers, aids and iids with their types."""
    return [
        (part(accessory["id"], characteristic["iid"]), accessory["aid"], characteristic["iid"], characteristic["type"])
        for service in accessory["services"]
        for characteristic in service["characteristics"]
        if "pw" in characteristic["perms"] and "ev" in characteristic["perms"]
    ]


def adopt(app, home, keys, port):
    """Takes over all pairings of a file of hapload, whose accessories have the ports from `port`."""
    words = keys.read_text().split()
    requests = []
    for number, (controller, _, secret, device, key) in enumerate(zip(*[iter(words)] * 5)):
        requests.append((
            "adopt",
            {
                "home": home, "device": device, "controllerID": controller, "accessoryKey": base64.b64encode(bytes.fromhex(key)).decode(),
                "controllerSeed": base64.b64encode(bytes.fromhex(secret)[:32]).decode(), "addresses": [f"127.0.0.1:{port + number}"],
            },
        ))  # fmt: skip
    app.answers(requests)


def accessories(app):
    """Returns the accessories of the first home as of now."""
    app.attach()
    return app.snapshot["model"]["homes"][0]["accessories"]


class Readers:
    """Apps that read everything, in one process. They are read 200 times a second."""

    def __init__(self, apps):
        self.apps = {app.socket.fileno(): app for app in apps}
        self.counts = dict.fromkeys(self.apps, 0)
        self.tails = dict.fromkeys(self.apps, b"")
        for app in apps:
            app.socket.setblocking(False)

    def read(self, seconds):
        """Reads for this time. Returns whether there was anything."""
        end = time.perf_counter() + seconds
        had_any = False
        while time.perf_counter() < end:
            for number in select.select(list(self.apps), [], [], 0)[0]:
                had_any = True
                data = os.read(number, 1 << 20)
                if not data:
                    raise Failed("the hub closed the connection")
                data = self.tails[number] + data
                whole = data.rfind(b"\n") + 1
                self.tails[number] = data[whole:]
                self.counts[number] += data.count(b'"characteristic":', 0, whole)
                if b'"missed"' in data:
                    raise Failed("a fast app missed events")
            time.sleep(0.005)
        return had_any


@contextmanager
def disk(folder):
    """Yields a function that writes 4 KiB, and returns the milliseconds until they are on the disk."""
    path = folder / "fsync"
    number = os.open(path, os.O_RDWR | os.O_CREAT)
    data = bytes(range(256)) * 16

    pages = itertools.cycle(range(1000))

    def write():
        start = time.perf_counter()
        os.pwrite(number, data, next(pages) * len(data))
        os.fsync(number)
        return (time.perf_counter() - start) * 1000

    yield write
    os.close(number)
    path.unlink()


PROFILES = HERE / "Profiles"
