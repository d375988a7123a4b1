"""haptest names every fault of hapsim's that breaks a rule, and takes those for right that break none; so it does while a scenario is played."""

import json
from pathlib import Path

import pytest

from process import PROFILES, hapsim, run_to_its_end

pytestmark = pytest.mark.timeout(300)

# The fault, the case that names it, and the profile where that isn't a light.
NAMED = [
    ("lost-events", "EV-01"),
    ("double-events", "EV-12"),
    ("echo-subscription", "EV-19"),
    ("event-storm", "EV-14"),
    ("late-event", "EV-04"),
    ("early-session", "EV-19"),
    ("ghost-press", "RD-14", "button-single"),
    ("cut:bytes=2000", "SEC-02"),
    ("reset:bytes=2000", "SEC-02"),
    ("cut-before:message=read", "RD-01"),
    ("cut-after:message=setup-M4", "PS-40"),
    ("cut-request:message=read", "RD-01"),
    ("drop-message:message=verify-M2", "PV-02"),
    ("lower-case-identifiers", "DISC-07"),
    ("session-cap:sessions=4", "CN-02"),
    ("silence", "DISC-01"),
    ("record-flap:off=20s:on=1s", "DISC-01"),
    ("record-storm", "DISC-27"),
    ("early-sf", "PS-38"),
    ("wrong-sf", "DISC-14"),
    ("frozen-record", "DISC-14"),
    ("late-record", "DISC-11"),
    ("wrong-config-number", "DISC-11"),
    ("lost-state", "CN-11"),
    ("long-text:bytes=100", "ADB-08"),
    ("out-of-range", "ADB-20"),
    ("failing-read", "WR-01"),
    ("slow-read:characteristic=Hue", "WR-01"),
    ("shifted-iids", "RD-01"),
    ("shuffled-iids", "ADB-42"),
    ("crowded:accessories=151", "ADB-11", "bridge-two-lights"),
]
# It can't be spoken with: what can't be reached is not judged.
LOST = ["refuse", "stall", "deaf", "off-network"]
# Nothing in them is against a rule: networks are like that, and accessories may.
RIGHT = [
    "latency:by=30ms:jitter=20ms", "latency-in:by=30ms", "bandwidth:rate=200000", "trickle:bytes=100:every=1ms", "chop:at=3:pause=1ms",
    "delay-message:message=read:by=500ms", "chunked", "exact-size", "reversed-events", "wrong-state-number", "rival-name",
    "clock-jump", "reboot", "power-cut",
]  # fmt: skip


async def tried(report, fault, cases, profile="light-colour", options=()):
    """The exit status, and how each case ended."""
    words = [hapsim(), "run", PROFILES / f"{profile}.hasaccessory", "--ephemeral", "--interface", "lo", "--commands"]
    words += ["--time-scale", "20", *(["--fault", fault] if fault else []), *options]
    status, output, errors = await run_to_its_end(
        Path(hapsim()).with_name("haptest"), "run", "--exec", "exec " + " ".join(map(str, words)), "--interface", "lo",
        "--select", cases, "--report-json", report, patience=280,
    )  # fmt: skip
    print(output[-3000:], errors)
    return status, {case["id"]: case["result"] for case in json.loads(report.read_text())["cases"]} if report.exists() else {}


@pytest.mark.parametrize("entry", NAMED, ids=lambda entry: entry[0])
async def test_a_fault_that_breaks_a_rule_is_named(entry, tmp_path):
    fault, case, *profile = entry
    status, seen = await tried(tmp_path / "report.json", fault, case, *profile)
    assert seen == {case: "fail"}
    assert status == 1


@pytest.mark.parametrize("fault", LOST)
async def test_who_cannot_be_spoken_with_is_not_judged(fault, tmp_path):
    status, seen = await tried(tmp_path / "report.json", fault, "RD-01")
    assert status != 0
    assert "pass" not in seen.values()


@pytest.mark.parametrize("fault", RIGHT)
async def test_a_fault_that_breaks_no_rule_is_not_accused(fault, tmp_path):
    status, seen = await tried(tmp_path / "report.json", fault, "RD-01,WR-01,EV-01,EV-03,ADB-01,SEC-02,DISC-01,HTTP-01,PV-02")
    assert status == 0, seen
    assert sum(result == "pass" for result in seen.values()) >= 8


def test_every_fault_has_its_place():
    """A new fault is in one of the lists, or here with the reason why it is in none."""
    import subprocess

    elsewhere = {
        "flap": "it is off the network now, and there then: what haptest meets is chance",
        "factory-reset": "it is unpaired for nobody when it begins, which is how haptest wants it",
        "missing-accessory": "an accessory less is another database, and no wrong one",
        "leading-zeros": "right, and slow: each Pair Setup draws some 256 keys",
    }
    names = {fault["name"] for fault in json.loads(subprocess.check_output([hapsim(), "faults", "--json"]))}
    placed = {text.split(":")[0] for text in [entry[0] for entry in NAMED] + LOST + RIGHT}
    assert names == placed | set(elsewhere)


SOMEBODY = """
scenario: Somebody turns the knob of the colours
steps:
  - do:
      - { set: { characteristic: Saturation, value: 10 } }
      - { after: 2s, set: { characteristic: Saturation, value: 90 } }
    every: 7s
"""


async def test_a_scenario_that_goes_on_accuses_nobody(tmp_path):
    """Cases that start the accessory anew are left out: a command to one that is starting fails the scenario."""
    scenario = tmp_path / "somebody.yaml"
    scenario.write_text(SOMEBODY)
    status, seen = await tried(
        tmp_path / "report.json", None, "read,write,events,services,pair-verify", options=("--scenario", scenario)
    )
    assert status == 0, {case: result for case, result in seen.items() if result not in ("pass", "skip", "info")}
    assert sum(result == "pass" for result in seen.values()) > 60
