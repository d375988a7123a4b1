"""Counts the instructions of a GET and a PUT with valgrind's callgrind, to measure the cost of the page, the control API and the log.

Two runs of different length are compared, so that the start of the process and Pair Setup are not counted. Run it on loopback:

    make -C Benchmarks/hapload BUILD="$PWD/.build/bench"
    Scripts/in-loopback-namespace python3 Benchmarks/instructions.py --hapsim .build/release/hapsim --tools .build/bench
"""

import argparse
import re
import signal
import subprocess
import tempfile
from pathlib import Path

from driver import Driver
from servers import CODE, HERE, SAME, Failed, Server, free_port

PROFILE = HERE / "Profiles" / "bulb.hasaccessory"
# Options, and whether standard output goes to a file instead of /dev/null.
MODES = {
    "`--quiet`": (["--quiet"], False),
    "the defaults, output to /dev/null": ([], False),
    "the defaults, output to a file": ([], True),
    "the defaults and `--control off`, output to a file": (["--control", "off"], True),
    "`--json`, output to a file": (["--json"], True),
    "`--json --control off`, output to a file": (["--json", "--control", "off"], True),
    "`--control 127.0.0.1:0`, output to /dev/null": (["--control", "127.0.0.1:0"], False),
    "`--control 127.0.0.1:0`, output to a file": (["--control", "127.0.0.1:0"], True),
}


class Counted(Server):
    """A hapsim under callgrind. Its instruction count is known after it has ended."""

    def __init__(self, program, options, keeps_output, folder):
        port = free_port()
        self.counts = folder / f"callgrind.{port}"
        command = [
            "valgrind", "--tool=callgrind", f"--callgrind-out-file={self.counts}", program, "run", PROFILE, "--ephemeral",
            "--setup-code", CODE, "--port", port, "--interface", "lo", "--bonjour", "off", *options,
        ]  # fmt: skip
        output = folder / f"output.{port}" if keeps_output else "/dev/null"
        shell = ["sh", "-c", 'output=$1; shift; exec "$@" > "$output"', "sh", output, *command]
        super().__init__(shell, port, SAME)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=120)
        found = re.search(r"^(?:summary|totals): (\d+)", self.counts.read_text(), re.MULTILINE)
        if not found:
            raise Failed("callgrind wrote no total")
        return int(found[1])

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def total(program, driver, mode, operation, requests):
    """Returns the instructions of a whole process that serves this many requests."""
    options, keeps_output = MODES[mode]
    with tempfile.TemporaryDirectory() as name, Counted(program, options, keeps_output, Path(name)) as server:
        pairing = Path(name) / "pairing"
        driver.run(server, "pair", pairing=pairing)
        driver.run(server, "-w", 1, "-n", requests, operation, pairing=pairing)
        return server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hapsim", required=True, type=Path, help="an optimized hapsim")
    parser.add_argument("--tools", required=True, type=Path, help="the folder of hapload")
    parser.add_argument("--requests", type=int, default=3000, help="requests of the shorter run; the longer one has twice as many")
    parser.add_argument("--only", nargs="*", default=[], help="parts of the names of the modes to measure")
    arguments = parser.parse_args()
    driver = Driver(arguments.tools / "hapload")
    first = {}
    print("| `hapsim run` with | GET | | PUT | |\n|---|---|---|---|---|")
    for mode in MODES:
        if arguments.only and not any(part in mode for part in arguments.only):
            continue
        cells = []
        for operation in ("get", "put"):
            short, long = (
                total(arguments.hapsim, driver, mode, operation, count)
                for count in (arguments.requests, 2 * arguments.requests)
            )
            each = (long - short) / arguments.requests
            share = 100 * (each / first.setdefault(operation, each) - 1)
            cells += [f"{each:.0f}", f"{share:+.1f} %"]
        print(f"| {mode} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    try:
        main()
    except (Failed, subprocess.TimeoutExpired) as error:
        raise SystemExit(f"error: {error}") from error
