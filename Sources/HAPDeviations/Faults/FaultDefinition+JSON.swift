import HAPWire

extension FaultDefinition {
  /// What it does, and what can be said of it, as an object.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("name")
      json.string(name)
      json.key("what")
      json.string(what)
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
              json.array { json in for choice in choices { json.string(choice.word) } }
            }
            json.key("default")
            json.node(parameter.standard)
          }
        }
      }
    }
  }
}
