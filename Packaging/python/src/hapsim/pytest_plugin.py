"""A fixture for pytest that starts accessories. They end with the test.

    def test_the_door_opens(hapsim):
        world = hapsim("garage-door")
        door = world.accessory("Garage Door")
        door.set("TargetDoorState", "open")
        world.advance("8s")
        assert door.value("CurrentDoorState") == "open"
"""

import contextlib
import os

import pytest

from hapsim import Hapsim


def pytest_addoption(parser):
    parser.addoption(
        "--hapsim",
        metavar="PROGRAM",
        default=os.environ.get("HAPSIM", "hapsim"),
        help="the program hapsim (default: the variable HAPSIM, else the one on PATH)",
    )


@pytest.fixture
def hapsim(request):
    """Returns a function that starts a hapsim with profiles: paths, or names of shipped profiles. Its other parameters are those of
    `Hapsim.start`. By default, nothing is stored, time is frozen, and nothing is announced on the network."""
    with contextlib.ExitStack() as started:

        def start(*profiles, **settings):
            settings.setdefault("program", request.config.getoption("--hapsim"))
            return started.enter_context(Hapsim.start(*profiles, **settings))

        yield start
