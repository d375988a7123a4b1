"""An accessory made with HAP-python that has many kinds of characteristics. It prints hapsim's ready line. A test compares it with hapsim under
preset hap-python.

usage: twin.py STATE-FILE
"""

import json
import signal
import socket
import sys

from pyhap.accessory import Accessory
from pyhap.accessory_driver import AccessoryDriver
from pyhap.const import CATEGORY_LIGHTBULB


class Twin(Accessory):
    category = CATEGORY_LIGHTBULB

    def __init__(self, *arguments, **members):
        super().__init__(*arguments, **members)
        self.set_info_service("1.2.3", "Maker", "T-1", "T-0001")
        self.add_preload_service("Lightbulb", chars=["On", "Brightness", "Hue"])
        self.add_preload_service("Thermostat")
        self.add_preload_service("MotionSensor")
        self.add_preload_service("StatelessProgrammableSwitch")

    def setup_message(self):
        """Does nothing, because the message would be written to standard output."""

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
driver.add_accessory(Twin(driver, "Twin", aid=1))
signal.signal(signal.SIGTERM, driver.signal_handler)
driver.start()
