"""haptest names the cause: one defect causes one failure; a crash is reported, and the other cases run.

On real sockets because the stability of verdicts depends on the timing of the kernel, and because the report and the exit status are those of the
built program. The other tests run in a simulated world.
"""

import json
from pathlib import Path

import pytest
from process import PROFILES, hapsim, run_to_its_end

pytestmark = pytest.mark.timeout(900)

KITCHEN_SINK = PROFILES / "kitchen-sink.hasaccessory"


async def in_world(tmp_path, *words, defect=None):
    """Returns exit status, output, the cases of the JSON report by id, and the report."""
    serve = f"hapsim run '{KITCHEN_SINK}' --state {tmp_path / 'state'} --interface lo --commands --control off"
    if defect:
        serve += f" --defect {defect}"
    report = tmp_path / "report.json"
    runner = Path(hapsim()).with_name("WorldRunner")
    status, output, errors = await run_to_its_end(
        runner, "--exec", serve, "--interface", "lo", "--report-json", report, *words, patience=800
    )
    assert report.exists(), (output, errors)
    said = json.loads(report.read_text())
    return status, output, {case["id"]: case for case in said["cases"]}, said


async def test_cases_that_need_a_broken_procedure_are_blocked_by_the_case_of_that_procedure(tmp_path):
    status, output, cases, _ = await in_world(tmp_path, "--select", "pairings", defect="list-always-refused")
    assert status == 1
    assert [id for id, case in cases.items() if case["result"] == "fail"] == ["PR-01"]
    blocked = {id: case["outcome"] for id, case in cases.items() if case["result"] == "blocked"}
    assert len(blocked) >= 3
    assert all(outcome["blockedBy"] == "PR-01" for outcome in blocked.values())
    assert all(outcome["message"].startswith("not judged: PR-01 fails: ") for outcome in blocked.values())
    assert f"BLOCKED   {len(blocked)} not judged, because PR-01 fails" in output


async def test_a_cause_that_was_not_selected_runs_as_well(tmp_path):
    status, output, cases, _ = await in_world(tmp_path, "--select", "PR-05", defect="list-always-refused")
    assert status == 1
    assert "PR-01 runs as well: it may be the cause of a failure" in output
    assert {id: case["result"] for id, case in cases.items()} == {"PR-05": "blocked", "PR-01": "fail"}


async def test_a_crash_fails_its_case_and_the_other_cases_run(tmp_path):
    status, output, cases, said = await in_world(
        tmp_path, "--select", "HTTP-14,HTTP-25,HTTP-26,RD-01,PR-02", defect="http-dies-of-brackets"
    )
    assert status == 1 and "lost" not in said
    assert {id: case["result"] for id, case in cases.items()} == {
        "HTTP-14": "pass", "HTTP-25": "pass", "HTTP-26": "fail", "RD-01": "pass", "PR-02": "pass",
    }  # fmt: skip
    assert cases["HTTP-26"]["outcome"]["message"].startswith("the accessory crashed: its process ended with status 1")
    assert "the command was started again" in output


async def test_no_pairing_remains_although_the_accessory_refuses_to_list_them(tmp_path):
    _, _, _, said = await in_world(tmp_path, "--select", "PR-02,PR-03,PR-04,PR-05,PR-06", defect="list-always-refused")
    assert said["summary"]["leftovers"] == []
    assert not any("still there" in note for case in said["cases"] for note in case.get("outcome", {}).get("notes", []))


async def test_a_short_run_waits_little_and_reports_the_skipped_cases(tmp_path):
    status, output, cases, said = await in_world(tmp_path, "--short")
    assert status == 0, output[-2000:]
    assert len(cases) > 100 and all(case["level"] == "must" for case in cases.values())
    # The duration is in simulated seconds, so it is the waiting time of the run.
    assert said["summary"]["duration"] <= 10
    assert "more cases run without --short; --long adds " in output


async def test_several_runs_with_a_conforming_accessory_are_stable(tmp_path):
    program = Path(hapsim()).with_name("haptest")
    serve = f"exec {hapsim()} run {KITCHEN_SINK} --state {tmp_path / 'state'} --interface lo --commands --control off"
    words = ["stability", "--runs", "2", "--exec", serve, "--interface", "lo", "--select", "read,pairings"]
    status, output, errors = await run_to_its_end(program, *words, patience=800)
    assert status == 0, (output, errors)
    assert output.splitlines()[0].startswith("run 1 of 2: ")
    assert output.splitlines()[-1].startswith("0 of ") and output.splitlines()[-1].endswith("verdicts differ between 2 runs.")
