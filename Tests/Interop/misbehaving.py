"""A server that is no accessory and prints the ready line of one.

usage: misbehaving.py closes|stalls|floods|garbage|endless
"""

import json
import os
import signal
import socket
import sys
import threading

manner = sys.argv[1]
server = socket.create_server(("127.0.0.1", 0))
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))


def serve(connection):
    with connection:
        try:
            if manner == "floods":
                event = b"EVENT/1.0 200 OK\r\nContent-Type: application/hap+json\r\nContent-Length: 2\r\n\r\n{}"
                while True:
                    connection.sendall(event * 100)
            if not connection.recv(65536) or manner == "closes":
                return
            if manner == "garbage":
                connection.sendall(os.urandom(100_000))
            elif manner == "endless":
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/hap+json\r\nContent-Length: 1099511627776\r\n\r\n")
                while True:
                    connection.sendall(b"x" * 65536)
            # Until the other end closes.
            while connection.recv(65536):
                pass
        except OSError:
            pass


ready = {
    "name": "Nobody", "deviceID": "AA:BB:CC:DD:EE:FF", "setupCode": "031-45-154", "setupPayload": "",
    "category": "other", "address": "127.0.0.1", "port": server.getsockname()[1],
}  # fmt: skip
print(json.dumps({"event": "ready", "accessories": [ready]}), flush=True)
while True:
    connection, _ = server.accept()
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
