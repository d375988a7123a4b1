import Foundation
import HAPTestSupport
import Testing
@testable import HAPWire

private func written(_ body: (inout ByteBuffer) -> Void) -> String {
  var buffer = ByteBuffer(capacity: 0)
  body(&buffer)
  return String(decoding: buffer.bytes, as: UTF8.self)
}

struct JSONWriterTests {
  @Test("Objects, arrays and each kind of value are written, with correct commas")
  func structure() {
    let text = JSONWriter.text { json in
      json.object {
        $0.key("a")
        $0.array {
          $0.integer(1)
          $0.array { _ in }
          $0.object { _ in }
          $0.double(0.5)
        }
        $0.key("b\n")
        $0.object {
          $0.key("c")
          $0.bool(false)
          $0.key("d")
          $0.null()
        }
        $0.key("e")
        $0.base64([1, 2, 3])
        $0.key("f")
        $0.string("x")
      }
    }
    #expect(text == #"{"a":[1,[],{},0.5],"b\n":{"c":false,"d":null},"e":"AQID","f":"x"}"#)
    var buffer = ByteBuffer()
    buffer.append("> ")
    JSONWriter.write(into: &buffer) { $0.integer(UInt64.max) }
    #expect(buffer.bytes == utf8("> 18446744073709551615"))
  }

  @Test("An integer of each type is written with all its digits, and is the same as a node")
  func integers() throws {
    func check(_ numbers: some Sequence<Int128>) throws {
      for number in numbers {
        let texts = [
          JSONWriter.text { $0.integer(number) }, JSONWriter.text { $0.node(.integer(number)) },
          Int64(exactly: number).map { small in JSONWriter.text { $0.integer(small) } },
          Int(exactly: number).map { small in JSONWriter.text { $0.integer(small) } },
          UInt64(exactly: number).map { small in JSONWriter.text { $0.integer(small) } },
          UInt8(exactly: number).map { small in JSONWriter.text { $0.integer(small) } },
        ]
        #expect(Set(texts.compactMap { $0 }) == [number.description])
        let parsed = try JSONNode.parse(utf8(number.description))
        #expect(parsed.says(.integer(number)))
        if let small = Int64(exactly: number) { #expect(parsed.says(.integer(small))) }
        if let small = UInt64(exactly: number) { #expect(parsed.says(.integer(small))) }
      }
    }
    try check([.min, .max, 0, 9, 10, 255, 256, -1, -10])
    for edge in [Int128(Int64.min), Int128(Int64.max), Int128(UInt64.max)] { try check(edge - 1...edge + 1) }
    #expect(JSONWriter.text { $0.integer(UInt128.max) } == Int128.max.description)
  }

  @Test("Strings are escaped only where necessary")
  func escapes() {
    #expect(
      written { $0.appendJSON("a\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é😀") }
        == "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7F}é😀\"")
  }

  @Test(
    "Doubles are written in the shortest form, whole ones without a fraction",
    arguments: [
      (0.0, "0"), (-0.0, "0"), (1, "1"), (-1, "-1"), (100, "100"), (0.1, "0.1"), (21.5, "21.5"),
      (1e15, "1000000000000000"),
      (9007199254740991, "9007199254740991"), (0.30000000000000004, "0.30000000000000004"),
    ])
  func doubles(_ number: Double, _ text: String) {
    #expect(written { $0.appendJSON(number) } == text)
  }

  @Test(
    "[CH.20] NaN and infinities are written as null", arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
  func notFinite(_ number: Double) {
    #expect(written { $0.appendJSON(number) } == "null")
  }

  @Test("Any finite double is read back unchanged", arguments: 0..<20 as Range<UInt64>)
  func doubleRoundTrip(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var numbers = (0..<200).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite)
    numbers += (0..<100).map { _ in Double(Int64(bitPattern: random.next())) }
    numbers += [.greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude, .ulpOfOne, .pi, 1e16, 1e-5]
    for number in numbers {
      let text = written { $0.appendJSON(number) }
      #expect(try JSONNode.parse(utf8(text)).numberValue?.double == number)
    }
  }

  @Test("Integers at their limits", arguments: [0, -1, Int128(Int64.min), Int128(UInt64.max), .max, .min])
  func integers(_ number: Int128) {
    #expect(written { $0.appendJSON(number) } == "\(number)")
  }

  @Test("Base64: RFC 4648's vectors in both directions, and any bytes")
  func base64() {
    for (plain, coded) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ] {
      #expect(Base64.encode(utf8(plain)) == coded)
      #expect(Base64.decode(coded) == utf8(plain))
    }
    var random = SeededGenerator(seed: 4)
    for length in 0..<100 {
      let bytes = random.bytes(length)
      #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
  }

  @Test(
    "Base64 that isn't complete, padded and canonical is refused",
    arguments: [
      "Z", "Zg", "Zg=", "Zm9", "Zm9v=", "====", "=", "Z===", "Zh==", "Zm9=", "Zm 9", "Zm9v\n", "Zm9-", "Z=g=",
      "Zg==Zg==", "Zm8=Zm9v",
      "é===", "Zm9_",
    ])
  func badBase64(_ text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
