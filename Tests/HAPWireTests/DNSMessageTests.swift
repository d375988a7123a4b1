import HAPTestSupport
import HAPWire
import Testing

struct DNSMessageTests {
  private static let type = DNSName("_hap._tcp.local")!
  private static let lamp = DNSName("Lamp\\032A._hap._tcp.local")!
  private static let host = DNSName("host.local")!
  private static let full = DNSMessage(
    flags: DNSMessage.response | DNSMessage.authoritative,
    questions: [DNSQuestion(type, DNSType.ptr, wantsUnicast: true), DNSQuestion(lamp, DNSType.any)],
    answers: [
      DNSRecord(type, DNSType.ptr, ttl: 4500, .pointer(lamp)),
      DNSRecord(
        lamp, DNSType.srv, ttl: 120, flushesCache: true, .service(priority: 1, weight: 2, port: 51826, target: host)),
      DNSRecord(lamp, DNSType.txt, ttl: 0, flushesCache: true, .text([utf8("id=AA"), [], utf8("flag"), utf8("=x")])),
    ],
    authorities: [DNSRecord(host, DNSType.a, ttl: .max, .address([127, 0, 0, 1]))],
    additionals: [
      DNSRecord(host, DNSType.aaaa, ttl: 120, .address([UInt8](repeating: 7, count: 16))),
      DNSRecord(lamp, DNSType.nsec, ttl: 120, .existing(next: lamp, types: [16, 33, 255, 256, 65535])),
      DNSRecord(host, 65280, ttl: 1, .raw([1, 2, 3])),
    ])

