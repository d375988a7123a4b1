/// What `find` can look for, and how a TLV8 message and bytes are written in a suite.
extension Vocabulary {
  static let strings: Shape = .either([.text, .list(.text)])

  /// Of something looked for in the database.
  package static let subjectMembers: [ShapeMember] = [
    ShapeMember(
      "kind", .word(["characteristic", "service", "accessory"]), "what is looked for; `characteristic` without it"),
    ShapeMember("type", strings, "its type, or several: a name of the catalogue, or a UUID"),
    ShapeMember("except", strings, "of a characteristic: types that it hasn't"),
    ShapeMember("service", strings, "of a characteristic: its service's type"),
    ShapeMember(
      "in", .text, "of a characteristic: a service that was found; of a service: an accessory that was found"),
    ShapeMember("beside", .text, "of a characteristic: in the same service as this one that was found"),
    ShapeMember("linked-to", .text, "of a service: linked to or from a service that was found"),
    ShapeMember("format", strings, "of a characteristic: its format, or several"),
    ShapeMember("perms", .list(.text), "of a characteristic: permissions that it has"),
    ShapeMember("without", .list(.text), "of a characteristic: permissions that it hasn't"),
    ShapeMember("has", .list(.text), "members that it has: `minValue`, `valid-values`, `unit`…"),
    ShapeMember("lacks", .list(.text), "members that it hasn't"),
    ShapeMember(
      "with", strings, "of a service: types of characteristics that it has; of an accessory: types of services"),
    ShapeMember(
      "aid", .either([.integer(1...Int128(UInt64.max)), .word(["bridge", "bridged"])]),
      "of which accessory: a number, aid 1, or any other"),
    ShapeMember("custom", .bool, "whether its type is not Apple's"),
    ShapeMember(
      "quiet", .bool,
      "of a characteristic: one that can be written and read back without anything else happening: no motors, locks, alarms or modes"
    ),
    ShapeMember(
      "values", .integer(1...16), "of a characteristic: at least so many values that it may be given, as `values`"),
    ShapeMember("room", count, "of a characteristic: text or data that may have at least so many bytes"),
    ShapeMember("not", strings, "other variables that it must not be the same as"),
    ShapeMember("all", .bool, "a list of all that fit, at least one"),
    ShapeMember("most", .integer(1...1000), "of `all`: no more than so many"),
    ShapeMember("count", .integer(1...1000), "a list of so many"),
    ShapeMember("optional", .bool, "without one the variable is null, and the case goes on"),
    ShapeMember("because", .text, "said when there is none, in place of what was looked for"),
  ]

  /// Of an object that makes bytes.
  package static let bytesMembers: [ShapeMember] = [
    ShapeMember("hex", .text, "hexadecimal text"), ShapeMember("text", .text, "as UTF-8"),
    ShapeMember("base64", .text, "decoded"), ShapeMember("sha512", .bytes, "the SHA-512 of these bytes"),
    ShapeMember("zeros", count, "so many zeros"), ShapeMember("random", count, "so many bytes of the run's chance"),
    ShapeMember("int", .integer(0...Int128(UInt64.max)), "a number, little-endian"),
    ShapeMember("width", .integer(1...16), "of `int`: in so many bytes; else 1, 2, 4 or 8"),
    ShapeMember("repeat", .bytes, "these bytes, `times` times"), ShapeMember("times", count, "of `repeat`"),
    ShapeMember("of", .bytes, "these bytes, altered:"),
    ShapeMember("flip", .integer(-1_000_000...1_000_000), "one bit of the byte at this offset; negative: from the end"),
    ShapeMember("truncate", count, "the first so many"), ShapeMember("skip", count, "without the first so many"),
    ShapeMember("extend", count, "and so many zeros"), ShapeMember("strip", .bool, "without zeros in front"),
    ShapeMember("lower", .bool, "ASCII letters in lower case"),
  ]

  /// Items of TLV8 messages, by the names that suites have for them. HAP R2 §5.15.
  package static let itemTypes: [(name: String, type: UInt8)] = [
    ("method", 0x00), ("identifier", 0x01), ("salt", 0x02), ("public-key", 0x03), ("proof", 0x04),
    ("encrypted-data", 0x05), ("state", 0x06), ("error", 0x07), ("retry-delay", 0x08), ("certificate", 0x09),
    ("signature", 0x0A), ("permissions", 0x0B), ("fragment-data", 0x0C), ("fragment-last", 0x0D), ("session-id", 0x0E),
    ("flags", 0x13), ("separator", 0xFF),
  ]

  /// Values of the Error item. HAP R2 §5.15 table 5-5.
  package static let errorNames: [(name: String, value: UInt8)] = [
    ("unknown", 1), ("authentication", 2), ("backoff", 3), ("max-peers", 4), ("max-tries", 5), ("unavailable", 6),
    ("busy", 7),
  ]

  /// What can be done to a TLV8 message.
  package static let alterations: [ShapeMember] = [
    alteration(.drop, .text, "an item"),
    alteration(.set, .items, "items get other values; those that aren't there are added"),
    alteration(.add, .items, "items behind the others"), alteration(.prepend, .items, "items before the others"),
    alteration(.duplicate, .text, "an item again, at the end"),
    alteration(
      .flip,
      .either([
        .text,
        .object([
          ShapeMember("item", .text, required: true, "which"),
          ShapeMember("at", .integer(-1_000_000...1_000_000), required: true, "the byte; negative: from the end"),
        ]),
      ]), "one bit of an item's value: of its last byte, or of the byte at `at`"),
    alteration(
      .truncate,
      .object([
        ShapeMember("item", .text, required: true, "which"), ShapeMember("to", count, "so many bytes"),
        ShapeMember("by", count, "or so many fewer"),
      ]), "an item's value"),
    alteration(
      .extend,
      .object([
        ShapeMember("item", .text, required: true, "which"), ShapeMember("by", count, required: true, "so many zeros"),
        ShapeMember("front", .bool, "in front"),
      ]), "an item's value"),
    alteration(
      .fragment,
      .object([
        ShapeMember("item", .text, required: true, "which"),
        ShapeMember(
          "sizes", .list(.integer(0...255)), required: true, "of its fragments; the rest follows as it should"),
      ]), "an item in fragments of these sizes"),
    alteration(
      .declare,
      .object([
        ShapeMember("item", .text, required: true, "which"),
        ShapeMember("length", .integer(0...255), required: true, "what its header says"),
      ]), "an item whose header says another length"),
    alteration(.reverse, .bool, "the items from the last to the first"),
    alteration(
      .move,
      .object([
        ShapeMember("item", .text, required: true, "which"),
        ShapeMember("to", .word(["front", "end"]), required: true, "where"),
      ]), "an item to another place"),
    alteration(.append, .bytes, "bytes behind the message"), alteration(.cut, count, "so many bytes off its end"),
    alteration(.replace, .bytes, "the whole message by these bytes"),
  ]

  private static func alteration(_ name: AlterationName, _ shape: Shape, _ summary: String) -> ShapeMember {
    ShapeMember(name.rawValue, shape, summary)
  }

  /// Constraints of patterns, with what each wants.
  package static let constraints: [(name: String, summary: String)] =
    ConstraintName.allCases.map { ($0.rawValue, $0.summary) }
}
