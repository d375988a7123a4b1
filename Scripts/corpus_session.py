"""The part of Scripts/corpus that uses hapctl, haptest, `hapsim ctl` and the control API with one running hapsim.

It runs in a network namespace that has only a loopback interface. Simulated time is frozen, and ports are fixed.
"""
import asyncio
import http.client
import json
import shlex

from corpus_sockets import CODE, FROZEN, PORT, SERVE, announced, clean_up, lines, profile_path
from corpus_texts import PRESETS
from process import Simulator

API = 9427
TARGET = f"127.0.0.1:{PORT}"
OTHER = "11111111-2222-3333-4444-555555555555"
OTHER_KEY = "ab" * 32

# Commands that are recorded while hapsim serves the profile garage-kilgo.
GARAGE = f"""
hapctl discover --interface lo
hapctl discover --interface lo --json
hapctl identify {TARGET} --json
hapctl get {TARGET}
hapctl pair {TARGET} --code 111-22-333
hapctl pair {TARGET} --code {CODE} --alias garage
hapctl pair {TARGET} --code {CODE}
hapctl list
hapctl list --json
hapctl identify garage
hapctl accessories garage
hapctl accessories garage --meta
hapctl accessories garage --json
hapctl accessories garage --raw
hapctl get garage
hapctl get garage --json
hapctl get "garage/Current Door State" garage/1.1000
hapctl get "garage/Current Door State" "garage/Target Door State" --json
hapctl get garage/Nothing
hapctl put "garage/Target Door State" open
hapctl put "garage/Target Door State" 7
hapctl put "garage/Target Door State" open --json
hapctl put "garage/Current Door State" open --json
hapsim ctl status
hapsim ctl advance 1h
hapsim ctl advance 1h --json
hapctl get "garage/Current Door State"
hapctl pairings list garage
hapctl pairings list garage --json
hapctl pairings add garage --identifier {OTHER} --key {OTHER_KEY}
hapctl pairings add garage --identifier {OTHER} --key {OTHER_KEY} --admin --json
hapctl pairings list garage --json
hapctl pairings remove garage {OTHER} --json
hapctl export garage -o -
hapctl export garage -o - --redact
hapctl export garage -o exported.hasaccessory
hapsim validate exported.hasaccessory
hapctl keys export garage
hapctl keys export garage -o keys.json --json
hapctl misbehave garage known-ids query-form
hapctl misbehave garage known-ids --json
hapsim ctl list
hapsim ctl list --json
hapsim ctl status --json
hapsim ctl set "Target Door State" closed
hapsim ctl set "Target Door State" 9 --json
hapsim ctl obstruct on --json
hapsim ctl obstruct off
hapsim ctl jam on
hapsim ctl press
hapsim ctl press --json
hapsim ctl fault latency:by=1ms on
hapsim ctl fault latency off --json
hapsim ctl fault nothing on
hapsim ctl radio off
hapctl get garage --timeout 1
hapsim ctl radio on
hapsim ctl announce off
hapsim ctl announce on
hapsim ctl disconnect
hapsim ctl reboot
hapctl get "garage/Current Door State"
hapsim ctl power-cut --json
hapctl get "garage/Current Door State" --json
hapsim ctl stall "Current Door State" on
hapsim ctl stall "Current Door State" off
hapsim ctl quirks hap-nodejs
hapctl get "garage/Current Door State" --json
hapsim ctl quirks nothing
hapsim ctl replace Profiles/lock.hasaccessory
hapsim ctl add Profiles/fan.hasaccessory --json
hapsim ctl list
hapsim ctl status
hapsim ctl remove Fan --json
hapsim pairings
hapsim pairings --json
hapsim reset Garage
hapctl unpair garage --json
haptest claims init {TARGET} --code {CODE} --interface lo
haptest lint {TARGET} --code {CODE} --interface lo
haptest lint {TARGET} --code {CODE} --interface lo --json
hapctl pair {TARGET} --code {CODE} --json
hapctl unpair garage --forget --json
hapsim ctl unpair --json
hapsim ctl factory-reset --json
"""

