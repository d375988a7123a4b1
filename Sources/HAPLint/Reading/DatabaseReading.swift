import HAPWire

/// A text read as JSON, repaired where necessary, with the errors of the JSON itself.
struct DatabaseReading: Sendable {
  enum Fault: String, Sendable {
    case byteOrderMark = "byte-order-mark"
    case notUTF8 = "not-utf-8"
    case notANumber = "not-a-number"
    case trailingComma = "trailing-comma"
    case controlCharacter = "control-character"
    case trailingBytes = "trailing-bytes"
    case memberTwice = "member-twice"
    case tooDeep = "too-deep"
    case tooLarge = "too-large"
    case malformed
  }

  struct Noted: Sendable {
    var fault: Fault
    /// The offset in the original text. `nil` if repair moved it.
    var offset: Int?
    /// The message: one sentence.
    var message: String
  }

  private(set) var faults: [Noted] = []
  /// The JSON value; `nil` if the text cannot be read as JSON, even after repair.
  private(set) var root: ParsedValue?
  /// Whether offsets in `root` are those of the original text.
  private(set) var keepsPlaces = true

  init(_ text: [UInt8]) {
    switch ParsedValueReader.read(text) {
    case .success(let tree): take(tree)
    case .failure(.tooManyValues(let offset)): note(.tooLarge, offset, Self.tooLargeMessage)
    case .failure(.notJSON(let failure)): mend(text, failure)
    }
  }

  private static let tooLargeMessage =
    "there are more than \(ParsedValueReader.mostValues) values; the text is not read"

  private mutating func note(_ fault: Fault, _ offset: Int?, _ message: String) {
    faults.append(Noted(fault: fault, offset: offset, message: message))
  }

  private mutating func take(_ tree: (root: ParsedValue, twice: [ParsedValueReader.Twice])) {
    if ParsedDatabase.things(in: tree.root) > DatabaseLint.mostThings {
      note(
        .tooLarge, 0,
        "there are more than \(DatabaseLint.mostThings) accessories, services and characteristics; they are not judged")
    } else {
      root = tree.root
    }
    for twice in tree.twice {
      note(
        .memberTwice, keepsPlaces ? twice.offset : nil, "the member \(quoted(twice.name)) appears twice in one object")
    }
  }

  private mutating func mend(_ text: [UInt8], _ failure: JSONReader.Failure) {
    var bytes = text
    var shift = 0
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      note(.byteOrderMark, 0, "the text starts with a byte order mark")
      bytes.removeFirst(3)
      shift = 3
    }
    if String(validating: bytes, as: UTF8.self) == nil {
      note(.notUTF8, failure.reason == .badUTF8 ? failure.offset : nil, "the text is not UTF-8")
      bytes = Array(String(decoding: bytes, as: UTF8.self).utf8)
    }
    let numbers = JSONRepair.repaired(bytes)
    for word in numbers.words {
      note(
        .notANumber, bytes.count + shift == text.count ? word.offset + shift : nil, "JSON does not allow \(word.text)")
    }
    bytes = numbers.bytes
    let (repaired, mends) = LenientJSON.repaired(bytes)
    let isInPlace = bytes.count + shift == text.count
    var commas: [Int] = []
    var controls: [Int] = []
    for mend in mends {
      if bytes[mend.offset] < 0x20 { controls.append(mend.offset) } else { commas.append(mend.offset) }
    }
    if let first = commas.first {
      note(.trailingComma, isInPlace ? first + shift : nil, "there is a comma before a closing bracket")
    }
    if let first = controls.first {
      note(
        .controlCharacter, isInPlace ? first + shift : nil,
        "there is an unescaped control character")
    }
    keepsPlaces = shift == 0 && isInPlace && controls.isEmpty
    switch ParsedValueReader.read(repaired) {
    case .success(let tree):
      if failure.reason == .trailingBytes || Self.hasMore(bytes, repaired, controls) {
        let place = failure.reason == .trailingBytes ? failure.offset : nil
        note(.trailingBytes, place, "there is text after the end of the JSON")
      }
      take(tree)
    case .failure(.tooManyValues): note(.tooLarge, nil, Self.tooLargeMessage)
    case .failure(.notJSON(let rest)):
      keepsPlaces = false
      let isTooDeep = rest.reason == .tooDeep
      // The first error of the strict reader has its true place, unless it was repaired.
      let isFirst = faults.isEmpty
      note(
        isTooDeep ? .tooDeep : .malformed, isFirst ? failure.offset : nil,
        isTooDeep
          ? "it is nested deeper than 64 levels" : "this is not JSON: \(isFirst ? failure.message : rest.message)")
    }
  }

  /// Returns whether repair dropped text after the end.
  private static func hasMore(_ bytes: [UInt8], _ repaired: [UInt8], _ controls: [Int]) -> Bool {
    guard controls.isEmpty else { return false }
    return bytes.dropFirst(repaired.count).contains { $0 > 0x20 }
  }
}
