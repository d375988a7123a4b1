"""The tools that prove haptest: Scripts/prove and Scripts/matrix, with defects and accessories made for these tests.

On real sockets because HAP-python is a third party, and the scripts run the built programs. Tests without a third party run in simulated worlds.
"""

import asyncio
import json
import signal
import sys

import pytest

from process import ROOT, hapsim

HERE = ROOT / "Tests" / "Interop"
BIN = str(ROOT / hapsim()).rsplit("/", 1)[0]


def rules(id, case, edit, drags=""):
    return (
        f"  - id: {id}\n    breaks: {case}\n    what: Something is wrong.\n{drags}"
        f"    rules:\n      - when: {{ answer: GET /characteristics, status: 200, ids: 1 }}\n        json: [{edit}]\n"
    )


WRONG = "{ set: '/characteristics/0/status', to: 0 }"
RECKLESS = "{ rename: '/characteristics/0/value', to: hm }"
HARMLESS = "{ set: '/characteristics/9/status', to: 0 }"


async def tool(*words, interrupt=None):
    """Runs a script, and returns exit status, output and errors. SIGINT is sent after a line that contains `interrupt`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *map(str, words), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    output = ""
    async for line in process.stdout:
        output += line.decode()
        if interrupt and interrupt in line.decode():
            process.send_signal(signal.SIGINT)
            interrupt = None
    errors = (await process.stderr.read()).decode()
    return await process.wait(), output, errors


@pytest.fixture
def prove(tmp_path):
    async def run(text, *words, **how):
        own = tmp_path / "own.yaml"
        own.write_text(f"area: read\ndefects:\n{text}")
        return await tool(ROOT / "Scripts" / "prove", "--bin", BIN, "--defects", own, "--out", tmp_path / "out", *words, **how)

    run.out = tmp_path / "out"
    return run


def results(folder):
    return {entry["id"]: entry for entry in map(json.loads, (folder / "results.jsonl").read_text().splitlines())}


async def test_a_defect_is_proven_and_harmless_and_undeclared_ones_are_reported(prove):
    text = rules("own-wrong", "RD-01", WRONG) + rules("own-harmless", "RD-01", HARMLESS) + rules("own-reckless", "RD-11", RECKLESS)
    status, output, _ = await prove(text, "--only", "own-wrong", "own-harmless", "own-reckless", "--jobs", "3")
    assert status == 1, output
    found = results(prove.out)
    assert found["own-harmless"]["survived"] == ["RD-01 is pass"]
    assert "LIVES  own-harmless: RD-01 is pass" in output
    assert found["own-wrong"]["steps"] == {"RD-01": ["cases[0].steps[2]"]}
    # An undeclared effect on another case makes a defect unproven.
    assert found["own-reckless"]["undeclared"] and not found["own-reckless"]["proven"]
    assert set(found["own-reckless"]["undeclared"]) >= {"RD-01"}
    assert (prove.out / "runs" / "own-wrong" / "log").exists()


async def test_a_complete_proof_ends_with_0_and_is_written_as_a_page(prove, tmp_path):
    page = tmp_path / "proof.md"
    status, output, errors = await prove(rules("own-wrong", "RD-01", WRONG), "--only", "own-wrong", "--alone", "--write", page)
    assert (status, errors) == (0, ""), output
    assert "1 of 1 defects proven; 1 of" in output
    assert "| RD-01 read-one | must | 1 | `own-wrong`: status is present" in page.read_text() or "`own-wrong`: " in page.read_text()


async def test_an_interrupted_proof_keeps_its_results(prove):
    text = "".join(rules(f"own-{number}", "RD-01", WRONG) for number in range(40))
    ids = [f"own-{number}" for number in range(40)]
    status, output, _ = await prove(text, "--only", *ids, "--alone", "--jobs", "1", interrupt="killed own-1 ")
    assert status == 1 and "interrupted" in output
    kept = results(prove.out)
    assert {"own-0", "own-1"} <= set(kept) and len(kept) < 40
    assert json.loads((prove.out / "summary.json").read_text())["interrupted"] is True


@pytest.mark.parametrize(
    "words, told",
    [
        (["--only", "nobody"], '"nobody" is neither the name of a defect nor a case that has a defect'),
        (["--area", "nowhere"], 'there is no defect in the area "nowhere"'),
    ],
)
async def test_wrong_use_of_prove_is_reported(prove, words, told):
    status, _, errors = await prove(rules("own-wrong", "RD-01", WRONG), *words)
    assert status == 2 and told in errors


async def test_missing_programs_are_reported(prove):
    status, _, errors = await prove("", "--bin", "/nonexistent")
    assert status == 3 and "/nonexistent/hapsim can't be run" in errors


async def test_a_defect_of_an_unknown_case_is_reported(prove):
    status, _, errors = await prove(rules("own-wrong", "RD-99", WRONG), "--only", "own-wrong")
    assert status == 2 and 'the defect "own-wrong" names RD-99, but there is no such case' in errors


async def test_a_matrix_of_two_accessories(tmp_path):
    config = tmp_path / "two.json"
    serve = f"{ROOT / hapsim()} run {ROOT}/Profiles/switch.hasaccessory --commands --interface lo --ephemeral"
    entry = {"loopback": True, "options": ["--select", "RD-01,HTTP-11"]}
    bulb = f"{sys.executable} {HERE / 'bulb.py'} {{state}}"
    config.write_text(json.dumps({"format": 1, "accessories": [{"name": "ours", "exec": serve, **entry}, {"name": "theirs", "exec": bulb, **entry}]}))
    out = tmp_path / "out"
    status, output, errors = await tool(ROOT / "Scripts" / "matrix", config, "--haptest", f"{BIN}/haptest", "--out", out)
    assert (status, errors) == (0, ""), output
    table = (out / "matrix.md").read_text()
    assert "ours" in table and "theirs" in table and "HTTP-11" in table
    assert (out / "matrix.html").stat().st_size > 1000


@pytest.mark.parametrize(
    "text, told",
    [
        ("{", "it is not JSON"),
        ('{"format": 2}', '{"format": 1, "accessories": […]}'),
        ('{"format": 1, "accessories": [{}]}', "accessories[0]: a name is missing"),
        ('{"format": 1, "accessories": [{"name": "a"}]}', "accessories[0]: write either exec or target"),
        ('{"format": 1, "accessories": [{"name": "a", "target": "b", "cod": "c"}]}', 'unknown member "cod"'),
        ('{"format": 1, "accessories": [{"name": "a", "target": "b", "options": "c"}]}', "options must be a list of strings"),
        ('{"format": 1, "accessories": [{"name": "a", "target": "b"}, {"name": "a", "target": "b"}]}', 'the accessory "a" already exists'),
    ],
)
async def test_errors_of_a_matrix_file_are_reported(tmp_path, text, told):
    config = tmp_path / "wrong.json"
    config.write_text(text)
    status, _, errors = await tool(ROOT / "Scripts" / "matrix", config)
    assert status == 2 and told in errors
