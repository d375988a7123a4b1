"""haptest as its users run it: with accessories of HAP-python, with misbehaving programs, and with hapsim.

On real sockets because HAP-python and the misbehaving programs are not programs of this project, and signals, exit statuses and output files are those of
the built program. Tests that need only hapsim, and take time, run in a simulated world (`in_world`); Tests/ProgramTests has more of them.
"""

import asyncio
import json
import os
import signal
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
from process import PROFILES, hapsim, run_to_its_end

# Complete runs: half a minute each on an idle machine.
pytestmark = pytest.mark.timeout(900)

CODE = "031-45-154"
HERE = Path(__file__).parent
STRANGERS = HERE / "strangers.py"
BASELINES = HERE / "Baselines"
LOOPBACK = ("--interface", "lo")
# HAP-python needs seconds to start next to other tests.
BULB = ("--wait-ready", "120", "--exec")


@pytest.fixture
def haptest():
    """`await haptest(WORD…)`: runs haptest, and returns exit status, output and errors."""
    program = Path(hapsim()).with_name("haptest")
    assert os.access(program, os.X_OK), f"{program} isn't built"

    async def run(*words, patience=800):
        return await run_to_its_end(program, *words, patience=patience)

    run.program = program
    return run


async def in_world(profile, *words):
    """Runs haptest with hapsim in a simulated world, and returns exit status, output and errors."""
    serve = f"hapsim run '{profile}' --ephemeral --interface lo --commands --control off --time-scale 20"
    runner = Path(hapsim()).with_name("WorldRunner")
    return await run_to_its_end(runner, "--exec", serve, *LOOPBACK, *words, patience=800)


def stranger(kind, state):
    return f"exec {sys.executable} {STRANGERS} {kind} {state}"


def verdicts(report):
    return {case["id"]: case["result"] for case in json.loads(Path(report).read_text())["cases"]}


def explained(report):
    """Returns the failures, for the message of a failed test."""
    cases = json.loads(Path(report).read_text())["cases"]
    return [(case["id"], case["result"], case.get("message")) for case in cases if case["result"] in ("fail", "error", "xpass")]


# MARK: accessories of hapsim


@pytest.mark.long
async def test_the_kitchen_sink_passes_all_cases_and_haptest_writes_every_report(tmp_path):
    reports = {name: tmp_path / f"report.{name}" for name in ("junit", "json", "html", "tap", "markdown")}
    options = {"json": "report-json"}
    words = [word for name, path in reports.items() for word in (f"--{options.get(name, name)}", path)]
    status, output, errors = await in_world(PROFILES / "kitchen-sink.hasaccessory", *words, "--evidence", tmp_path / "evidence")
    assert status == 0, (explained(reports["json"]), output[-3000:], errors)
    seen = verdicts(reports["json"])
    assert set(seen.values()) <= {"pass", "info", "skip"}
    assert sum(verdict == "pass" for verdict in seen.values()) > 200
    root = xml.parse(reports["junit"]).getroot()
    assert root.tag == "testsuites" and len(root.findall(".//testcase")) == len(seen)
    assert reports["tap"].read_text().startswith("TAP version 14")
    assert "<script" in reports["html"].read_text() and "src=" not in reports["html"].read_text().split("<script")[0]
    assert reports["markdown"].read_text().startswith("# ")
    # The evidence contains secrets, so only its owner can read it.
    code = next(line for line in output.splitlines() if "seed" in line)
    assert code and (tmp_path / "evidence" / "PS-02" / "packets.pcapng").stat().st_size > 1000
    assert (tmp_path / "evidence").stat().st_mode & 0o077 == 0


