"""`hapsim run` as a program: its output and its exit status.

On real sockets because it is about the built program: options, signals, standard streams and exit statuses.
"""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from phone import characteristic
from plain import PlainConnection
from process import PROFILES, ROOT, hapsim, run_to_its_end

ALL = sorted(PROFILES.glob("*.hasaccessory"))
LIGHT, LOCK, SENSOR = (PROFILES / f"{n}.hasaccessory" for n in ("light-colour", "lock", "sensor-motion"))


async def refused(*arguments, status):
    """Runs hapsim until it ends, checks that it served nothing, and returns its standard error."""
    code, output, errors = await run_to_its_end(hapsim(), *arguments)
    assert code == status, (output, errors)
    assert '"ready"' not in output
    return errors


async def test_the_ready_line_is_the_first_line_also_if_devices_set_values_when_they_start(run, tmp_path):
    profile = tmp_path / "hot.hasaccessory"
    heats = {"type": "CurrentHeatingCoolingState", "value": 1}  # although the target is off
    profile.write_text(
        json.dumps(
            {
                "format": "hasaccessory/1", "name": "Hot", "category": "thermostat",
                "services": [{"type": "Thermostat", "characteristics": [heats]}],
            }
        )
    )  # fmt: skip
    simulator = await run(profile)
    changed = await simulator.wait(lambda line: line.get("event") == "changed")
    assert (changed["name"], changed["value"]) == ("Current Heating Cooling State", 0)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
async def test_after_a_signal_hapsim_sends_a_goodbye_and_exits_with_0(how, run, network):
    "[AD.11]"
    simulator = await run(LIGHT)
    service = await network.wait(simulator.accessory.device_id)
    before = service.goodbyes
    assert await simulator.stop(how) == 0
    await network.wait_for_goodbye(service.name, before)
    assert network.find(simulator.accessory.device_id) is None


async def test_the_stop_command_ends_hapsim_with_0(run, network):
    simulator = await run(LIGHT)
    service = await network.wait(simulator.accessory.device_id)
    before = service.goodbyes
    assert (await simulator.command("stop"))["ok"] is True
    assert await simulator.ended() == 0
    await network.wait_for_goodbye(service.name, before)


async def test_the_end_of_input_ends_hapsim_after_all_commands(run):
    simulator = await run(LIGHT)
    lines = [json.dumps({"id": number, "command": "set", "characteristic": "Brightness", "value": number}) for number in range(1, 101)]
    simulator.process.stdin.write("\n".join(lines).encode())  # the last line has no line feed
    simulator.process.stdin.close()
    assert await simulator.ended() == 0
    answers = [line for line in simulator.said if "ok" in line]
    assert [(answer["id"], answer["ok"]) for answer in answers] == [(number, True) for number in range(1, 101)]


async def test_without_input_hapsim_exits_at_once():
    code, output, errors = await run_to_its_end(hapsim(), "run", LIGHT, "--ephemeral", "--interface", "lo", "--commands")
    assert (code, errors) == (0, "")
    assert '"ready"' in output


@pytest.mark.parametrize(("expected", "status"), [(50, 0), (51, 1)])
async def test_a_scenario_finishes_after_the_end_of_input(tmp_path, expected, status):
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(
        "end: serve\nsteps:\n  - after: 1h\n  - set: { characteristic: Brightness, value: 50 }\n"
        f"  - expect: {{ characteristic: Brightness, is: {expected} }}\n"
    )
    code, output, _ = await run_to_its_end(
        hapsim(), "run", LIGHT, "--scenario", scenario, "--virtual-time", "--ephemeral", "--bonjour", "off", "--commands"
    )
    assert code == status, output


async def test_keep_running_serves_after_the_end_of_input(run, phone):
    simulator = await run(LIGHT, options=("--keep-running",))
    simulator.process.stdin.close()
    home = await phone.pair(simulator.accessory)
    assert await home.accessories()
    assert await simulator.stop() == 0


async def test_commands_are_answered_with_their_id(run):
    simulator = await run(LIGHT)
    assert (await simulator.command("status"))["ok"] is True
    assert (await simulator.command("set", characteristic="Brightness", value=40))["ok"] is True
    for command, members, code in [
        ("set", {"characteristic": "Brightness", "value": 101}, "invalid-value"),
        ("set", {"characteristic": "Brigthness", "value": 1}, "no-such-characteristic"),
        ("set", {"accessory": "Nobody", "characteristic": "On", "value": True}, "no-such-accessory"),
        ("obstruct", {}, "not-possible"),
        ("dance", {}, "unknown-command"),
        ("set", {"characteristic": "On", "value": True, "colour": 1}, "malformed"),
    ]:
        answer = await simulator.command(command, **members)
        assert (answer["ok"], answer["error"]["code"]) == (False, code), answer
        assert answer["error"]["message"]
    for line in ("", "{", "[]", "null", "\ufffd" * 100, "x" * 100_000, '{"command":"status","id":"last"}'):
        await simulator.send(line)
    await simulator.wait(lambda said: said.get("id") == "last" and said["ok"] is True)


