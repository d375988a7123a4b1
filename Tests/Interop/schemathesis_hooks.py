"""Excludes requests that would end the requests after them: the command `stop` ends the accessories, and a renewed token is another one."""

import schemathesis


@schemathesis.hook
def filter_case(context, case):
    return not (isinstance(case.body, dict) and (case.body.get("command") == "stop" or case.body.get("renew")))
