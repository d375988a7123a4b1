"""`--json` of hapctl's commands that pair and identify: one document on standard output.

On real sockets because it is about the built program: its standard output is one document.
"""

import json

from process import PROFILES
from test_hapctl import CODE, address, ctl, well  # noqa: F401 (a fixture)


async def test_pair_identify_and_unpair_print_json(run, ctl):  # noqa: F811
    simulator = await run(PROFILES / "switch.hasaccessory", options=("--setup-code", CODE))
    where = address(simulator.accessory)

    async def document(*words):
        output = await well(ctl, *words, "--json")
        assert output.count("\n") == 1
        return json.loads(output)

    pairing = {"alias": "hall", "deviceID": simulator.accessory.device_id, "addresses": [where]}
    unknown = {"alias": None, "deviceID": None, "addresses": [where]}
    assert await document("identify", where) == {"paired": False, **unknown}
    assert await document("pair", where, "--code", CODE, "--alias", "hall") == pairing
    assert await document("list") == {"pairings": [pairing]}
    assert await document("identify", "hall") == {"paired": True, **pairing}
    assert await document("unpair", "hall") == {**pairing, "removedFromAccessory": True}

    # Without --alias, the document has the accessory's own name.
    named = await document("pair", where, "--code", CODE)
    assert await document("list") == {"pairings": [named]} and named["alias"] not in (named["deviceID"], "hall")
    status, output, errors = await ctl("pair", where, "--code", CODE, "--json")
    assert (status, output) == (1, "") and "already paired" in errors
