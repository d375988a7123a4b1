"""A bulb made with HAP-python. It prints hapsim's ready line, so it checks the harness with an accessory that is not ours.

usage: bulb.py STATE-FILE
"""

import json
import signal
import socket
import sys

from pyhap.accessory import Accessory
from pyhap.accessory_driver import AccessoryDriver
from pyhap.const import CATEGORY_LIGHTBULB


class Bulb(Accessory):
    category = CATEGORY_LIGHTBULB

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.add_preload_service("Lightbulb", chars=["On", "Brightness"])

    def setup_message(self):
        """Does nothing, because the message would be written to standard output."""

    def get_snapshot(self, wanted):
        """Returns the request as JSON instead of a picture, so that a test can compare it."""
        return json.dumps(wanted).encode()

    async def run(self):
        ready = {
            "name": self.display_name, "deviceID": self.driver.state.mac, "setupCode": "031-45-154",
            "setupPayload": "", "category": "light-bulb", "address": "127.0.0.1",
            "port": self.driver.state.port,
        }  # fmt: skip
        print(json.dumps({"event": "ready", "accessories": [ready]}), flush=True)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


driver = AccessoryDriver(
    address="127.0.0.1", port=free_port(), persist_file=sys.argv[1], pincode=b"031-45-154",
    interface_choice=["127.0.0.1"],
)  # fmt: skip
driver.add_accessory(Bulb(driver, "Harness Bulb"))
signal.signal(signal.SIGTERM, driver.signal_handler)
driver.start()
