"""Fleets: copies on several loops as controllers see them, identities that stay the same after restarts and on other machines, and the examples.

On real sockets because aiohomekit is a third party, and loops on several threads are not in a simulated world.
"""

import asyncio
import fcntl
import os
import re
import sys

import direct
import kubernetes_validate
import pytest
from process import PATIENCE, PROFILES, ROOT, Simulator, hapsim, run_to_its_end
from ruamel.yaml import YAML
from second_host import FAR

SWITCH = PROFILES / "switch.hasaccessory"
BY_PORT = ("--bonjour", "off")
MANIFESTS = sorted((ROOT / "Examples/kubernetes").glob("*.yaml"))


async def test_a_seed_and_an_identity_determine_the_codes_of_matter(run):
    async def codes(*options):
        simulator = await run(SWITCH, options=("--matter", *BY_PORT, *options))
        parts = [accessory["matter"] for accessory in simulator.said[0]["accessories"]]
        assert (await simulator.command("stop"))["ok"] and await simulator.ended() == 0
        return [part["payload"] for part in parts], [part["trustAnchorDER"] for part in parts]

    (first, anchors), (again, others) = await codes("--seed", 7), await codes("--seed", 7)
    assert first == again and anchors != others
    assert (await codes("--seed", 8))[0] != first != (await codes())[0]
    text = ("--count", 2, "--identity", "a text")
    copies = await codes(*text)
    assert copies == await codes(*text)
    assert len(set(copies[0])) == len(set(copies[1])) == 2


async def test_copies_on_different_loops_are_paired_and_controlled(run, phones):
    """The responder announces the copies. It has a separate loop."""
    simulator = await run(SWITCH, options=("--count", 4, "--loops", 2))
    accessories = simulator.accessories
    assert [accessory.name for accessory in accessories] == ["Switch 1", "Switch 2", "Switch 3", "Switch 4"]
    for part in ("device_id", "port", "setup_code"):
        assert len({getattr(accessory, part) for accessory in accessories}) == 4, part
    phone = await phones()
    # The first copy is on the first loop, the second copy on the other one.
    homes = [await phone.pair(accessory) for accessory in accessories[:2]]
    switches = []
    for home in homes:
        database = await home.accessories()
        switches.append(next(
            (a["aid"], c["iid"])
            for a in database for s in a["services"] for c in s["characteristics"] if "ev" in c["perms"]
        ))  # fmt: skip
        assert await home.subscribe(switches[-1]) == {}
    for home, switch, accessory in zip(homes, switches, accessories):
        assert (await simulator.command("set", accessory=accessory.name, characteristic="On", value=True))["ok"]
        await home.events.wait(switch, True)
        await home.put((*switch, False))
        await simulator.wait(lambda line: line.get("event") == "wrote" and line["accessory"] == accessory.name)
    # No controller got an event of the other copy.
    assert [len(home.events.seen) for home in homes] == [1, 1]
    listed = (await simulator.command("list"))["accessories"]
    assert [(entry["name"], entry["paired"]) for entry in listed] == [
        ("Switch 1", True), ("Switch 2", True), ("Switch 3", False), ("Switch 4", False),
    ]  # fmt: skip
    refused = await simulator.command("identify")
    assert refused["error"]["code"] == "ambiguous"
    refused = await simulator.command("identify", accessory="Swich 3")
    assert refused["error"]["message"].endswith('did you mean "Switch 3"?')
    assert (await simulator.command("power-cut", accessory="Switch 2"))["ok"]
    assert await homes[1].value(switches[1]) in (0, False)
    assert (await simulator.command("add", profile=str(PROFILES / "lock.hasaccessory")))["ok"]
    assert len((await simulator.command("status"))["accessories"]) == 5
    assert (await simulator.command("stop"))["ok"]
    assert await simulator.ended() == 0


async def test_commands_of_one_client_are_executed_in_order(run):
    simulator = await run(SWITCH, options=("--count", 3, "--loops", 3, *BY_PORT))
    lines = [
        f'{{"id": {number}, "command": "set", "accessory": "Switch {number % 3 + 1}", "characteristic": "On", "value": {["false", "true"][number % 2]}}}'
        for number in range(60)
    ]
    await simulator.send("\n".join(lines))
    await simulator.wait(lambda line: line.get("id") == 59)
    assert [line["id"] for line in simulator.said if "id" in line] == list(range(60))


async def test_a_restart_keeps_the_identities_and_pairings_of_copies(run, tmp_path):
    options = ("--count", 3, "--loops", 2, *BY_PORT)
    simulator = await run(SWITCH, state=tmp_path, options=options)
    before = simulator.accessories
    keys = [await direct.pair(accessory) for accessory in before]
    await simulator.stop()
    again = await run(SWITCH, state=tmp_path, options=("--count", 4, *BY_PORT))
    after = again.accessories
    assert [(a.name, a.device_id, a.setup_code) for a in after[:3]] == [(a.name, a.device_id, a.setup_code) for a in before]
    for accessory, pairing in zip(after, keys):
        async with direct.Session(accessory, pairing) as session:
            assert len(await session.database()) == 1


