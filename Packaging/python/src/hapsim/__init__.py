"""A small client of hapsim's control API. It needs only Python's standard library.

    with Hapsim.start("garage-door") as hapsim:
        door = hapsim.accessory("Garage Door")
        door.set("TargetDoorState", "open")
        hapsim.advance("8s")
        assert door.value("CurrentDoorState") == "open"
"""

import contextlib
import json
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request


class Refused(Exception):
    """A request that hapsim refused, with the reason."""

    def __init__(self, status, error):
        place = f" (line {error['line']}, column {error['column']})" if "line" in error else ""
        super().__init__(f"{status} {error['code']}: {error['message']}{place}")
        self.status, self.code = status, error["code"]


class Hapsim:
    """A running hapsim, at the address of its control API."""

    def __init__(self, url, token=None):
        self.url, self.token = url.split("#")[0].rstrip("/"), token
        self.process = None
        self.ready = {}  # with `start`: hapsim's first line, with the address and the setup code of each accessory

    @classmethod
    def start(cls, *profiles, program="hapsim", options=("--virtual-time", "--ephemeral", "--bonjour", "off", "--bind", "127.0.0.1")):
        """Starts hapsim with these profiles (paths, or names of shipped profiles), and waits until it serves. By default, time is frozen:
        `advance` moves it."""
        process = subprocess.Popen([program, "run", *profiles, "--json", *options], stdout=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"{program} ended with exit status {process.wait()} before it served {', '.join(profiles)}")
        # Reads further output, so that hapsim never blocks; the events come over the API.
        threading.Thread(target=lambda: process.stdout.read(), daemon=True).start()
        ready = json.loads(line)
        hapsim = cls(ready["control"])
        hapsim.process, hapsim.ready = process, ready
        return hapsim

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()

    def ask(self, method, path, body=None):
        """Sends a request and returns its answer; raises Refused."""
        request = urllib.request.Request(self.url + path, method=method)
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise Refused(refusal.code, json.load(refusal)["error"]) from None

    @property
    def accessories(self):
        return [Accessory(self, one["number"]) for one in self.ask("GET", "/v1/accessories")["accessories"]]

    def accessory(self, name):
        """Returns an accessory by its name, its device ID or its number."""
        return Accessory(self, self.ask("GET", f"/v1/accessories/{urllib.parse.quote(str(name), safe='')}")["number"])

    def add(self, profile):
        """Serves one more accessory, from a profile as a JSON document."""
        return Accessory(self, self.ask("POST", "/v1/accessories", profile)["number"])

    def advance(self, duration):
        """Advances simulated time: "500ms", "8s", "2h"."""
        return self.ask("POST", "/v1/clock/advance", {"duration": duration})["now"]

    def log(self, after=0):
        return self.ask("GET", f"/v1/log?after={after}")["events"]

    def wait(self, event, after=0, within=10, **members):
        """Waits for the first event with this name and these members after an event number, and returns it."""
        deadline = time.monotonic() + within
        with contextlib.closing(self.events(after, within)) as events:
            for data in events:
                if data["event"] == event and members.items() <= data.items():
                    return data
                if time.monotonic() > deadline:
                    break
        raise TimeoutError(f"no {event} with {members} within {within} s")

    def events(self, after=0, patience=10):
        """Yields the events after an event number, then future events as they happen."""
        request = urllib.request.Request(f"{self.url}/v1/events?after={after}")
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=patience) as stream:
                for line in stream:
                    if line.startswith(b"data: "):
                        yield json.loads(line[6:])
        except TimeoutError:
            return


class Accessory:
    def __init__(self, hapsim, number):
        self.hapsim, self.path, self.number = hapsim, f"/v1/accessories/{number}", number

    @property
    def details(self):
        return self.hapsim.ask("GET", self.path)

    def characteristic(self, name):
        return self.hapsim.ask("GET", f"{self.path}/characteristics/{urllib.parse.quote(name)}")

    def value(self, name):
        """Returns the catalogue's name for the value, or the value if it has no name."""
        found = self.characteristic(name)
        return found.get("word", found["value"])

    def set(self, name, value):
        """Sets a value as if by hand at the device."""
        return self.hapsim.ask("PUT", f"{self.path}/characteristics/{urllib.parse.quote(name)}", {"value": value})

    def do(self, action, **how):
        """Performs an action: press, trigger, obstruct, jam, tamper, battery."""
        self.hapsim.ask("POST", f"{self.path}/actions", {"action": action, **how})

    def fault(self, name, **parameters):
        self.hapsim.ask("PUT", f"{self.path}/faults/{name}", parameters)

    def end_fault(self, name):
        self.hapsim.ask("DELETE", f"{self.path}/faults/{name}")
