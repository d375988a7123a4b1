"""The camera: its picture, which aiohomekit and hapctl fetch, and its answer that it does not stream.

On real sockets because aiohomekit is a third party, and the picture goes through files of the built programs.
"""

import base64
import json
import struct
from pathlib import Path

from aiohomekit.model.characteristics import CharacteristicsTypes
from process import PROFILES, hapsim, run_to_its_end
from values import characteristics

CAMERA = PROFILES / "camera.hasaccessory"
CODE = "031-45-154"


def size(jpeg):
    """Returns width and height of a JPEG. Skips its segments until the frame header."""
    assert jpeg[:2] == b"\xff\xd8" and jpeg[-2:] == b"\xff\xd9"
    at = 2
    while True:
        mark, kind, length = struct.unpack_from(">BBH", jpeg, at)
        assert mark == 0xFF
        if kind == 0xC0:  # SOF0, baseline: precision, height, width
            height, width = struct.unpack_from(">HH", jpeg, at + 5)
            return width, height
        at += 2 + length


def encoded(tlv):
    return base64.b64encode(tlv).decode()


async def test_the_picture_is_a_jpeg_of_the_requested_size(run, phone):
    "[HTTP.61]"
    home = await phone.pair((await run(CAMERA)).accessory)
    for wanted in (640, 480), (320, 240), (1280, 720), (33, 17):
        assert size(await home.pairing.image(1, *wanted)) == wanted
    # Larger than the camera's picture: it answers with its largest picture of the same aspect ratio.
    assert size(await home.pairing.image(1, 1920, 1080)) == (1280, 720)
    body = b'{"resource-type":"image","image-width":0,"image-height":480}'
    assert (await home.request("POST", "/resource", body))[0] == 400


async def test_hapctl_fetches_the_picture(run, tmp_path):
    simulator = await run(CAMERA, options=("--setup-code", CODE))
    accessory = simulator.accessory
    program, picture = Path(hapsim()).with_name("hapctl"), tmp_path / "porch.jpg"

    async def ctl(*words):
        return await run_to_its_end(program, *words, "--state", tmp_path / "ctl")

    status, _, errors = await ctl("pair", f"{accessory.address}:{accessory.port}", "--code", CODE, "--alias", "porch")
    assert (status, errors) == (0, "")
    for options, wanted in ((), (640, 480)), (("--width", "320", "--height", "200"), (320, 200)):
        status, _, errors = await ctl("resource", "porch", "-o", picture, *options)
        assert (status, errors) == (0, "")
        assert size(picture.read_bytes()) == wanted


async def test_only_the_cameras_of_a_bridge_have_a_picture(run, phone, tmp_path):
    "[HTTP.60]"
    profile = tmp_path / "bridge.hasaccessory"
    lamp = {"name": "Lamp", "category": "lightbulb", "services": [{"type": "LightBulb"}]}
    yard = {"name": "Yard", "category": "ip-camera", "services": [{"type": "CameraRTPStreamManagement"}]}
    profile.write_text(
        json.dumps(
            {"format": "hasaccessory/1", "name": "Bridge", "category": "bridge", "bridgedAccessories": [lamp, yard]}
        )
    )
    home = await phone.pair((await run(profile)).accessory)
    bridge, lamp, yard = (a["aid"] for a in await home.accessories())
    body = {"resource-type": "image", "image-width": 64, "image-height": 48}
    for aid, status in (bridge, 404), (lamp, 404), (yard, 200), (None, 200):
        asked = body if aid is None else {**body, "aid": aid}
        answer, picture = await home.request("POST", "/resource", json.dumps(asked).encode())
        assert answer == status, aid
        assert status == 404 or size(picture) == (64, 48)


async def test_a_stream_is_refused_with_an_error_status(run, phone):
    home = await phone.pair((await run(CAMERA)).accessory)
    streams = [
        identifier
        for identifier, c in characteristics(await home.accessories())
        if c["type"].upper() == CharacteristicsTypes.SETUP_ENDPOINTS
    ]
    assert len(streams) == 2
    session = bytes([1, 16, *range(16)])
    controller = bytes([3, 3, 1, 1, 0])
    first, second = streams
    assert await home.put((*first, encoded(session + controller))) == {}
    assert await home.value(first) == encoded(session + b"\x02\x01\x02")
    assert await home.value(second) != await home.value(first)
