import HAPModel
import MatterWire

extension TypeID {
  /// The name in Apple's catalogue; without one, the UUID.
  var shown: String { Catalogue.characteristic(self)?.identifier ?? wireForm }
}

extension Value {
  /// As in a profile.
  var shown: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .float(let value): "\(value)"
    case .string(let value): value
    case .data(let value): "\(value.count) bytes"
    }
  }
}

extension Element.Value {
  /// On one line, with decimal numbers: `[1, 2]`, `{0: 7, 1: null}`.
  var shown: String {
    switch self {
    case .signed(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .bool(let value): "\(value)"
    case .single(let value): "\(value)"
    case .double(let value): "\(value)"
    case .text(let value): "\"\(value)\""
    case .octets(let value): "\(value.count) bytes"
    case .null: "null"
    case .container(.structure, let members): "{" + members.map(\.shown).joined(separator: ", ") + "}"
    case .container(_, let members): "[" + members.map(\.value.shown).joined(separator: ", ") + "]"
    }
  }
}

extension Element {
  fileprivate var shown: String {
    if case .context(let tag) = tag { "\(tag): \(value.shown)" } else { value.shown }
  }
}
