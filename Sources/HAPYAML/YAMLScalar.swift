import HAPWire

/// Scalars of the core schema of YAML 1.2.2 §10.3: null, true and false, integers, fractions, and text.
///
/// `on`, `off`, `yes` and `no` are text.
enum YAMLScalar {
  /// The reason why a scalar is invalid, without its place.
  struct Refusal: Error, Equatable { var message: String }

  /// A scalar that is neither in quotes nor tagged.
  static func plain(_ text: String) throws(Refusal) -> JSONNode.Kind {
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    default: break
    }
    guard let first = text.utf8.first, "+-.0123456789".utf8.contains(first) else { return .string(text) }
    if let number = try number(text) { return .number(number) }
    return .string(text)
  }

  /// A scalar with a tag of the schema.
  static func tagged(_ text: String, _ type: String) throws(Refusal) -> JSONNode.Kind {
    if type == "str" { return .string(text) }
    let kind = try plain(text)
    switch (type, kind) {
    case ("null", .null), ("bool", .bool): return kind
    case ("int", .number(let number)) where number.isInteger: return kind
    case ("float", .number(var number)):
      if number.isInteger { number.text += ".0" }
      number.isInteger = false
      number.integer = nil
      return .number(number)
    default: throw Refusal(message: "\"\(text)\" is not a value of !!\(type)")
    }
  }

  private static func number(_ text: String) throws(Refusal) -> JSONNode.Number? {
    let bytes = Array(text.utf8)
    if bytes.count > 2, bytes[0] == UInt8(ascii: "0"), bytes[1] == UInt8(ascii: "x") || bytes[1] == UInt8(ascii: "o") {
      return try digits(bytes[2...], radix: bytes[1] == UInt8(ascii: "x") ? 16 : 8)
    }
    return try decimal(bytes)
  }

  /// Parses the digits of `0x…` and `0o…`. Returns nil for an invalid digit.
  private static func digits(_ digits: ArraySlice<UInt8>, radix: Int) throws(Refusal) -> JSONNode.Number? {
    let isNumber = digits.allSatisfy { byte in
      radix == 8
        ? (0x30...0x37).contains(byte) : (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
    }
    guard isNumber else { return nil }
    guard let integer = Int128(String(decoding: digits, as: UTF8.self), radix: radix) else {
      throw Refusal(message: "the number is too large")
    }
    return JSONNode.Number(text: String(integer), isInteger: true, integer: integer, double: Double(integer))
  }

  /// Parses `[-+]? ( \.[0-9]+ | [0-9]+ (\.[0-9]*)? ) ([eE] [-+]? [0-9]+)?`, and `.inf` and `.nan`, which are refused.
  private static func decimal(_ bytes: [UInt8]) throws(Refusal) -> JSONNode.Number? {
    var rest = bytes[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest = rest.dropFirst() }
    let word = String(decoding: rest.prefix(5), as: UTF8.self)
    if [".inf", ".Inf", ".INF"].contains(word)
      || (rest.count == bytes.count && [".nan", ".NaN", ".NAN"].contains(word))
    {
      throw Refusal(message: "\"\(word)\" is not a JSON number: put a text in quotes")
    }
    var whole = takeDigits(&rest)
    var fraction: ArraySlice<UInt8>?
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      fraction = takeDigits(&rest)
    }
    guard !whole.isEmpty || fraction?.isEmpty == false else { return nil }
    var exponent: ArraySlice<UInt8>?
    if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
      let start = rest.startIndex
      rest = rest.dropFirst()
      if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest = rest.dropFirst() }
      guard !takeDigits(&rest).isEmpty else { return nil }
      exponent = bytes[start..<rest.startIndex]
    }
    guard rest.isEmpty else { return nil }
    // JSON has no plus sign and no leading zeros, and requires digits on both sides of a decimal point.
    whole = whole.drop { $0 == UInt8(ascii: "0") }
    var text = isNegative ? "-" : ""
    text += whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self)
    if let fraction { text += "." + (fraction.isEmpty ? "0" : String(decoding: fraction, as: UTF8.self)) }
    if let exponent { text += String(decoding: exponent, as: UTF8.self) }
    let isInteger = fraction == nil && exponent == nil
    return JSONNode.Number(
      text: text, isInteger: isInteger, integer: isInteger ? Int128(text) : nil,
      double: Double(text) ?? (isNegative ? -.infinity : .infinity))
  }

  private static func takeDigits(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest[digits.endIndex...]
    return digits
  }
}
