"""Reactions of controllers to Matter nodes that break a rule: connectedhomeip's controller runs against ten of the defects, and the results are recorded.

The record is met-matter.json in this folder. docs/internals/defects-met-matter.md is generated from it, and from met-matter-own.json, which the unit tests
write. `pytest --rewrite-met` writes record and page again. MATTER_CONTROLLER names the folder of the controller, as for test_matter.py.

On real sockets because a Matter controller is a third party.
"""

import asyncio
import json

import pytest

from matter_controller import MatterController, with_controller
from process import PROFILES, ROOT, hapsim
from second_host import FAR, SecondHost
from test_defects import attempted

RECORD, OWN = (ROOT / "Tests" / "Interop" / name for name in ("met-matter.json", "met-matter-own.json"))
PAGE = ROOT / "docs" / "internals" / "defects-met-matter.md"
LIGHT = PROFILES / "light-colour.hasaccessory"
DEFECTS = [
    "matter-pake2-late", "matter-arm-fail-safe-busy", "matter-dac-expired", "matter-dac-other-vendor", "matter-declaration-signature-wrong",
    "matter-attestation-nonce-wrong", "matter-csr-nonce-wrong", "matter-noc-table-full", "matter-case-once-busy", "matter-subscription-silent",
]  # fmt: skip
NODE = 1


async def connectedhomeip(controller, simulator):
    """Adds the node and uses it. Returns the result of each step."""
    (said,) = simulator.said[0]["accessories"]

    async def change():
        number = await controller("subscribe", "home", NODE, "1/OnOff/OnOff")
        assert (await simulator.command("set", characteristic="On", value=False))["ok"]
        line = await controller.reported(lambda line: line.get("ended") == number or (line.get("report") == number and line["value"] is False))
        if "ended" in line:
            raise Ended(f"the subscription has ended with error {line['why']:#x}")

    return await attempted(
        [
            ("adds the node", lambda: controller("commission", "home", NODE, said["matter"]["payload"])),
            ("reads", lambda: controller("read", "home", NODE, "1/OnOff/OnOff")),
            ("switches", lambda: controller("invoke", "home", NODE, "1/OnOff/On")), ("hears a change", change),
        ]
    )  # fmt: skip


class Ended(Exception):
    """A subscription that has ended."""


def page(record, own):
    """Returns the records as a page of the documentation."""
    lines = [
        "# Ten defects of Matter, and the reactions of controllers", "",
        "<!-- Written by Tests/Interop/test_defects_matter.py. Do not edit. -->",
        "This page shows how two controllers react to a Matter node that breaks one rule (see [defects of Matter](../reference/defects.md#defects-of-matter)). A controller adds the node, reads, sends a command, and waits for a report.",
        "A cell shows the step at which the controller stopped, and its error. The second controller is the one of the project's tests, which also writes, sets a label and removes the fabric. Tests run both controllers, and write this page. "
        "The record of the second one, for all defects, is `Tests/Interop/met-matter-own.json`.", "",
        "| defect | connectedhomeip (home-assistant-chip-core 2024.11.4) | the project's controller | the node after 2 min, with the project's controller |", "|---|---|---|---|",
    ]  # fmt: skip
    for defect in DEFECTS:
        bad = [f"**{step}**: {said}" for step, said in record[defect].items() if said != "goes well"]
        met = own[defect]["controller"]
        step, _, error = met.partition(": ")
        cells = [bad[0] if bad else "no error", f"**{step}**: {error}" if error else met, own[defect]["node"]]
        lines.append(f"| `{defect}` | " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


@with_controller
@pytest.mark.parametrize("defect", DEFECTS)
async def test_a_controller_reacts_as_recorded(defect, run, tmp_path, pytestconfig):
    state = tmp_path / "state"
    with SecondHost() as host:
        options = ("--matter", "--bonjour", "embedded", "--defect", defect)
        simulator = await run(LIGHT, state=state, options=options, interfaces=(FAR,), namespace=host.namespace)
        # A defect of certificates has an authority of its own, and the controller reads the trusted ones once.
        controller = await MatterController.start(tmp_path, state / "matter-trust")
        try:
            met = await connectedhomeip(controller, simulator)
        finally:
            await controller.close()
        await simulator.clean_up()
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if pytestconfig.getoption("--rewrite-met"):
        record[defect] = met
        RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
        if set(record) >= set(DEFECTS):
            PAGE.write_text(page(record, json.loads(OWN.read_text())))
    assert record[defect] == met


def test_the_page_shows_the_records():
    assert PAGE.read_text() == page(json.loads(RECORD.read_text()), json.loads(OWN.read_text()))


async def test_a_defect_of_matter_needs_matter():
    process = await asyncio.create_subprocess_exec(
        hapsim(), "run", LIGHT, "--ephemeral", "--interface", "lo", "--defect", "matter-pake2-lost",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, errors = await process.communicate()
    assert process.returncode == 2 and output == b""
    assert b'hapsim run: the defect "matter-pake2-lost" has no effect without Matter: add --matter' in errors