async def test_copies_of_one_identity_are_the_same_in_every_shard_and_folder(run, tmp_path):
    options = ("--count", 5, "--identity", "a text", *BY_PORT)
    whole = (await run(SWITCH, options=options)).accessories
    shards = [
        (await run(SWITCH, state=tmp_path / f"{number}", options=(*options, "--shard", f"{number}/2"))).accessories
        for number in range(2)
    ]
    assert [accessory.name for accessory in shards[1]] == ["Switch 2", "Switch 4"]

    def known(accessories):
        return {(a.name, a.device_id, a.setup_code, a.setup_payload) for a in accessories}

    assert known(shards[0]) | known(shards[1]) == known(whole)
    # The accessory is the same in every process, because its keys are the same.
    keys = await direct.pair(shards[1][0])
    assert keys["AccessoryPairingID"] == whole[1].device_id


async def test_an_identity_that_differs_from_the_stored_one_is_refused(run, tmp_path):
    simulator = await run(SWITCH, state=tmp_path, options=("--count", 2, "--identity", "one", *BY_PORT))
    await simulator.stop()
    status, _, errors = await run_to_its_end(
        hapsim(), "run", SWITCH, "--count", 2, "--identity", "another", "--state", tmp_path, *BY_PORT
    )
    assert status == 2 and 'the stored device ID of "Switch 1" is ' in errors


async def test_a_fleet_ends_after_its_duration_or_by_a_signal_also_with_a_full_pipe():
    words = (hapsim(), "run", SWITCH, "--count", 200, "--ephemeral", "--json", "--interface", "lo", "--control", "off", *BY_PORT)
    status, output, _ = await run_to_its_end(*words, "--duration", "100ms")
    assert status == 0 and output.startswith('{"event":"ready"')
    # The ready line is longer than the buffer of the pipe.
    process = await asyncio.create_subprocess_exec(*map(str, words), stdout=(pipe := os.pipe())[1])
    try:
        fcntl.fcntl(pipe[1], fcntl.F_SETPIPE_SZ, 4096)
        await asyncio.to_thread(os.read, pipe[0], 1)
        process.terminate()
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 0
    finally:
        for end in pipe:
            os.close(end)
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_open_files_are_counted_with_the_sockets_of_matter(run):
    """Each accessory has one TCP socket, and with Matter two UDP sockets. The other open files of the process are below a hundred."""
    count = 100
    options = ("--count", count, "--control", "off", *BY_PORT)
    simulator = await run(SWITCH, options=("--matter", *options), most_files=3 * count + 100)
    assert len(simulator.accessories) == count
    few = ("prlimit", f"--nofile={3 * count + 99}", hapsim(), "run", SWITCH, "--ephemeral", "--interface", "lo", *options)
    status, output, errors = await run_to_its_end(*few, "--matter")
    assert (status, output) == (3, "")
    assert errors.startswith("hapsim: 100 accessories need 400 open files, but the process can have only 399: raise the hard limit")
    status, _, errors = await run_to_its_end(*few, "--duration", "1ms")
    assert (status, errors) == (0, "")


async def test_a_restart_writes_only_the_trust_anchors_that_are_missing_or_damaged(run, tmp_path):
    async def files():
        simulator = await run(SWITCH, state=tmp_path, options=("--count", 3, "--matter", *BY_PORT))
        await simulator.stop()
        return {path: (path.stat().st_ino, path.read_bytes()) for path in (tmp_path / "matter-trust").iterdir()}

    before = await files()
    kept, damaged, missing = before
    damaged.write_bytes(b"x")
    missing.unlink()
    after = await files()
    assert {path: data for path, (_, data) in after.items()} == {path: data for path, (_, data) in before.items()}
    assert after[kept] == before[kept]


async def test_nodes_get_ports_that_are_free_in_both_address_families(run, second_host):
    """Other programs have half of the machine's free UDP ports, for IPv4 only. The system chooses the port of the IPv6 socket."""
    occupy = (
        "import pathlib, socket, sys\n"
        "pathlib.Path('/proc/sys/net/ipv4/ip_local_port_range').write_text('40000 40063')\n"
        "sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(32)]\n"
        "for port, one in enumerate(sockets, start=40000): one.bind(('0.0.0.0', port))\n"
        "print('{}', flush=True)\n"
        "sys.stdin.read()\n"
    )
    others = await run_beside(second_host, sys.executable, "-c", occupy)
    try:
        options = ("--count", 8, "--matter", *BY_PORT)
        simulator = await run(SWITCH, options=options, interfaces=(FAR,), namespace=second_host.namespace)
        ports = [accessory["matter"]["port"] for accessory in simulator.said[0]["accessories"]]
        assert len(set(ports)) == 8 and all(port == 5540 or 40032 <= port < 40064 for port in ports), ports
    finally:
        await others.clean_up()


