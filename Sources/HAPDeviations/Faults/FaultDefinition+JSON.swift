import HAPModel
import HAPWire

extension FaultDefinition {
  /// Writes the fault and its parameters as an object.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("name")
      json.string(name)
      json.key("what")
      json.string(what)
      json.key("protocols")
      json.array { json in for affected in plain.protocols { json.string(affected.rawValue) } }
      json.key("reports")
      json.array { json in for report in reports { json.integer(report) } }
      json.key("parameters")
      json.array { json in
        for parameter in parameters {
          json.object { json in
            json.key("name")
            json.string(parameter.name)
            json.key("what")
            json.string(parameter.what)
            json.key("is")
            json.string(parameter.expectation)
            if case .choice(let choices) = parameter.kind {
              json.key("choices")
              json.array { json in for choice in choices { json.string(choice) } }
            }
            json.key("default")
            parameter.standard.write(to: &json)
          }
        }
      }
    }
  }
}

extension FaultChoice {
  /// Writes the choice in a form that `FaultLibrary.choice` reads: the name, or an object with the given parameters.
  package func write(to json: inout JSONWriter) {
    if given.isEmpty { return json.string(name) }
    json.object { json in
      json.key("fault")
      json.string(name)
      writeParameters(to: &json)
    }
  }

  /// Writes the given parameters as members of an object.
  package func writeParameters(to json: inout JSONWriter) {
    for (name, value) in given {
      json.key(name)
      value.write(to: &json)
    }
  }
}

extension Value {
  /// Writes a parameter's value: a name or a whole number.
  fileprivate func write(to json: inout JSONWriter) {
    if case .integer(let number) = self { json.integer(number) } else { json.string(stringValue ?? "") }
  }
}
