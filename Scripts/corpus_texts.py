"""The part of Scripts/corpus that needs no network: help, usage errors, lists and JSON.

A Recorder runs programs in a separate folder. The folder contains a copy of the programs, links to Profiles, Suites and other folders, and the
files of FILES. The Recorder writes each command with its exit status, output and errors.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ("hapsim", "hapctl", "haptest")
LINKS = ("Profiles", "Suites", "Defects", "Examples", "Tests")
PRESETS = tuple(json.loads((ROOT / "Profiles/schema.json").read_text())["$defs"]["preset"]["enum"])
LIMIT = 60  # seconds that a command may take

# Files with errors.
FILES = {
    "broken.json": '{"accessories": [{"aid": 1,}]}\n',
    "broken.hasaccessory": '{"format": "hasaccessory/1", "name": "", "category": "lamp", "services": [{"type": "LightBulbs"},'
    ' {"type": "Switch", "characteristics": [{"type": "On", "value": 7}, {"type": "Hue", "min": 1}]}]}\n',
    "cut.hasaccessory": '{"format": "hasaccessory/1",\n "name": "Lamp"',
    "broken-suite.yaml": "suite: mine\ncases:\n  - id: X-01\n    name: Mine\n    steps:\n      - fly: high\n",
    "broken-defects.yaml": "defects:\n  - id: mine\n    does: nothing\n",
    "broken-scenario.yaml": "scenario: Mine\nprofiles:\n  - Profiles/lock.hasaccessory\nsteps:\n  - fly: high\n  - after: soon\n",
    "broken-fleet.yaml": "fleet: mine\ngroups:\n  - profile: Profiles/nothing.hasaccessory\n    count: many\n",
    "broken-quirks.json": '{"setupTakeover": "soon", "maximumSession": 8}\n',
    "broken-claims.json": '{"format": 1, "claims": {"fly": true}}\n',
    "broken-baseline.json": '{"format": 1, "failures": [{"case": "RD-01", "reason": ""}]}\n',
    "none.hapcapture": '{"format": "hapsim-capture/9"}\n',
    "lamp.hasaccessory": (ROOT / "Profiles" / "light-colour.hasaccessory").read_text(),
}

# Usage errors in addition to those of the options of each command. None of these commands may start a server.
ERRORS = """
hapsim
hapsim nothing
hapsim rnu
hapsim run
hapsim run lokc
hapsim run lokc.hasaccessory
hapsim run Profiles
hapsim run broken.hasaccessory
hapsim run cut.hasaccessory
hapsim run lock --port 70000
hapsim run lock --setup-code 123-45-678
hapsim run lock --setup-code 1
hapsim run lock --setup-id x
hapsim run lock --bind nowhere
hapsim run lock --interface nothing0
hapsim run lock --bonjour never
hapsim run lock --quirks nothing
hapsim run lock --quirks hap-nodej
hapsim run lock --quirks nothing.json
hapsim run lock --quirks broken-quirks.json
hapsim run lock --max-sessions 1
hapsim run lock --defect nothing
hapsim run lock --defect read-status-beside-valu
hapsim run lock --defect nothing --defects nothing.yaml
hapsim defects --defects nothing.yaml
hapsim defects --defects broken-defects.yaml
hapsim run lock --fault nothing
hapsim run lock --fault latenc
hapsim run lock --fault latency:by=x
hapsim run lock --fault latency:of=1
hapsim run lock --seed x
hapsim run lock --time-scale 0
hapsim run lock --virtual-time --time-scale 2
hapsim run lock --duration 1
hapsim run lock --control nowhere
hapsim run lock --control-token short
hapsim run lock --control 0.0.0.0:9427
hapsim run lock --control off --open
hapsim run lock --count 0
hapsim run lock --identity x
hapsim run lock --shard 4/4
hapsim run lock --loops 0
hapsim run lock --ephemeral --state x
hapsim run lock fan --name Both
hapsim run lock fan --setup-code 031-45-154
hapsim run lock --scenario nothing.yaml
hapsim run lock --scenario broken-scenario.yaml
hapsim run lock --capture c --defect read-status-beside-value
hapsim fleet
hapsim fleet nothing.yaml
hapsim fleet broken-fleet.yaml
hapsim record lock
hapsim judge lock --within 1
hapsim judge
hapsim ctl
hapsim ctl fly
hapsim ctl set
hapsim ctl set On
hapsim ctl advance soon
hapsim ctl battery 200
hapsim ctl list
hapsim ctl list --json
hapsim validate
hapsim validate nothing
hapsim validate Profiles
hapsim new
hapsim new --service Nothing -o -
hapsim new --service LightBulb:Nothing -o -
hapsim edit
hapsim edit lamp.hasaccessory
hapsim edit lamp.hasaccessory fly
hapsim edit nothing.hasaccessory set On 1
hapsim edit lamp.hasaccessory set LightBulb/Nothing 1
hapsim edit lamp.hasaccessory set LightBulb/Brightness 1000
hapsim import
hapsim import nothing.json
hapsim import Examples/matrix.json -o -
hapsim import broken.json -o -
hapsim types nothingatall
hapsim behaviours nothing
hapsim quirks nothing
hapsim quirks nothing.json
hapsim quirks broken-quirks.json
hapsim defects nothing
hapsim faults nothing
hapsim replay
hapsim replay nothing
hapsim replay none.hapcapture
hapsim replay broken.json
hapsim pairings
hapsim pairings --state broken.json
hapsim reset
hapsim reset Nothing
hapsim reset --all
hapctl
hapctl nothing
hapctl dicsover
hapctl list
hapctl list --json
hapctl pair
hapctl pair 127.0.0.1:1 --code 1
hapctl pair 127.0.0.1:1 --code 031-45-154 --timeout 1
hapctl pair 127.0.0.1:1 --code X-HM://0000 --timeout 1
hapctl pair 127.0.0.1:1 --code-file nothing
hapctl unpair nothing --timeout 1 --interface lo
hapctl identify 127.0.0.1:1 --timeout 1
hapctl get
hapctl get nothing --timeout 1 --interface lo
hapctl get nothing/On --timeout x
hapctl put nothing/On
hapctl put nothing
hapctl watch nothing --count x
hapctl accessories nothing --interface nothing0
hapctl export nothing --timeout 1 --interface lo
hapctl pairings
hapctl pairings list
hapctl pairings add nothing
hapctl resource nothing
hapctl keys
hapctl keys import nothing
hapctl keys import broken.json
hapctl keys export
hapctl keys export nothing
hapctl shell
hapctl proxy
hapctl proxy x y
hapctl proxy 0.0.0.0:0 nothing
hapctl misbehave nothing nothing
hapctl misbehave
hapctl discover --interface nothing0
hapctl discover x
haptest
haptest nothing
haptest rnu
haptest run
haptest run 127.0.0.1:1
haptest run nothing --interface lo
haptest run 127.0.0.1:1 --code 1
haptest run 127.0.0.1:1 --select NOTHING
haptest run 127.0.0.1:1 --level maybe
haptest run 127.0.0.1:1 --fail-on everything
haptest run 127.0.0.1:1 --shard 9/3
haptest run 127.0.0.1:1 --seed x
haptest run 127.0.0.1:1 --repeat 0
haptest run 127.0.0.1:1 --parallel 0
haptest run 127.0.0.1:1 --txt id
haptest run 127.0.0.1:1 --suites nothing
haptest run 127.0.0.1:1 --suites broken-suite.yaml
haptest run 127.0.0.1:1 --claims nothing
haptest run 127.0.0.1:1 --claims broken-claims.json
haptest run 127.0.0.1:1 --baseline broken-baseline.json
haptest run 127.0.0.1:1 --junit nothing/report.xml
haptest run --exec false
haptest list --select NOTHING
haptest list --select pair-setup&must
haptest list --level should
haptest explain
haptest explain NOTHING
haptest explain RD-1
haptest lint
haptest lint nothing --interface lo
haptest lint broken.json
haptest lint broken.json --json
haptest lint broken.json --rules nothing
haptest diff
haptest diff nothing nothing
haptest diff broken.json broken.json
haptest matrix
haptest matrix nothing
haptest rerun
haptest rerun nothing
haptest claims
haptest claims init
haptest baseline init nothing
haptest baseline init broken.json
haptest fuzz
haptest fuzz 127.0.0.1:1 --area nothing
haptest fuzz 127.0.0.1:1 --minutes 0
haptest fuzz 127.0.0.1:1 --replay nothing
haptest validate
haptest validate nothing
haptest validate broken-suite.yaml
haptest validate broken-suite.yaml --json
"""

# Output without a network: the catalogue, cases, defects, faults, presets, schemas.
LISTS = """
types: hapsim types
types: hapsim types --json
types: hapsim types lock
types: hapsim types TargetDoorState
types: hapsim types 43 --json
behaviours: hapsim behaviours
behaviours: hapsim behaviours --json
behaviours: hapsim behaviours GarageDoorOpener
behaviours: hapsim behaviours 8D930001-860E-4115-99CE-0CB5D9674D77
defects: hapsim defects
defects: hapsim defects --json
defects: hapsim defects read
defects: hapsim defects RD-01
defects: hapsim defects read-status-beside-value
faults: hapsim faults
faults: hapsim faults --json
faults: hapsim faults delay-message latency
judge: hapsim judge --list
judge: hapsim judge --list --json
misbehave: hapctl misbehave --list
misbehave: hapctl misbehave --list --json
quirks: hapsim quirks
quirks: hapsim quirks --json
cases: haptest list
cases: haptest list --json
cases: haptest list --sections
suites: haptest validate Suites
suites: haptest validate Suites --json
suites: haptest validate --schema
new: hapsim new --service LightBulb:Brightness,Hue -o -
new: hapsim new --service Outlet --service Switch --name Desk -o -
edit: hapsim edit lamp.hasaccessory add-service Outlet --name Socket
edit: hapsim edit lamp.hasaccessory add-characteristic LightBulb ColorTemperature --value 200
edit: hapsim edit lamp.hasaccessory set LightBulb/Brightness.minValue 10
edit: hapsim edit lamp.hasaccessory remove Socket
edit: cat lamp.hasaccessory
"""


class Misuse(Exception):
    """The command line is invalid."""


class Recorder:
    """Runs commands and writes their output below a folder."""

    def __init__(self, out, programs):
        self.out = pathlib.Path(out).resolve()
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="corpus-"))
        (self.work / "bin").mkdir()
        for name in (*PROGRAMS, "WorldRunner"):
            shutil.copy2(pathlib.Path(programs, name), self.work / "bin" / name)
        for name in LINKS:
            (self.work / name).symlink_to(ROOT / name)
        for name, text in FILES.items():
            (self.work / name).write_text(text)
        self.environment = {
            "PATH": f"{self.work}/bin:{os.environ.get('PATH', '')}", "HOME": str(self.work / "home"), "TERM": "dumb", "LC_ALL": "C.UTF-8",
            "TZ": "UTC", "COLUMNS": "80", "SWIFT_BACKTRACE": "enable=no",
            "DBUS_SYSTEM_BUS_ADDRESS": os.environ.get("DBUS_SYSTEM_BUS_ADDRESS", ""),
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.work)

    def program(self, name):
        return str(self.work / "bin" / name)

    def ended(self, words, given=""):
        """Runs a command to its end. Returns exit status, output and errors, without the name of the folder."""
        try:
            done = subprocess.run(
                words, cwd=self.work, env=self.environment, input=given.encode(), capture_output=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return "none: it did not end", "", ""
        texts = (text.decode(errors="backslashreplace").replace(str(self.work), "WORK") for text in (done.stdout, done.stderr))
        return done.returncode, *texts

    def run(self, path, *words, given=""):
        """Adds a command and its output to a file; returns its output."""
        status, output, errors = self.ended(words, given)
        text = f"$ {shlex.join(words)}\n{given and '< ' + given}".replace(str(self.work), "WORK")
        text += output if output.endswith("\n") or not output else output + "⏎\n"
        text += "".join(f"error output: {line}\n" for line in errors.splitlines())
        self.add(path, f"{text}exit status {status}\n\n")
        return output

    def add(self, path, text):
        file = self.out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "a", encoding="utf-8") as opened:
            opened.write(text)


def record_help(recorder):
    """Records the help of each command, and the errors of an unknown option and a missing value."""
    for program in PROGRAMS:
        recorder.run(f"texts/{program}.txt", program, "--version")
        text = recorder.run(f"texts/{program}.txt", program, "--help")
        recorder.run(f"texts/{program}.txt", program, "help", "nothing")
        commands = re.findall(r"^  ([a-z-]+)  +\S", text.partition("\ncommands:")[2].partition("\noptions:")[0], re.M)
        for command in commands:
            path = f"texts/{program}-{command}.txt"
            options = recorder.run(path, program, command, "--help")
            errors = f"texts/errors-{program}.txt"
            recorder.run(errors, program, command, "--no-such-option")
            for option in re.findall(r"^  (?:-\w, )?(--[a-z-]+) [A-Zo]", options, re.M):
                recorder.run(errors, program, command, option)


def record_errors(recorder):
    for line in ERRORS.split("\n"):
        if words := line.split():
            recorder.run(f"texts/errors-{words[0]}.txt", *words)


def record_lists(recorder):
    for line in LISTS.strip().split("\n"):
        name, _, command = line.partition(": ")
        recorder.run(f"lists/{name}.txt", *shlex.split(command))
    for preset in PRESETS:
        recorder.run(f"lists/quirks-{preset}.txt", "hapsim", "quirks", preset)
    cases = re.findall(r'"id":"([A-Z0-9-]+)"', recorder.ended(["haptest", "list", "--json"])[1])
    for start in range(0, len(cases), 50):  # the number of words is limited
        recorder.run("lists/explain.txt", "haptest", "explain", *cases[start : start + 50])
        recorder.run("lists/explain.txt", "haptest", "explain", "--json", *cases[start : start + 50])
    for path in ("Profiles/schema.json", "Suites/schema.json", "docs/reference/report.schema.json"):
        recorder.add(f"lists/{path.replace('/', '-')}", (ROOT / path).read_text())


def record_files(recorder):
    """Records the output about profiles and about recordings of devices."""
    profiles = sorted(f"Profiles/{path.name}" for path in (ROOT / "Profiles").glob("*.hasaccessory"))
    recorder.run("files/validate.txt", "hapsim", "validate", *profiles)
    recorder.run("files/validate.txt", "hapsim", "validate", "--json", *profiles, "broken.hasaccessory", "cut.hasaccessory")
    recorder.run("files/validate.txt", "hapsim", "validate", "broken.hasaccessory", "cut.hasaccessory")
    for path in sorted((ROOT / "Tests" / "Vectors" / "devices").glob("*.json")):
        name = f"Tests/Vectors/devices/{path.name}"
        recorder.run(f"files/import-{path.stem}.txt", "hapsim", "import", name, "-o", "-")
        recorder.run(f"files/import-{path.stem}.txt", "hapsim", "import", name, "--fix", "--redact", "-o", "-")
        recorder.run(f"files/lint-{path.stem}.txt", "haptest", "lint", name)
        recorder.run(f"files/lint-{path.stem}.txt", "haptest", "lint", name, "--json")
    scenario = "Examples/scenarios/a-day-of-the-garage.yaml"
    serve = ("--scenario", scenario, "--virtual-time", "--ephemeral", "--interface", "lo", "--control", "off",
             "--port", "8826", "--setup-code", "031-45-154", "--setup-id", "CORP")
    recorder.run("live/scenario.txt", "hapsim", "run", *serve)
    recorder.run("live/scenario.txt", "hapsim", "run", *serve, "--json")
    recorder.run("live/scenario.txt", "hapsim", "record", *serve, "--output", "recorded.yaml")
    recorder.run("live/scenario.txt", "cat", "recorded.yaml")
    fleet = ("hapsim", "fleet", "Examples/fleets/office-floor.yaml", "--ephemeral", "--bonjour", "off", "--control", "off", "--bind", "127.0.0.1")
    recorder.run("files/fleet.txt", *fleet, "--port", "20000", "--identity", "corpus", "--duration", "1s")
    recorder.run("files/fleet.txt", *fleet, "--port", "20000", "--identity", "corpus", "--duration", "1s", "--json")


def record_texts(recorder):
    for record in (record_help, record_errors, record_lists, record_files):
        record(recorder)
