"""Calls connectedhomeip's controller for test_matter.py. Runs in the virtual environment that has the controller.

usage: matter_controller_calls.py STORAGE-FILE FOLDER

FOLDER has the certificates that the controller trusts; it reads them once. Each line of standard input is a JSON array: a number, the name of a call
(`CALLS`) and its arguments. Each call prints one line: {"call": NUMBER, "result": …} or {"call": NUMBER, "error": NAME-OF-THE-EXCEPTION, "message": …}.
Subscriptions print {"report": NUMBER, "path": …, "value": …} and {"ended": NUMBER, "why": …} at any time.

A path is ENDPOINT/CLUSTER/ATTRIBUTE with names as in chip.clusters.Objects, or numbers; * is any. Values are those of the bytes: structures are objects with
the numbers of their fields.
"""

import asyncio
import dataclasses
import json
import os
import sys
import threading
import time
import traceback
from pathlib import Path

answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)  # the native library prints to file descriptor 1

import chip.native  # noqa: E402
from chip import ChipDeviceCtrl  # noqa: E402
from chip.CertificateAuthority import CertificateAuthorityManager  # noqa: E402
from chip.ChipStack import ChipStack  # noqa: E402
from chip.clusters import Objects  # noqa: E402
from chip.clusters.Attribute import AttributePath, ValueDecodeFailure  # noqa: E402
from chip.clusters.ClusterObjects import ALL_ACCEPTED_COMMANDS, ALL_ATTRIBUTES, ALL_CLUSTERS  # noqa: E402
from chip.clusters.ClusterObjects import ClusterAttributeDescriptor, ClusterObjectFieldDescriptor  # noqa: E402
from chip.ChipUtility import classproperty  # noqa: E402
from chip.clusters.Types import Nullable  # noqa: E402
from chip.discovery import DiscoveryType, FilterType  # noqa: E402
from chip.tlv import uint  # noqa: E402

FIRST_CONTROLLER = 112233  # the node ID of this controller on each fabric
FIRST_VENDOR = 0xFFF1
DESCRIPTOR, GLOBALS = 0x1D, {0xFFF8, 0xFFF9, 0xFFFB, 0xFFFC, 0xFFFD}
DEVICE_TYPES, SERVERS, PARTS, ATTRIBUTES, COMMANDS = 0, 1, 3, 0xFFFB, 0xFFF9


