import HAPWire
import MDNS
import Testing

@Suite struct ScanTests {
  /// A message with compressed names.
  private static let message = DNSMessage(
    id: 7, flags: 0x8400, questions: [DNSQuestion(hap, DNSType.ptr, wantsUnicast: true)],
    answers: [pointer(), otherService()],
    authorities: [DNSRecord(lampName, DNSType.txt, ttl: 4500, flushesCache: true, .text([Array("a=b".utf8)]))],
    additionals: [DNSRecord(lampHost, DNSType.a, ttl: 120, .address([10, 0, 0, 1]))])

  private func names(_ scan: DNSScan, _ bytes: [UInt8]) -> [String] {
    bytes.withUnsafeBytes { raw in
      scan.entries.map { entry in
        var text = ""
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
          let count = DNSScan.expand(raw, at: entry.name, before: raw.count, isFolded: false, into: buffer) ?? 0
          var place = 0
          while place < count {
            let end = place + 1 + Int(buffer[place])
            text += String(decoding: buffer[(place + 1)..<end], as: UTF8.self) + "."
            place = end
          }
        }
        return text
      }
    }
  }

  @Test(
    "[MD.47] A message read in place has the same questions and records, and names that differ in case have one hash")
  func sameAsDecoder() {
    for isCompressing in [true, false] {
      let bytes = Self.message.encoded(compressing: isCompressing)
      var scan = DNSScan()
      #expect(bytes.withUnsafeBytes { scan.read($0) })
      #expect(scan.id == 7 && scan.isResponse && !scan.isTruncated)
      #expect(scan.entries.map(\.section) == [.question, .answer, .answer, .authority, .additional])
      #expect(scan.entries.map(\.type) == [DNSType.ptr, DNSType.ptr, DNSType.srv, DNSType.txt, DNSType.a])
      #expect(scan.entries.map(\.ttl) == [0, 4500, 120, 4500, 120])
      #expect(scan.entries.map(\.hasTopBit) == [true, false, true, true, false])
      #expect(names(scan, bytes)[2] == "Lamp._hap._tcp.local." && names(scan, bytes)[4] == "lamp.local.")
      #expect(
        scan.entries[0].nameHash == scan.entries[1].nameHash && scan.entries[2].nameHash == scan.entries[3].nameHash)
      #expect(Array(bytes[scan.entries[4].data]) == [10, 0, 0, 1])
      var other = DNSScan()
      let upper = DNSMessage(questions: [DNSQuestion(DNSName("_HAP._tcp.LOCAL")!, DNSType.ptr)]).encoded()
      #expect(upper.withUnsafeBytes { other.read($0) } && other.entries[0].nameHash == scan.entries[0].nameHash)
    }
  }

  @Test("[MD.47] Each message that the decoder reads is also read in place")
  func acceptsAll() {
    var random = MDNSRandom(seed: 11)
    let base = Self.message.encoded()
    var scan = DNSScan()
    var accepted = 0
    for _ in 0..<20_000 {
      var bytes = base
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let message = try? DNSMessage(decoding: bytes) else { continue }
      accepted += 1
      let isRead = bytes.withUnsafeBytes { scan.read($0) }
      #expect(isRead && scan.entries.count == message.questions.count + message.records.count)
    }
    #expect(accepted > 2000)
  }
}
