import Foundation
import HAPTestSupport
import HAPWire
import Testing

@testable import MatterWire

/// The vectors name their sources: appendix A of the specification, tests of connectedhomeip, and requests that its
/// controller sent.
@Suite("Matter's TLV") struct ElementTests {
  struct Vector: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    var testDescription: String { name }

    static func section(_ name: String) -> [Vector] {
      try! vectorFile("matter").list(name).map { Vector(name: $0.text("name"), bytes: $0.bytes("tlv")) }
    }
  }

  private static let expected: [String: Element] = [
    "false": Element(.anonymous, .bool(false)), "true": Element(.anonymous, .bool(true)),
    "signed 42": Element(.anonymous, .signed(42)), "signed -17": Element(.anonymous, .signed(-17)),
    "unsigned 42": Element(.anonymous, .unsigned(42)),
    "signed 16 bit 4200 (our smallest form)": Element(.anonymous, .signed(4200)),
    "signed 32 bit -170000": Element(.anonymous, .signed(-170_000)),
    "signed 64 bit 40000000000": Element(.anonymous, .signed(40_000_000_000)),
    "text Hello!": Element(.anonymous, .text("Hello!")), "text Tschüs": Element(.anonymous, .text("Tschüs")),
    "octets 00 01 02 03 04": Element(.anonymous, .octets([0, 1, 2, 3, 4])), "null": Element(.anonymous, .null),
    "single 0.0": Element(.anonymous, .single(0)), "single 17.9": Element(.anonymous, .single(17.9)),
    "double 0.0": Element(.anonymous, .double(0)), "double 17.9": Element(.anonymous, .double(17.9)),
    "empty structure": Element(.anonymous, .container(.structure, [])),
    "empty array": Element(.anonymous, .container(.array, [])),
    "empty list": Element(.anonymous, .container(.list, [])),
    "structure 0=signed 42, 1=signed -17": Element(
      .anonymous,
      .container(.structure, [Element(.context(0), .signed(42)), Element(.context(1), .signed(-17))])),
    "array of signed 0..4": Element(
      .anonymous, .container(.array, (0...4).map { Element(.anonymous, .signed($0)) })),
    "context tag 1 = unsigned 42": Element(.context(1), .unsigned(42)),
    "fully qualified tag (0xFFF1, 0xDEED, 1) = unsigned 42": Element(
      .full(vendor: 0xFFF1, profile: 0xDEED, number: 1), .unsigned(42)),
    "fully qualified tag (0xFFF1, 0xDEED, 0xAA55FEED) = unsigned 42": Element(
      .full(vendor: 0xFFF1, profile: 0xDEED, number: 0xAA55_FEED), .unsigned(42)),
  ]

  @Test("The vectors are read and written", arguments: Vector.section("tlv"))
  func vectors(_ vector: Vector) throws {
    let element = try Element(decoding: vector.bytes)
    #expect(element == Self.expected[vector.name])
    #expect(element.encoded == vector.bytes)
  }

  @Test("The invalid vectors are refused", arguments: Vector.section("tlv_invalid"))
  func invalid(_ vector: Vector) {
    #expect(throws: ElementError.self) { try Element(decoding: vector.bytes) }
  }

  @Test("Requests of the controller of connectedhomeip are read and written without a difference")
  func requests() throws {
    let requests = try vectorFile("matter").object("interaction").list("requests")
    #expect(requests.count == 22)
    for request in requests {
      let element = try Element(decoding: request.bytes("payload"))
      #expect(element.encoded == request.bytes("payload"), "\(request.text("name"))")
      #expect(Self.matches(element.value, request["value"]!), "\(request.text("name")): \(element)")
    }
  }

  /// Whether a value is that of a vector: numbers, texts, and objects for containers.
  private static func matches(_ value: Element.Value, _ expected: Any) -> Bool {
    switch value {
    case .container(let container, let members):
      let name = "\(container)"
      guard let list = (expected as? [String: Any])?[name] as? [Any], list.count == members.count else { return false }
      return zip(members, list).allSatisfy { member, expected in
        guard container != .array else { return matches(member.value, expected) }
        guard let pair = expected as? [Any], pair.count == 2 else { return false }
        let isTag = (pair[0] as? Int).map { member.tag == .context(UInt8($0)) } ?? (member.tag == .anonymous)
        return isTag && matches(member.value, pair[1])
      }
    case .bool(let isTrue): return expected as? Bool == isTrue
    case .unsigned(let number): return (expected as? NSNumber)?.uint64Value == number
    case .signed(let number): return (expected as? NSNumber)?.int64Value == number
    case .text(let text): return expected as? String == text || (expected as? [String: Any])?["text"] as? String == text
    case .octets(let octets):
      let text = expected as? String ?? (expected as? [String: Any])?["octets"] as? String
      return text.map { hex($0) == octets } ?? false
    case .null: return expected is NSNull
    case .single, .double: return (expected as? NSNumber) != nil
    }
  }

  @Test("Each truncation is refused, at the element that is not complete")
  func truncations() throws {
    for request in try vectorFile("matter").object("interaction").list("requests") {
      let bytes = request.bytes("payload")
      var reader = ElementReader(bytes)
      var offsets: [Int] = []
      while let item = try reader.next() { offsets.append(item.offset) }
      for count in bytes.indices {
        let error = #expect(throws: ElementError.self) { try Element(decoding: Array(bytes[..<count])) }
        // Between two elements, a container is not complete.
        let offset = offsets.contains(count) ? count : offsets.last { $0 < count } ?? 0
        #expect(error == ElementError(.truncated, at: offset))
      }
    }
  }

  @Test(
    "Each wrong form has its reason and its place",
    arguments: [
      ("1900", ElementError.Reason.reservedType(0x19), 0), ("1518 18", .trailingBytes, 2), ("18", .strayEnd, 0),
      ("15 3801 18", .strayEnd, 1), ("15 0801 18", .wrongTag, 1), ("16 280118", .wrongTag, 1),
      ("0c01ff", .notUTF8, 2), ("0c0cffff", .truncated, 0),
      ("13ffffffffffffffff00", .truncated, 0), ("", .truncated, 0), ("c4f1ff", .truncated, 0),
    ])
  func wrong(_ text: String, _ reason: ElementError.Reason, _ offset: Int) {
    let error = #expect(throws: ElementError.self) { try Element(decoding: hex(text)) }
    #expect(error == ElementError(reason, at: offset))
  }

  @Test("32 containers within each other are read, 33 are not")
  func depth() throws {
    func nested(_ count: Int) -> [UInt8] {
      [UInt8](repeating: 0x17, count: count) + [UInt8](repeating: 0x18, count: count)
    }
    _ = try Element(decoding: nested(32))
    let error = #expect(throws: ElementError.self) { try Element(decoding: nested(33)) }
    #expect(error == ElementError(.tooDeep, at: 32))
  }

  @Test("Wider forms than necessary are read; integers are written in the smallest form")
  func widths() throws {
    for (text, value) in [
      ("0100ff", Element.Value.signed(-256)), ("03ffffffffffffffff", .signed(-1)),
      ("0700000000000000ff", .unsigned(0xFF << 56)), ("0601000000", .unsigned(1)), ("0e00000000", .text("")),
      ("1302000000000000000102", .octets([1, 2])),
    ] { #expect(try Element(decoding: hex(text)).value == value) }
    for exponent in 0..<64 {
      for difference in [-1, 0, 1] as [Int64] {
        let unsigned = (UInt64(1) << UInt64(exponent)) &+ UInt64(bitPattern: difference)
        try check(.unsigned(unsigned), width: Self.width { unsigned <= UInt64.max >> UInt64(64 - $0) })
        let signed = Int64(bitPattern: unsigned)
        try check(.signed(signed), width: Self.width { signed == (signed << (64 - $0)) >> (64 - $0) })
      }
    }
  }

  /// The smallest of 1, 2, 4, 8 bytes whose bits are enough.
  private static func width(_ isEnough: (Int) -> Bool) -> Int { [1, 2, 4, 8].first { isEnough(8 * $0) }! }

  private func check(_ value: Element.Value, width: Int) throws {
    let bytes = Element(.anonymous, value).encoded
    #expect(bytes.count == 1 + width, "\(value)")
    #expect(try Element(decoding: bytes).value == value)
  }

  @Test("Random elements are read as they were written", arguments: 1...200)
  func random(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let element = Self.element(&random, in: nil, depth: 0)
    #expect(try Element(decoding: element.encoded) == element)
  }

  private static func element(
    _ random: inout SeededGenerator, in container: ElementContainer?, depth: Int
  ) -> Element {
    let tags: [ElementTag] = [
      .context(.random(in: 0...255, using: &random)), .common(.random(in: 0...100_000, using: &random)),
      .implicit(.random(in: 0...100_000, using: &random)),
      .full(
        vendor: .random(in: 0...0xFFFF, using: &random), profile: .random(in: 0...0xFFFF, using: &random),
        number: .random(in: 0...100_000, using: &random)),
    ]
    let isAnonymous = container == .array || container != .structure && Bool.random(using: &random)
    let value: Element.Value =
      switch Int.random(in: 0..<(depth < 5 ? 9 : 8), using: &random) {
      case 0: .signed(Int64.random(in: .min ... .max, using: &random) >> Int.random(in: 0..<64, using: &random))
      case 1: .unsigned(UInt64.random(in: 0 ... .max, using: &random) >> Int.random(in: 0..<64, using: &random))
      case 2: .bool(.random(using: &random))
      case 3: .single(.random(in: -1e9...1e9, using: &random))
      case 4: .double(.random(in: -1e99...1e99, using: &random))
      case 5: .text(String(repeating: "ö", count: .random(in: 0...200, using: &random)))
      case 6: .octets([UInt8](repeating: 7, count: .random(in: 0...70_000, using: &random)))
      case 7: .null
      default:
        {
          let kind = [ElementContainer.structure, .array, .list].randomElement(using: &random)!
          return .container(
            kind, (0..<Int.random(in: 0...4, using: &random)).map { _ in element(&random, in: kind, depth: depth + 1) })
        }()
      }
    return Element(isAnonymous ? .anonymous : tags.randomElement(using: &random)!, value)
  }

  @Test("A container can be skipped, with the containers in it")
  func skipping() throws {
    var reader = ElementReader(hex("15 3600 15 240101 18 18 240202 18"))
    #expect(try reader.next()?.content == .begin(.structure))
    #expect(try reader.next()?.content == .begin(.array))
    try reader.skipContainer()
    #expect(reader.depth == 1)
    let next = try reader.next()
    #expect(next?.tag == .context(2) && next?.content == .unsigned(2))
    try reader.skipContainer()
    #expect(try reader.next() == nil)
    #expect(try Element(decoding: hex("15 240102 18"))[1] == .unsigned(2))
    #expect(try Element(decoding: hex("15 240102 18"))[2] == nil)
    #expect(try Element(decoding: hex("17 240102 240103 18"))[1] == .unsigned(2), "the first of two")
    #expect(try Element(decoding: hex("16 0402 18"))[0] == nil)
  }
}
