"""A server that resembles an accessory and fails on purpose.

usage: fragile.py HOW PORT

HOW is the effect of a byte 0xFF in the body of POST /pair-verify: `dies` ends the process, `hangs` answers no request any more, and any other
word has no effect. The server answers like an accessory that is paired with another controller. PORT 0 selects a free port. hapsim's ready
line has the port.
"""

import json
import os
import socket
import sys
import threading
import time

how, port = sys.argv[1], int(sys.argv[2])
hung = threading.Event()


def read_request(stream):
    """Returns the request line and the body, or None at the end."""
    line = stream.readline(65536)
    length = 0
    while field := stream.readline(65536).rstrip(b"\r\n"):
        name, _, value = field.partition(b":")
        if name.lower() == b"content-length":
            length = max(0, min(int(value), 1 << 20)) if value.strip().isdigit() else 0
    return (line, stream.read(length)) if line else None


def serve(connection):
    with connection, connection.makefile("rwb") as stream:
        try:
            while request := read_request(stream):
                line, body = request
                if hung.is_set():
                    time.sleep(3600)
                if line.startswith(b"POST /pair-verify") and b"\xff" in body:
                    if how == "dies":
                        print("there is a 0xFF", file=sys.stderr, flush=True)
                        os._exit(42)
                    if how == "hangs":
                        hung.set()
                # Pair Setup is refused with Unavailable.
                answer = b"\x06\x01\x02\x07\x01\x06" if b"/pair-" in line else b'{"status":-70411}'
                status = b"200 OK" if b"/pair-" in line else b"470 Connection Authorization Required"
                stream.write(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(answer), answer))
                stream.flush()
        except OSError:
            pass  # the client closed the connection


with socket.create_server(("127.0.0.1", port), backlog=64) as server:
    ready = {
        "name": "Fragile", "deviceID": "02:00:00:00:00:01", "setupCode": "031-45-154", "setupPayload": "",
        "category": "other", "address": "127.0.0.1", "port": server.getsockname()[1],
    }  # fmt: skip
    print(json.dumps({"event": "ready", "accessories": [ready]}), flush=True)
    while True:
        threading.Thread(target=serve, args=server.accept()[:1], daemon=True).start()
