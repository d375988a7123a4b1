"""Runs the steps of action.yml as GitHub's runner runs them, and what its tests and those of other CI systems share."""

import os
import re
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from process import PROFILES, ROOT, hapsim
from ruamel.yaml import YAML

# The command that GitHub's runner uses for a step with `shell: bash`.
RUNNER = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
PATIENCE = 100  # seconds
REPORTS = ("junit.xml", "report.html", "report.json", "report.md")
CODE = "031-45-154"
# One case without a pairing and one with a pairing; with the quirks of HAP-python, HTTP-11 fails.
GOOD, BAD = "HTTP-05,RD-01", "RD-01,HTTP-11"


def load(path):
    return YAML(typ="safe", pure=True).load(path)


ACTION = load(ROOT / "action.yml")


def haptest():
    program = Path(hapsim()).with_name("haptest")
    assert os.access(program, os.X_OK), f"{program} isn't built"
    return program


def simulated(*options):
    words = (hapsim(), "run", PROFILES / "lock.hasaccessory", "--ephemeral", "--interface", "lo", *options)
    return "exec " + " ".join(map(str, words))


@pytest.fixture
def workspace(tmp_path):
    """An empty folder, so every file in it afterwards was written by the test."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@dataclass
class Ran:
    """The result of an action."""

    status: int
    log: str
    outputs: dict
    summary: str


def act(workspace, path=None, action_path=ROOT, ref="", server=None, **inputs):
    """Runs the action's steps as the runner does: stops after the first step that fails, and always evaluates the outputs.
    `ref` is the reference in `uses:`, `server` the folder that is the server of the releases."""
    github = {"action_ref": ref, "action_repository": "hapsim/hapsim"}
    inputs = {name.replace("_", "-"): str(value) for name, value in inputs.items()}
    assert set(inputs) <= set(ACTION["inputs"])
    inputs = {name: inputs.get(name, declared.get("default", "")) for name, declared in ACTION["inputs"].items()}
    commands = workspace.parent / "runner"
    commands.mkdir(exist_ok=True)
    steps, log, summary, status = {}, "", "", 0

    def evaluated(text):
        def value(match):
            scope, *names = match[1].split(".")
            known = {"inputs": inputs, "github": github}
            return known[scope][names[0]] if scope in known else steps.get(names[0], {}).get(names[2], "")

        return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", value, text)

    for step in ACTION["runs"]["steps"]:
        # Each step has its own files, which the runner creates before.
        said, page = commands / f"{step['id']}-output", commands / f"{step['id']}-summary"
        said.write_text("")
        page.write_text("")
        script = commands / f"{step['id']}.sh"
        script.write_text(evaluated(step["run"]))
        environment = {
            **os.environ, "PATH": path or os.environ["PATH"], "CI": "true", "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(action_path), "GITHUB_WORKSPACE": str(workspace), "GITHUB_OUTPUT": str(said),
            "GITHUB_STEP_SUMMARY": str(page), "GITHUB_SERVER_URL": (server or workspace / "no server").as_uri(), "RUNNER_TEMP": str(commands),
            **{name: evaluated(text) for name, text in step["env"].items()},
        }  # fmt: skip
        run = subprocess.run(
            [*RUNNER, script], cwd=workspace, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE,
        )  # fmt: skip
        log += run.stdout
        lines = said.read_text().splitlines()
        assert all("=" in line for line in lines), lines
        steps[step["id"]] = dict(line.split("=", 1) for line in lines)
        summary += page.read_text()
        if (status := run.returncode) != 0:
            break
    outputs = {name: evaluated(declared["value"]) for name, declared in ACTION["outputs"].items()}
    return Ran(status, log, outputs, summary)


def put(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