def plain(value):
    """Returns a value in the form of JSON."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Nullable):
        return None
    if isinstance(value, ValueDecodeFailure):
        return {"failure": str(value.Reason)}
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return str(value)


def tell(**members):
    print(json.dumps(members, default=plain), file=answers)


def cluster_number(text):
    return int(text, 0) if text[0].isdigit() else getattr(Objects, text).id


def path_of(text):
    endpoint, cluster, attribute = (None if part == "*" else part for part in text.split("/"))
    if attribute and not attribute[0].isdigit():
        number = getattr(getattr(Objects, cluster).Attributes, attribute).attribute_id
    else:
        number = attribute and int(attribute, 0)
    return AttributePath(
        EndpointId=endpoint and int(endpoint), ClusterId=cluster and cluster_number(cluster), AttributeId=number
    )


def is_of_vendor(cluster):
    return cluster > 0xFFFF


def vendor_attribute(cluster, attribute, value):
    """Returns a class like those that the library has for the attributes of the specification."""
    kind = uint if type(value) is int else type(value)
    members = {
        "cluster_id": classproperty(lambda _: cluster),
        "attribute_id": classproperty(lambda _: attribute),
        "attribute_type": classproperty(lambda _: ClusterObjectFieldDescriptor(Type=kind)),
        "must_use_timed_write": classproperty(lambda _: False),
        "value": None,
        "__annotations__": {"value": kind},
    }
    return dataclasses.dataclass(type("VendorAttribute", (ClusterAttributeDescriptor,), members))


class Controller:
    """One controller with a fabric for each name that a call uses."""

    def __init__(self, storage, trusted):
        self.trusted = trusted
        chip.native.Init()
        self.stack = ChipStack(persistentStoragePath=storage, enableServerInteractions=False)
        self.authorities = CertificateAuthorityManager(self.stack, self.stack.GetStorageManager())
        self.fabrics = {}
        self.subscriptions = []

    def on(self, fabric):
        if fabric not in self.fabrics:
            number = len(self.fabrics)
            admin = self.authorities.NewCertificateAuthority().NewFabricAdmin(vendorId=FIRST_VENDOR + number % 4, fabricId=number + 1)
            self.fabrics[fabric] = admin.NewController(nodeId=FIRST_CONTROLLER + number, paaTrustStorePath=self.trusted)
        return self.fabrics[fabric]

    # Commissioning

    async def commission(self, fabric, node, code):
        """Commissions the device that discovery finds by the code: a payload or a manual code."""
        await self.on(fabric).CommissionWithCode(code, node, DiscoveryType.DISCOVERY_NETWORK_ONLY)

    async def commission_at(self, fabric, node, address, passcode):
        """Commissions the device at an address; PASE needs no discovery."""
        await self.on(fabric).CommissionIP(address, passcode, node)

    async def discover(self, fabric, _, discriminator):
        """Searches a device with an open commissioning window by its discriminator. Returns the seconds until the first one is found, and the
        discriminators of all that are found then."""
        controller = self.on(fabric)
        # The library's own function looks for results only every 100 ms.
        library, stack = controller._dmLib, controller._ChipStack
        kind, text = int(FilterType.LONG_DISCRIMINATOR), str(discriminator).encode()
        start = time.monotonic()
        await stack.CallAsync(lambda: library.pychip_DeviceController_DiscoverCommissionableNodes(controller.devCtrl, kind, text))
        while not await stack.CallAsyncWithResult(lambda: library.pychip_DeviceController_HasDiscoveredCommissionableNode(controller.devCtrl)):
            await asyncio.sleep(0.001)
        seconds = time.monotonic() - start
        await stack.CallAsync(lambda: library.pychip_DeviceController_StopCommissionableDiscovery(controller.devCtrl))
        return seconds, [found.longDiscriminator for found in await controller.GetDiscoveredDevices()]

    async def pase(self, fabric, node, address, passcode, port):
        """Establishes a session with the passcode."""
        await self.on(fabric).EstablishPASESessionIP(address, passcode, node, port)

    async def add_fabric(self, fabric, node):
        """Adds the fabric in the session of `pase`, and omits CommissioningComplete."""
        controller = self.on(fabric)
        commissioning, credentials = Objects.GeneralCommissioning.Commands, Objects.OperationalCredentials.Commands
        await controller.SendCommand(node, 0, commissioning.ArmFailSafe(expiryLengthSeconds=60, breadcrumb=1))
        request = await controller.SendCommand(node, 0, credentials.CSRRequest(CSRNonce=bytes(32)))
        chain = await controller.IssueNOCChain(request, node)
        await controller.SendCommand(node, 0, credentials.AddTrustedRootCertificate(chain.rcacBytes))
        added = await controller.SendCommand(
            node, 0,
            credentials.AddNOC(
                NOCValue=chain.nocBytes, ICACValue=chain.icacBytes or None, IPKValue=chain.ipkBytes,
                caseAdminSubject=controller.nodeId, adminVendorId=FIRST_VENDOR,
            ),
        )  # fmt: skip
        return {"status": int(added.statusCode), "fabric": added.fabricIndex}

    async def window(self, fabric, node, seconds):
        """Opens a window with a new passcode, and returns its manual code."""
        by = ChipDeviceCtrl.ChipDeviceController.CommissioningWindowPasscode.kTokenWithRandomPin
        return (await self.on(fabric).OpenCommissioningWindow(node, seconds, 1000, 2000, by)).setupManualCode

    async def connect(self, fabric, node):
        """Establishes a session, or uses the present one."""
        await self.on(fabric).GetConnectedDevice(node, allowPASE=False, timeoutMs=20_000)

    async def instance(self, fabric, node):
        """Returns the name of the node's record in this fabric."""
        return f"{self.on(fabric).GetCompressedFabricId():016X}-{node:016X}"

    async def expire(self, fabric, node):
        """Forgets the sessions. The next call resumes or establishes one."""
        self.on(fabric).ExpireSessions(node)

    # Interactions

    async def read(self, fabric, node, text, filtered=True):
        """Returns the values by path."""
        found = await self.on(fabric).Read(node, [path_of(text)], fabricFiltered=filtered)
        return {f"{e}/{c}/{a}": value for e, cs in found.tlvAttributes.items() for c, values in cs.items() for a, value in values.items()}

    async def read_in_time(self, fabric, node, text, seconds):
        """The same, but gives up after a time. The controller itself searches a node for 45 s."""
        return await asyncio.wait_for(self.read(fabric, node, text), seconds)

    async def write(self, fabric, node, text, value):
        """Returns the status."""
        path = path_of(text)
        if is_of_vendor(path.ClusterId):
            kind = vendor_attribute(path.ClusterId, path.AttributeId, value)
        else:
            kind = ALL_ATTRIBUTES[path.ClusterId][path.AttributeId]
        (result,) = await self.on(fabric).WriteAttribute(node, [(path.EndpointId, kind(value))])
        return result.Status.name

    async def invoke(self, fabric, node, text, fields={}, timed=None):
        endpoint, cluster, command = text.split("/")
        request = getattr(getattr(Objects, cluster).Commands, command)(**fields)
        return await self.on(fabric).SendCommand(node, int(endpoint), request, timedRequestTimeoutMs=timed)

    async def events(self, fabric, node, text):
        """Returns the events of a cluster, in their order, as [name, fields]."""
        endpoint, cluster, event = text.split("/")
        kind = getattr(Objects, cluster)
        found = await self.on(fabric).ReadEvent(node, [(int(endpoint), kind if event == "*" else getattr(kind.Events, event))])
        return [[type(event.Data).__name__, plain(event.Data)] for event in sorted(found, key=lambda event: event.Header.EventNumber)]

    async def subscribe(self, fabric, node, *paths):
        """Returns the number of the subscription, and the values by path."""
        number = len(self.subscriptions)
        subscription = await self.on(fabric).Read(
            node, [path_of(text) for text in paths], reportInterval=(0, 10), keepSubscriptions=True, autoResubscribe=False
        )

        def changed(path, subscription):
            tell(report=number, path=f"{path.EndpointId}/{path.ClusterId}/{path.AttributeId}", value=subscription.GetTLVAttribute(path))

        subscription.SetAttributeUpdateCallback(None)
        subscription.SetRawAttributeUpdateCallback(changed)
        subscription.SetErrorCallback(lambda code, _: tell(ended=number, why=code))
        self.subscriptions.append(subscription)
        return number

    async def composition(self, fabric, node):
        """Reads everything. Returns the number of endpoints, the number of attributes, and what does not fit together."""
        found = await self.on(fabric).Read(node, [path_of("*/*/*")])
        tree, problems = found.tlvAttributes, []
        if set(tree[0][DESCRIPTOR][PARTS]) != set(tree) - {0}:
            problems.append(f"the root has the parts {tree[0][DESCRIPTOR][PARTS]}, but there are the endpoints {sorted(tree)}")
        for endpoint, clusters in tree.items():
            problems += [f"{endpoint}: {problem}" for problem in endpoint_problems(clusters)]
            for cluster, attributes in clusters.items():
                decoded = found.attributes.get(endpoint, {}).get(ALL_CLUSTERS.get(cluster), {})
                failures = [kind.__name__ for kind, value in decoded.items() if isinstance(value, ValueDecodeFailure)]
                found_here = [*cluster_problems(cluster, attributes), *(f"{name} can't be decoded" for name in failures)]
                problems += [f"{endpoint}/{cluster:#x}: {problem}" for problem in found_here]
        return [len(tree), sum(len(a) for c in tree.values() for a in c.values()), problems]


