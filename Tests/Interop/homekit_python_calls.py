"""Calls homekit_python for test_homekit_python.py. Runs in the virtual environment that has homekit_python.

Each line of standard input is a JSON array: the name of a function below and its arguments. Each call prints one line:
{"result": …} or {"error": NAME-OF-THE-EXCEPTION, "message": …}.
"""

import contextlib
import json
import sys

from homekit.controller import Controller
from homekit.controller.ip_implementation import IpPairing

ALIAS = "accessory"


def discover():
    return Controller.discover()


def identify_unpaired(device_id):
    Controller.identify(device_id)


def pair(device_id, code):
    """Pairs, and returns the data of the new pairing."""
    controller = Controller()
    controller.perform_pairing(ALIAS, device_id, code)
    return controller.get_pairings()[ALIAS]._get_pairing_data()


@contextlib.contextmanager
def session(data):
    pairing = IpPairing(data)
    try:
        yield pairing
    finally:
        pairing.close()


def accessories(data):
    with session(data) as pairing:
        return pairing.list_accessories_and_characteristics()


def read(data, *ids):
    """Returns a list of [aid, iid, {"value": …}]."""
    with session(data) as pairing:
        answer = pairing.get_characteristics([tuple(pair) for pair in ids])
    return [[*identifier, entry] for identifier, entry in answer.items()]


def write(data, *entries):
    """Writes entries of [aid, iid, value]. Returns the refused ones in the form of `read`."""
    with session(data) as pairing:
        answer = pairing.put_characteristics([tuple(entry) for entry in entries])
    return [[*identifier, entry] for identifier, entry in answer.items()]


def event(data, aid, iid):
    """Subscribes, and returns the entries of the first event."""
    seen = []
    with session(data) as pairing:
        refused = pairing.get_events([(aid, iid)], seen.extend, max_events=1)
    assert not refused, refused
    return seen


def identify(data):
    with session(data) as pairing:
        return pairing.identify()


def pairings(data):
    with session(data) as pairing:
        return pairing.list_pairings()


def add(data, identifier, public_key):
    """Adds a controller without admin permission."""
    pairing = IpPairing(data)
    pairing.list_pairings()  # opens the session, which add_pairing closes
    pairing.add_pairing(identifier, public_key, "User")


def remove(data, identifier=None):
    """Removes the controller with this identifier, by default this controller."""
    controller = Controller()
    controller.pairings[ALIAS] = IpPairing(data)
    controller.remove_pairing(ALIAS, identifier)


CALLS = [discover, identify_unpaired, pair, accessories, read, write, event, identify, pairings, add, remove]


def main():
    calls = {call.__name__: call for call in CALLS}
    answers = sys.stdout
    sys.stdout = sys.stderr  # homekit_python prints to standard output
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        try:
            answer = {"result": calls[name](*arguments)}
        except Exception as error:
            answer = {"error": type(error).__name__, "message": str(error)}
        print(json.dumps(answer), file=answers, flush=True)


main()