async def run_beside(host, *command):
    """Starts a program on a second host, and waits for its first line, which is JSON."""
    process = await Simulator.launch(*host.namespace, *command)
    await process.wait(lambda _: True)
    return process


async def test_all_errors_of_a_fleet_file_are_reported(tmp_path):
    file = tmp_path / "fleet.yaml"
    file.write_text(
        f"""fleet: 1
groups:
  - profile: {PROFILES}/thermostat.hasaccessory
    behaviour:
      Thermostat: {{ outsde: 3, power: {{ uniform: [1, 200] }} }}
      Thermosat: {{ outside: 3 }}
  - profile: {PROFILES}/thermostat.hasaccessory
  - profile: none.hasaccessory
    count: 2
"""
    )
    status, output, errors = await run_to_its_end(hapsim(), "fleet", file, "--ephemeral", *BY_PORT)
    assert (status, output) == (3, "")  # none.hasaccessory cannot be read
    assert f'{file}:5:21: groups[0].behaviour.Thermostat.outsde: there is no member "outsde" here: did you mean "outside"?' in errors
    assert f"{file}:5:39: groups[0].behaviour.Thermostat.power: a number from 0.0 to 100.0 is expected, not 200" in errors
    assert f'{file}:6:7: groups[0].behaviour.Thermosat: the profile has no service "Thermosat": did you mean "Thermostat"?' in errors
    assert f'{file}:7:14: groups[1].profile: groups[0] has the same profile' in errors
    assert f"{file}:8:14: groups[2].profile: the profile can't be served" in errors


@pytest.mark.parametrize("example", sorted((ROOT / "Examples/fleets").glob("*.yaml")), ids=lambda path: path.stem)
async def test_the_examples_are_served_by_several_loops(run, example):
    simulator = await run(program=(
        hapsim(), "fleet", example, "--ephemeral", "--interface", "lo", "--json", "--commands", "--shard", "0/8",
        "--identity", "x", *BY_PORT,
    ))  # fmt: skip
    accessories = simulator.accessories
    assert len(accessories) == {"office-floor": 30, "a-thousand-lamps": 125}[example.stem]
    keys = await direct.pair(accessories[-1])
    async with direct.Session(accessories[-1], keys) as session:
        assert len(await session.database()) == 1


# Kubernetes manifests are not run on a cluster. They are checked with the schemas of kubernetes_validate.
@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.stem)
def test_the_manifests_are_valid_for_kubernetes(manifest):
    documents = list(YAML(typ="safe", pure=True).load_all(manifest))
    for document in documents:
        kubernetes_validate.validate(document, "1.37", strict=True)
    assert documents


def workloads():
    for manifest in MANIFESTS:
        for document in YAML(typ="safe", pure=True).load_all(manifest):
            if document["kind"] in ("StatefulSet", "Job"):
                yield document


@pytest.mark.parametrize("workload", list(workloads()), ids=lambda document: document["kind"])
async def test_a_workload_has_a_pod_for_each_shard(workload):
    (container,) = workload["spec"]["template"]["spec"]["containers"]
    words = container["args"]
    pods = workload["spec"].get("replicas") or workload["spec"]["completions"]
    shard = words[words.index("--shard") + 1]
    assert re.fullmatch(r"\$\((SHARD|JOB_COMPLETION_INDEX)\)/%d" % pods, shard)
    pod = workload["spec"]["template"]
    assert pod["spec"]["hostNetwork"] is True
    # The pods use the node's network: two pods must not share a node, and the control API must be off.
    (rule,) = pod["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert rule["labelSelector"]["matchLabels"] == {"app.kubernetes.io/part-of": "hapsim"}
    assert pod["metadata"]["labels"]["app.kubernetes.io/part-of"] == "hapsim"
    assert words[words.index("--control") + 1] == "off"
    # A job that does not end by itself before the deadline has failed.
    deadline = workload["spec"].get("activeDeadlineSeconds")
    assert deadline is None or words[words.index("--duration") + 1] == "50min" and deadline > 50 * 60
    # hapsim accepts the arguments and fails only because the fleet file does not exist.
    words = [word.replace("$(SHARD)", "0").replace("$(JOB_COMPLETION_INDEX)", "0") for word in words]
    status, _, errors = await run_to_its_end(hapsim(), *words)
    assert status == 3 and errors.startswith("hapsim: /fleet/fleet.yaml"), errors


async def test_the_manifests_fleet_is_served(run, tmp_path):
    (config,) = YAML(typ="safe", pure=True).load_all(ROOT / "Examples/kubernetes/fleet.yaml")
    text = config["data"]["fleet.yaml"].replace("/usr/share/hapsim/Profiles", str(PROFILES))
    (tmp_path / "fleet.yaml").write_text(text)
    simulator = await run(program=(
        hapsim(), "fleet", tmp_path / "fleet.yaml", "--ephemeral", "--interface", "lo", "--json", "--commands",
        "--identity", "x", "--shard", "7/100", *BY_PORT,
    ))  # fmt: skip
    assert len(simulator.accessories) == 40
