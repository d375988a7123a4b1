import Testing

@testable import HAPLoop

@Suite struct AddressTests {
  @Test(
    "Addresses are parsed and printed",
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("::", "::"), ("::1", "::1"), ("FD00:0::1", "fd00::1"),
      ("::ffff:1.2.3.4", "1.2.3.4"), ("fe80::1%lo", "fe80::1%lo"),
    ])
  func text(_ given: String, _ wanted: String) throws {
    #expect(try IPAddress(given).description == wanted)
  }

  @Test(
    "A malformed address is refused, and named in the error",
    arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "::g", "%lo", "1.2.3.4%lo", "1.2.3.4\u{0}", " ::1"])
  func malformed(_ text: String) {
    #expect(throws: LoopError(.malformedAddress, "\"\(text)\" is not an IP address")) { try IPAddress(text) }
  }

  @Test("Only 4 or 16 bytes are an address", arguments: [0, 3, 5, 15, 17]) func byteCount(_ count: Int) {
    #expect(IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil)
  }

  @Test("Loopback, link-local and unspecified addresses are recognized") func kinds() throws {
    #expect(try IPAddress("127.9.9.9").isLoopback && IPAddress("::1").isLoopback)
    #expect(try !IPAddress("128.0.0.1").isLoopback && !IPAddress("::2").isLoopback)
    #expect(try IPAddress("169.254.3.3").isLinkLocal && IPAddress("fe80::3").isLinkLocal)
    #expect(try !IPAddress("169.253.3.3").isLinkLocal && !IPAddress("fec0::3").isLinkLocal)
    #expect(try IPAddress("0.0.0.0").isUnspecified && IPAddress("::").isUnspecified)
  }

  @Test("An IPv6 socket address is written in brackets") func sockets() throws {
    #expect(SocketAddress(host: .loopbackV4, port: 80).description == "127.0.0.1:80")
    #expect(try SocketAddress(host: IPAddress("::1"), port: 65535).description == "[::1]:65535")
  }

  @Test("The loopback interface is found with its address") func loopback() throws {
    let lo = try #require(NetworkInterface.all().first { $0.isLoopback })
    #expect(lo.isUp)
    #expect(lo.index > 0)
    #expect(try NetworkInterface.all().addresses(ofInterface: lo.name).first == .loopbackV4)
    #expect(try NetworkInterface.all().addresses(ofInterface: lo.name).allSatisfy(\.isLoopback))
  }

  @Test("For an unknown interface, the error lists the existing ones", arguments: ["eth99", "", "lo\u{0}"])
  func unknownInterface(_ name: String) throws {
    let names = NetworkInterface.all().map(\.name).joined(separator: ", ")
    let wanted = LoopError(.noSuchInterface, "no interface named \(name); there are: \(names)")
    #expect(throws: wanted) { try NetworkInterface.all().addresses(ofInterface: name) }
    #expect(throws: LoopError.self) { try IPAddress("fe80::1%\(name)") }
  }

  @Test("The system's random source fills any length, including 0") func random() {
    for count in [0, 1, 7, 4096, 100_000] {
      var bytes = [UInt8](repeating: 0, count: count)
      bytes.withUnsafeMutableBytes { SystemRandom.fill($0) }
      if count > 16 { #expect(Set(bytes).count > 10) }
    }
  }
}