# Requests to the control API: method, path, body.
REQUESTS = """
GET /
GET /v1
GET /v1/openapi.json
GET /v1/accessories
GET /v1/accessories?types=25,8
GET /v1/accessories/1
GET /v1/accessories/1/profile
GET /v1/accessories/1/quirks
GET /v1/accessories/1/setup.svg
GET /v1/accessories/1/faults
GET /v1/accessories/1/pairings
GET /v1/accessories/1/connections
GET /v1/accessories/1/characteristics/TargetDoorState
GET /v1/accessories/1/characteristics/Nothing
GET /v1/accessories/7
GET /v1/nothing
GET /v1/faults
GET /v1/quirks
GET /v1/catalogue
GET /v1/clock
GET /v1/scenario
GET /v1/log
DELETE /v1
PUT /v1/accessories/1/characteristics/TargetDoorState {"value": "open"}
PUT /v1/accessories/1/characteristics/TargetDoorState {"value": 7}
PUT /v1/accessories/1/characteristics/TargetDoorState {"value":
PUT /v1/accessories/1/characteristics/TargetDoorState []
POST /v1/clock/advance {"duration": "8s"}
POST /v1/clock/advance {"duration": "soon"}
POST /v1/accessories/1/actions {"action": "obstruct"}
POST /v1/accessories/1/actions {"action": "fly"}
PUT /v1/accessories/1/faults/latency {"by": "1ms"}
PUT /v1/accessories/1/faults/latency {"by": "x"}
PUT /v1/accessories/1/faults/nothing {}
GET /v1/accessories/1/faults
DELETE /v1/accessories/1/faults/latency
PATCH /v1/accessories/1/characteristics/CurrentDoorState {"stalled": true}
PATCH /v1/accessories/1/characteristics/CurrentDoorState {"stalled": false}
PATCH /v1/accessories/1/bridged/2 {"online": false}
PATCH /v1/accessories/1 {"announced": false}
PATCH /v1/accessories/1 {"announced": true}
POST /v1/accessories/1/identify
POST /v1/profiles {"services": ["LightBulb:Brightness"], "name": "Lamp"}
POST /v1/profiles {"services": ["Nothing"]}
POST /v1/accessories {"format": "hasaccessory/1", "name": "Lamp", "category": "lightbulb", "services": [{"type": "LightBulbs"}]}
POST /v1/commands {"id": 1, "command": "list"}
POST /v1/commands {"id": 2, "command": "fly"}
POST /v1/commands {"command": "add", "profile": "Profiles/fan.hasaccessory"}
PUT /v1/accessories/1/quirks {"maximumSessions": 8}
PUT /v1/accessories/1/quirks "nothing"
PUT /v1/scenario {"yaml": "steps:\\n  - fly: high\\n"}
POST /v1/accessories/1/restart {"kind": "reboot"}
POST /v1/accessories/1/restart {"kind": "fly"}
GET /v1/accessories/1
"""


async def steps(recorder, path, text):
    for line in text.strip().split("\n"):
        await asyncio.to_thread(recorder.run, path, *shlex.split(line))


def ask(recorder, path, line):
    """Sends one request to the control API, and records its answer."""
    method, target, *body = line.split(" ", 2)
    connection = http.client.HTTPConnection("127.0.0.1", API, timeout=30)
    try:
        connection.request(method, target, *(text.encode() for text in body), {"Content-Type": "application/json"} if body else {})
        answer = connection.getresponse()
        fields = "".join(f"{name}: {value}\n" for name, value in answer.getheaders() if name.lower() not in ("date", "content-length"))
        text = f"{answer.status} {answer.reason}\n{fields}\n{answer.read().decode(errors='backslashreplace')}"
    except (OSError, http.client.HTTPException) as error:
        text = f"no answer: {error}"
    finally:
        connection.close()
    recorder.add(path, f"> {line}\n{text}\n\n")


async def serving(recorder, name, use, *options, profile="garage-kilgo", serve=FROZEN, **how):
    """Serves a profile, calls `use` with it, and records the output of hapsim."""
    simulator = await Simulator.run(profile_path(profile), options=(*serve, *options), **how)
    try:
        await announced(simulator)
        await use(simulator)
        await simulator.stop()
    finally:
        await clean_up(simulator)
    if name == "fuzz":  # the order of its events depends on time
        return
    errors = "".join(f"error output: {line}\n" for line in simulator.errors)
    recorder.add(f"live/session-{name}-events.txt", f"{lines(simulator.said)}{errors}exit status {simulator.process.returncode}\n")


async def garage(recorder):
    async def use(simulator):
        await steps(recorder, "live/session-garage.txt", GARAGE)

    await serving(recorder, "garage", use, state="home/.local/state/hapsim")
    await steps(recorder, "live/session-reset.txt", "hapsim reset Nothing\nhapsim reset --all -y --json\nhapsim reset --all -y\nhapsim pairings --json")