def endpoint_problems(clusters):
    """Yields what does not fit at an endpoint."""
    descriptor = clusters.get(DESCRIPTOR, {})
    if not descriptor.get(DEVICE_TYPES):
        yield "no device type"
    if sorted(descriptor.get(SERVERS, [])) != sorted(clusters):
        yield f"ServerList {descriptor.get(SERVERS)}, but the clusters {sorted(clusters)} answer"


def cluster_problems(cluster, attributes):
    """Yields what does not fit in a cluster."""
    if missing := GLOBALS - set(attributes):
        yield f"without the global attributes {sorted(missing)}"
    if differing := set(attributes.get(ATTRIBUTES, [])) ^ set(attributes):
        yield f"AttributeList and the attributes that were read differ by {sorted(differing)}"
    if is_of_vendor(cluster):
        return
    known, commands = ALL_ATTRIBUTES.get(cluster, {}), ALL_ACCEPTED_COMMANDS.get(cluster, {})
    if unknown := [number for number in attributes if number not in known]:
        yield f"attributes that the specification does not have: {unknown}"
    if unknown := [number for number in attributes.get(COMMANDS, []) if number not in commands]:
        yield f"commands that the specification does not have: {unknown}"


CALLS = ["commission", "commission_at", "discover", "pase", "add_fabric", "window", "connect", "instance", "expire", "read", "read_in_time", "write", "invoke", "events", "subscribe", "composition"]


async def answer(controller, line):
    number, name, *arguments = json.loads(line)
    assert name in CALLS, name
    try:
        tell(call=number, result=await getattr(controller, name)(*arguments))
    except Exception as error:  # the library raises several kinds
        tell(call=number, error=type(error).__name__, message=str(error))


async def main(storage, trusted):
    Path("/data").mkdir(exist_ok=True)  # the library stores its files there
    controller = Controller(storage, trusted)
    lines, loop = asyncio.Queue(), asyncio.get_running_loop()

    def read_input():
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read_input, daemon=True).start()
    while (line := await lines.get()) is not None:
        await answer(controller, line)


try:
    asyncio.run(main(*sys.argv[1:]))
except BaseException:
    traceback.print_exc()
    os._exit(1)
os._exit(0)  # threads of the library would prevent an orderly end