async def test_several_profiles_are_several_accessories(run, network, phones):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    simulator = await run(LIGHT, LOCK, SENSOR, options=("--port", str(port)))
    assert [a.port for a in simulator.accessories] == [port, port + 1, port + 2]
    assert len({a.device_id for a in simulator.accessories}) == 3
    homes = []
    for accessory in simulator.accessories:
        await network.wait(accessory.device_id, sf="1")
        homes.append(await (await phones()).pair(accessory))
    light, lock, _ = [(home, await home.accessories()) for home in homes]
    on = characteristic(light[1], "ON")
    assert await light[0].put((*on, True)) == {}
    target = characteristic(lock[1], "LOCK_MECHANISM_TARGET_STATE")
    current = characteristic(lock[1], "LOCK_MECHANISM_CURRENT_STATE")
    assert await lock[0].subscribe(current) == {}
    assert await lock[0].put((*target, 0)) == {}
    await lock[0].events.wait(current, 0)


async def test_options_for_one_accessory_are_refused_for_two():
    for option in (("--name", "Two"), ("--setup-code", "518-08-582")):
        await refused("run", LIGHT, LOCK, "--interface", "lo", "--ephemeral", *option, status=2)


async def test_a_port_in_use_is_reported_with_exit_status_3():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        errors = await refused("run", LIGHT, "--interface", "lo", "--ephemeral", "--port", port, status=3)
    assert len(errors.strip().splitlines()) == 1 and f"set by --port {port}" in errors, errors


async def test_a_missing_interface_is_reported_with_exit_status_3():
    errors = await refused("run", LIGHT, "--interface", "nosuch0", "--ephemeral", status=3)
    assert len(errors.strip().splitlines()) == 1 and "nosuch0" in errors, errors


async def test_an_impossible_state_folder_is_reported_with_exit_status_3(tmp_path):
    (tmp_path / "file").write_text("")
    errors = await refused("run", LIGHT, "--interface", "lo", "--state", tmp_path / "file" / "state", status=3)
    assert len(errors.strip().splitlines()) == 1 and str(tmp_path) in errors, errors


async def test_an_invalid_profile_is_refused_with_the_lines_of_all_errors(tmp_path):
    profile = tmp_path / "broken.hasaccessory"
    profile.write_text(
        '{ "format": "hasaccessory/1", "name": "Broken",\n'
        '  "servces": [],\n'
        '  "services": [ { "type": "LightBulb", "characteristics": [\n'
        '    { "type": "Brightness", "value": 400 },\n'
        '    { "type": "Brigtness" } ] } ] }\n'
    )
    for command in (("run", profile, "--interface", "lo", "--ephemeral"), ("validate", profile)):
        code, output, errors = await run_to_its_end(hapsim(), *command)
        said = output + errors
        assert code == 1 and '"ready"' not in said, said
        assert [int(n) for n in sorted(set(re.findall(r"broken\.hasaccessory:(\d+):\d+", said)))] == [2, 4, 5], said
        assert "services" in said and "Brightness" in said, said  # "did you mean"

    code, output, _ = await run_to_its_end(hapsim(), "validate", profile, "--json")
    assert code == 1
    for line in output.splitlines():
        json.loads(line)


async def test_the_profiles_of_the_walkthrough_are_valid(tmp_path):
    text = (ROOT / "Examples" / "profile-walkthrough.md").read_text()
    documents = [block for block in re.findall(r"```json\n(.*?)```", text, re.S) if '"format": "has' in block]
    assert len(documents) >= 2
    for number, document in enumerate(documents):
        profile = tmp_path / f"{number}.hasaccessory"
        profile.write_text(document)
        code, output, errors = await run_to_its_end(hapsim(), "validate", profile)
        assert code == 0, output + errors


