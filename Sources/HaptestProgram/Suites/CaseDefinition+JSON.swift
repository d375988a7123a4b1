import HAPSuite
import HAPWire

extension CaseDefinition {
  /// Writes the case as one object: all data of `haptest explain`, or only the members that identify it.
  func write(to json: inout JSONWriter, isComplete: Bool = false) {
    json.object { json in
      for (name, value) in [
        ("id", id), ("name", name), ("area", area), ("level", level.rawValue), ("section", section),
        ("requirement", requirement),
      ] {
        json.key(name)
        json.string(value)
      }
      json.key("tags")
      json.array { json in for tag in selectable.tags { json.string(tag) } }
      json.key("aliases")
      json.array { json in for alias in aliases { json.string(alias) } }
      if isComplete { writeDetails(to: &json) }
    }
  }

  private func writeDetails(to json: inout JSONWriter) {
    json.key("hooks")
    json.array { json in for hook in needs.hooks { json.string(hook.rawValue) } }
    for (name, text) in [("impact", impact), ("cause", cause), ("fix", fix)] {
      json.key(name)
      if let text { json.string(text) } else { json.null() }
    }
    json.key("stacks")
    json.object { json in
      for stack in stacks {
        json.key(stack.name)
        json.string(stack.behaviour)
      }
    }
    json.key("sources")
    json.object { json in
      for stack in stacks {
        guard let source = stack.source else { continue }
        json.key(stack.name)
        json.string(source)
      }
    }
    json.key("owns")
    json.array { json in for procedure in causes.owns { json.string(procedure.rawValue) } }
    json.key("after")
    json.object { json in
      for precursor in causes.after {
        json.key(precursor.id)
        json.string(precursor.reason)
      }
    }
    json.key("file")
    json.string(file)
    for (name, number) in [("line", place.line), ("steps", steps.count), ("variants", variants.count)] {
      json.key(name)
      json.integer(number)
    }
  }
}
