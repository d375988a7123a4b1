"""HAP-python with one light bulb, or a bridge with several: the comparison for hapsim in `make bench`.

usage: pyhap_server.py STATE-FILE PORT BULBS
"""

import logging
import signal
import sys

from pyhap.accessory import Accessory, Bridge
from pyhap.accessory_driver import AccessoryDriver
from pyhap.const import CATEGORY_LIGHTBULB


class Bulb(Accessory):
    category = CATEGORY_LIGHTBULB

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.add_preload_service("Lightbulb").configure_char("On", value=False)

    def setup_message(self):
        """Does nothing. The default implementation writes to standard output."""


logging.disable(logging.CRITICAL)
state, port, bulbs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
driver = AccessoryDriver(
    address="127.0.0.1", port=port, persist_file=state, pincode=b"031-45-154", interface_choice=["127.0.0.1"]
)
if bulbs == 1:
    driver.add_accessory(Bulb(driver, "Bulb"))
else:
    bridge = Bridge(driver, "Bridge")
    bridge.setup_message = lambda: None
    for number in range(bulbs):
        bridge.add_accessory(Bulb(driver, f"Bulb {number}"))
    driver.add_accessory(bridge)
signal.signal(signal.SIGTERM, driver.signal_handler)
driver.start()
