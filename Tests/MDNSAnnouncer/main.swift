// Announces services by mDNS for tests with other implementations, until its standard input ends.
//
// usage: MDNSAnnouncer INTERFACE

guard CommandLine.arguments.count == 2 else { fail("usage: MDNSAnnouncer INTERFACE") }
try announce(on: CommandLine.arguments[1])
