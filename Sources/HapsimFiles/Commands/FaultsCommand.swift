import HAPCommandLine
import HAPDeviations
import HAPWire

extension Command {
  /// `hapsim faults`
  package static let faults = Command(
    "faults", "list the faults of accessories and their network",
    operands: .some(label: "[NAME…]", count: 0...1000), options: [CommonOptions.json.definition],
    discussion: [
      "hapsim run --fault NAME[:parameter=value…] serves an accessory with a fault from its start. The command 'fault' switches faults on and off while "
        + "it runs, and so do scenarios. To limit a fault to some connections, add controller=ID (* matches any text) or connection=N (N+: this one and all later ones)."
    ],
    examples: [
      ("hapsim faults delay-message", "shows a fault and its parameters"),
      (
        "hapsim run Profiles/lock.hasaccessory --fault latency:by=2s --fault drop-message:message=setup-M6",
        "serves a lock with two faults"
      ),
    ]
  ) { (arguments, console) throws(UsageError) in
    let library = FaultLibrary.builtIn
    var found: [FaultDefinition] = []
    for word in arguments.operands {
      guard let fault = library[word] else {
        console.complain("hapsim faults: \(library.unknown(word))")
        return .problem
      }
      found.append(fault)
    }
    if found.isEmpty { found = library.entries }
    if arguments[CommonOptions.json] {
      console.print(JSONWriter.text { json in json.array { json in for fault in found { fault.write(to: &json) } } })
      return .well
    }
    if arguments.operands.isEmpty {
      let width = found.map(\.name.count).max() ?? 0
      for fault in found {
        let gap = String(repeating: " ", count: width - fault.name.count + 2)
        console.print("\(console.output.styled(fault.name, .bold))\(gap)\(fault.what)")
      }
      return .well
    }
    for (index, fault) in found.enumerated() {
      if index > 0 { console.print("") }
      for line in fault.lines(console.output) { console.print(line) }
    }
    return .well
  }
}

extension FaultDefinition {
  fileprivate func lines(_ terminal: Terminal) -> [String] {
    var lines = [terminal.styled(name, .bold), what]
    for parameter in parameters {
      lines.append("  \(parameter.name)=\(parameter.standardText)  \(parameter.what) It is \(parameter.expectation).")
    }
    lines.append("  affects \(plain.protocols.map(\.rawValue).joined(separator: " and "))")
    if !reports.isEmpty {
      lines.append("  reports from the field: \(reports.map(String.init).joined(separator: ", "))")
    }
    return lines
  }
}
