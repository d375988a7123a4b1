"""The small Matter device of MATTER_CONTROLLER. hapsim's responder announces it; the device has no mDNS responder.

usage: matter_device.py ANNOUNCER INTERFACE STATE-FOLDER
"""

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys

sys.path.insert(0, os.environ["MATTER_CONTROLLER"])
import device  # noqa: E402

PORT, VENDOR, PRODUCT = 5540, 0xFFF1, 0x8000


class Announced(device.Responder):
    """Announces the services of the device's own responder."""

    def __init__(self, matter, announcer):
        self.announcer = announcer
        super().__init__(matter, PORT)

    def announce(self):
        services = [
            {
                "name": name, "type": kind.removesuffix(".local"), "subtypes": subtypes, "port": PORT,
                "text": [f"{key}={value}" for key, value in text.items()], "host": self.host.removesuffix(".local"),
            }
            for kind, name, subtypes, text in self.services()
        ]  # fmt: skip
        self.announcer.stdin.write(json.dumps({"services": services}) + "\n")
        self.announcer.stdin.flush()


async def main(announcer):
    matter = device.Device(device.Attestation(device.OPTIONS.state, VENDOR, PRODUCT, 0x0101))
    node = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    node.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    node.bind(("::", PORT))
    await asyncio.get_running_loop().create_datagram_endpoint(lambda: device.Node(matter), sock=node)
    responder = Announced(matter, announcer)
    matter.open_factory_window()
    responder.announce()
    device.tell("ready")
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    program, interface, state = sys.argv[1:]
    device.OPTIONS = argparse.Namespace(
        interface=interface, state=state, passcode=20202021, discriminator=3840, lights=1, vendor=VENDOR, product=PRODUCT,
        zoo=False, loss=0, trace=False,
    )  # fmt: skip
    # The announcer writes to standard error, because lines of two programs in one pipe can be mixed.
    asyncio.run(main(subprocess.Popen([program, interface], stdin=subprocess.PIPE, stdout=sys.stderr, text=True)))
