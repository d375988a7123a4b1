"""A read and a write of a running accessory allocate nothing after a first round. An interposer of malloc counts the allocations.

This is true for an optimized hapsim, which HAPSIM_OPTIMIZED names: `make bench` has one and begins with this test. Building one takes minutes, which
is too long for `make test`. There the same counter checks the debug build. The compiler leaves a few allocations in it, always the same number,
so an additional allocation in a request is found there too.

The requests come from hapload, the driver of `make bench`, which is built here as well. A run of hapload opens and closes sessions, which allocate.
Therefore runs of two lengths are compared. A run that prints its events allocates with every write, which proves that the counter counts.

On real sockets because it counts the allocations of the built program, and aiohomekit is a third party.
"""

import collections
import ctypes
import mmap
import os
import select
import socket
import struct
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest

from process import PATIENCE, hapsim

ROOT = Path(__file__).resolve().parents[2]
CODE = "031-45-154"
PROFILE = ROOT / "Benchmarks" / "Profiles" / "bulb.hasaccessory"


def built(arguments, **options):
    done = subprocess.run([str(word) for word in arguments], capture_output=True, text=True, cwd=ROOT, **options)
    assert done.returncode == 0, done.stdout + done.stderr


OPTIMIZED = os.environ.get("HAPSIM_OPTIMIZED")
PROGRAM = OPTIMIZED or hapsim()
# With Swift 6.3 without optimization.
LEFT = {"get": 0, "put": 0} if OPTIMIZED else {"get": 5, "put": 28}


@pytest.fixture(scope="module")
def tools(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tools")
    compiler = os.environ.get("CC", "cc")
    source = ROOT / "Benchmarks"
    built([compiler, "-O2", source / "hapload" / "hapload.c", "-o", folder / "hapload", "-lsodium", "-lcrypto"])
    built([compiler, "-O2", "-shared", "-fPIC", source / "allocations" / "count_allocations.c", "-o", folder / "count.so"])
    return folder


class Counted:
    """A hapsim whose allocations are counted."""

    output = subprocess.PIPE

    def __init__(self, program, tools, folder, *options, keeping=("--ephemeral",)):
        self.tools, self.folder = tools, folder
        counter = folder / "count"
        counter.write_bytes(bytes(mmap.PAGESIZE))
        with counter.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), mmap.PAGESIZE)
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
        self.process = subprocess.Popen(
            [program, "run", PROFILE, *keeping, "--setup-code", CODE, "--port", str(self.port), "--interface", "lo", "--bonjour", "off",
             *options],
            env={**os.environ, "LD_PRELOAD": str(tools / "count.so"), "ALLOCATION_COUNT": str(counter)},
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def __enter__(self):
        self.wait_until_ready()
        self.drive("pair")
        return self

    def wait_until_ready(self):
        said = []
        for line in self.process.stdout:
            said.append(line)
            if str(self.port) in line:
                break
        assert self.process.poll() is None and str(self.port) in said[-1], said
        # Reads the output, so that the process never waits for a reader.
        threading.Thread(target=collections.deque, args=(self.process.stdout, 0), daemon=True).start()

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    @property
    def count(self):
        return struct.unpack_from("=Q", self.memory)[0]

    def drive(self, *words):
        built([self.tools / "hapload", "-p", self.port, "-s", CODE, "-f", self.folder / "pairing", *words])

    def run(self, operation, requests):
        """Returns the number of allocations during a run of this number of requests."""
        before = self.count
        self.drive("-w", 1, "-n", requests, operation)
        return self.count - before

    def per_request(self, operation):
        """Returns the allocations per request, rounded. The end of a connection can be counted in the next run, which is little in 2000 requests."""
        self.run(operation, 2000)  # until all buffers have their final size
        # Other work of the process is rare, so the minimum of several runs does not include it.
        short = min(self.run(operation, 500) for _ in range(3))
        long = min(self.run(operation, 2500) for _ in range(3))
        return round((long - short) / 2000, 1)


class Unread(Counted):
    """A hapsim whose output goes to /dev/null. It stores its state, because the control socket in the state folder shows that it is ready."""

    output = subprocess.DEVNULL

    def __init__(self, program, tools, folder, *options):
        folder.mkdir()
        sockets = folder / "state" / "control"
        sockets.mkdir(parents=True, mode=0o700)
        libc = ctypes.CDLL(None, use_errno=True)
        self.watch = libc.inotify_init1(os.O_CLOEXEC)
        moved_here = 0x80
        assert libc.inotify_add_watch(self.watch, os.fsencode(sockets), moved_here) >= 0, os.strerror(ctypes.get_errno())
        super().__init__(program, tools, folder, *options, keeping=("--state", folder / "state"))

    def wait_until_ready(self):
        arrived, _, _ = select.select([self.watch], [], [], PATIENCE)
        assert arrived and self.process.poll() is None
        os.close(self.watch)


@pytest.fixture
def short_path():
    """A folder with a short path, because the path of a control socket has at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="idle-") as folder:
        yield Path(folder)


@pytest.mark.parametrize("operation", ["get", "put"])
def test_an_idle_page_and_an_unread_log_allocate_nothing(tools, short_path, operation):
    """By default the page and the control API have no client. Then a request creates no event and no text."""
    with Unread(PROGRAM, tools, short_path / "quiet", "--quiet") as accessory:
        quiet = accessory.per_request(operation)
    with Unread(PROGRAM, tools, short_path / "default") as accessory:
        # Less than one, because other work of the process varies.
        assert accessory.per_request(operation) < quiet + 0.5


@pytest.mark.parametrize("operation", ["get", "put"])
def test_with_json_only_the_printed_events_allocate(tools, tmp_path, operation):
    """Events are printed and the page has no client, so nothing is recorded for it."""
    folders = [tmp_path / name for name in ("alone", "default")]
    for folder in folders:
        folder.mkdir()
    with Counted(PROGRAM, tools, folders[0], "--json", "--control", "off") as accessory:
        alone = accessory.per_request(operation)
    with Counted(PROGRAM, tools, folders[1], "--json") as accessory:
        # On a busy machine, the thread that prints allocates up to half an allocation more. Recording an event takes two.
        assert accessory.per_request(operation) < alone + 1


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_read_that_is_not_printed_allocates_nothing(tools, tmp_path, options):
    """The log does not print reads, and the page has no client."""
    with Counted(PROGRAM, tools, tmp_path, *options) as accessory:
        assert accessory.per_request("get") <= LEFT["get"]


@pytest.mark.parametrize("operation", ["get", "put"])
def test_a_request_allocates_no_more_than_known(tools, tmp_path, operation):
    with Counted(PROGRAM, tools, tmp_path, "--quiet") as accessory:
        assert accessory.per_request(operation) <= LEFT[operation]


def test_the_counter_counts(tools, tmp_path):
    with Counted(PROGRAM, tools, tmp_path, "--json") as accessory:
        assert accessory.per_request("put") >= LEFT["put"] + 1
