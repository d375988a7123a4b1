"""Rejects the one command that schemathesis may not send: `stop` ends the accessories that the other requests are for."""

import schemathesis


@schemathesis.hook
def filter_case(context, case):
    return not (isinstance(case.body, dict) and case.body.get("command") == "stop")
