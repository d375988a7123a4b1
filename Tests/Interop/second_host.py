"""A second host: a network namespace that a veth pair connects with this one, with IPv4 and IPv6 link-local addresses."""

import subprocess

NEAR, FAR = "hap0", "hap1"
NEAR_ADDRESS, FAR_ADDRESS = "10.92.0.1", "10.92.0.2"
NEAR_LINK_LOCAL, FAR_LINK_LOCAL = "fe80::92:1", "fe80::92:2"
NEAR_MAC, FAR_MAC = "02:00:00:92:00:01", "02:00:00:92:00:02"


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class SecondHost:
    """`with SecondHost() as host:`; put `host.namespace` before a command to run it on the second host.

    This host's interface is NEAR with NEAR_ADDRESS. The second host's interface is FAR with FAR_ADDRESS. Both have the MTU of Ethernet.
    Duplicate address detection is off, so the addresses work at once. `ipv6=False` omits the link-local addresses.
    """

    def __init__(self, ipv6=True):
        self.ipv6 = ipv6

    def __enter__(self):
        # This process ends when its standard input ends, and therefore also if the tests are killed.
        self.holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo started; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.holder.stdout.readline(), "no network namespace for the second host"
        peer = ("peer", "name", FAR, "address", FAR_MAC, "netns", str(self.holder.pid))
        ip("link", "add", NEAR, "address", NEAR_MAC, "type", "veth", *peer)
        self._configure((), NEAR, f"{NEAR_ADDRESS}/24", f"{NEAR_LINK_LOCAL}/64")
        self._configure(self.namespace, FAR, f"{FAR_ADDRESS}/24", f"{FAR_LINK_LOCAL}/64")
        subprocess.run([*self.namespace, "ip", "link", "set", "lo", "up"], check=True)
        self._know((), NEAR, FAR_MAC, FAR_ADDRESS, FAR_LINK_LOCAL)
        self._know(self.namespace, FAR, NEAR_MAC, NEAR_ADDRESS, NEAR_LINK_LOCAL)
        return self

    def __exit__(self, *_):
        # The kernel removes both interfaces with the namespace, but with a delay.
        ip("link", "delete", NEAR)
        self.holder.stdin.close()
        self.holder.wait()
        self.holder.stdout.close()

    @property
    def namespace(self):
        """The prefix for a command. The prefix executes the command in the same process, so the process ID is that of the command."""
        return "nsenter", "--target", str(self.holder.pid), "--net", "--"

    def _know(self, namespace, interface, mac, *addresses):
        """Stores the hardware address of the other host. On a machine under load, the kernel's own search for it can fail: "no route to host"."""
        for address in addresses if self.ipv6 else addresses[:1]:
            words = ("neigh", "replace", address, "lladdr", mac, "dev", interface, "nud", "permanent")
            subprocess.run([*namespace, "ip", *words], check=True)

    def _configure(self, namespace, interface, *addresses):
        def there(*words):
            subprocess.run([*namespace, "ip", *words], check=True)

        # The kernel's link-local address can appear up to a second after the carrier.
        there("link", "set", interface, "addrgenmode", "none")
        for address in addresses if self.ipv6 else addresses[:1]:
            there("addr", "add", address, "dev", interface, *(("nodad",) if ":" in address else ()))
        there("link", "set", interface, "multicast", "on", "up")
        there("route", "add", "224.0.0.0/4", "dev", interface, "metric", "1")
