@testable import HAPWire
import Testing

/// All tokens of a text, or the failure.
private func tokens(_ bytes: [UInt8], depthLimit: Int = 64) -> Result<[JSONReader.Token], JSONReader.Failure> {
  bytes.withUnsafeBytes { raw in
    var reader = JSONReader(raw, depthLimit: depthLimit)
    var tokens: [JSONReader.Token] = []
    do throws(JSONReader.Failure) {
      while true {
        let token = try reader.next()
        tokens.append(token)
        if token == .end { return .success(tokens) }
      }
    } catch {
      return .failure(error)
    }
  }
}

private func failure(_ text: String) -> JSONReader.Failure? {
  if case .failure(let failure) = tokens(utf8(text)) { failure } else { nil }
}

struct JSONReaderTests {
  @Test(
    "JSON that RFC 8259 allows is read",
    arguments: [
      "0", "-0", "1", "-1", "10", "1.5", "-0.0", "1e5", "1E+5", "1e-05", "0e0", "0.0000001",
      "123456789012345678901234567890",
      "1e400", "true", "false", "null", "\"\"", "\"a\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0000\"",
      "\"\\u00e9\\uD83D\\uDE00\"",
      "\"é€😀\"", "\"\u{7F}\"", "\"\u{2028}\"", "[]", "[ ]", "[1]", "[1,2]", "[[],[[]]]", "{}", "{ }", "{\"a\":1}",
      "{\"\":null}", "{\"a\":{\"b\":[{}]},\"c\":[]}", " \t\r\n1 \t\r\n", "{\"a\" : 1 , \"a\" : 2}",
      "[null,true,false,\"\",0,{},[]]",
      "\"\\uFFFF\"", "\"\u{10FFFF}\"", "-1.0e-1",
    ])
  func accepted(_ text: String) {
    #expect(failure(text) == nil)
  }

