"""Fixtures. Run the tests with `make interop`: it provides a host that has only a loopback interface, and HAPSIM names the program."""

import json
import os
import socket
import time

import pytest
import pytest_asyncio

from homekit_python import HomekitPython
from mdns_daemon import Daemon
from network import Network
from phone import Phone
from process import PROFILES, Simulator
from second_host import FAR, NEAR_ADDRESS, SecondHost
from web import Web


ANNOUNCED = {"bridge-149", "bridge-two-lights", "garage-kilgo", "kitchen-sink", "lock", "sensor-motion"}


def pytest_sessionstart(session):
    interfaces = [name for _, name in socket.if_nameindex()]
    if interfaces != ["lo"]:
        pytest.exit(f"these tests need a host that has only the interface lo, but this one has {interfaces}: run them with `make interop`", returncode=4)
    if not os.access(os.environ.get("HAPSIM", ""), os.X_OK):
        pytest.exit(f"HAPSIM must be the path of a program, but it is {os.environ.get('HAPSIM')!r}", returncode=4)


def pytest_addoption(parser):
    parser.addoption("--part", default="1/1", help="I/N: run part I of N: every N-th profile and every N-th other test, starting with the I-th")
    parser.addoption("--rewrite-met", action="store_true", help="record again how controllers react to defects")
    parser.addoption(
        "--bonjour", choices=["daemon"], help="start an mDNS daemon for the run; every simulator announces through it"
    )


def shipped_profiles():
    profiles = sorted(PROFILES.glob("*.hasaccessory"))
    assert profiles, f"there are no profiles in {PROFILES}"
    return profiles


def profiles_of_the_day(profiles):
    """Returns one profile of each category, another one each day. With HAPSIM_PROFILES=all, as in `make nightly`, returns all profiles."""
    if os.environ.get("HAPSIM_PROFILES") == "all":
        return profiles
    categories = {}
    for profile in profiles:
        categories.setdefault(json.loads(profile.read_text())["category"], []).append(profile)
    day = int(time.time() // 86_400)
    return sorted(members[day % len(members)] for members in categories.values())


def pytest_generate_tests(metafunc):
    """Runs a test with an argument `profile` for each shipped profile. Tests of test_profiles.py run for the profiles of the day unless -k selects some."""
    if "profile" in metafunc.fixturenames:
        profiles = shipped_profiles()
        config = metafunc.config
        if config.getoption("--bonjour"):
            # Only the announcement of an accessory matters here, so one profile of each kind is enough.
            profiles = [profile for profile in profiles if profile.stem in ANNOUNCED]
        elif metafunc.module.__name__ == "test_profiles" and not config.getoption("keyword"):
            profiles = profiles_of_the_day(profiles)
        part, parts = map(int, metafunc.config.getoption("--part").split("/"))
        profiles = profiles[part - 1 :: parts]
        # The scope is the module: pytest runs all tests of one profile first, so that they can share an accessory.
        metafunc.parametrize("profile", profiles, ids=lambda path: path.stem, scope="module")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Divides the tests that -m selects into parts. Tests with a profile are already divided."""
    part, parts = map(int, config.getoption("--part").split("/"))
    others = [item for item in items if "profile" not in item.fixturenames]
    mine = set(others[part - 1 :: parts])
    items[:] = [item for item in items if "profile" in item.fixturenames or item in mine]


@pytest_asyncio.fixture(scope="session", autouse=True)
async def responder(request, tmp_path_factory):
    """The mDNS daemon of --bonjour, which announces the simulators. By default each simulator announces itself."""
    if request.config.getoption("--bonjour") != "daemon":
        yield None
        return
    async with Daemon(tmp_path_factory.mktemp("daemon")) as daemon:
        Simulator.bonjour = ("--bonjour", "daemon")
        Simulator.environment = daemon.environment
        yield daemon


@pytest_asyncio.fixture(scope="session")
async def network():
    network = Network()
    yield network
    await network.close()


@pytest_asyncio.fixture
async def run():
    """`await run(PROFILE…, state=, options=)`: starts a simulator, waits until it is ready, and ends it after the test."""
    running = []

    async def start(*profiles, program=None, **how):
        simulator = await (Simulator.launch(*program) if program else Simulator.run(*profiles, **how))
        running.append(simulator)  # before it is ready, so that it is stopped also if it never becomes ready
        await simulator.ready()
        return simulator

    yield start
    for simulator in running:
        await simulator.clean_up()


@pytest_asyncio.fixture
async def phones(network):
    """`await phones()`: a controller, which is closed after the test."""
    opened = []

    async def new():
        phone = Phone(network)
        opened.append(phone)
        return await phone.__aenter__()

    yield new
    for phone in opened:
        await phone.__aexit__()


@pytest_asyncio.fixture
async def phone(phones):
    return await phones()


@pytest_asyncio.fixture
async def homekit_python():
    controller = await HomekitPython.start()
    yield controller
    await controller.close()


@pytest.fixture
def second_host():
    with SecondHost() as host:
        yield host


@pytest.fixture
def far(run, second_host):
    """`await far(PROFILE…)`: a simulator on the second host, which announces itself."""

    async def start(*profiles, options=(), **how):
        return await run(
            *profiles, options=("--bonjour", "embedded", *options), interfaces=(FAR,), namespace=second_host.namespace, **how
        )

    return start


@pytest_asyncio.fixture
async def near_network(second_host):
    """The services that python-zeroconf finds on this host's interface to the second host."""
    network = Network(NEAR_ADDRESS)
    yield network
    await network.close()


@pytest_asyncio.fixture
async def webs():
    """`await webs(simulator)`: a connection to its control API, which is closed after the test."""
    opened = []

    async def new(simulator):
        opened.append(await Web.connect(simulator))
        return opened[-1]

    yield new
    for web in opened:
        web.close()
