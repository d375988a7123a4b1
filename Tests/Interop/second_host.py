"""A second host: a network namespace joined to this one by a veth pair, with IPv4 and with IPv6 link-local addresses."""

import subprocess

NEAR, FAR = "hap0", "hap1"
NEAR_ADDRESS, FAR_ADDRESS = "10.92.0.1", "10.92.0.2"
NEAR_LINK_LOCAL, FAR_LINK_LOCAL = "fe80::92:1", "fe80::92:2"


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class SecondHost:
    """`with SecondHost() as host:`, and then `host.namespace` before a command that runs on it.

    This host's end of the network is the interface NEAR with NEAR_ADDRESS, the other host's end is FAR with FAR_ADDRESS. Both have the MTU of
    Ethernet. Duplicate address detection is off: the addresses work at once. `ipv6=False` leaves out the link-local addresses.
    """

    def __init__(self, ipv6=True):
        self.ipv6 = ipv6

    def __enter__(self):
        # It ends when its standard input does, so also when the tests are killed.
        self.holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo started; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.holder.stdout.readline(), "no network namespace for the second host"
        ip("link", "add", NEAR, "type", "veth", "peer", "name", FAR, "netns", str(self.holder.pid))
        self._configure((), NEAR, f"{NEAR_ADDRESS}/24", f"{NEAR_LINK_LOCAL}/64")
        self._configure(self.namespace, FAR, f"{FAR_ADDRESS}/24", f"{FAR_LINK_LOCAL}/64")
        subprocess.run([*self.namespace, "ip", "link", "set", "lo", "up"], check=True)
        return self

    def __exit__(self, *_):
        # The kernel removes both ends with the namespace, but not at once.
        ip("link", "delete", NEAR)
        self.holder.stdin.close()
        self.holder.wait()
        self.holder.stdout.close()

    @property
    def namespace(self):
        """What to put before a command. It replaces itself by the command: the process has the command's pid."""
        return "nsenter", "--target", str(self.holder.pid), "--net", "--"

    def _configure(self, namespace, interface, *addresses):
        def there(*words):
            subprocess.run([*namespace, "ip", *words], check=True)

        # The kernel's own link-local address would come up to a second after the carrier.
        there("link", "set", interface, "addrgenmode", "none")
        for address in addresses if self.ipv6 else addresses[:1]:
            there("addr", "add", address, "dev", interface, *(("nodad",) if ":" in address else ()))
        there("link", "set", interface, "multicast", "on", "up")
        there("route", "add", "224.0.0.0/4", "dev", interface, "metric", "1")
