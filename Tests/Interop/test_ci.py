"""The files for continuous integration: the action, the examples for GitHub, GitLab and a plain shell, the Dockerfile.

The steps of action.yml are run as GitHub's runner runs them.

On real sockets because shells and continuous integration systems run the built programs.
"""

import fnmatch
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

import pytest
from process import PROFILES, ROOT, hapsim
from ruamel.yaml import YAML

# The command that GitHub's runner uses for a step with `shell: bash`.
RUNNER = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
PATIENCE = 100  # seconds
SCRIPT = ROOT / "Examples/ci/haptest.sh"
WORKFLOW = ROOT / "Examples/github-actions/conformance.yml"
PIPELINE = ROOT / "Examples/gitlab/.gitlab-ci.yml"
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


# MARK: the files


@pytest.mark.parametrize(
    ("schema", "path"),
    [("github-actions", ROOT / "action.yml"), ("github-workflows", WORKFLOW), ("gitlab-ci", PIPELINE)],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_a_file_is_valid_by_the_schema_of_its_system(schema, path):
    checker = Path(sys.executable).with_name("check-jsonschema")
    run = subprocess.run([checker, "--builtin-schema", f"vendor.{schema}", path], capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 0, run.stdout + run.stderr


def shell_parts():
    """Yields (name, text) of every shell script."""
    for step in ACTION["runs"]["steps"]:
        yield f"action.yml: {step['name']}", step["run"]
    for name, job in load(WORKFLOW)["jobs"].items():
        for step in job["steps"]:
            if "run" in step:
                yield f"{WORKFLOW.name}: {name}: {step['name']}", step["run"]
    for name, job in load(PIPELINE).items():
        if isinstance(job, dict) and "script" in job:
            yield f"{PIPELINE.name}: {name}", "\n".join([*job["before_script"], *job["script"]])
    yield SCRIPT.name, SCRIPT.read_text()


@pytest.mark.parametrize(("name", "text"), [pytest.param(*part, id=part[0]) for part in shell_parts()])
def test_bash_and_shellcheck_accept_a_shell_script(name, text):
    run = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is not installed; `make deps` installs it")
    # SC2154: a variable that the script does not set, because it comes from `env:`.
    run = subprocess.run(["shellcheck", "--shell=bash", "--exclude=SC2154", "-"], input=text, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_no_input_becomes_part_of_the_actions_shell_text():
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], step["name"]
        assert step["run"].startswith("set -euo pipefail\n")
    used = {name for step in ACTION["runs"]["steps"] for value in step["env"].values() for name in re.findall(r"inputs\.([\w-]+)", value)}
    assert used == set(ACTION["inputs"])
    for step in load(WORKFLOW)["jobs"]["haptest"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_the_workflow_passes_only_declared_inputs_to_the_action():
    (step,) = [step for step in load(WORKFLOW)["jobs"]["haptest"]["steps"] if step.get("uses", "").startswith("hapsim/")]
    assert set(step["with"]) <= set(ACTION["inputs"])


def test_the_workflow_uploads_the_folder_of_the_reports():
    steps = load(WORKFLOW)["jobs"]["haptest"]["steps"]
    (upload,) = [step for step in steps if step.get("uses", "").startswith("actions/upload-artifact@")]
    folder = ACTION["inputs"]["reports"]["default"]
    assert {f"{folder}/junit.xml", f"{folder}/report.html"} <= set(upload["with"]["path"].split())
    assert "!cancelled()" in upload["if"], "it must run also if a step before it failed"
    artifacts = load(PIPELINE)["conformance"]["artifacts"]
    assert artifacts["when"] == "always" and artifacts["reports"]["junit"] == f"{folder}/junit.xml"
    assert f"REPORTS:-{folder}" in SCRIPT.read_text()


# MARK: the action


@dataclass
class Ran:
    """The result of an action."""

    status: int
    log: str
    outputs: dict
    summary: str


def act(workspace, path=None, action_path=ROOT, **inputs):
    """Runs the action's steps as the runner does: stops after the first step that fails, and always evaluates the outputs."""
    inputs = {name.replace("_", "-"): str(value) for name, value in inputs.items()}
    assert set(inputs) <= set(ACTION["inputs"])
    inputs = {name: inputs.get(name, declared.get("default", "")) for name, declared in ACTION["inputs"].items()}
    commands = workspace.parent / "runner"
    commands.mkdir(exist_ok=True)
    steps, log, summary, status = {}, "", "", 0

    def evaluated(text):
        def value(match):
            scope, *names = match[1].split(".")
            return inputs[names[0]] if scope == "inputs" else steps.get(names[0], {}).get(names[2], "")

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
            "GITHUB_STEP_SUMMARY": str(page), **{name: evaluated(text) for name, text in step["env"].items()},
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


def test_the_action_passes_if_the_accessory_conforms(workspace):
    ran = act(workspace, haptest=haptest(), exec=simulated("--commands"), interface="lo", select=GOOD)
    assert ran.status == 0, ran.log
    assert ran.outputs == {
        "conclusion": "conforms", "exit-code": "0", "junit": "haptest-reports/junit.xml", "html": "haptest-reports/report.html",
        "json": "haptest-reports/report.json", "markdown": "haptest-reports/report.md",
    }  # fmt: skip
    assert {path.name for path in (workspace / "haptest-reports").iterdir()} == set(REPORTS)
    cases = xml.parse(workspace / ran.outputs["junit"]).getroot().findall(".//testcase")
    assert len(cases) == 2
    # The summary appears once: haptest, which writes it by itself on GitHub, does not write it in the action.
    assert ran.summary == (workspace / ran.outputs["markdown"]).read_text()


def test_the_action_fails_as_haptest_does_and_keeps_the_reports(workspace):
    ran = act(workspace, haptest=haptest(), exec=simulated("--commands", "--quirks", "hap-python"), interface="lo", select=BAD)
    assert ran.status == 1, ran.log
    assert ran.outputs["conclusion"] == "failures" and ran.outputs["exit-code"] == "1"
    assert len(xml.parse(workspace / ran.outputs["junit"]).getroot().findall(".//failure")) == 1
    for name in ("html", "json", "markdown"):
        assert (workspace / ran.outputs[name]).stat().st_size > 100
    assert "HTTP-11" in ran.summary and "::error" in ran.log


def test_a_baseline_is_used_and_an_outdated_baseline_ends_with_5(workspace):
    entry = {"id": "HTTP-11", "verdict": "fail", "message": "*status is 500*", "reason": "as HAP-python does"}
    (workspace / "baseline.json").write_text(json.dumps({"format": 1, "entries": [entry]}))
    given = {"haptest": haptest(), "interface": "lo", "select": BAD, "baseline": "baseline.json"}
    ran = act(workspace, exec=simulated("--commands", "--quirks", "hap-python"), **given)
    assert (ran.status, ran.outputs["conclusion"]) == (0, "conforms"), ran.log
    ran = act(workspace, exec=simulated("--commands"), **given)
    assert (ran.status, ran.outputs["conclusion"]) == (5, "unexpected-pass"), ran.log


async def test_a_running_accessory_is_tested_at_its_address(workspace, run):
    simulator = await run(PROFILES / "lock.hasaccessory", options=("--setup-code", CODE))
    given = {"haptest": haptest(), "target": f"127.0.0.1:{simulator.accessory.port}", "code": CODE, "reports": "kept/here"}
    # A list on several lines, and further options, one of them with a space in it.
    ran = act(workspace, select="HTTP-05\nRD-01\n", options="--interface lo\n--seed 7 --txt 'note=two words'", **given)
    assert ran.status == 0, ran.log
    assert json.loads((workspace / "kept/here/report.json").read_text())["run"]["seed"] == "7"
    assert CODE not in "".join((workspace / "kept/here" / name).read_text() for name in REPORTS)


def test_if_no_case_can_run_the_summary_has_the_conclusion_and_old_reports_are_deleted(workspace):
    folder = workspace / "haptest-reports"
    folder.mkdir()
    (folder / "junit.xml").write_text("<testsuites/>")
    ran = act(workspace, haptest=haptest(), target="127.0.0.1:9", code="no code")
    assert (ran.status, ran.outputs["conclusion"], ran.outputs["junit"]) == (2, "wrong-usage", ""), ran.log
    assert "wrong-usage" in ran.summary and not (folder / "junit.xml").exists()
    # No accessory answers at this address.
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        where = "127.0.0.1:%d" % unheard.getsockname()[1]
        ran = act(workspace, haptest=haptest(), target=where, interface="lo", select="HTTP-05")
    assert (ran.status, ran.outputs["conclusion"]) == (3, "lost"), ran.log
    assert ran.summary


HOSTILE = ("$(touch x)", "`touch x`", "; touch x", '"; touch x; "', "'; touch x; '", "\ntouch x\n", "&& touch x #")


@pytest.mark.parametrize("name", sorted(set(ACTION["inputs"]) - {"exec", "hooks"}))
def test_no_input_is_run_as_a_command(workspace, name):
    for hostile in HOSTILE:
        # If the value is harmless, the run soon ends with 4.
        given = {"haptest": haptest(), "target": "127.0.0.1:9", "select": "no-such-case", "interface": "lo"}
        ran = act(workspace, **{**given, name.replace("-", "_"): hostile})
        assert not list(workspace.rglob("x")), (hostile, ran.log)
        assert ran.status != 0 and set(ran.outputs) == set(ACTION["outputs"])


def test_the_action_uses_the_haptest_in_path(workspace):
    path = f"{haptest().parent}:{os.environ['PATH']}"
    ran = act(workspace, path=path, exec=simulated("--commands"), interface="lo", select="HTTP-05")
    assert ran.status == 0, ran.log


def test_without_haptest_in_path_the_action_builds_it_from_its_checkout(workspace, tmp_path):
    """A fake `swift` records its arguments, because the real one takes minutes."""
    tools = tmp_path / "tools"
    tools.mkdir()
    asked = tmp_path / "asked"
    put(tools / "swift", f'#!/bin/sh\necho "$@" >>{asked}\ncase "$*" in *--show-bin-path*) echo {haptest().parent} ;; esac\n')
    # A PATH with the installed programs, but without haptest.
    path = ":".join([str(tools), *(p for p in os.environ["PATH"].split(":") if not os.access(Path(p) / "haptest", os.X_OK))])
    checkout = tmp_path / "a checkout"
    (checkout / "Scripts").mkdir(parents=True)
    put(checkout / "Scripts/install-dependencies", f'#!/bin/sh\necho "dependencies $*" >>{asked}\n')
    assert os.access(ROOT / "Scripts/install-dependencies", os.X_OK)
    ran = act(workspace, path=path, action_path=checkout, exec=simulated("--commands"), interface="lo", select="HTTP-05")
    assert ran.status == 0, ran.log
    build = f"build --package-path {checkout} -c release"
    assert asked.read_text().splitlines() == ["dependencies build", f"{build} --product haptest", f"{build} --show-bin-path"]


def put(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


# MARK: the script for a plain shell


def script(workspace, *options, **given):
    environment = {**os.environ, "HAPTEST": str(haptest()), **{name: str(value) for name, value in given.items()}}
    return subprocess.run(
        [SCRIPT, *options], cwd=workspace, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE,
    )  # fmt: skip


@pytest.fixture
def free_port():
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


def answers(port):
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize(("quirks", "select", "status"), [("homekit-adk", GOOD, 0), ("hap-python", BAD, 1)])
def test_the_script_starts_an_accessory_ends_it_and_passes_the_exit_code_on(workspace, free_port, quirks, select, status):
    accessory = simulated("--port", free_port, "--setup-code", CODE, "--quirks", quirks)
    ran = script(
        workspace, "--select", select, "--interface", "lo", ACCESSORY=accessory, TARGET=f"127.0.0.1:{free_port}", CODE=CODE
    )
    assert ran.returncode == status, ran.stdout
    assert {path.name for path in (workspace / "haptest-reports").iterdir()} == {*REPORTS, "accessory.log"}
    assert len(xml.parse(workspace / "haptest-reports/junit.xml").getroot().findall(".//failure")) == status
    assert (workspace / "haptest-reports/accessory.log").read_text()
    assert not answers(free_port)


async def test_the_script_takes_an_address(workspace, run):
    simulator = await run(PROFILES / "lock.hasaccessory", options=("--setup-code", CODE))
    where = f"127.0.0.1:{simulator.accessory.port}"
    ran = script(workspace, "--select", GOOD, "--interface", "lo", TARGET=where, CODE=CODE, REPORTS="kept here")
    assert ran.returncode == 0, ran.stdout
    assert {path.name for path in (workspace / "kept here").iterdir()} == set(REPORTS)


def test_the_script_reports_missing_variables_and_waits_no_longer_than_requested(workspace, free_port):
    where = f"127.0.0.1:{free_port}"
    for given, status, text in (
        ({}, 2, "TARGET=HOST:PORT is needed"),
        ({"TARGET": "127.0.0.1:$(touch x)"}, 2, "TARGET=HOST:PORT is needed"),
        ({"TARGET": where, "WAIT": "a[$(touch x)]"}, 2, "WAIT is a number"),
        ({"TARGET": where, "HAPTEST": "./nowhere"}, 2, "set HAPTEST to its path"),
        ({"TARGET": where, "WAIT": 1}, 3, "nothing answers"),
        ({"TARGET": "$(touch x):1", "WAIT": 1}, 3, "nothing answers"),
        ({"TARGET": where, "ACCESSORY": "echo no such board; exit 7"}, 3, "no such board"),
    ):
        ran = script(workspace, **given)
        assert (ran.returncode, text in ran.stdout) == (status, True), (given, ran.stdout)
        assert not list(workspace.rglob("x"))


async def test_the_script_refuses_a_port_at_which_another_accessory_answers(workspace, run):
    simulator = await run(PROFILES / "lock.hasaccessory")
    ran = script(workspace, ACCESSORY="sleep 60", TARGET=f"127.0.0.1:{simulator.accessory.port}")
    assert ran.returncode == 3 and "before the accessory is started" in ran.stdout


# MARK: the image, which can't be built here


def stages():
    """Returns the Dockerfile's instructions as one list per stage."""
    text = re.sub(r"(?m)^ *#.*\n", "", (ROOT / "Dockerfile").read_text())
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("FROM "):
            found.append([])
        if line.strip():
            found[-1].append(tuple(line.split(maxsplit=1)))
    return found


def packages(stage):
    """Returns the packages that apt-get installs."""
    texts = [text for name, text in stage if name == "RUN"]
    asked = [words for text in texts for words in re.findall(r"apt-get install ([^&]*)", text)]
    return {word for words in asked for word in words.split() if not word.startswith("-")}


def test_the_files_that_the_dockerfile_copies_exist_and_are_in_the_build_context():
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*"
    kept, left_out = {line[1:] for line in lines if line[0] == "!"}, [line for line in lines[1:] if line[0] != "!"]
    sources = [words for stage in stages() for name, text in stage if name == "COPY" and "--from" not in text for words in text.split()[:-1]]
    assert set(sources) == kept
    for source in sources:
        assert (ROOT / source).exists(), source
        assert not any(fnmatch.fnmatch(source, pattern) for pattern in left_out)


def test_the_package_loads_from_the_copied_files():
    """The package manager refuses a package that lacks a target's folder."""
    copied = {words for name, text in stages()[0] if name == "COPY" for words in text.split()[:-1]}
    for path in re.findall(r'path: "([^"]+)"', (ROOT / "Package.swift").read_text()):
        assert Path(path).parts[0] in copied
    assert {"Package.swift", "Sources", "Tests"} <= copied
    texts = [link.resolve().relative_to(ROOT).parts[0] for link in (ROOT / "Sources").glob("*/*Texts") if link.is_symlink()]
    assert len(texts) == 3 and set(texts) <= copied


def test_apt_has_every_package_of_the_dockerfile():
    names = set().union(*map(packages, stages()))
    run = subprocess.run(["apt-cache", "policy", *names], capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, "LC_ALL": "C"})
    assert set(re.findall(r"(?m)^(\S+):\n.*\n +Candidate: \d", run.stdout)) == names


def test_the_final_stage_has_each_library_that_the_binaries_are_linked_with():
    needed = set()
    for name in ("hapsim", "hapctl", "haptest"):
        program = Path(hapsim()).with_name(name)
        dump = subprocess.run(["objdump", "-p", program], capture_output=True, text=True, check=True).stdout
        libraries = re.findall(r"NEEDED\s+(\S+)", dump)
        resolved = dict(re.findall(r"(\S+) => (/\S+)", subprocess.run(["ldd", program], capture_output=True, text=True).stdout))
        # Swift's libraries are inside the image's binaries.
        needed |= {resolved[library] for library in libraries if library in resolved and "/swift/" not in resolved[library]}
    # By the real path and by the path of the link. dpkg knows the latter if /lib is a link to /usr/lib.
    spellings = {path: (path, os.path.realpath(path)) for path in needed}
    run = subprocess.run(["dpkg", "-S", *{word for words in spellings.values() for word in words}], capture_output=True, text=True)
    owner = {path: line.split(":")[0] for line in run.stdout.splitlines() for path in [line.split(": ")[1]]}
    owners = {next(owner[word] for word in words if word in owner) for words in spellings.values()}
    # Swift's runtime needs the C++ libraries, also if it is linked statically.
    assert packages(stages()[-1]) == (owners - {"libc6"}) | {"libstdc++6", "libgcc-s1"}


def test_the_entry_point_accepts_arguments_of_hapsim_and_other_programs(tmp_path):
    last = dict(stages()[-1])
    assert last["USER"] == "hapsim"
    entry, words = json.loads(last["ENTRYPOINT"]), json.loads(last["CMD"])
    for name in ("hapsim", "hapctl", "haptest"):
        put(tmp_path / name, f'#!/bin/sh\nprintf "{name}"\nprintf "|%s" "$@"\n')

    def said(*words):
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        return subprocess.run([*entry, *words], env=environment, capture_output=True, text=True, check=True).stdout

    assert said(*words) == "hapsim|--help"
    assert said("run", "two words", "$(touch x)") == "hapsim|run|two words|$(touch x)"
    assert said("reset", "Lamp") == "hapsim|reset|Lamp"  # not the program `reset` of ncurses
    assert said("haptest", "run", "192.0.2.7:51826") == "haptest|run|192.0.2.7:51826"
    assert said("hapctl", "discover") == "hapctl|discover"
    assert said("sh", "-c", "echo GitLab") == "GitLab\n"