  @Test("Queries and answers have the bytes of RFC 1035, with pointers to earlier names")
  func bytes() throws {
    let query = DNSMessage(id: 0x1234, questions: [DNSQuestion(Self.type, DNSType.ptr, wantsUnicast: true)])
    let hap = "045f686170045f746370056c6f63616c00"
    #expect(query.encoded() == hexBytes("123400000001000000000000" + hap + "000c8001"))
    let answer = DNSMessage(
      flags: 0x8400,
      answers: [
        DNSRecord(Self.type, DNSType.ptr, ttl: 4500, .pointer(Self.type.prefixed(by: utf8("AB")))),
        DNSRecord(Self.type, DNSType.txt, ttl: 1, flushesCache: true, .text([utf8("a=b")])),
      ])
    #expect(
      answer.encoded()
        == hexBytes(
          "000084000000000200000000" + hap + "000c0001000011940005" + "024142c00c" + "c00c" + "0010800100000001"
            + "0004" + "03613d62"))
  }

  @Test("Each kind of record is read back unchanged, with and without pointers", arguments: [false, true])
  func roundTrip(_ isCompressing: Bool) throws {
    let read = try DNSMessage(decoding: Self.full.encoded(compressing: isCompressing))
    #expect(read == Self.full)
    // Names are equal in any case, but their labels are not.
    #expect(read.records.map { "\($0)" } == Self.full.records.map { "\($0)" })
    #expect(read.questions.map(\.wantsUnicast) == [true, false])
    #expect(read.answers.map(\.flushesCache) == [false, true, true])
    #expect(read.answers.map(\.isGoodbye) == [false, false, true])
    #expect(read.isResponse && read.flags == Self.full.flags && !read.isProbe)
    #expect(read.opcode == 0 && read.responseCode == 0)
  }

  @Test("Pointers shorten a message, and keep the case of each name")
  func compression() throws {
    #expect(Self.full.encoded().count < Self.full.encoded(compressing: false).count - 100)
    let names = ["_HAP._tcp.local", "_hap._tcp.local", "_HAP._tcp.Local"].map { DNSName($0)! }
    let message = DNSMessage(questions: names.map { DNSQuestion($0, DNSType.ptr) })
    #expect(try DNSMessage(decoding: message.encoded()).questions.map(\.name.labels) == names.map(\.labels))
  }

  @Test("Names beyond the range of a pointer are written in full")
  func farNames() throws {
    let filler = DNSRecord(Self.type, 65280, ttl: 1, .raw([UInt8](repeating: 1, count: 20_000)))
    let late = DNSRecord(Self.host, DNSType.a, ttl: 1, .address([1, 2, 3, 4]))
    let message = DNSMessage(answers: [filler, late, late])
    #expect(try DNSMessage(decoding: message.encoded()) == message)
  }

  @Test("A truncated message is refused, and trailing bytes are kept")
  func truncations() throws {
    let whole = Self.full.encoded()
    for count in 0..<whole.count {
      #expect(throws: DNSMessage.DecodingError.self, "\(count)") { try DNSMessage(decoding: Array(whole[..<count])) }
    }
    let longer = try DNSMessage(decoding: whole + [9])
    #expect(longer.trailing == [9] && longer.encoded() == whole + [9])
  }

  private static func question(_ name: [UInt8]) -> [UInt8] {
    hexBytes("000000000001000000000000") + name + [0, 12, 0, 1]
  }

  @Test(
    "A circular, forward or malformed name is refused at its place",
    arguments: [
      ([0xC0, 12], .malformedPointer(at: 12)), ([1, 0x61, 0xC0, 12], .malformedPointer(at: 14)),
      ([0xC0, 14, 0], .malformedPointer(at: 12)), ([0xC0, 0], .malformedPointer(at: 12)),
      ([0xFF, 0xFF], .malformedPointer(at: 12)),
      ([0x40, 0x61, 0], .malformedLabel(at: 12)), ([0x80], .malformedLabel(at: 12)),
      ([1, 0x61, 0xBF], .malformedLabel(at: 14)), ([63, 1], .truncated(at: 12)),
    ] as [([UInt8], DNSMessage.DecodingError)])
  func wrongNames(_ name: [UInt8], _ error: DNSMessage.DecodingError) {
    #expect(throws: error) { try DNSMessage(decoding: Self.question(name)) }
  }

  @Test("A name has at most 255 bytes, including pointers")
  func longNames() throws {
    let label = [UInt8](repeating: 0x61, count: 63)
    let long = DNSName([label, label, label])
    for (extra, isRight) in [(61, true), (62, false)] {
      let longer = long.prefixed(by: Array(label[..<extra]))
      for isCompressing in [false, true] {
        let message = DNSMessage(questions: [DNSQuestion(long, 1), DNSQuestion(longer, 1)])
        let bytes = message.encoded(compressing: isCompressing)
        if isRight {
          #expect(try DNSMessage(decoding: bytes) == message)
        } else {
          #expect(throws: DNSMessage.DecodingError.nameTooLong(at: 12 + 193 + 4)) { try DNSMessage(decoding: bytes) }
        }
      }
    }
  }

  @Test("A chain of more pointers than a name can have labels is refused")
  func chains() throws {
    for (jumps, isRight) in [(127, true), (128, false)] {
      var data: [UInt8] = [0]
      // Each pointer refers to the one before.
      for jump in 0..<jumps {
        let target = 23 + (jump == 0 ? 0 : 1 + 2 * (jump - 1))
        data += [0xC0 | UInt8(target >> 8), UInt8(target & 0xFF)]
      }
      var writer = DNSWriter()
      writer.appendHead(id: 0, flags: 0x8400, counts: [0, 2, 0, 0])
      writer.append(DNSRecord(DNSName([]), 65280, ttl: 0, .raw(Array(data.dropLast(2)))))
      writer.appendRaw(data.suffix(2) + [0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4])
      if isRight {
        #expect(try DNSMessage(decoding: writer.bytes).answers.last?.name == DNSName([]))
      } else {
        #expect(throws: DNSMessage.DecodingError.self) { try DNSMessage(decoding: writer.bytes) }
      }
    }
  }

  @Test(
    "Record data that doesn't match its type is refused at its start",
    arguments: [
      (DNSType.a, [1, 2, 3]), (DNSType.a, [1, 2, 3, 4, 5]), (DNSType.aaaa, [1, 2, 3, 4]), (DNSType.ptr, []),
      (DNSType.ptr, [0, 0]), (DNSType.ptr, [5, 0x61]), (DNSType.srv, [0, 0, 0, 0, 0, 1]),
      (DNSType.srv, [0, 0, 0, 0, 0]), (DNSType.txt, [2, 0x61]), (DNSType.txt, [0, 1]), (DNSType.nsec, [0, 0]),
      (DNSType.nsec, [0, 0, 2, 1]),
    ] as [(UInt16, [UInt8])])
  func wrongData(_ type: UInt16, _ data: [UInt8]) {
    let message = DNSMessage(answers: [DNSRecord(DNSName([]), type, ttl: 1, .raw(data))])
    #expect(throws: DNSMessage.DecodingError.malformedData(at: 23)) {
      // The bytes after the data belong to the next record.
      try DNSMessage(decoding: message.encoded() + [UInt8](repeating: 0, count: 40))
    }
  }

  @Test("The blocks of an NSEC record are in rising order, and have 1 to 32 bytes")
  func wrongBitmaps() {
    for bitmap in [[0, 0], [0, 33] + [UInt8](repeating: 1, count: 33), [1, 1, 1, 0, 1, 1], [0, 1, 1, 0, 1, 1]] {
      let record = DNSRecord(DNSName([]), DNSType.nsec, ttl: 1, .raw([0] + bitmap))
      #expect(throws: DNSMessage.DecodingError.self) {
        try DNSMessage(decoding: DNSMessage(answers: [record]).encoded())
      }
    }
  }

  @Test("A TXT record without strings is invalid, but read as empty")
  func emptyText() throws {
    let message = DNSMessage(answers: [DNSRecord(Self.lamp, DNSType.txt, ttl: 1, .text([]))])
    #expect(try DNSMessage(decoding: message.encoded()) == message)
  }

  @Test("Counts and lengths beyond the message are refused")
  func lies() {
    for counts in [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 65535, 0], [0, 0, 0, 1]] as [[UInt16]] {
      var writer = DNSWriter()
      writer.appendHead(id: 0, flags: 0, counts: counts)
      #expect(throws: DNSMessage.DecodingError.truncated(at: 12)) { try DNSMessage(decoding: writer.bytes) }
    }
    var writer = DNSWriter()
    writer.appendHead(id: 0, flags: 0, counts: [0, 1, 0, 0])
    writer.append(DNSRecord(DNSName([]), 65280, ttl: 1, .raw([1, 2])), declaredLength: 3)
    #expect(throws: DNSMessage.DecodingError.truncated(at: 23)) { try DNSMessage(decoding: writer.bytes) }
  }

  @Test("A probe has a question, and the claimed records in its authorities")
  func probes() {
    let claim = DNSRecord(Self.host, DNSType.a, ttl: 120, .address([1, 2, 3, 4]))
    let question = DNSQuestion(Self.host, DNSType.any, wantsUnicast: true)
    #expect(DNSMessage(questions: [question], authorities: [claim]).isProbe)
    #expect(!DNSMessage(questions: [question]).isProbe)
    #expect(!DNSMessage(flags: 0x8400, questions: [question], authorities: [claim]).isProbe)
    #expect(question.isAnswered(by: claim) && !DNSQuestion(Self.host, DNSType.txt).isAnswered(by: claim))
    #expect(!DNSQuestion(Self.lamp, DNSType.any).isAnswered(by: claim))
  }

  @Test("Any bytes are read, or refused at a valid place; a message that is read can be written and read back")
  func property() throws {
    var random = SeededGenerator(seed: 53)
    let whole = Self.full.encoded()
    var readCount = 0
    for round in 0..<6_000 {
      var bytes = round % 4 == 0 ? random.bytes(Int.random(in: 0..<200, using: &random)) : whole
      for _ in 0..<Int.random(in: 0..<4, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      do throws(DNSMessage.DecodingError) {
        let message = try DNSMessage(decoding: bytes)
        readCount += 1
        for isCompressing in [false, true] {
          let again = try DNSMessage(decoding: message.encoded(compressing: isCompressing))
          #expect(again == message)
        }
      } catch {
        switch error {
        case .truncated(let at), .malformedLabel(let at), .malformedPointer(let at), .nameTooLong(let at),
          .malformedData(let at):
          #expect((0...bytes.count).contains(at))
        }
      }
    }
    #expect(readCount > 1000)
  }
}

struct DNSTextEntryTests {
  @Test("A string of a TXT record is a key alone, or a key and a value that the first = separates")
  func entries() {
    #expect(DNSTextEntry(utf8("a=b=c")).key == utf8("a") && DNSTextEntry(utf8("a=b=c")).value == utf8("b=c"))
    #expect(DNSTextEntry(utf8("a=")).value == [])
    #expect(DNSTextEntry(utf8("a")).value == nil && DNSTextEntry(utf8("a")).key == utf8("a"))
    #expect(DNSTextEntry(utf8("=x")).key == [] && DNSTextEntry([]).key == [])
    #expect(DNSTextEntry([0xFF, 0x3D, 0xFE]).key == [0xFF])
  }

  @Test("Keys are found in any case; of duplicates, the first counts")
  func keys() {
    let strings = ["id=1", "C#=2", "c#=3", "flag", "FLAG=1", "", "", "c#"].map(utf8)
    #expect(DNSTextEntry.value(of: "c#", in: strings) == utf8("2"))
    #expect(DNSTextEntry.value(of: "ID", in: strings) == utf8("1"))
    #expect(DNSTextEntry.value(of: "flag", in: strings) == nil)
    #expect(DNSTextEntry.value(of: "none", in: strings) == nil)
  }
}
