import HAPAlmanac
import HAPModel
import HAPWire

/// The parts of a document that differ between JSON and `.hashome`: references to objects, values, and moments. All other
/// words of events, conditions and triggers are the same.
package protocol HomeNotation {
  /// Reads a reference to an object.
  func reference(_ node: JSONNode, to kind: HomeObjectKind) throws(JSONProblem) -> HomeObjectID
  /// Writes a reference to an object.
  func written(_ id: HomeObjectID, _ kind: HomeObjectKind) -> JSONNode
  /// Reads a value of a characteristic.
  func value(_ node: JSONNode, of characteristic: HomeObjectID) throws(JSONProblem) -> Value
  /// Writes a value of a characteristic.
  func written(_ value: Value, of characteristic: HomeObjectID) -> JSONNode
  /// Parses the time at which a timer fires first.
  func instant(_ node: JSONNode) throws(JSONProblem) -> Instant
  /// Writes the first time of a timer.
  func written(_ instant: Instant) -> JSONNode
}

/// The notation of JSON: identifiers, values without names, and times in UTC.
package struct IdentifierNotation: HomeNotation {
  package init() {}

  package func reference(_ node: JSONNode, to kind: HomeObjectKind) throws(JSONProblem) -> HomeObjectID {
    try node.identifier(of: kind)
  }

  package func written(_ id: HomeObjectID, _ kind: HomeObjectKind) -> JSONNode { .id(id) }

  package func value(_ node: JSONNode, of characteristic: HomeObjectID) throws(JSONProblem) -> Value {
    try Value(exact: node)
  }

  package func written(_ value: Value, of characteristic: HomeObjectID) -> JSONNode { value.exactNode }

  package func instant(_ node: JSONNode) throws(JSONProblem) -> Instant {
    try node.parsed("a time in UTC such as \"2026-06-01T19:00:00Z\"", HomeText.instant)
  }

  package func written(_ instant: Instant) -> JSONNode { .text(HomeText.instantText(instant)) }
}

extension Value {
  /// Parses the JSON of a value without a characteristic: bytes are `{"base64": "…"}`. An integer and a number with a
  /// fraction or an exponent keep their kinds.
  package init(exact node: JSONNode) throws(JSONProblem) {
    switch node.kind {
    case .null: self = .null
    case .bool(let bool): self = .bool(bool)
    case .number(let number): self = number.integer.map { .integer($0) } ?? .float(number.double)
    case .string(let text): self = .string(text)
    case .array: throw node.problem("a value is a text, a number, true, false or {\"base64\": …}, not a list")
    case .object:
      try node.refuseUnknownMembers(except: ["base64"])
      self = .data(try node.required("base64").parsed("base64", Base64.decode))
    }
  }

  /// The JSON that `init(exact:)` parses as the same value. NaN, which no characteristic allows, becomes null.
  package var exactNode: JSONNode {
    switch self {
    case .null: JSONNode(.null)
    case .bool(let bool): .flag(bool)
    case .integer(let integer): .integer(integer)
    case .float(let float): .fraction(float)
    case .string(let text): .text(text)
    case .data(let bytes): .object([("base64", .text(Base64.encode(bytes)))])
    }
  }
}
