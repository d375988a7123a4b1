"""`Examples/ci/judge.sh`, which runs `hapsim judge` and a controller in CI.

On real sockets because a shell runs the built programs.
"""

import asyncio
import os
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from process import PATIENCE, PROFILES, ROOT, hapsim

LAMP = PROFILES / "light-white.hasaccessory"
CONTROLLER = """
set -eu
hapctl pair "$HAP_ADDRESS:$HAP_PORT" --code "$HAP_SETUP_CODE" --alias it --state "$0"
hapctl misbehave it known-ids --state "$0"
"""


async def test_the_script_for_ci(tmp_path):
    """The script has the exit status and the reports of `hapsim judge`, and stores the controller's output next to them."""
    reports = tmp_path / "reports"
    script = tmp_path / "controller.sh"
    script.write_text(CONTROLLER.replace("hapctl", str(Path(hapsim()).with_name("hapctl"))).replace("$0", str(tmp_path / "hapctl")))
    process = await asyncio.create_subprocess_exec(
        ROOT / "Examples" / "ci" / "judge.sh", LAMP, "--no-trial", "--ephemeral", "--interface", "lo",
        env={**os.environ, "CONTROLLER": f"bash {script}", "REPORTS": str(reports)},
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(PATIENCE):
        _, errors = await process.communicate()
    assert process.returncode == 1, errors
    assert sorted(path.name for path in reports.iterdir()) == [
        "controller.log", "judge.log", "junit.xml", "report.json", "report.md"
    ]  # fmt: skip
    assert "known-ids: reads a characteristic that doesn't exist" in (reports / "controller.log").read_text()
    assert [case.get("name") for case in xml.parse(reports / "junit.xml").iter("testcase") if case.find("failure") is not None] == ["known-ids"]


@pytest.mark.parametrize(("given", "words", "complaint"), [({}, ["x"], "CONTROLLER="), ({"CONTROLLER": "true"}, [], "PROFILE"), ({"CONTROLLER": "true", "HAPSIM": "no-such-program"}, ["x"], "there is no program")])
async def test_wrong_use_of_the_script_is_reported(given, words, complaint, tmp_path):
    process = await asyncio.create_subprocess_exec(
        ROOT / "Examples" / "ci" / "judge.sh", *words, env={**os.environ, "REPORTS": str(tmp_path / "r"), **given},
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, errors = await process.communicate()
    assert (process.returncode, complaint in errors.decode()) == (2, True)
