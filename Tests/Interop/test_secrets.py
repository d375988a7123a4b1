"""Secrets that hapsim must not write to its output: keys, and values from which they can be computed.

On real sockets because aiohomekit is a third party, and the files are those that the built program writes.
"""

import base64
import sqlite3
import stat

from process import PROFILES


def secrets(state):
    """Yields every blob of state.db that is no public key: seeds, salts, verifiers."""
    database = sqlite3.connect(f"file:{state / 'state.db'}?mode=ro", uri=True)
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for table in tables:
        rows = database.execute(f'SELECT * FROM "{table}"')
        names = [column[0] for column in rows.description]
        for row in rows:
            for name, value in zip(names, row):
                if isinstance(value, bytes) and len(value) >= 16 and not any(
                    word in name for word in ("hash", "public", "identifier")
                ):
                    yield f"{table}.{name}", value


async def test_no_secret_is_written_to_the_output(run, phone, tmp_path):
    state = tmp_path / "state"
    simulator = await run(PROFILES / "lock.hasaccessory", state=state)
    accessory = simulator.accessory
    home = await phone.pair(accessory)
    await home.accessories()
    await phone.find(accessory)
    await home.request("GET", "/nothing")
    await simulator.stop()

    found = dict(secrets(state))
    assert found, "the state has no secrets"
    said = simulator.transcript().encode()
    for name, secret in found.items():
        for form in secret, secret.hex().encode(), secret.hex().upper().encode(), base64.b64encode(secret).rstrip(b"="):
            assert form not in said, f"{name} is in the output"
    # Only the ready line contains the code.
    code = accessory.setup_code.encode()
    assert said.count(code) == 1 and said.count(code.replace(b"-", b"")) == 0

    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    for path in state.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