  @Test(
    "[HTTP.11] JSON that RFC 8259 forbids is refused",
    arguments: [
      "", " ", "-", "+1", "01", "-01", "00", ".5", "1.", "1.e5", "1e", "1e+", "1e1.5", "0x10", "1a", "--1", "1-", "- 1",
      "Infinity",
      "NaN", "-Infinity", "tru", "truex", "True", "nul", "nulll", "falsy", "\"", "\"a", "\"\\\"", "\"\\x\"",
      "\"\\u12\"",
      "\"\\u12G4\"", "\"\\U0041\"", "\"a\nb\"", "\"\u{0}\"", "\"\t\"", "\"\\uD800\"", "\"\\uDC00\"",
      "\"\\uD800\\u0041\"",
      "\"\\uD800x\"", "\"\\uD800\\uD800\"", "\"\\u", "\"\\", "'a'", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]",
      "[1,,2]", "[}",
      "{", "}", "{]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "{1:1}",
      "{\"a\",1}",
      "{\"a\" 1}", "{\"a\"::1}", "{\"a\":1 \"b\":2}", "{null:1}", "1 2", "[] []", "{}x", "[1]]", "true false",
      "\u{A0}1", "\u{C}1",
      "/* a */ 1", "1 // a", "[1, // a\n2]", "\u{FEFF}1", "[\"a\":1]", "{\"a\"}", "[-]", "[1e]", "1\u{0}",
    ])
  func refused(_ text: String) {
    #expect(failure(text) != nil)
    // A longer text with the mistake is refused, too: the reader never recovers.
    #expect(failure(text + " ") != nil)
  }

  @Test(
    "[HTTP.36] Bytes other than UTF-8 are refused",
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE2, 0x82],
      [0xE2, 0x28, 0xA1],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xE2, 0x82, 0x28], [0xF0, 0x9F, 0x28, 0x80],
    ] as [[UInt8]])
  func badUTF8(_ bytes: [UInt8]) {
    guard case .failure(let failure) = tokens([0x22] + bytes + [0x22]) else {
      Issue.record("taken")
      return
    }
    #expect(failure == .init(reason: .badUTF8, offset: 1))
    guard case .failure = tokens([0x22] + bytes) else {
      Issue.record("taken")
      return
    }
  }

  @Test("A refusal has a reason and a byte offset")
  func places() {
    #expect(failure("[1, // x\n 2]") == .init(reason: .comment, offset: 4))
    #expect(failure("{\"a\": 1 /* x */}") == .init(reason: .comment, offset: 8))
    #expect(failure("\u{FEFF}{}") == .init(reason: .byteOrderMark, offset: 0))
    #expect(failure("{\"a\":01}") == .init(reason: .badNumber, offset: 6))
    #expect(failure("{\"a\":1,}") == .init(reason: .trailingComma, offset: 6))
    #expect(failure("[1 , ]") == .init(reason: .trailingComma, offset: 3))
    #expect(failure("[1,}") == .init(reason: .expectedValue, offset: 3))
    #expect(failure("[1 2]") == .init(reason: .expectedCommaOrEnd, offset: 3))
    #expect(failure("[1]]") == .init(reason: .trailingBytes, offset: 3))
    #expect(failure("[\"\\q\"]") == .init(reason: .badEscape, offset: 2))
    #expect(failure("[1,") == .init(reason: .unexpectedEnd, offset: 3))
    #expect(failure("\"a\u{1}\"") == .init(reason: .controlCharacter, offset: 2))
    #expect(failure("{\"a\" 1}") == .init(reason: .expectedColon, offset: 5))
    #expect(failure("trux") == .init(reason: .unexpectedByte, offset: 3))
  }

  @Test("[HTTP.36] Nesting is limited")
  func depth() {
    func nested(_ depth: Int) -> [UInt8] {
      utf8(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
    }
    #expect(throws: Never.self) { try tokens(nested(64)).get() }
    #expect(throws: JSONReader.Failure(reason: .tooDeep, offset: 64)) { try tokens(nested(65)).get() }
    #expect(throws: JSONReader.Failure(reason: .tooDeep, offset: 64)) { try tokens(nested(100_000)).get() }
    #expect(throws: JSONReader.Failure(reason: .tooDeep, offset: 3)) { try tokens(nested(4), depthLimit: 3).get() }
    let mixed = String(repeating: "{\"a\":[", count: 32) + String(repeating: "]}", count: 32)
    #expect(failure(mixed) == nil)
  }

  @Test("Tokens arrive in order; commas and colons are checked but not reported")
  func order() throws {
    let text = #"{"aid":1,"x":[true,null,-2.5]}"#
    let all = try tokens(utf8(text)).get()
    #expect(all.count == 11)
    #expect(all[0] == .beginObject && all[3] == .key(JSONText(range: 10..<11, hasEscapes: false)))
    #expect(all[4] == .beginArray && all[5] == .bool(true) && all[6] == .null)
    #expect(all[8] == .endArray && all[9] == .endObject && all[10] == .end)
  }

  @Test("Numbers: integers exactly to Int128, fractions as the nearest double, 1.0 is not an integer")
  func numbers() {
    func read(_ text: String) -> (Bool, Int128?, Double?) {
      utf8(text).withUnsafeBytes { raw in
        var reader = JSONReader(raw)
        guard case .number(let number)? = try? reader.next() else { return (false, nil, nil) }
        return (number.isInteger, reader.integer(number), reader.double(number))
      }
    }
    #expect(read("18446744073709551615") == (true, 18_446_744_073_709_551_615, 0x1p64))
    #expect(read("18446744073709551616") == (true, 18_446_744_073_709_551_616, 18_446_744_073_709_551_616))
    #expect(read("-18446744073709551615") == (true, -18_446_744_073_709_551_615, -0x1p64))
    #expect(read("170141183460469231731687303715884105727").1 == .max)
    #expect(read("-170141183460469231731687303715884105728").1 == .min)
    #expect(read("170141183460469231731687303715884105728").1 == nil)
    #expect(read("1.0") == (false, nil, 1))
    #expect(read("1e2") == (false, nil, 100))
    #expect(read("0.1") == (false, nil, 0.1))
    #expect(read("1e400").2 == nil)
    #expect(read("-1e-400").2 == 0)
    #expect(read("9007199254740993").1 == 9_007_199_254_740_993)
  }

  @Test("Strings: escapes are resolved, also in comparisons")
  func strings() {
    let text = #"["plain","\u0061\n\"\\\/\b\f\r\t\uD83D\uDE00é","\u0061id"]"#
    utf8(text).withUnsafeBytes { raw in
      var reader = JSONReader(raw)
      var found: [String] = []
      var buffer = ByteBuffer()
      while let token = try? reader.next(), token != .end {
        guard case .string(let string) = token else { continue }
        found.append(reader.string(string))
        reader.append(string, to: &buffer)
        #expect(reader.isEqual(string, to: "aid") == (found.count == 3))
        #expect(reader.isEqual(string, to: "plain") == (found.count == 1))
      }
      #expect(found == ["plain", "a\n\"\\/\u{8}\u{C}\r\t😀é", "aid"])
      #expect(buffer.bytes == utf8(found.joined()))
    }
  }

  @Test("Values can be skipped as a whole")
  func skipping() throws {
    let text = utf8(#"{"a":{"b":[1,{"c":[]}]},"d":"x","e":[[[]]],"f":7}"#)
    try text.withUnsafeBytes { raw in
      var reader = JSONReader(raw)
      _ = try reader.next()
      var names: [String] = []
      while case .key(let key) = try reader.next() {
        names.append(reader.string(key))
        try reader.skipValue()
      }
      #expect(names == ["a", "d", "e", "f"])
      #expect(try reader.next() == .end)
    }
    utf8("[]").withUnsafeBytes { raw in
      var reader = JSONReader(raw)
      _ = try? reader.next()
      #expect(throws: JSONReader.Failure(reason: .expectedValue, offset: 1)) { try reader.skipValue() }
    }
  }

  @Test("Each truncated text is refused, unless it is complete")
  func truncations() {
    let text = utf8(#" {"a":[1.5e3,"\u00e9\n",true],"b":{"c":null}}"#)
    for length in 0..<text.count {
      #expect(throws: JSONReader.Failure.self) { try tokens(Array(text[..<length])).get() }
    }
  }

  @Test("Any byte at any position is read or refused and never traps")
  func everyByteEverywhere() {
    let text = utf8(#"{"a":[-1.5e+3,"\u00e9\uD83D\uDE00é\n",true,null],"b":{}}"#)
    for position in text.indices {
      for byte in 0...255 as ClosedRange<UInt8> {
        var bytes = text
        bytes[position] = byte
        if case .success = tokens(bytes) { #expect(throws: Never.self) { try read(bytes) } }
      }
    }
    func read(_ bytes: [UInt8]) throws {
      do throws(JSONError) {
        let node = try JSONNode.parse(bytes)
        var buffer = ByteBuffer()
        buffer.appendJSON(node)
        _ = try JSONNode.parse(buffer.bytes)
      } catch {
        guard error.message.contains("twice") else { throw error }
      }
    }
  }
}
