"""Runs the commands of one page in order, as a reader would: in a folder with the files that the page names, and on a separate network.

    examples.py PAGE FOLDER     run in a loopback namespace; print each failure with page and line; exit status 1 if there is one

The network is 192.0.2.0/24, whose addresses the documentation uses. A command that serves until it is stopped runs until the next such
command or until the end of the page.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

from documents import agrees, commands, page_blocks

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120  # seconds for one command; reaching it is a failure
SERVES = re.compile(r"hapsim (run|fleet|record|judge)\b(?!.*(--list|--virtual-time.*--scenario|--scenario.*--virtual-time))|hapctl (watch|proxy) |hapctl hub run|hapctl home watch|curl -N ")
# The first line of a command that serves, watches or follows events. Any other line may be an error.
READY = re.compile(r'Press Ctrl-C to stop|watching [0-9]+ characteristics? of |"event":"value"|"event": ?"ready"|^ready$|^Watching [0-9]+ characteristics of |^(event|data|id): ?')
GARAGE = "hapsim run Profiles/garage-kilgo.hasaccessory --bind 192.0.2.7 --port 51826 --setup-code 031-45-154 --name Garage --ephemeral"
LAMP = "hapsim run Profiles/light-white.hasaccessory --bind 192.0.2.7 --setup-code 031-45-154 --name 'Hall Lamp' --ephemeral"
# Changes that make a command shorter or non-interactive: (pattern, replacement).
SHORTER = [
    (r"^make ", f"make -n --directory {ROOT} "),  # builds and tests; the target must exist
    (r"(^|\s)(hapsim reset (?!.*--yes)\S+)", r"\1\2 --yes"),  # there is no terminal for the question
    (r"(hapsim run \S*garage-kilgo\.\S+ --interface lo)", r"\1 --time-scale 20"),  # the door travels for 12 s
]
# Wrappers, which come first in PATH: fewer cases and rounds, unbuffered lines, and HTTP errors as failures of curl.
WRAPPERS = {
    "haptest": """case $1 in
run) shift; set -- run --select HTTP-05,RD-01 "$@" ;;
fuzz) case "$*" in *--replay*) ;; *) shift; set -- fuzz --max-rounds 1 "$@" ;; esac ;;
esac
exec "$HAPTEST_PROGRAM" "$@"
""",
    "jq": 'exec "$JQ_PROGRAM" --unbuffered "$@"\n',
    "curl": 'exec "$CURL_PROGRAM" --silent --show-error --fail-with-body "$@"\n',
}
DATABASE = {
    "accessories": [
        {
            "aid": 1,
            "services": [
                {
                    "iid": 1,
                    "type": "3E",
                    "characteristics": [
                        {"iid": 2, "type": "14", "format": "bool", "perms": ["pw"]},
                        *(
                            {"iid": iid, "type": type, "format": "string", "perms": ["pr"], "value": value}
                            for iid, type, value in [(3, "20", "Acme"), (4, "21", "L1"), (5, "23", "Lamp"), (6, "30", "0001"), (7, "52", "1.0")]
                        ),
                    ],
                },
                {
                    "iid": 16,
                    "type": "A2",
                    "characteristics": [{"iid": 18, "type": "37", "format": "string", "perms": ["pr"], "value": "1.1.0"}],
                },
                {
                    "iid": 8,
                    "type": "43",
                    "characteristics": [{"iid": 9, "type": "25", "format": "bool", "perms": ["pr", "pw", "ev"], "value": False}],
                },
            ],
        }
    ]
}
CACHE = {
    "version": 1,
    "minor_version": 1,
    "key": "homekit_controller-entity-map",
    "data": {"pairings": {"AA:BB:CC:DD:EE:FF": {"config_num": 1, "accessories": DATABASE["accessories"]}}},
}
REPRODUCER = {
    "format": 1, "area": "json", "seed": 7, "target": "192.0.2.7:51826", "state": "paired", "finding": "session", "message": "no answer", "confirmed": True,
    "messages": [{"connection": 0, "way": "sealed", "request": "PUT /characteristics", "bytes": "7b7d"}],
}  # fmt: skip
CONTROLLER = """import os, subprocess
target = os.environ["HAP_ADDRESS"] + ":" + os.environ["HAP_PORT"]
for words in (["pair", target, "--code", os.environ["HAP_SETUP_CODE"], "--alias", "judged"], ["get", "judged"]):
    subprocess.run(["hapctl", *words], check=True)