async def test_an_interrupted_run_writes_its_report_and_unpairs(haptest, run, tmp_path):
    simulator = await run(PROFILES / "lock.hasaccessory", options=("--setup-code", CODE))
    where = f"127.0.0.1:{simulator.accessory.port}"
    report = tmp_path / "report.json"
    process = await asyncio.create_subprocess_exec(
        str(haptest.program), "run", where, "--code", CODE, *LOOPBACK, "--report-json", str(report),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(420):
        # The first case that needs a pairing has started.
        while "· paired".encode() not in await process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        await process.communicate()
    assert process.returncode == 3
    said = json.loads(report.read_text())
    assert any(case["result"] == "pass" for case in said["cases"])
    # A new pairing succeeds, so the accessory is unpaired again.
    ctl = Path(hapsim()).with_name("hapctl")
    status, _, errors = await run_to_its_end(ctl, "pair", where, "--code", CODE, "--state", tmp_path / "ctl")
    assert status == 0, errors


async def test_the_same_seed_creates_the_same_keys(tmp_path):
    drawn = []
    for turn in range(2):
        evidence = tmp_path / f"evidence-{turn}"
        await in_world(PROFILES / "switch.hasaccessory", "--select", "PR-02", "--seed", "7", "--evidence", evidence)
        lines = (evidence / "PR-02" / "transcript.txt").read_text().splitlines()
        drawn.append([line for line in lines if "identifier:" in line])
    assert drawn[0] and drawn[0] == drawn[1]


# MARK: accessories of HAP-python


@pytest.mark.long
@pytest.mark.parametrize("kind", ["bulb", "bridge"])
async def test_hap_python_fails_the_cases_of_its_baseline(haptest, kind, tmp_path):
    baseline = BASELINES / f"hap-python-{kind}.json"
    report = tmp_path / "report.json"
    command = stranger(kind, tmp_path / "state.json")
    if kind == "bulb":
        command = f"exec {sys.executable} {HERE / 'bulb.py'} {tmp_path / 'state.json'}"
    status, output, errors = await haptest("run", *BULB, command, *LOOPBACK, "--baseline", baseline, "--report-json", report)
    assert status == 0, (explained(report), output[-3000:], errors)
    seen = verdicts(report)
    expected = {entry["id"] for entry in json.loads(baseline.read_text())["entries"]}
    assert {case for case, verdict in seen.items() if verdict == "xfail"} == expected


async def test_without_its_baseline_hap_python_fails_and_each_entry_is_needed(haptest, tmp_path):
    """If a case fails without its entry, then the run without this entry fails. One run without any entry shows this for all entries."""
    report = tmp_path / "report.json"
    command = f"exec {sys.executable} {HERE / 'bulb.py'} {tmp_path / 'state.json'}"
    ids = [entry["id"] for entry in json.loads((BASELINES / "hap-python-bulb.json").read_text())["entries"]]
    status, _, _ = await haptest("run", *BULB, command, *LOOPBACK, "--report-json", report, "--select", ",".join(ids))
    assert status == 1
    # Cases that can be the cause of a failure run as well.
    seen = verdicts(report)
    assert {id: seen[id] for id in ids} == dict.fromkeys(ids, "fail")


async def test_an_entry_that_is_no_longer_needed_ends_the_run_with_5(haptest, tmp_path):
    baseline = tmp_path / "baseline.json"
    entry = {"id": "PS-01", "verdict": "fail", "message": "*", "reason": "it was so once"}
    baseline.write_text(json.dumps({"format": 1, "entries": [entry]}))
    command = f"exec {sys.executable} {HERE / 'bulb.py'} {tmp_path / 'state.json'}"
    status, output, _ = await haptest("run", *BULB, command, "--txt", "sf=1", "--select", "PS-01", "--baseline", baseline)
    assert status == 5 and "XPASS" in output


# MARK: output and reports


async def test_output_paths_are_checked_before_the_run(haptest, tmp_path):
    kept = tmp_path / "kept.html"
    kept.write_text("the report of yesterday")
    started = tmp_path / "started"
    status, output, errors = await haptest(
        "run", "--exec", f"touch {started}; exec false", "--html", kept, "--junit", tmp_path / "nowhere" / "report.xml"
    )
    assert (status, output) == (3, "")
    assert "nowhere/report.xml can't be written: there is no folder" in errors
    assert not started.exists() and kept.read_text() == "the report of yesterday"


async def test_the_printed_conclusion_is_the_exit_status_also_if_a_report_cannot_be_written(haptest, run):
    simulator = await run(PROFILES / "lock.hasaccessory", options=("--setup-code", CODE))
    words = ("run", f"127.0.0.1:{simulator.accessory.port}", *LOOPBACK, "--select", "HTTP-05")
    status, output, _ = await haptest(*words)
    assert status == 0 and output.splitlines()[-1].startswith("Exit 0:")
    status, output, errors = await haptest(*words, "--html", "/dev/full")
    assert status == 3 and output.splitlines()[-1] == "Exit 3: a report could not be written."
    assert "/dev/full can't be written: No space left on device" in errors
    # With --quiet only the conclusion is printed, with --json only the report.
    status, output, _ = await haptest(*words, "--quiet")
    assert status == 0 and "HTTP-05" not in output and output.splitlines()[-1].startswith("Exit 0:")
    status, output, _ = await haptest(*words, "--json")
    assert status == 0 and json.loads(output)["conclusion"] == "conforms" and json.loads(output)["run"]["partial"] is True


async def test_a_baseline_made_from_a_report_requires_reasons(haptest, tmp_path):
    report, baseline = tmp_path / "report.json", tmp_path / "baseline.json"
    command = f"exec {sys.executable} {HERE / 'bulb.py'} {tmp_path / 'state.json'}"
    words = ("run", *BULB, command, *LOOPBACK, "--select", "RD-05,HTTP-11,PS-01")
    status, _, _ = await haptest(*words, "--report-json", report)
    assert status == 1
    status, output, errors = await haptest("baseline", "init", report, "-o", baseline)
    assert status == 0, errors
    entries = json.loads(baseline.read_text())["entries"]
    assert {entry["id"] for entry in entries} == {"RD-05", "HTTP-11"}
    status, _, errors = await haptest(*words, "--baseline", baseline)
    assert status == 2 and errors.count("the reason is empty") == 2
    document = {"format": 1, "entries": [{**entry, "reason": "known"} for entry in entries]}
    baseline.write_text(json.dumps(document))
    status, output, errors = await haptest(*words, "--baseline", baseline)
    assert status == 0, output + errors


# MARK: servers that are no accessory

SERVERS = {
    "web": "HTTP/1.0 404 Not Found\r\nServer: pages/1\r\nContent-Length: 0\r\n\r\n",
    "ssh": "SSH-2.0-OpenSSH_9.2p1\r\n",
    "tls": "\x15\x03\x03\x00\x02\x02F",
    "silent": "",
    "closing": "",
}
SEEN = {
    "web": "HTTP/1.0 404 Not Found, Server: pages/1", "ssh": '"SSH-2.0-OpenSSH_9.2p1"', "tls": "bytes 15030300020246",
    "silent": "no answer within 3s; POST /pair-verify: no answer within 10s", "closing": "the connection was closed",
}  # fmt: skip


@pytest.mark.parametrize("kind", SERVERS)
async def test_a_server_that_is_no_accessory_is_reported_with_its_answer(haptest, kind):
    async def serve(reader, writer):
        if kind == "ssh":
            writer.write(SERVERS[kind].encode("latin-1"))
        while await reader.read(65536):
            if kind == "closing":
                break
            if kind in ("web", "tls"):
                writer.write(SERVERS[kind].encode("latin-1"))
                if kind == "tls":
                    break
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        where = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        status, output, errors = await haptest("run", where, *LOOPBACK, "--code", CODE)
    assert status == 3 and output == "", (output, errors)
    who = "nothing" if SERVERS[kind] == "" else "no HAP accessory"
    assert f"{who} answers at {where}. GET /accessories: {SEEN[kind]}" in errors, errors


@pytest.mark.long
async def test_a_silent_accessory_with_a_record_is_tested(haptest):
    async def serve(reader, writer):
        while await reader.read(65536):
            pass
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        where = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        status, output, errors = await haptest("run", where, "--txt", "sf=1", "--select", "HTTP-05")
    assert status == 3 and "LOST" in output and "answers at" not in errors, (output, errors)


@pytest.mark.parametrize(("fail_on", "status", "word"), [("skip", 1, "failures"), ("must", 0, "conforms")])
async def test_json_on_standard_output_agrees_with_the_exit_status(haptest, fail_on, status, word, tmp_path):
    page = tmp_path / "report.html"
    command = f"exec {sys.executable} {HERE / 'bulb.py'} {tmp_path / 'state.json'}"
    ended, output, errors = await haptest(
        "run", *BULB, command, *LOOPBACK, "--select", "PS-01,CLM-01", "--fail-on", fail_on, "--json", "--html", page
    )
    assert ended == status and json.loads(output)["conclusion"] == word, (output[:300], errors)
    assert f'"conclusion":"{word}"' in page.read_text()


# MARK: misbehaving accessories


@pytest.mark.parametrize("manner", ["closes", pytest.param("stalls", marks=pytest.mark.long), "floods", "garbage", "endless"])
async def test_a_misbehaving_accessory_gets_a_verdict_and_never_blocks_the_tester(haptest, manner, tmp_path):
    report = tmp_path / "report.json"
    command = f"exec {sys.executable} {HERE / 'misbehaving.py'} {manner}"
    status, output, errors = await haptest(
        "run", "--exec", command, "--txt", "sf=1", "--select", "HTTP-05,PS-01,PS-02,HTTP-03", "--report-json", report
    )
    assert status in (1, 3), (status, output, errors)


async def test_claims_are_initialized_and_checked_against_the_accessory(haptest, run, tmp_path):
    simulator = await run(PROFILES / "lock.hasaccessory", options=("--setup-code", CODE))
    where = f"127.0.0.1:{simulator.accessory.port}"
    claims = tmp_path / "claims.json"
    status, _, errors = await haptest("claims", "init", where, "--code", CODE, *LOOPBACK, "-o", claims)
    assert status == 0, errors
    drawn = json.loads(claims.read_text())
    assert drawn["claims"]["bridge"] is False and drawn["claims"]["max-pairings"] == "unknown"
    words = ("run", where, "--code", CODE, *LOOPBACK, "--claims", claims, "--report-json", tmp_path / "report.json")
    assert (await haptest(*words, "--select", "CLM-01"))[0] == 0
    # A case that needs an unknown claim is an error and is not skipped.
    assert (await haptest(*words, "--select", "RD-18"))[0] == 6
    drawn["claims"] |= {"bridge": True, "admin-only": False}
    claims.write_text(json.dumps(drawn))
    assert (await haptest(*words, "--select", "CLM-01"))[0] == 1
    assert (await haptest(*words, "--select", "RD-18"))[0] == 4
