"""The action for GitHub: its steps are run as GitHub's runner runs them.

On real sockets because shells and continuous integration systems run the built programs.
"""

import hashlib
import json
import os
import socket
import subprocess
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

import pytest
from action import ACTION, BAD, CODE, GOOD, REPORTS, act, haptest, put, simulated, workspace  # noqa: F401
from process import PROFILES, ROOT


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


@dataclass
class Bare:
    """A machine without haptest, with a fake `swift` that records its arguments, because the real one takes minutes."""

    path: str
    checkout: Path
    asked: Path
    server: Path

    def act(self, workspace, **given):
        given = {"exec": simulated("--commands"), "interface": "lo", "select": "HTTP-05", **given}
        return act(workspace, path=self.path, action_path=self.checkout, server=self.server, **given)

    @property
    def built(self):
        build = f"build --package-path {self.checkout} -c release"
        asked = self.asked.read_text().splitlines() if self.asked.exists() else []
        assert asked in ([], ["dependencies build", f"{build} --product haptest", f"{build} --show-bin-path"])
        return bool(asked)

    def release(self, version, program=None, sum=None):
        """Puts a release on the server. `program` is the text of its haptest, `sum` a wrong SHA-256."""
        name = f"hapsim-{version}-linux-x86_64"
        tree = self.server / "tree" / name / "bin"
        tree.mkdir(parents=True)
        put(tree / "haptest", program or f'#!/bin/sh\nexec {haptest()} "$@"\n')
        folder = self.server / f"hapsim/hapsim/releases/download/v{version}"
        folder.mkdir(parents=True)
        archive = folder / f"{name}.tar.gz"
        subprocess.run(["tar", "-czf", archive, "-C", self.server / "tree", name], check=True)
        sum = sum or hashlib.sha256(archive.read_bytes()).hexdigest()
        (folder / "SHA256SUMS").write_text(f"{'0' * 64}  another-file\n{sum}  {archive.name}\n")


@pytest.fixture
def bare(tmp_path):
    made = Bare("", tmp_path / "a checkout", tmp_path / "asked", tmp_path / "server")
    tools = tmp_path / "tools"
    tools.mkdir()
    put(tools / "swift", f'#!/bin/sh\necho "$@" >>{made.asked}\ncase "$*" in *--show-bin-path*) echo {haptest().parent} ;; esac\n')
    # A PATH with the installed programs, but without haptest.
    made.path = ":".join([str(tools), *(p for p in os.environ["PATH"].split(":") if not os.access(Path(p) / "haptest", os.X_OK))])
    (made.checkout / "Scripts").mkdir(parents=True)
    put(made.checkout / "Scripts/install-dependencies", f'#!/bin/sh\necho "dependencies $*" >>{made.asked}\n')
    assert os.access(ROOT / "Scripts/install-dependencies", os.X_OK)
    return made


@pytest.mark.parametrize("ref", ["", "main", "711f57b9", "v1.2.3"])
def test_without_haptest_in_path_and_without_a_release_the_action_builds_it_from_its_checkout(workspace, bare, ref):
    ran = bare.act(workspace, ref=ref)
    assert ran.status == 0 and bare.built, ran.log
    assert ("no release 1.2.3 of hapsim/hapsim" in ran.log) == (ref == "v1.2.3")


@pytest.mark.parametrize("given", [{"ref": "v1.2.3"}, {"ref": "main", "version": "1.2.3"}, {"version": "v1.2.3"}, {"ref": "v9.9.9", "version": "1.2.3"}])
def test_the_action_uses_the_released_haptest_of_its_version(workspace, bare, given):
    bare.release("1.2.3")
    ran = bare.act(workspace, **given)
    assert ran.status == 0 and not bare.built, ran.log


def test_a_release_that_differs_from_its_sum_or_is_not_listed_is_not_used(workspace, bare):
    bare.release("1.2.3", sum="1" * 64)
    ran = bare.act(workspace, ref="v1.2.3")
    assert (ran.status, bare.built) == (6, False) and "the download is not used" in ran.log, ran.log
    (sums,) = bare.server.rglob("SHA256SUMS")
    sums.write_text(f"{'0' * 64}  another-file\n")
    assert bare.act(workspace, ref="v1.2.3").status == 6


def test_a_released_haptest_that_does_not_start_is_replaced_by_a_build(workspace, bare):
    bare.release("1.2.3", program="#!/bin/sh\nexit 1\n")
    ran = bare.act(workspace, ref="v1.2.3")
    assert ran.status == 0 and bare.built and "does not start on this machine" in ran.log, ran.log


@pytest.mark.parametrize("version", [*HOSTILE, "../../other", "1.0 0"])
def test_a_version_with_other_characters_is_refused(workspace, bare, version):
    ran = bare.act(workspace, version=version)
    assert ran.status == 2 and not bare.built and not list(workspace.rglob("x")), ran.log
