"""The files for continuous integration: workflows, issue forms, the examples for GitHub, GitLab and a plain shell, the Dockerfile.

test_action.py has the tests of the action.

On real sockets because shells and continuous integration systems run the built programs.
"""

import fnmatch
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
from action import ACTION, BAD, CODE, GOOD, PATIENCE, REPORTS, haptest, load, put, simulated, workspace  # noqa: F401
from process import PROFILES, ROOT, hapsim

SCRIPT = ROOT / "Examples/ci/haptest.sh"
WORKFLOW = ROOT / "Examples/github-actions/conformance.yml"
PROJECT_WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PIPELINE = ROOT / "Examples/gitlab/.gitlab-ci.yml"

# MARK: the files


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("github-actions", ROOT / "action.yml"), ("github-workflows", WORKFLOW), ("gitlab-ci", PIPELINE),
        *(("github-workflows", path) for path in PROJECT_WORKFLOWS),
        *(("github-issue-config" if path.stem == "config" else "github-issue-forms", path) for path in sorted((ROOT / ".github/ISSUE_TEMPLATE").iterdir())),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)  # fmt: skip
def test_a_file_is_valid_by_the_schema_of_its_system(schema, path):
    checker = Path(sys.executable).with_name("check-jsonschema")
    run = subprocess.run([checker, "--builtin-schema", f"vendor.{schema}", path], capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 0, run.stdout + run.stderr


def shell_parts():
    """Yields (name, text) of every shell script."""
    for step in ACTION["runs"]["steps"]:
        yield f"action.yml: {step['name']}", step["run"]
    # The commands for macOS are those of the README.
    for path in (WORKFLOW, *(path for path in PROJECT_WORKFLOWS if path.name != "macos.yml")):
        for name, job in load(path)["jobs"].items():
            for number, step in enumerate(job["steps"]):
                if "run" in step:
                    yield f"{path.name}: {name}: {step.get('name', number)}", step["run"]
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


@pytest.mark.parametrize("path", PROJECT_WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_of_the_project_has_few_rights_a_time_limit_and_no_expression_in_its_shell_text(path):
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    writes = [name for name, job in workflow["jobs"].items() if "write" in job.get("permissions", {}).values()]
    assert writes == (["publish"] if path.name == "release.yml" else [])
    for name, job in workflow["jobs"].items():
        assert 0 < job["timeout-minutes"] <= 120, name
        # In a container, GitHub's default is sh, which does not know `pipefail`.
        assert "container" not in job or workflow["defaults"]["run"]["shell"] == "bash", name
        for step in job["steps"]:
            assert "${{" not in step.get("run", ""), step
            assert "run" in step or re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"]), step
            for target in re.findall(r"(?m)^make ([a-z-]+)", step.get("run", "")):
                assert re.search(rf"(?m)^{target}:", (ROOT / "Makefile").read_text()), target


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
