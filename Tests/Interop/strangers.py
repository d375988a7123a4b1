"""Accessories made with HAP-python that are more complex than bulb.py. They also print hapsim's ready line.

usage: strangers.py lock|safe|bridge|camera STATE-FILE
"""

import json
import signal
import socket
import sys

from pyhap import camera
from pyhap.accessory import Accessory, Bridge
from pyhap.accessory_driver import AccessoryDriver
from pyhap.const import CATEGORY_CAMERA, CATEGORY_DOOR_LOCK, CATEGORY_LIGHTBULB, CATEGORY_SENSOR

SNAPSHOT = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffd9")

# Base64 of "open sesame".
SAFE_DATA = "b3BlbiBzZXNhbWU="
INSUFFICIENT_AUTHORIZATION = -70411


class Ready:
    """Prints hapsim's ready line."""

    def setup_message(self):
        """Does nothing, because the message would be written to standard output."""

    async def run(self):
        state = self.driver.state
        ready = {
            "name": self.display_name, "deviceID": state.mac, "setupCode": "031-45-154", "setupPayload": "",
            "category": "other", "address": "127.0.0.1", "port": state.port,
        }  # fmt: skip
        print(json.dumps({"event": "ready", "accessories": [ready]}), flush=True)


class Lock(Ready, Accessory):
    category = CATEGORY_DOOR_LOCK

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.set_info_service("1.2.3", "Strangers & Söhne", "L-7", "LOCK-0001")
        service = self.add_preload_service("LockMechanism", chars=["Name"])
        self.current = service.configure_char("LockCurrentState", value=1)
        service.configure_char("LockTargetState", value=1, setter_callback=self.turn)

    def turn(self, value):
        self.current.set_value(value)


class Safe(Lock):
    """Opens only with the right authorization data. HAP R2 §6.7.2.2, `authData`."""

    def __init__(self, driver, name):
        super().__init__(driver, name)
        self.target = self.get_service("LockMechanism").get_characteristic("LockTargetState")
        self.target.properties["Permissions"] = [*self.target.properties["Permissions"], "aa"]
        driver.safe = self


class SafeDriver(AccessoryDriver):
    """HAP-python ignores authorization data, so this checks it before HAP-python gets the write."""

    safe = None

    def set_characteristics(self, chars_query, client_addr):
        iid = self.safe and self.safe.iid_manager.get_iid(self.safe.target)
        writes = [write for write in chars_query["characteristics"] if write["iid"] == iid and "value" in write]
        if any(write.get("authData") != SAFE_DATA for write in writes):
            refused = [
                {"aid": write["aid"], "iid": write["iid"], "status": INSUFFICIENT_AUTHORIZATION}
                for write in chars_query["characteristics"]
            ]
            return {"characteristics": refused}
        return super().set_characteristics(chars_query, client_addr)


class Lamp(Accessory):
    category = CATEGORY_LIGHTBULB

    def __init__(self, *arguments, **others):
        super().__init__(*arguments, **others)
        self.add_preload_service("Lightbulb", chars=["On", "Brightness", "Hue", "Saturation"])


class Thermometer(Accessory):
    category = CATEGORY_SENSOR

    def __init__(self, *arguments, **others):
        super().__init__(*arguments, **others)
        sensor = self.add_preload_service("TemperatureSensor")
        sensor.configure_char("CurrentTemperature", value=-12.5, properties={"minValue": -40})
        battery = self.add_preload_service("BatteryService")
        battery.configure_char("BatteryLevel", value=55)
        sensor.add_linked_service(battery)


class House(Ready, Bridge):
    def __init__(self, driver, name):
        super().__init__(driver, name)
        self.set_info_service("2.0", "Strangers", "B-1", "BRIDGE-0001")
        self.add_accessory(Lamp(driver, "Hall Lamp"))
        self.add_accessory(Thermometer(driver, "Cellar", aid=77))
        self.add_accessory(Lamp(driver, "Attic Lamp"))


class Eye(Ready, camera.Camera):
    category = CATEGORY_CAMERA

    def __init__(self, driver, name):
        options = {
            "video": {
                "codec": {
                    "profiles": [camera.VIDEO_CODEC_PARAM_PROFILE_ID_TYPES["BASELINE"]],
                    "levels": [camera.VIDEO_CODEC_PARAM_LEVEL_TYPES["TYPE3_1"]],
                },
                "resolutions": [[320, 240, 15], [1280, 720, 30]],
            },
            "audio": {"codecs": [{"type": "OPUS", "samplerate": 24}]},
            "srtp": True,
            "address": "127.0.0.1",
        }
        super().__init__(options, driver, name)

    def get_snapshot(self, image_size):
        return SNAPSHOT


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


if __name__ == "__main__":
    driver = SafeDriver(
        address="127.0.0.1", port=free_port(), persist_file=sys.argv[2], pincode=b"031-45-154",
        interface_choice=["127.0.0.1"],
    )  # fmt: skip
    kind, name = {"lock": (Lock, "Front Door"), "safe": (Safe, "Strongbox"), "bridge": (House, "House"), "camera": (Eye, "Porch")}[sys.argv[1]]
    driver.add_accessory(kind(driver, name))
    signal.signal(signal.SIGTERM, driver.signal_handler)
    driver.start()