async def test_a_file_that_is_no_profile_is_refused(tmp_path):
    (tmp_path / "no.hasaccessory").write_bytes(b"\xff\xfe{")
    (tmp_path / "deep.hasaccessory").write_text("[" * 100_000)
    for path in (tmp_path / "no.hasaccessory", tmp_path / "deep.hasaccessory"):
        await refused("run", path, "--interface", "lo", "--ephemeral", status=1)
    for path in (tmp_path / "missing", tmp_path):
        await refused("run", path, "--interface", "lo", "--ephemeral", status=3)


@pytest.mark.parametrize(
    "arguments",
    [[], ["run"], ["dance"], ["run", LIGHT, "--dance"], ["run", LIGHT, "--port", "x"], ["run", LIGHT, "--port", "70000"],
     ["run", LIGHT, "--setup-code", "111-11-111"], ["run", LIGHT, "--setup-id", "ab"],
     ["run", LIGHT, "--state", "x", "--ephemeral"], ["run", LIGHT, "--bind"]],
    ids=lambda arguments: " ".join(map(str, arguments[-2:])).replace(str(PROFILES), "") or "nothing",
)  # fmt: skip
async def test_wrong_usage_ends_with_exit_status_2(arguments):
    assert await refused(*arguments, status=2)


async def test_commands_without_a_network_succeed():
    for arguments in (["--help"], ["--version"], ["run", "--help"], ["types", "garage"], ["validate", *ALL]):
        code, output, errors = await run_to_its_end(hapsim(), *arguments)
        assert (code, errors) == (0, "") and (output or arguments[0] == "validate"), (arguments, output, errors)


async def test_the_options_for_name_and_setup_id_are_used(run, network):
    "[AD.9, SC.4]"
    simulator = await run(LIGHT, options=("--name", "Küche 💡", "--setup-id", "7OSX", "--setup-code", "518-08-582"))
    accessory = simulator.accessory
    assert accessory.name == "Küche 💡"
    assert accessory.setup_payload.endswith("7OSX")
    assert (await network.wait(accessory.device_id)).name == "Küche 💡._hap._tcp.local."


async def test_pairings_and_reset(run, phone, tmp_path):
    "[ST.6]"
    simulator = await run(LIGHT, state=tmp_path)
    home = await phone.pair(simulator.accessory)
    assert await simulator.stop() == 0
    code, output, _ = await run_to_its_end(hapsim(), "pairings", "--state", tmp_path)
    assert code == 0 and home.identifier in output, output
    code, output, errors = await run_to_its_end(hapsim(), "reset", "Colour Light", "--yes", "--state", tmp_path)
    assert code == 0, (output, errors)
    code, output, _ = await run_to_its_end(hapsim(), "pairings", "--state", tmp_path)
    assert code == 0 and home.identifier not in output, output
    again = await run(LIGHT, state=tmp_path)
    assert again.accessory.device_id != simulator.accessory.device_id
    assert again.accessory.setup_code == simulator.accessory.setup_code  # as if it were printed on a label


async def test_without_mdns_the_accessory_answers_at_its_port(run, network):
    simulator = await run(LIGHT, options=("--bonjour", "off"))
    async with PlainConnection(simulator.accessory) as connection:
        assert (await connection.ask("GET", "/accessories")).status == 470
    assert network.find(simulator.accessory.device_id) is None


async def test_a_name_in_use_is_changed_and_both_accessories_are_announced(run, network, phone):
    "[AD.12]"
    first = await run(LIGHT)
    await network.wait(first.accessory.device_id)
    second = await run(LIGHT)  # another process, another device ID, the same name
    service = await network.wait(second.accessory.device_id)
    assert (await network.wait(first.accessory.device_id)).name == "Colour Light._hap._tcp.local."
    assert service.name != "Colour Light._hap._tcp.local." and service.name.startswith("Colour Light")
    renamed = await second.wait(lambda line: line.get("event") == "renamed")
    assert (renamed["from"], f"{renamed['to']}._hap._tcp.local.") == ("Colour Light", service.name)
    home = await phone.pair(second.accessory)
    assert await home.accessories()
    # The first one is still announced. If the second one's withdrawal of the name arrived last, the owner announces the name again.
    await network.wait(first.accessory.device_id, sf="1")


async def test_two_accessories_of_one_name_in_one_process_get_different_names(run, network, tmp_path):
    "[AD.12]"
    other = tmp_path / "other.hasaccessory"
    document = json.loads(LIGHT.read_text()) | {"serialNumber": "LIGHT-COLOUR-2"}
    other.write_text(json.dumps(document))
    simulator = await run(LIGHT, other)
    names = {(await network.wait(accessory.device_id)).name for accessory in simulator.accessories}
    assert len(names) == 2 and all(name.startswith("Colour Light") for name in names)


