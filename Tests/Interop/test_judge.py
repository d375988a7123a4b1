"""Reports of hapsim judge about aiohomekit and hapctl. JudgeTests.swift breaks each rule, in a simulated world.

On real sockets because aiohomekit is a third party, and the options, files and exit statuses are those of the built programs.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import jsonschema
import pytest

from phone import characteristic
from process import PATIENCE, ROOT, hapsim, run_to_its_end

# A lamp, and a service with timed writes.
PROFILE = {
    "format": "hasaccessory/1",
    "name": "Tried",
    "category": "lightbulb",
    "services": [
        {
            "type": "LightBulb",
            "primary": True,
            "characteristics": [
                {"type": "On", "value": False},
                {"type": "Brightness", "value": 50},
                {
                    "type": "8D930022-860E-4115-99CE-0CB5D9674D77", "description": "Descale", "format": "uint8",
                    "perms": ["pr", "pw", "tw"], "minValue": 0, "maxValue": 1, "value": 0,
                },
            ],
        }
    ],
}  # fmt: skip

RULES = [rule["name"] for rule in json.loads(subprocess.check_output([os.environ["HAPSIM"], "judge", "--list", "--json"]))]


@pytest.fixture
def tried(tmp_path):
    path = tmp_path / "tried.hasaccessory"
    path.write_text(json.dumps(PROFILE))
    return path


def program(name):
    return Path(hapsim()).with_name(name)


class Judged:
    """`hapsim judge`, and a hapctl that is paired with its accessory."""

    def __init__(self, simulator, state):
        self.simulator = simulator
        self.state = state

    async def hapctl(self, *words, patience=PATIENCE):
        status, output, errors = await run_to_its_end(
            program("hapctl"), *words, "--state", self.state, patience=patience
        )
        assert status == 0, errors
        return output

    async def pair(self):
        accessory = self.simulator.accessory
        await self.hapctl("pair", f"{accessory.address}:{accessory.port}", "--code", accessory.setup_code, "--alias", "it")

    async def end(self):
        """Ends the run. Returns the exit status and the last line, `judged`."""
        status = await self.simulator.stop(signal.SIGINT)
        return status, self.simulator.said[-1]


@pytest.fixture
def judged(run, tmp_path):
    async def start(*profiles, options=("--no-trial",)):
        simulator = await run(*profiles, command="judge", options=options)
        return Judged(simulator, tmp_path / "hapctl")

    return start


def test_hapctl_can_violate_every_rule():
    violations = json.loads(subprocess.check_output([program("hapctl"), "misbehave", "--list", "--json"]))
    assert sorted(violation["rule"] for violation in violations) == sorted(RULES)
    assert len(RULES) > 30


# Rules for the form and the order of requests. aiohomekit and hapctl keep all of them.
MANNERS = {
    "no-idle-connections", "one-request-at-a-time", "readable", "host-field", "body-type", "known-endpoints",
    "procedure-order", "fresh-keys", "same-bytes", "identifier-form", "verifies-first", "permissions",
}  # fmt: skip


async def verdict_of_the_trial(judge):
    """Waits for the end of the trial, in which every step ran. Returns the `judged` line with the names of the broken rules instead of the entries."""
    verdict = await judge.simulator.wait(lambda line: line.get("event") == "judged", patience=300)
    status = await judge.simulator.ended()
    assert status == (1 if verdict["broken"] else 0)
    assert [line["passed"] for line in judge.simulator.said if line["event"] == "scenario"] == [True]
    notes = [line["text"] for line in judge.simulator.said if line["event"] == "note"]
    assert len(notes) == 8 and all(": " in note for note in notes)
    return {**verdict, "broken": {entry["rule"] for entry in verdict["broken"]}}


async def aiohomekit_on_trial(judged, phone, tried, tmp_path):
    """Connections are lost, answers are late and the accessory disappears: aiohomekit reconnects and subscribes again. It does not get a new c#,
    because in a home that is the task of Home Assistant."""
    junit, report = tmp_path / "junit.xml", tmp_path / "report.json"
    judge = await judged(tried, options=("--within", "6s", "--junit", junit, "--report-json", report))
    home = await phone.pair(judge.simulator.accessory)
    database = await home.accessories()
    on, brightness = characteristic(database, "ON"), characteristic(database, "BRIGHTNESS")
    assert await home.subscribe(on) == {}
    assert await home.put((*on, True)) == {}
    assert (await home.get(on, brightness))[brightness] == {"value": 50}
    trial = asyncio.create_task(verdict_of_the_trial(judge))
    await judge.simulator.wait(lambda line: line.get("event") == "fault" and line["fault"] == "delay-message")
    assert (await home.get(brightness))[brightness] == {"value": 50}
    verdict = await trial
    kept = {"resubscribes", "reconnects", "values", "write-form", "query-form", "known-ids", "patience", "survives-events"}
    assert MANNERS | kept <= set(verdict["kept"])
    assert verdict["broken"] <= {"reads-new-database"}

    tree = xml.parse(junit).getroot()
    assert (tree.tag, tree.get("name"), int(tree.get("tests"))) == ("testsuites", "hapsim judge", len(RULES))
    assert {case.get("name") for case in tree.iter("testcase") if case.find("failure") is not None} == verdict["broken"]
    assert {case.get("name") for case in tree.iter("testcase") if case.find("skipped") is not None} == set(verdict["untried"])
    told = json.loads(report.read_text())
    jsonschema.validate(told, json.loads((ROOT / "docs" / "reference" / "report.schema.json").read_text()))
    assert told["run"]["program"] == "hapsim judge"
    assert {fact["value"] for fact in told["run"]["facts"] if fact["name"] == "controller"} == {home.identifier}
    assert judge.simulator.accessory.setup_code not in report.read_text() + junit.read_text()


async def hapctl_on_trial(judged, tried, tmp_path):
    """hapctl watch prints events. On this interface it gets no record, so it does not notice that c# changes."""
    markdown = tmp_path / "report.md"
    judge = await judged(tried, options=("--within", "6s", "--markdown", markdown, "--name", "Watched"))
    await judge.pair()
    watch = await asyncio.create_subprocess_exec(
        program("hapctl"), "watch", "it", "--state", judge.state, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await judge.hapctl("put", "it/On", "true")
        verdict = await verdict_of_the_trial(judge)
    finally:
        watch.terminate()
        await watch.wait()
    kept = {"resubscribes", "reconnects", "values", "write-form", "query-form", "known-ids", "survives-events"}
    assert MANNERS | kept <= set(verdict["kept"])
    assert verdict["broken"] <= {"reads-new-database"}
    assert markdown.read_text().startswith("# ❌ hapsim judge: there are failures")


@pytest.mark.long
async def test_two_controllers_on_trial(judged, phone, tried, tmp_path):
    """The trials run at the same time, because one takes a minute."""
    await asyncio.gather(
        aiohomekit_on_trial(judged, phone, tried, tmp_path), hapctl_on_trial(judged, tried, tmp_path)
    )


async def test_a_controller_that_removed_its_pairing_need_not_reconnect(judged, phone, tried):
    """aiohomekit removes its pairing while it is subscribed. The accessory closes its connections, and no rule is broken."""
    judge = await judged(tried, options=("--no-trial", "--within", "300ms", "--for", "15s"))
    home = await phone.pair(judge.simulator.accessory)
    assert await home.subscribe(characteristic(await home.accessories(), "ON")) == {}
    await home.pairing.remove_pairing(home.identifier)
    await judge.simulator.wait(lambda line: line.get("event") == "unpaired")
    assert await judge.simulator.ended() == 0
    assert judge.simulator.said[-1]["broken"] == []


async def test_requests_with_chunked_encoding_are_judged(judged, phone, tried):
    judge = await judged(tried)
    home = await phone.pair(judge.simulator.accessory)
    on = characteristic(await home.accessories(), "ON")
    body = json.dumps({"characteristics": [{"aid": on[0], "iid": on[1], "value": "a lot"}]}).encode()
    await home.pairing._ensure_connected()
    head = b"PUT /characteristics HTTP/1.1\r\nHost: it\r\nContent-Type: application/hap+json\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunked = head + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:10], body[10:])) + b"0\r\n\r\n"
    answer = await home.pairing.connection.protocol.send_bytes(chunked)
    assert answer.code == 207
    _, verdict = await judge.end()
    # This request bypasses aiohomekit, which may have another request pending.
    assert {"values"} <= {entry["rule"] for entry in verdict["broken"]} <= {"values", "one-request-at-a-time"}
    assert "write-form" in verdict["kept"]


async def test_with_must_a_broken_recommendation_is_no_failure(judged, tried):
    judge = await judged(tried, options=("--no-trial", "--level", "must"))
    await judge.pair()
    await judge.hapctl("misbehave", "it", "keeps-database")
    status, verdict = await judge.end()
    assert (status, [entry["level"] for entry in verdict["broken"]]) == (0, ["should"])
    assert verdict["conclusion"] == "conforms"
    assert verdict["exitStatus"] == 0
    assert verdict["reasons"] == ["no rule was broken; 1 recommendation was"]


async def test_a_failed_scenario_is_in_the_conclusion(judged, tried, tmp_path):
    """The controller breaks no rule. The exit status is 1, so no report may have the conclusion `conforms`."""
    scenario, report, markdown = tmp_path / "fails.yaml", tmp_path / "report.json", tmp_path / "report.md"
    scenario.write_text("steps:\n  - when: { event: paired }\n  - expect: { characteristic: On, is: true }\n")
    judge = await judged(tried, options=("--scenario", scenario, "--report-json", report, "--markdown", markdown))
    await judge.pair()
    verdict = await judge.simulator.wait(lambda line: line.get("event") == "judged")
    assert await judge.simulator.ended() == 1
    assert verdict["conclusion"] == "failures"
    assert verdict["exitStatus"] == 1
    assert verdict["reasons"] == ["the scenario failed"] and verdict["broken"] == []
    assert json.loads(report.read_text())["conclusion"] == "failures"
    assert markdown.read_text().startswith("# ❌ hapsim judge: there are failures")


async def test_without_a_controller_the_exit_status_is_4(judged, tried):
    """The exit status is 4, as for haptest if no case ran. The run ends after its time."""
    judge = await judged(tried, options=("--no-trial", "--for", "200ms"))
    assert await judge.simulator.ended() == 4
    assert judge.simulator.said[-1]["conclusion"] == "nothing-ran"
    assert sorted(judge.simulator.said[-1]["untried"]) == sorted(RULES)


async def test_a_failed_expectation_of_a_scenario_is_a_failure(judged, tried, tmp_path):
    """If an expectation of the scenario fails, the run fails, whatever the controller did."""
    scenario = tmp_path / "trial.yaml"
    scenario.write_text("steps: [{ expect: { characteristic: On, is: true } }]")
    judge = await judged(tried, options=("--scenario", scenario))
    assert await judge.simulator.ended() == 1
    assert judge.simulator.said[-1]["event"] == "judged"


async def test_the_text_report(run, tried):
    """The report is text on standard output."""
    status, output, errors = await run_to_its_end(
        hapsim(), "judge", tried, "--ephemeral", "--bonjour", "off", "--bind", "127.0.0.1", "--no-trial", "--for", "100ms"
    )
    assert status == 4, errors
    assert re.search(r"hapsim judge \d\S* · controllers of Tried", output)
    assert output.rstrip().endswith("Exit 4: no controller did anything that a rule covers.")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "PROFILE… is missing"),
        (("lamp.hasaccessory", "--within", "1"), "expected a time, such as 90s or 10min"),
        (("lamp.hasaccessory", "--within", "10ms"), "expected at least 100ms"),
        (("lamp.hasaccessory", "--for", "soon"), "expected a time, such as 90s or 10min"),
        (("lamp.hasaccessory", "--virtual-time"), "uses real time"),
        (("lamp.hasaccessory", "--time-scale", "10"), "uses real time"),
        (("lamp.hasaccessory", "--capture", "x"), "--capture and the trial exclude each other"),
        (("lamp.hasaccessory", "--no-trial", "--scenario", "x.yaml"), "--no-trial and --scenario exclude each other"),
        (("lamp.hasaccessory", "--tial"), "unknown option --tial"),
    ],
)
async def test_wrong_options_are_refused(words, complaint):
    status, _, errors = await run_to_its_end(hapsim(), "judge", *words)
    assert status == 2
    assert complaint in errors