"""
# Files that pages name and a reader already has: the content, or the command that creates the file.
FILES = {
    "accessories.json": DATABASE,
    "garage.json": DATABASE,
    "homekit_controller-entity-map": CACHE,
    "haptest-fuzz-json-7.json": REPRODUCER,
    "known.json": {"format": 1, "entries": []},
    "lamp.hasaccessory": "hapsim new --service LightBulb:Brightness,Hue --name Lamp -o lamp.hasaccessory",
    "mine.hasaccessory": "hapsim new --service Switch --name Mine -o mine.hasaccessory",
    "mine.json": "hapsim quirks hap-nodejs > mine.json",
    "my-accessory": "printf '#!/bin/sh\\nexec hapsim run Profiles/lock.hasaccessory --bind 127.0.0.1 --bonjour off --control off --port 51826"
    " --setup-code 031-45-154 --ephemeral\\n' > my-accessory; chmod +x my-accessory",
    "my_controller.py": CONTROLLER,
}
CAPTURE = re.compile(r"captures/\S+\.hapcapture")


class Failure(Exception):
    pass


class Server:
    """A command that serves, in its own process group."""

    def __init__(self, command, given=(), place=None):
        self.command = command
        self.place = place  # page and line of the command
        self.lines = []
        self.news = threading.Condition()
        self.process = subprocess.Popen(
            ["bash", "-o", "pipefail", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", start_new_session=True,
            # If a shell runs the tests in the background, they inherit an ignored SIGINT.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        self.ended = False
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        try:
            self.wait(lambda: any(READY.search(line) for line in self.lines), "it is ready")
            for count, line in enumerate(given, 1):
                self.process.stdin.write(line + "\n")
                self.process.stdin.flush()
                self.wait(lambda: len(self.answers()) >= count, f"it answers {line}", answers=True)
            if refused := [line for line in self.answers() if '"ok":true' not in line]:
                raise Failure(f"refused: {refused[0]}")
        except Failure:
            self.stop(check=False)
            raise

    def answers(self):
        return [line for line in self.lines if '"ok":' in line]

    def read(self):
        for line in self.process.stdout:
            with self.news:
                self.lines.append(line.rstrip("\n"))
                self.news.notify_all()
        with self.news:
            self.ended = True
            self.news.notify_all()

    def wait(self, condition, what, answers=False):
        with self.news:
            ended = not self.news.wait_for(lambda: condition() or self.ended, PATIENCE) or not condition()
            # A scenario or a list that ended with status 0 has also succeeded.
            if ended and (not self.ended or answers or self.process.wait(PATIENCE)):
                raise Failure(f"'{self.command}' ended, or took too long, before {what}:\n{self.transcript()}")

    def transcript(self):
        return "\n".join(self.lines[-40:])

    def stop(self, check=True):
        stopped = not self.ended
        if stopped:
            try:
                os.killpg(self.process.pid, signal.SIGINT)
            except ProcessLookupError:
                stopped = False
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise Failure(f"'{self.command}' did not stop:\n{self.transcript()}") from None
        self.process.stdin.close()
        self.reader.join(PATIENCE)
        # 130 and -2: SIGINT ended the command or its shell.
        allowed = {0, 130, -signal.SIGINT} if stopped else {0}
        # 4: no controller sent a request that a rule covers.
        allowed |= {4} if "judge" in self.command else set()
        if check and status not in allowed:
            raise Failure(f"'{self.command}' ended with status {status}:\n{self.transcript()}")


class Page:
    def __init__(self, name):
        self.name = name
        self.servers = {}  # "hapsim" and "hapctl": the running accessories, and the running hub
        self.failures = []

    def run(self):
        for block in page_blocks(ROOT, self.name):
            if block.label in ("sh", "console") and not block.marked("stage"):
                self.run_block(block)
        for kind in ("hapctl", "hapsim"):
            self.stop(kind)
        return self.failures

    def run_block(self, block):
        beside = block.marked("beside")
        said = "\n".join([block.text, *block.marked("before")])
        beside += [GARAGE] if "192.0.2.7:51826" in said or re.search(r"pair Garage(?!.*--interface lo)", said) else []
        beside += [LAMP] if '"Hall Lamp"' in said else []
        servers = []
        try:
            try:
                if beside:
                    self.stop("hapsim")
                for command in beside:
                    self.prepare(command)
                    servers.append(Server(command))
                for command in block.marked("before"):
                    self.finish(command)
            except Failure as failure:
                raise Failure(f"{block.at(-1)}: {failure}") from None
            self.run_commands(block)
        except Failure as failure:
            self.failures.append(str(failure))
        finally:
            for server in servers:
                try:
                    server.stop()
                except Failure as failure:
                    self.failures.append(f"{block.at(-1)}: {failure}")

    def run_commands(self, block):
        statuses = [text.split(" ", 1) for text in block.marked("status")]
        for command in commands(block):
            text = command.text
            for pattern, replacement in SHORTER:
                text = re.sub(pattern, replacement, text)
            expected = next((int(status) for status, words in statuses if command.text.startswith(words)), 0)
            try:
                self.run_command(text, command, expected, block.label == "console", block.at(command.index))
            except Failure as failure:
                self.failures.append(f"{block.at(command.index)}: {failure}")

    def run_command(self, text, command, expected, compared, place):
        self.prepare(text)
        if match := re.fullmatch(r"([a-z]\w*)=\$\((.*)\)", text):
            os.environ[match[1]] = self.finish(match[2]).strip()
        elif match := re.fullmatch(r"([a-z]\w*)=(\S*)", text):
            os.environ[match[1]] = match[2]
        elif SERVES.search(text) and not text.startswith("haptest") and "judge.sh" not in text:
            kind = "hapsim" if text.startswith("hapsim") else "hapctl" if text.startswith("hapctl hub run") else None
            self.stop(kind)
            server = Server(re.sub(r"\s+&\s*(#.*)?$", "", re.sub(r"\s{2,}#.*$", "", text)), command.given, place)
            if kind:
                self.servers[kind] = server
            else:
                server.stop()
        else:
            output = self.finish(text, expected, anything=compared)
            if compared and not agrees(command.output, output.rstrip("\n").split("\n")):
                raise Failure(f"'{text}' printed\n{output}")

    def finish(self, text, expected=0, anything=False):
        try:
            ended = subprocess.run(
                ["bash", "-o", "pipefail", "-c", text], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace", timeout=PATIENCE,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise Failure(f"'{text}' took more than {PATIENCE} s:\n{(error.output or b'').decode()[-4000:]}") from None
        if ended.returncode != expected and not anything:
            raise Failure(f"'{text}' ended with status {ended.returncode}:\n{ended.stdout[-4000:]}")
        return ended.stdout

    def stop(self, kind):
        """Stops the server of a kind, if one runs."""
        if server := self.servers.pop(kind, None):
            try:
                server.stop()
            except Failure as failure:
                self.failures.append(f"{server.place}: {failure}")

    def prepare(self, command):
        """Creates the files that a command names, except the files that the command itself writes."""
        for name, content in FILES.items():
            if not re.search(rf"(?<![\w-]){re.escape(name)}\b", command) or Path(name).exists():
                continue
            if re.search(rf"(-o|--output|>)\s*{re.escape(name)}", command):
                continue
            if name.endswith(".py"):
                Path(name).write_text(content)
            elif isinstance(content, str):
                self.finish(content)
            else:
                Path(name).write_text(json.dumps(content))
        if (match := CAPTURE.search(command)) and not Path(match[0]).exists():
            if not list(Path(".").glob("captures/*.hapcapture")):
                Server("hapsim run Profiles/lock.hasaccessory --ephemeral --capture captures/").stop()
            self.stop("hapsim")
            shutil.copy(next(Path(".").glob("captures/*.hapcapture")), match[0])


def network():
    """Creates 192.0.2.0/24 on a pair of virtual interfaces. No packet leaves the namespace."""
    for words in (
        "link add eth0 type veth peer name eth1", "link set eth0 addrgenmode none", "link set eth1 addrgenmode none up",
        "addr add 192.0.2.7/24 dev eth0", "link set eth0 up",
    ):  # fmt: skip
        subprocess.run(["ip", *words.split()], check=True)


def needed(name):
    if (path := shutil.which(name)) is None:
        sys.exit(f"{name} is not installed; 'make deps' installs it")
    return path


def main(page, folder):
    network()
    folder = Path(folder)
    here, programs = folder / "here", folder / "bin"
    for path in (here, programs):
        path.mkdir(parents=True)
    products = Path(os.environ["HAPSIM"]).resolve().parent
    os.environ |= {"HAPTEST_PROGRAM": str(products / "haptest"), "CURL_PROGRAM": needed("curl"), "JQ_PROGRAM": needed("jq")}
    for name, text in WRAPPERS.items():
        (programs / name).write_text("#!/bin/bash\n" + text)
        (programs / name).chmod(0o755)
    os.environ |= {"PATH": f"{programs}:{products}:{os.environ['PATH']}", "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")}
    for name in ("Profiles", "Examples"):
        shutil.copytree(ROOT / name, here / name)
    for name in (".venv", "Makefile", "Scripts"):
        (here / name).symlink_to(ROOT / name)
    # Pages in Examples name files of their own folder.
    if page.startswith("Examples/"):
        for path in (ROOT / page).parent.iterdir():
            if path.is_file():
                shutil.copy(path, here)
    os.chdir(here)
    failures = Page(page).run()
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
