"""Many clients of a hub that are subscribed to everything: apps at its socket, and event streams of the API of homes. Parts of `hub.py`."""

import json
import socket
import time

from hub_parts import ENTRIES, PATIENCE, PROFILES, Readers, accessories, adopt, writable
from samples import show
from servers import Failed

APPS, RATE, SECONDS = 50, 1000, 20
# So many that no characteristic changes twice within the time in which accessories collect events.
SOURCES = 240
WRITES = 300


def new_home(app):
    return app.perform("add-home", name="Bench", timeZone="Europe/Berlin", owner="Anna")


def apps(bench):
    """50 apps that are subscribed to everything, and one that does not read, during 1000 changes a second."""
    with bench.fleet(PROFILES / "scene-light.hasaccessory", SOURCES, "--loops", "1") as fleet, bench.hub("apps") as hub:
        first, ids = filled(bench, hub, fleet)
        everyone = [hub.app(f"app {number}") for number in range(APPS - 1)]
        slow = hub.app("slow", receives=1 << 14)
        for app in [*everyone, slow]:
            app.ask("subscribe", characteristics=ids)
        first.ready(SOURCES, SOURCES * ENTRIES)
        changes(hub, fleet, everyone)
        status = first.ask("status")["status"]["apps"]
        gaps = {app["app"]: app["gaps"] for app in status}
        print(f"{'gaps of fast apps, of the slow one':42} {sum(gaps[f'app {number}'] for number in range(APPS - 1))}, {gaps['slow']}")
        count = 0
        while b'"missed"' not in slow.line():
            count += 1
        slow.attach()
        answer = slow.ask("read", characteristics=ids[:ENTRIES])
        print(f"{'the slow app was notified after':42} {count} events, and has reread {len(answer['values'])} values", flush=True)


def streams(bench):
    """The same with 50 event streams of the API. Then writes over the API, one at a time."""
    with (
        bench.fleet(PROFILES / "scene-light.hasaccessory", SOURCES, "--loops", "1") as fleet,
        bench.hub("streams", "--listen", "127.0.0.1:0") as hub,
    ):  # fmt: skip
        first, ids = filled(bench, hub, fleet)
        everyone = [Stream(hub.page) for _ in range(APPS - 1)]
        slow = Stream(hub.page, receives=1 << 14)
        first.ready(SOURCES, SOURCES * ENTRIES)
        changes(hub, fleet, everyone)
        slow.socket.settimeout(PATIENCE)
        count = 0
        while b"event: lost" not in (data := slow.socket.recv(1 << 20)):
            count += len(data)
        print(f"{'the slow stream was notified after':42} {count / 1e6:.1f} MB", flush=True)
        client = Stream(hub.page, target=None)
        times = [client.write(ids[number % len(ids)], number) for number in range(WRITES)]
        show("a write over the API", times)
        show("the same over the socket", [over_socket(first, ids[number % len(ids)], number) for number in range(WRITES)])


def filled(bench, hub, fleet):
    """Returns an app and the identifiers of all characteristics of a new home."""
    first = hub.app()
    adopt(first, new_home(first), bench.pair(fleet, SOURCES, "many"), fleet.port)
    return first, [id for light in accessories(first) for id, _, _, kind in writable(light)]


def changes(hub, fleet, clients):
    """Makes the changes, which the clients read."""
    time.sleep(1)
    readers = Readers(clients)
    fleet.drain()
    while readers.read(0.2):
        pass
    readers.counts = dict.fromkeys(readers.counts, 0)
    memory, before, begin = hub.memory(), hub.cpu(), time.perf_counter()
    sent = 0
    while (now := time.perf_counter() - begin) < SECONDS:
        commands = []
        while sent < now * RATE:
            commands.append(change(fleet, sent))
            sent += 1
        fleet.send(*commands)
        readers.read(0.004)
    late = time.perf_counter()
    while readers.read(0.1):
        pass
    late = time.perf_counter() - late - 0.1
    spent = hub.cpu() - before
    print(f"{'changes a second':42} {sent / SECONDS:16.0f}")
    print(f"{'values that each client got, of those':42} {min(readers.counts.values())} … {max(readers.counts.values())} of {sent}")
    print(f"{'after the last change, they still read for':42} {late:16.2f} s")
    print(f"{'CPU time of the hub for a change':42} {spent / sent * 1e6:16.1f} µs, {100 * spent / SECONDS:.0f} % of a core")
    print(f"{'memory of the hub before and after':42} {memory:.1f} MB, {hub.memory():.1f} MB")


def change(fleet, number):
    """Returns the command for a change; consecutive ones are of different accessories."""
    turn, source = divmod(number, SOURCES)
    turn, index = divmod(turn, ENTRIES)
    name = ("On", "Brightness", "Hue", "Saturation", "On")[index]
    value = turn % 2 == 0 if name == "On" else 2 + turn % 90
    service = "Fireplace" if index == ENTRIES - 1 else "Light"
    return {"command": "set", "accessory": fleet.names[source], "service": service, "characteristic": name, "value": value}


class Stream:
    """A connection to the API of homes, as a stream of events or for writes."""

    def __init__(self, page, target="/v1/homes/events", receives=0):
        address, _, token = page.partition("/#token=")
        host, port = address.removeprefix("http://").split(":")
        self.head = f"HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n"
        self.socket = socket.socket()
        self.socket.settimeout(PATIENCE)
        if receives:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        self.socket.connect((host, int(port)))
        if target:
            self.socket.sendall(f"GET {target} {self.head}\r\n".encode())
            if b" 200 " not in self.socket.recv(15):
                raise Failed("the event stream was refused")

    def write(self, id, number):
        """Writes a characteristic. Returns the milliseconds until the answer."""
        body = json.dumps({"value": value(number)})
        start = time.perf_counter()
        head = f"PUT /v1/homes/Bench/characteristics/{id} {self.head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        self.socket.sendall(head.encode())
        answer = self.socket.recv(1 << 16)
        took = (time.perf_counter() - start) * 1000
        if b" 200 " not in answer[:15]:
            raise Failed(answer.decode())
        return took


def value(number):
    """A value that every characteristic takes: On takes numbers, too."""
    return number // 1000 % 2


def over_socket(app, id, number):
    return app.timed("write", home=app.snapshot["model"]["homes"][0]["id"], actions=[{"characteristic": id, "value": value(number)}])[0]
