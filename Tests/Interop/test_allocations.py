"""A read and a write of a running accessory allocate nothing, once it is warm: counted by an interposer of malloc.

That holds for an optimized hapsim, which HAPSIM_OPTIMIZED names: `make bench` has one and begins with this test. Building one takes minutes that
`make test` doesn't have; there the same counter looks at the debug build, in which the compiler leaves a few allocations, always as many: one more
on the way of a request is seen there, too.

The requests come from hapload, the driver of `make bench`, which is built here as well. A run of it allocates by itself (sessions come and go),
so that runs of two lengths are compared. That the counter counts is shown by a run that tells what it does, which allocates with every write.

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
# Of Swift 6.3 without optimization.
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
        # It must not wait for somebody to read what it says.
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
        """What a run of so many requests allocates."""
        before = self.count
        self.drive("-w", 1, "-n", requests, operation)
        return self.count - before

    def per_request(self, operation):
        """The end of a connection may be counted with the next run, which is nothing to two thousand requests: so it is rounded."""
        self.run(operation, 2000)  # until every buffer has its size
        # What else the process does meanwhile, it does seldom: the least of several runs is without it.
        short = min(self.run(operation, 500) for _ in range(3))
        long = min(self.run(operation, 2500) for _ in range(3))
        return round((long - short) / 2000, 1)


class Unread(Counted):
    """One whose output goes to the null device. It keeps its state, because the control socket in the state folder shows that it is ready."""

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
    """A folder with a short path: that of a control socket has at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="idle-") as folder:
        yield Path(folder)


@pytest.mark.parametrize("operation", ["get", "put"])
def test_an_idle_page_and_an_unread_log_cost_nothing(tools, short_path, operation):
    """With the defaults, whose page and control API have no client, a request makes no event and no text."""
    with Unread(PROGRAM, tools, short_path / "quiet", "--quiet") as accessory:
        quiet = accessory.per_request(operation)
    with Unread(PROGRAM, tools, short_path / "default") as accessory:
        # Less than one: what else the process does is not exactly the same each time.
        assert accessory.per_request(operation) < quiet + 0.5


@pytest.mark.parametrize("operation", ["get", "put"])
def test_with_json_only_what_is_printed_costs(tools, tmp_path, operation):
    """Events are printed, and the page has no client: nothing is recorded for it."""
    folders = [tmp_path / name for name in ("alone", "default")]
    for folder in folders:
        folder.mkdir()
    with Counted(PROGRAM, tools, folders[0], "--json", "--control", "off") as accessory:
        alone = accessory.per_request(operation)
    with Counted(PROGRAM, tools, folders[1], "--json") as accessory:
        # On a busy machine, the thread that prints allocates up to half an allocation more. Recording an event takes two.
        assert accessory.per_request(operation) < alone + 1


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_read_costs_nothing_where_it_is_not_printed(tools, tmp_path, options):
    """The log prints no reads, and the page has no client."""
    with Counted(PROGRAM, tools, tmp_path, *options) as accessory:
        assert accessory.per_request("get") <= LEFT["get"]


@pytest.mark.parametrize("operation", ["get", "put"])
def test_a_request_allocates_nothing_that_is_not_known(tools, tmp_path, operation):
    with Counted(PROGRAM, tools, tmp_path, "--quiet") as accessory:
        assert accessory.per_request(operation) <= LEFT[operation]


def test_the_counter_counts(tools, tmp_path):
    with Counted(PROGRAM, tools, tmp_path, "--json") as accessory:
        assert accessory.per_request("put") >= LEFT["put"] + 1
