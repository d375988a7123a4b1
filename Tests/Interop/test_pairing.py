"""Pair Setup many times, and where implementations differ: leading zeros, wrong codes, two attempts at once.

On real sockets because aiohomekit is a third party.
"""

import aiohomekit.protocol
import pytest
from aiohomekit.controller.ip.discovery import IpDiscovery
from aiohomekit.crypto.srp import HK_KEY_LENGTH, SrpClient, pad_left, to_byte_array
from aiohomekit.exceptions import AuthenticationError, BusyError, UnavailableError

from phone import pair_setup
from process import PROFILES

LOCK = PROFILES / "lock.hasaccessory"
NOT_PADDED = 1 << (8 * (HK_KEY_LENGTH - 1))  # a number below this has a leading zero byte


async def test_a_hundred_pairings_of_one_accessory(run, network, phone):
    "[PS.1, PS.3, PS.6, PS.33]"
    accessory = (await run(LOCK)).accessory
    found = await phone.find(accessory)
    identifiers = set()
    for _ in range(100):
        home = phone.open(await pair_setup(found, accessory.setup_code))
        identifiers.add(home.identifier)
        assert [p["pairingId"] for p in await home.pairings()] == [home.identifier]
        await home.unpair()
    assert len(identifiers) == 100
    await network.wait(accessory.device_id, sf="1")


class LeadingZeroInA(SrpClient):
    """Changes its private key until its public key starts with a zero byte. aiohomekit sends the key padded."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        while self.A >= NOT_PADDED:
            self.next()

    def next(self):
        """Computes the next private key, which needs only one multiplication."""
        self.a += 1
        self.A = self.A * self.g % self.n
        self.A_b = pad_left(to_byte_array(self.A), HK_KEY_LENGTH)


class LeadingZeroInS(SrpClient):
    """Changes its private key until the shared secret starts with a zero byte. aiohomekit hashes it padded, HomeKitADK stripped."""

    next = LeadingZeroInA.next

    def set_server_public_key(self, B_b):
        super().set_server_public_key(B_b)
        base = (self.B - self.k * pow(self.g, self.x, self.n)) % self.n
        to_x, to_a = pow(base, self.x, self.n), pow(base, self.a, self.n)
        while to_a * pow(to_x, self._calculate_u(), self.n) % self.n >= NOT_PADDED:
            self.next()
            to_a = to_a * base % self.n
        assert self.get_shared_secret() < NOT_PADDED


@pytest.mark.parametrize("client", [LeadingZeroInA, LeadingZeroInS])
async def test_keys_with_leading_zeros_pair(client, run, phone, monkeypatch):
    "[PS.2, PS.3, PS.4, PS.6, PS.9]"
    accessory = (await run(LOCK)).accessory
    found = await phone.find(accessory)
    monkeypatch.setattr(aiohomekit.protocol, "SrpClient", client)
    home = phone.open(await pair_setup(found, accessory.setup_code))
    assert await home.accessories()


async def test_a_wrong_code_is_refused_and_the_right_one_works_after_it(run, phone):
    "[PS.25, PS.21]"
    accessory = (await run(LOCK, options=("--setup-code", "518-08-582"))).accessory
    assert accessory.setup_code == "518-08-582"
    found = await phone.find(accessory)
    for wrong in ("518-08-583", "101-48-005"):
        with pytest.raises(AuthenticationError):
            await pair_setup(found, wrong)
    home = phone.open(await pair_setup(found, accessory.setup_code))
    assert await home.accessories()


async def test_a_paired_accessory_refuses_another_pairing(run, phones):
    "[PS.7]"
    accessory = (await run(LOCK)).accessory
    home = await (await phones()).pair(accessory)
    with pytest.raises(UnavailableError):
        await (await phones()).pair(accessory)
    assert await home.accessories()


async def test_a_second_pairing_at_the_same_time_is_refused(run, phone):
    "[PS.60]"
    accessory = (await run(LOCK)).accessory
    found = await phone.find(accessory)
    first, second = (IpDiscovery(found.controller, found.description) for _ in range(2))
    finish = await first.async_start_pairing("first")
    with pytest.raises(BusyError):
        await second.async_start_pairing("second")
    await second.close()
    pairing = await finish(accessory.setup_code)
    await first.close()
    home = phone.open(pairing.pairing_data)
    assert await home.accessories()
    await pairing.shutdown()


async def test_an_abandoned_pairing_does_not_block_the_next_one(run, phone):
    "[PS.36]"
    accessory = (await run(LOCK)).accessory
    found = await phone.find(accessory)
    for _ in range(5):
        quitter = IpDiscovery(found.controller, found.description)
        await quitter.async_start_pairing("quitter")
        await quitter.close()
    home = phone.open(await pair_setup(found, accessory.setup_code))
    assert await home.accessories()
