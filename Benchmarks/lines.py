"""The lines of the table: measurement, unit and bar."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    key: str
    title: str
    unit: str
    # The maximum: a number of `unit`, or, with `floor`, a multiple of the floor's median in the same run.
    bar: float | None = None
    floor: str | None = None
    # The key of the floor that shows the present speed of this machine: see REFERENCE.
    pace: str = "floor.p50"
    # The best of five peers, measured on a machine of this kind, in the unit of the bar.
    peer: float | None = None
    digits: int = 1


# The floor of the machine on which the bars in µs and ms were set. On a slower or busy machine, the table also shows each figure scaled to
# that pace.
REFERENCE = {"floor.p50": 14.9, "floor.split": 59.0, "floor.verify": 112.0, "floor.setup": 1.78}

LINES = [
    Line("get.p50", "GET of one characteristic, p50", "µs", 1.35, "floor.p50", peer=1.6),
    Line("get.cpu", "GET of one characteristic, server CPU", "µs", 1.5, "floor.cpu", peer=2.0),
    Line("get.p99", "GET of one characteristic, p99", "µs"),
    Line("get32.cpu", "GET by 32 sessions, server CPU", "µs", 2.0, "floor32.cpu", peer=2.4),
    Line("get32.rps", "GET by 32 sessions, per second", "", digits=0),
    Line("get149.cpu", "GET of 149 characteristics, server CPU", "µs", 80, peer=90),
    Line("put.p50", "PUT, --ephemeral, p50", "µs", 25, peer=41),
    Line("put.cpu", "PUT, --ephemeral, server CPU", "µs"),
    Line("put-disk.p50", "PUT, store on disk, p50", "µs", 32, peer=41),
    Line("put-disk.cpu", "PUT, store on disk, server CPU", "µs"),
    Line("verify.cpu", "connect and Pair Verify, server CPU", "µs", 200, peer=295, pace="floor.verify"),
    Line("verify.p50", "connect and Pair Verify, p50", "µs"),
    Line("setup.cpu", "Pair Setup, total server CPU", "ms", 3, peer=4.5, digits=2, pace="floor.setup"),
    Line("setup.first-cpu", "Pair Setup, the first of a process, server CPU", "ms", digits=2, pace="floor.setup"),
    Line("setup.server", "Pair Setup, the server's part of the time, fsync included", "ms", digits=2, pace="floor.setup"),
    Line("fsync", "a write of 4 KiB and its fsync on that disk", "ms", digits=2),
    Line("setup.others", "p99 of other GETs during Pair Setups, relative to p99 without", "x", 2, digits=2),
    Line("events8.p50", "event to each of 8 subscribers, no coalescing, p50", "µs", 100, peer=127, pace="floor.split"),
    Line("events31.p50", "event to each of 31 subscribers, no coalescing, p50", "µs", 200, peer=256, pace="floor.split"),
    Line("events31.last", "event to the last of 31 subscribers, p50", "µs", pace="floor.split"),
    Line("acc.p50", "/accessories, 1 bulb, p50", "µs"),
    Line("acc149.cpu", "/accessories, 149 bulbs, after a change, server CPU", "ms", 0.4, peer=0.54, digits=3),
    Line("acc149-kept.cpu", "/accessories, 149 bulbs, nothing changed, server CPU", "ms", 0.2, digits=3),
    Line("acc149-kept.p50", "/accessories, 149 bulbs, nothing changed, p50", "ms", digits=3),
    Line("start.paired", "exec to listening, 1 bulb, paired", "ms", 15, peer=18),
    Line("start149.paired", "exec to listening, 149 bulbs, paired", "ms", 25, peer=25),
    Line("start.fresh", "exec to listening, 1 bulb, fresh state", "ms"),
    Line("start149.fresh", "exec to listening, 149 bulbs, fresh state", "ms"),
    Line("memory.rss", "resident, 1 bulb", "MB", 10, peer=8.3, digits=2),
    Line("memory.anon", "anonymous, 1 bulb", "MB", 3, peer=2.1, digits=2),
    Line("memory.used", "resident, 1 bulb, after 22 000 requests", "MB", digits=2),
    Line("memory.bulb", "anonymous per bridged bulb, of 149", "kB", 4, peer=3.7, digits=2),
    Line("memory.session", "resident per session, of 200", "kB", 8, peer=8.2, digits=2),
    Line("growth.requests", "anonymous memory gained over a million requests", "kB", 256, digits=0),
    Line("growth.connections", "anonymous memory gained over 100 000 connections", "kB", 256, digits=0),
]

# Lines of the floor itself.
FLOORS = [
    Line("floor.p50", "sealed echo of 300 bytes, p50", "µs"),
    Line("floor.cpu", "sealed echo of 300 bytes, server CPU", "µs"),
    Line("floor.split", "sealed echo of 300 bytes between two cores, p50", "µs"),
    Line("floor.verify", "the curves and keys of a Pair Verify alone", "µs"),
    Line("floor.setup", "both exponentiations of a Pair Setup alone", "ms", digits=2),
    Line("floor32.cpu", "sealed echo, 32 connections, server CPU", "µs"),
]
