"""hapload: the driver. It checks every answer, and shares no code with an accessory."""

import json
import subprocess

from servers import CODE, Failed, spawn


class Driver:
    def __init__(self, program):
        self.program = program

    def run(self, server, *words, core=0, pairing=None):
        """Runs a mode once. Returns the object that it prints.

        Raises Failed if an answer failed a check.
        """
        process = self.start(server, *words, core=core, pairing=pairing)
        return self.outcome(process)

    def start(self, server, *words, core=0, pairing=None):
        options = ["-p", server.port, "-P", server.pid, "-s", CODE]
        if pairing is not None:
            options += ["-f", pairing]
        return spawn([self.program, *options, *words], (core,), stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def outcome(self, process):
        output, errors = process.communicate()
        if process.returncode != 0:
            raise Failed(f"{' '.join(process.args[5:])}: {errors.decode().strip() or output.decode().strip()}")
        return json.loads(output)
