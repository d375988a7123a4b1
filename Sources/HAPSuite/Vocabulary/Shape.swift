/// The allowed shape of a part of a suite. Suites are checked against it, and the JSON Schema and the tables of the documentation are
/// generated from it. A variable, `${name}`, may replace any scalar.
package indirect enum Shape: Sendable {
  /// Any YAML.
  case any
  case text
  case integer(ClosedRange<Int128>)
  case bool
  /// "500ms", "2s", "1.5min".
  case duration
  /// One of these words.
  case word([String])
  /// A pattern of a JSON value: literal, or an object of `$` constraints.
  case pattern
  /// Bytes: hexadecimal text, or an object that describes them.
  case bytes
  /// The items of a TLV8 message to send.
  case items
  /// Patterns of the items of a received TLV8 message.
  case itemPatterns
  /// Alterations of a TLV8 message, applied in order.
  case alterations
  case list(Shape)
  /// Members of any name, all with values of one shape.
  case map(Shape)
  /// These members and no others.
  case object([ShapeMember])
  /// The first shape that accepts the kind of value.
  case either([Shape])
  /// A list of steps.
  case steps
  /// A subject to look for in the database.
  case subject
}

/// A member of an object in a suite.
package struct ShapeMember: Sendable {
  package var name: String
  package var shape: Shape
  package var isRequired: Bool
  /// One line for the documentation.
  package var summary: String

  package init(_ name: String, _ shape: Shape, required: Bool = false, _ summary: String) {
    self.name = name
    self.shape = shape
    self.isRequired = required
    self.summary = summary
  }
}

/// A step of the vocabulary.
package struct Verb: Sendable {
  package var step: StepName
  package var summary: String
  package var shape: Shape

  package var name: String { step.rawValue }

  package init(_ step: StepName, _ shape: Shape, _ summary: String) {
    self.step = step
    self.shape = shape
    self.summary = summary
  }
}
