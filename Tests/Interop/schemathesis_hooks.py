"""Excludes the command `stop` from schemathesis: it would end the accessories of the other requests."""

import schemathesis


@schemathesis.hook
def filter_case(context, case):
    return not (isinstance(case.body, dict) and case.body.get("command") == "stop")
