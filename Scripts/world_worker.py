"""A process that runs haptest in simulated worlds, for Scripts/prove and Scripts/corpus."""
import os
import pathlib
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Worker:
    """A WorldRunner, which runs one test after the other. It is restarted if it has died."""

    def __init__(self, program, folder=ROOT):
        self.program = program
        self.folder = folder
        self.process = None

    def close(self):
        """Ends the process, which is waiting for the next test."""
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()

    def run(self, words, folder, limit):
        """Runs `haptest run WORD…` in a simulated world. Returns its exit status, or -1."""
        log = folder / "log"
        with open(log, "wb") as output:
            if self.process is None or self.process.poll() is not None:
                self.process = subprocess.Popen(
                    [str(self.program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder,
                    env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
            process = self.process
            # Nothing here waits in real time, so a run that does not end is an error, and is ended.
            watchdog = threading.Timer(limit, process.kill)
            watchdog.start()
            try:
                process.stdin.write("\t".join(words).encode() + b"\n")
                process.stdin.flush()
                for line in process.stdout:
                    if line.startswith(b"END "):
                        return int(line.split()[1])
                    output.write(line)
                process.wait()
            except BrokenPipeError:
                process.wait()
            finally:
                watchdog.cancel()
        return -1
