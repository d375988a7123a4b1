import HAPLoop
import Testing

@testable import HAPDiscovery

@Suite struct RecordTests {
  private func record(
    name: String = "Lamp", type: String = "_hap._tcp", port: UInt16 = 51826,
    txt: [(key: String, value: String)] = [("c#", "1")], host: String = "lamp-1a2b"
  ) -> ServiceRecord {
    ServiceRecord(name: name, type: type, port: port, txt: txt, host: host)
  }

  @Test("TXT strings keep their order, and are key=value, also with an empty value or one that contains =")
  func strings() {
    let txt = TextRecord([("md", "Ä=b"), ("c#", "1"), ("ff", "")])
    #expect(txt.strings.map { String(decoding: $0, as: UTF8.self) } == ["md=Ä=b", "c#=1", "ff="])
    #expect(txt["c#"] == "1")
    #expect(txt["sf"] == nil)
  }

  @Test("A TXT entry has at most 255 bytes") func entryLength() throws {
    try TextRecord([("md", String(repeating: "x", count: 252))]).check()
    #expect(throws: RecordError.entryTooLong(key: "md", bytes: 256)) {
      try TextRecord([("md", String(repeating: "x", count: 253))]).check()
    }
    // The limit counts bytes, not characters.
    #expect(throws: RecordError.entryTooLong(key: "md", bytes: 257)) {
      try TextRecord([("md", String(repeating: "ä", count: 127))]).check()
    }
  }

  @Test("A TXT record that exceeds a packet is refused") func textLength() throws {
    let five = (0..<5).map { (key: "k\($0)", value: String(repeating: "x", count: 252)) }
    try TextRecord(five).check()
    #expect(throws: RecordError.textTooLong(bytes: 5 * 256 + 21)) {
      try TextRecord(five + [("last", String(repeating: "x", count: 15))]).check()
    }
  }

  @Test("A malformed key is refused", arguments: ["", "a=b", "ä", "a\u{0}", "a\n"]) func keys(_ key: String) {
    #expect(throws: RecordError.malformedKey(key)) { try TextRecord([(key, "1")]).check() }
  }

  @Test("[AD.1] A duplicate key is refused, whatever its case") func duplicates() {
    #expect(throws: RecordError.duplicateKey("MD")) { try TextRecord([("md", "1"), ("MD", "2")]).check() }
  }

  @Test("A valid record is accepted", arguments: ["L", "Küche #2", "a.b c\\", String(repeating: "n", count: 63)])
  func names(_ name: String) throws {
    try record(name: name).check()
  }

  @Test(
    "A malformed name is refused",
    arguments: ["", "a\u{0}b", "a\nb", "\u{7F}", String(repeating: "n", count: 64), String(repeating: "ä", count: 32)])
  func badNames(_ name: String) {
    #expect(throws: RecordError.malformedName(name)) { try record(name: name).check() }
  }

  @Test(
    "A malformed type is refused",
    arguments: [
      "", "hap", "_hap", "_hap._sctp", "hap._tcp", "_._tcp", "_-a._tcp", "_a_b._udp", "_abcdefghijklmnop._tcp",
    ])
  func types(_ type: String) {
    #expect(throws: RecordError.malformedType(type)) { try record(type: type).check() }
  }

  @Test("A malformed subtype is refused", arguments: ["", "_L1,_hap", "_L.1", "_L\\1", "_\n"])
  func subtypes(_ subtype: String) {
    var record = self.record()
    record.subtypes = ["_L3840", subtype]
    #expect(throws: RecordError.malformedSubtype(subtype)) { try record.check() }
  }

  @Test("More than 16 subtypes are refused") func manySubtypes() throws {
    var record = self.record()
    record.subtypes = (0..<16).map { "_L\($0)" }
    try record.check()
    record.subtypes.append("_CM")
    #expect(throws: RecordError.tooManySubtypes(17)) { try record.check() }
  }

  @Test(
    "A malformed host name is refused",
    arguments: ["", "-a", "a-", "a.local", "a b", "ä", "a_b", String(repeating: "h", count: 64)])
  func hosts(_ host: String) {
    #expect(throws: RecordError.malformedHost(host)) { try record(host: host).check() }
  }

  @Test("Port 0 is refused") func port() {
    #expect(throws: RecordError.noPort) { try record(port: 0).check() }
  }

  @Test("Each error is a readable single line") func descriptions() {
    let all: [RecordError] = [
      .malformedName("n"), .malformedType("t"), .malformedSubtype("s"), .tooManySubtypes(17), .malformedHost("h"),
      .noPort, .malformedKey("k"), .duplicateKey("k"),
      .entryTooLong(key: "k", bytes: 300), .textTooLong(bytes: 2000),
    ]
    for error in all { #expect(!error.description.isEmpty && !error.description.contains("\n")) }
  }
}