@pytest.mark.parametrize("command", ["run", "judge"])
async def test_a_port_in_use_for_the_second_accessory_is_reported(command):
    """The first accessory is already served then. hapsim stops it and exits with 3."""
    port = 20_000  # not in use in this network namespace: the kernel assigns ports from 32768
    with socket.socket() as second:
        second.bind(("127.0.0.1", port + 1))
        second.listen()
        errors = await refused(
            command, LIGHT, LOCK, "--ephemeral", "--bonjour", "off", "--bind", "127.0.0.1", "--port", port, status=3
        )
    assert f"{port + 1}" in errors


@pytest.mark.parametrize("words", [("hapsim", "types"), ("hapctl", "--help"), ("haptest", "list"), ("hapsim", "judge", "--list")])
def test_a_lost_write_to_standard_output_is_an_error_and_a_closed_pipe_is_not(words):
    program = Path(hapsim()).with_name(words[0])
    with open("/dev/full", "w") as full:
        done = subprocess.run([program, *words[1:]], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 3
    assert done.stderr == f"{words[0]}: standard output can't be written: No space left on device\n"
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        done = subprocess.run([program, *words[1:]], stdout=closed, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.stderr == "" and done.returncode in (0, -signal.SIGPIPE)


async def test_a_served_run_whose_output_cannot_be_written_ends_with_3():
    with open("/dev/full", "w") as full:
        process = await asyncio.create_subprocess_exec(
            hapsim(), "run", LIGHT, "--ephemeral", "--interface", "lo", "--json", "--commands",
            stdin=asyncio.subprocess.PIPE, stdout=full, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
    # The error comes at once, not when the run ends.
    assert b"standard output can't be written" in await asyncio.wait_for(process.stderr.readline(), 60)
    process.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(process.wait(), 60) == 3


async def test_judge_checks_its_report_paths_before_it_serves(tmp_path):
    for option in ("--junit", "--report-json", "--markdown"):
        errors = await refused(
            "judge", LOCK, "--ephemeral", "--interface", "lo", "--json", option, tmp_path / "nowhere" / "r", status=3
        )
        assert f"{tmp_path}/nowhere/r can't be written: there is no folder" in errors
    assert "--report-json r.json" in await refused("judge", LOCK, "--json", "r.json", status=2)


MISSING = "/nonexistent/file"


@pytest.mark.parametrize(
    "words",
    [
        ("hapsim", "validate", MISSING), ("hapsim", "run", MISSING), ("hapsim", "run", "--scenario", MISSING),
        ("hapsim", "run", LIGHT, "--defects", MISSING, "--defect", "x"), ("hapsim", "run", LIGHT, "--quirks", MISSING),
        ("hapsim", "run", LIGHT, "--defects", MISSING),
        ("hapsim", "run", LIGHT, "--control-token-file", MISSING), ("hapsim", "fleet", MISSING), ("hapsim", "judge", MISSING),
        ("hapsim", "record", MISSING, "--output", "/dev/null/x"), ("hapsim", "replay", MISSING), ("hapsim", "import", MISSING, "-o", "-"),
        ("hapsim", "edit", MISSING, "set", "name", "x"), ("hapsim", "defects", "--defects", MISSING), ("hapsim", "quirks", MISSING),
        ("haptest", "lint", MISSING), ("haptest", "rerun", MISSING), ("haptest", "diff", MISSING, MISSING),
        ("haptest", "validate", MISSING), ("haptest", "list", "--suites", MISSING),
        ("hapctl", "keys", "import", MISSING), ("hapctl", "pair", "127.0.0.1:9", "--code-file", MISSING),
    ],
    ids=lambda words: " ".join(str(word) for word in words),
)  # fmt: skip
async def test_a_missing_file_ends_with_exit_status_3(words):
    program = Path(hapsim()).with_name(words[0])
    status, _, errors = await run_to_its_end(program, *words[1:])
    assert status == 3, errors


async def test_words_in_a_scenario_are_checked_before_the_first_step(tmp_path):
    scenario = tmp_path / "s.yaml"
    scenario.write_text(
        "steps:\n  - note: begins\n  - after: 1h\n  - set: { characteristic: LockTargetState, value: opn }\n"
    )
    errors = await refused("run", LOCK, "--scenario", scenario, "--ephemeral", "--bonjour", "off", status=1)
    assert f"{scenario}:4:52: steps[2].set.value: no value of Lock Target State is named" in errors