async def control_api(recorder):
    async def use(simulator):
        await steps(recorder, "live/session-api.txt", f"hapctl pair {TARGET} --code {CODE} --alias api")
        for line in REQUESTS.strip().split("\n"):
            await asyncio.to_thread(ask, recorder, "live/session-api.txt", line)

    await serving(recorder, "api", use, "--control", str(API))


async def background(recorder, path, words, begun, then, ends):
    """Runs a command while `then` runs. `begun` waits until the command has started. If `ends` is true, the command ends by itself; otherwise it is stopped."""
    process = await Simulator.launch(*words)
    try:
        await begun(process)
        await then(process)
        await (process.ended(30) if ends else process.stop())
    finally:
        await clean_up(process)
    errors = "".join(f"error output: {line}\n" for line in process.errors)
    recorder.add(path, f"$ {shlex.join(words)}\n{lines(process.said)}{errors}exit status {process.process.returncode}\n\n")


async def watching(recorder):
    """Records `hapctl watch`, `shell` and `proxy`."""
    path = "live/session-watch.txt"

    async def use(simulator):
        await steps(recorder, path, f"hapctl pair {TARGET} --code {CODE} --alias garage")

        async def subscribed(_):
            await simulator.wait(lambda line: line.get("event") == "subscribed")

        async def open_door(_):
            await simulator.command("set", characteristic="TargetDoorState", value="open")

        await background(recorder, path, ["hapctl", "watch", "garage", "--count", "1", "--json"], subscribed, open_door, True)
        await asyncio.to_thread(
            recorder.run, path, "hapctl", "shell", "garage",
            given='help\nget "Current Door State"\nput "Target Door State" closed\nget Nothing\naccessories\nidentify\n# note\nfly\nquit\n')

        async def through_the_proxy(proxy):
            code = proxy.said[0]["accessories"][0]["setupCode"]
            await steps(recorder, path, f"""
hapctl pair 127.0.0.1:9000 --code {code} --alias proxy
hapctl get "proxy/Current Door State" --json
hapctl put "proxy/Target Door State" open --json
hapctl unpair proxy""")

        await background(
            recorder, path, ["hapctl", "proxy", "9000", "garage", "--code", "123-45-679", "--json"],
            lambda proxy: proxy.ready(), through_the_proxy, False)
        await steps(recorder, path, "hapctl unpair garage")

    await serving(recorder, "watch", use, "--control", "off")


async def camera(recorder):
    path = "live/session-camera.txt"

    async def use(simulator):
        await steps(recorder, path, f"""
hapctl pair {TARGET} --code {CODE} --alias porch
hapctl resource porch -o picture.jpg
file -b picture.jpg
hapctl resource porch --width 1 --height 0 -o other.jpg
hapctl accessories porch
hapctl unpair porch""")

    await serving(recorder, "camera", use, "--control", "off", profile="camera")


async def judge(recorder):
    path = "live/session-judge.txt"

    async def use(simulator):
        await steps(recorder, path, f"""
hapctl pair {TARGET} --code {CODE} --alias lamp
hapctl misbehave lamp known-ids query-form --json
hapctl unpair lamp""")

    reports = {"--junit": "judge.xml", "--report-json": "judge.json", "--markdown": "judge.md"}
    options = [word for pair in reports.items() for word in pair]
    # Time is not frozen: judging waits.
    await serving(recorder, "judge", use, "--control", "off", "--no-trial", *options, profile="light-white", serve=SERVE, command="judge")
    for name in reports.values():
        await steps(recorder, path, f"cat {name}")


async def fuzz(recorder):
    async def use(simulator):
        words = f"haptest fuzz {TARGET} --code {CODE} --interface lo --seed 1 --max-rounds 1"
        await steps(recorder, "live/session-fuzz.txt", f"{words}\n{words} --json")

    await serving(recorder, "fuzz", use, "--control", "off", profile="light-white")


async def presets(recorder):
    """Records the answers to some correct and some faulty requests with each preset."""
    for preset in PRESETS:
        path = f"live/session-preset-{preset}.txt"

        async def use(simulator):
            await steps(recorder, path, f"""
hapctl pair {TARGET} --code {CODE} --alias {preset}
hapctl get {preset} --json
hapctl put {preset}/On on {preset}/Brightness 1000 --json
hapctl pairings list {preset}
hapctl unpair {preset}""")

        await serving(recorder, f"preset-{preset}", use, "--control", "off", "--quirks", preset, profile="light-colour")


async def record_session(recorder):
    for part in (garage, control_api, watching, camera, judge, fuzz, presets):
        await part(recorder)
