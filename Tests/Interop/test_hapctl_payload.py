"""hapctl accepts a setup code in every form: with dashes, without dashes and as a setup payload.

On real sockets because it is about the built program: options, standard input and exit statuses.
"""

from process import PROFILES
from test_hapctl import CODE, address, ctl, well

__all__ = ["ctl"]  # a fixture


async def test_a_setup_payload_selects_its_accessory_and_contains_its_code(run, ctl):
    lamp = (await run(PROFILES / "light-colour.hasaccessory", options=("--setup-code", CODE, "--setup-id", "LAMP"))).accessory
    garage = (await run(PROFILES / "garage-kilgo.hasaccessory", options=("--setup-code", CODE, "--setup-id", "DOOR"))).accessory
    status, _, errors = await ctl("pair", garage.device_id, "--code", lamp.setup_payload, "--interface", "lo")
    assert status == 1 and "the payload belongs to another accessory" in errors
    out = await well(ctl, "pair", lamp.setup_payload, "--interface", "lo", "--alias", "lamp")
    assert out == f"Paired with {lamp.device_id}, called lamp.\n"
    await well(ctl, "pair", address(garage), "--code", CODE.replace("-", ""), "--alias", "door")
    for words, code, says in [
        (("pair", "X-HM://0071WK4SM7OS"), 2, "13 characters after X-HM://; this one has 12"),
        (("pair", "--code", CODE), 2, "TARGET is missing"),
        (("pair", lamp.setup_payload, "--code", CODE), 2, "omit --code"),
        (("pair", "X-HM://0076CDMX27OSX"), 2, "only HAP over Bluetooth LE"),
        (("pair", "X-HM://00711PP1C0000"), 2, "no setup code"),
    ]:  # fmt: skip
        status, _, errors = await ctl(*words)
        assert status == code and says in errors, (words, status, errors)
        assert "UsageError(" not in errors, errors
