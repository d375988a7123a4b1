// Subjects of `find`, and the notation of TLV8 messages and bytes in a suite.
extension Vocabulary {
  static let strings: Shape = .either([.text, .list(.text)])

  /// The members of a subject to look for in the database.
  package static let subjectMembers: [ShapeMember] = [
    ShapeMember(
      "kind", .word(["characteristic", "service", "accessory"]), "the kind of subject; default: `characteristic`"),
    ShapeMember("type", strings, "the type, or several: a name from the catalogue, or a UUID"),
    ShapeMember("except", strings, "for a characteristic: types that it must not have"),
    ShapeMember("service", strings, "for a characteristic: the type of its service"),
    ShapeMember(
      "in", .text, "for a characteristic: its service, from `find`; for a service: its accessory, from `find`"),
    ShapeMember("beside", .text, "for a characteristic: another characteristic of the same service, from `find`"),
    ShapeMember("linked-to", .text, "for a service: a service from `find` that links to it or is linked from it"),
    ShapeMember("format", strings, "for a characteristic: the format, or several"),
    ShapeMember("perms", .list(.text), "for a characteristic: permissions that it must have"),
    ShapeMember("without", .list(.text), "for a characteristic: permissions that it must not have"),
    ShapeMember("has", .list(.text), "members that it must have: `minValue`, `valid-values`, `unit`…"),
    ShapeMember("lacks", .list(.text), "members that it must not have"),
    ShapeMember(
      "with", strings, "for a service: types of its characteristics; for an accessory: types of its services"),
    ShapeMember(
      "aid", .either([.integer(1...Int128(UInt64.max)), .word(["bridge", "bridged"])]),
      "the accessory: a number, `bridge` (aid 1) or `bridged` (any other)"),
    ShapeMember("custom", .bool, "whether the type is not defined by Apple"),
    ShapeMember(
      "quiet", .bool,
      "for a characteristic: whether a write has no effect except on the value that is read back (no motors, locks, alarms or modes)"
    ),
    ShapeMember(
      "values", .integer(1...16),
      "for a characteristic: the minimum number of values that it accepts; they are given as `values`"),
    ShapeMember("room", count, "for a characteristic: text or data with a maximum length of at least this many bytes"),
    ShapeMember("not", strings, "variables whose subjects it must differ from"),
    ShapeMember("all", .bool, "finds a list of all that fit, at least one"),
    ShapeMember("most", .integer(1...1000), "for `all`: the maximum number"),
    ShapeMember("count", .integer(1...1000), "finds a list of this length"),
    ShapeMember("optional", .bool, "whether the case continues with `null` if nothing is found"),
    ShapeMember("because", .text, "the reason if nothing is found, instead of the default one"),
  ]

  /// The members of an object that describes bytes.
  package static let bytesMembers: [ShapeMember] = [
    ShapeMember("hex", .text, "hexadecimal text"), ShapeMember("text", .text, "text as UTF-8"),
    ShapeMember("base64", .text, "base64 text, decoded"), ShapeMember("sha512", .bytes, "the SHA-512 of these bytes"),
    ShapeMember("zeros", count, "this many zeros"),
    ShapeMember("random", count, "this many bytes from the run's random source"),
    ShapeMember("int", .integer(0...Int128(UInt64.max)), "a number, little-endian"),
    ShapeMember("width", .integer(1...16), "for `int`: the number of bytes; default: the smallest of 1, 2, 4 and 8"),
    ShapeMember("repeat", .bytes, "these bytes, repeated `times` times"),
    ShapeMember("times", count, "for `repeat`: the number of times"),
    ShapeMember("of", .bytes, "these bytes, altered by the members below"),
    ShapeMember(
      "flip", .integer(-1_000_000...1_000_000), "inverts one bit of the byte at this offset; negative: from the end"),
    ShapeMember("truncate", count, "keeps only the first N bytes"),
    ShapeMember("skip", count, "drops the first N bytes"),
    ShapeMember("extend", count, "appends N zeros"), ShapeMember("strip", .bool, "removes leading zeros"),
    ShapeMember("lower", .bool, "converts ASCII letters to lower case"),
  ]

  /// Items of TLV8 messages, by their names in suites. HAP R2 §5.15.
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

  /// The alterations of a TLV8 message.
  package static let alterations: [ShapeMember] = [
    alteration(.drop, .text, "removes an item"),
    alteration(.set, .items, "sets the values of items; missing items are added"),
    alteration(.add, .items, "adds items after the others"),
    alteration(.prepend, .items, "adds items before the others"),
    alteration(.duplicate, .text, "repeats an item at the end"),
    alteration(
      .flip,
      .either([
        .text,
        .object([
          ShapeMember("item", .text, required: true, "the item"),
          ShapeMember(
            "at", .integer(-1_000_000...1_000_000), required: true, "the offset of the byte; negative: from the end"),
        ]),
      ]), "inverts one bit of an item's value: in its last byte, or in the byte at `at`"),
    alteration(
      .truncate,
      .object([
        ShapeMember("item", .text, required: true, "the item"), ShapeMember("to", count, "the number of bytes to keep"),
        ShapeMember("by", count, "instead of `to`: the number of bytes to remove"),
      ]), "shortens an item's value"),
    alteration(
      .extend,
      .object([
        ShapeMember("item", .text, required: true, "the item"),
        ShapeMember("by", count, required: true, "the number of zeros"),
        ShapeMember("front", .bool, "whether to add them in front"),
      ]), "lengthens an item's value"),
    alteration(
      .fragment,
      .object([
        ShapeMember("item", .text, required: true, "the item"),
        ShapeMember(
          "sizes", .list(.integer(0...255)), required: true,
          "the sizes of its first fragments; the rest follows correctly"),
      ]), "splits an item into fragments of these sizes"),
    alteration(
      .declare,
      .object([
        ShapeMember("item", .text, required: true, "the item"),
        ShapeMember("length", .integer(0...255), required: true, "the length in its header"),
      ]), "changes the length in an item's header"),
    alteration(.reverse, .bool, "reverses the order of the items"),
    alteration(
      .move,
      .object([
        ShapeMember("item", .text, required: true, "the item"),
        ShapeMember("to", .word(["front", "end"]), required: true, "the new place"),
      ]), "moves an item"),
    alteration(.append, .bytes, "appends bytes to the message"),
    alteration(.cut, count, "removes this many bytes at the end"),
    alteration(.replace, .bytes, "replaces the whole message by these bytes"),
  ]

  private static func alteration(_ name: AlterationName, _ shape: Shape, _ summary: String) -> ShapeMember {
    ShapeMember(name.rawValue, shape, summary)
  }

  /// The constraints of patterns, each with its meaning.
  package static let constraints: [(name: String, summary: String)] =
    ConstraintName.allCases.map { ($0.rawValue, $0.summary) }
}
