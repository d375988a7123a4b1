import HAPModel
import HAPWire

extension Quirks {
  /// Writes an object with every field, which `init(json:fileName:)` can read.
  package func write(to json: inout JSONWriter) { write(QuirksField.all, to: &json) }

  /// Writes the name of a preset if this is one. Otherwise writes an object with the fields that differ from the default.
  package func writeChanges(to json: inout JSONWriter) {
    if let preset = Quirks.presets.keys.first(where: { Quirks.presets[$0] == self }) { return json.string(preset) }
    let usual = Quirks()
    write(QuirksField.all.filter { $0.setting(of: self) != $0.setting(of: usual) }, to: &json)
  }

  private func write(_ fields: [QuirksField], to json: inout JSONWriter) {
    json.object { json in
      for field in fields {
        json.key(field.name)
        switch field.setting(of: self) {
        case .boolean(let value): json.bool(value)
        case .integer(let value): json.integer(value)
        case .fraction(let value): json.double(value)
        case .text(let text): json.string(text)
        case .list(let list): json.array { json in for text in list { json.string(text) } }
        }
      }
    }
  }

  /// Reads quirks inside another document.
  package init(_ node: JSONNode, problems: inout [ProfileProblem]) {
    var reader = QuirksReader()
    self = reader.read(node)
    problems += reader.problems
  }
}
