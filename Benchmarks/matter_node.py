"""Measures the CPU of a Matter node without sockets: requests and handshakes. Part of `make bench`.

    python Benchmarks/matter_node.py --tool .build/static/release/MatterNodeTool
"""

import argparse
import subprocess

from samples import show

ROUNDS = 7
COUNT = 4000
NAMES = {
    "floor": "an echo by the message layer alone",
    "read": "a read of one attribute (bar 10 µs)",
    "wildcard": "a read of 600 attributes (bar 5000 µs)",
    "pase": "PASE, the responder (bar 600 µs)",
    "case": "CASE (bar 800 µs)",
    "resumption": "resumption of CASE (bar 50 µs)",
}


def run(tool):
    """Returns the microseconds by name."""
    output = subprocess.run([tool, str(COUNT)], stdout=subprocess.PIPE, check=True, text=True).stdout
    return {name: float(number) for name, number in (line.split() for line in output.splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    options = parser.parse_args()
    rounds = [run(options.tool) for _ in range(ROUNDS)]
    for name, text in NAMES.items():
        show(text, [figures[name] for figures in rounds], "µs")


main()
