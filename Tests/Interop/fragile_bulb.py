"""bulb.py with a defect: a remote write ends its process. To find it, a fuzzer needs a session and a body with the member `remote`.

usage: fragile_bulb.py STATE-FILE
"""

import os
import sys
from pathlib import Path

from pyhap import accessory_driver

whole = accessory_driver.AccessoryDriver.set_characteristics


def fragile(self, query, client):
    if any("remote" in entry for entry in query["characteristics"]):
        print("this bulb crashes on a remote write", file=sys.stderr, flush=True)
        os._exit(7)
    return whole(self, query, client)


accessory_driver.AccessoryDriver.set_characteristics = fragile
exec(compile(Path(__file__).with_name("bulb.py").read_text(), "bulb.py", "exec"))
