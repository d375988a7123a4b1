import HAPCommandLine
import HAPJudge
import HAPWire

/// Prints the rules of `hapsim judge`.
package func listRules(json isJSON: Bool, _ console: Console) {
  let rules = ControllerJudge.descriptions
  guard !isJSON else {
    console.print(
      JSONWriter.text { json in
        json.array { json in for rule in rules { json.object { rule.write(to: &$0) } } }
      })
    return
  }
  for area in RuleDescription.Area.allCases {
    console.print(console.output.styled(area.rawValue, .bold))
    for rule in rules where rule.area == area {
      console.print("  \(console.output.styled(rule.name, .cyan)) (\(rule.level.rawValue), \(rule.source))")
      console.print("    A controller \(rule.requirement).")
      console.print("    \(rule.impact)")
    }
  }
}

extension RuleDescription {
  fileprivate func write(to json: inout JSONWriter) {
    let members = [
      ("name", name), ("area", area.rawValue), ("level", level.rawValue), ("requirement", requirement),
      ("source", source), ("impact", impact), ("chance", chance),
    ]
    for (key, value) in members {
      json.key(key)
      json.string(value)
    }
  }
}