async def test_a_report_that_cannot_be_written(judged, tried):
    # A full disk. A missing folder is reported before an accessory is served.
    judge = await judged(tried, options=("--no-trial", "--for", "200ms", "--junit", "/dev/full"))
    assert await judge.simulator.ended() == 4
    assert any("/dev/full" in line for line in judge.simulator.errors)


async def test_a_report_that_cannot_be_written_is_in_the_conclusion(judged, tried, tmp_path):
    report = tmp_path / "report.json"
    judge = await judged(tried, options=("--no-trial", "--junit", "/dev/full", "--report-json", report))
    await judge.pair()
    status, verdict = await judge.end()
    assert (status, verdict["broken"]) == (3, [])
    assert verdict["conclusion"] == "report-not-written"
    assert verdict["exitStatus"] == 3
    assert json.loads(report.read_text())["conclusion"] == "report-not-written"


async def test_an_unknown_violation_is_reported_with_the_nearest_name(tmp_path):
    status, _, errors = await run_to_its_end(program("hapctl"), "misbehave", "it", "known-id", "--state", tmp_path)
    assert (status, 'did you mean "known-ids"?' in errors) == (2, True)


async def test_hapctl_watch_reads_the_database_again_when_the_profile_is_replaced(judged, tried, tmp_path):
    """c# changes in the record while a session is open: hapctl reads the database and subscribes to the new characteristics."""
    judge = await judged(tried)
    await judge.pair()
    watch = await asyncio.create_subprocess_exec(
        program("hapctl"), "watch", "it", "--interface", "lo", "--state", judge.state,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        await judge.simulator.wait(lambda line: line.get("event") == "subscribed")
        replacement = json.loads(json.dumps(PROFILE))
        replacement["services"].append({"type": "Outlet", "name": "Socket"})
        path = tmp_path / "replacement.hasaccessory"
        path.write_text(json.dumps(replacement))
        answer = await judge.simulator.command(command="replace", profile=str(path))
        assert answer["ok"], answer
        async with asyncio.timeout(PATIENCE):
            while b"database has changed" not in (line := await watch.stderr.readline()):
                assert line, "hapctl watch ended"
        await judge.simulator.wait(lambda line: line.get("event") == "subscribed" and line.get("name") == "Outlet In Use")
    finally:
        if watch.returncode is None:
            watch.terminate()
        await watch.wait()
    _, verdict = await judge.end()
    assert "reads-new-database" in verdict["kept"], verdict
    assert "known-ids" not in {entry["rule"] for entry in verdict["broken"]}, verdict
    assert "reads-new-database" not in {entry["rule"] for entry in verdict["broken"]}, verdict
