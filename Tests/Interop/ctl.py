"""`hapsim ctl` for tests."""

import json

from process import hapsim, run_to_its_end


async def ctl(state, *words):
    """Runs `hapsim ctl` and returns exit status, standard output and standard error."""
    return await run_to_its_end(hapsim(), "ctl", *words, "--state", state)


async def done(state, *words):
    """Returns the answer to a command that succeeds."""
    status, output, errors = await ctl(state, *words, "--json")
    assert (status, errors) == (0, ""), (words, status, output, errors)
    answer = json.loads(output)
    assert answer["ok"] is True
    return answer
