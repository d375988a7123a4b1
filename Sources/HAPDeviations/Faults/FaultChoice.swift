import HAPModel
import HAPWire

/// A fault with its parameters and its scope.
package struct FaultChoice: Equatable, Sendable {
  package let definition: FaultDefinition
  /// The given parameters; the others have their defaults.
  package let given: [(name: String, value: Value)]
  package let scope: ConnectionScope
  /// The changes to messages, the record and the device.
  package let defect: Defect?
  package let network: NetworkFault?
  /// The changes to the random numbers of Pair Setup.
  package let setup: SetupFault?
  /// The changes to the datagrams of Matter.
  package let datagrams: DatagramFault?
  /// The changes to what a Matter node answers and reports.
  package let interaction: InteractionFault?
  /// The actions on the accessory when the fault begins and when it ends.
  package let begin: [FaultAction]
  package let end: [FaultAction]
  /// The steps that are repeated while the fault is active.
  package let cycle: [FaultStep]
  /// The jump of the simulation's clock.
  package let jump: Duration?

  package var name: String { definition.name }
  package var isOneShot: Bool { definition.isOneShot }

  /// The form for `--fault`: `latency:by=2s:jitter=500ms`.
  package var text: String {
    ([name] + given.map { "\($0.name)=\($0.value.word)" }).joined(separator: ":")
  }

  /// Whether the texts of both are equal.
  package static func == (one: Self, other: Self) -> Bool { one.text == other.text }

  /// - Parameters:
  ///   - parameters: an object with their values, and with `controller` or `connection` to limit the fault to some
  ///     connections.
  init(_ definition: FaultDefinition, _ parameters: JSONNode) throws(JSONProblem) {
    let members = try parameters.asObject()
    try parameters.refuseUnknownMembers(except: definition.parameters.map(\.name) + ConnectionScope.members)
    var values: [String: JSONNode] = [:]
    for parameter in definition.parameters {
      values[parameter.name] = try parameter.meaning(of: parameters[parameter.name] ?? parameter.standard.node)
    }
    self.definition = definition
    scope = try ConnectionScope(parameters)
    given = members.map { ($0.name, Value(word: $0.value)) }
    let body = definition.body.substituting(values)
    var defect: [(name: String, value: JSONNode)] = [
      ("id", .text(definition.name)), ("breaks", .list([.text(definition.name)])), ("what", .text(definition.what)),
    ]
    for name in FaultDefinition.alterations { if let section = body[name] { defect.append((name, section)) } }
    self.defect = defect.count > 3 ? try Defect(.object(defect), area: "faults").limited(to: scope) : nil
    network = try body["network"].map { node throws(JSONProblem) in try NetworkFault(node) }
    if !scope.isForAll, !definition.isForConnections {
      throw parameters.problem("\(definition.name) affects the whole accessory, so it can't be limited to connections")
    }
    setup = try body["setup"].map { node throws(JSONProblem) in try SetupFault(node) }
    datagrams = try body["datagrams"].map { node throws(JSONProblem) in try DatagramFault(node) }
    interaction = try body["interaction"].map { node throws(JSONProblem) in try InteractionFault(node) }
    begin = try body.list("begin") { node throws(JSONProblem) in try FaultAction(node) }
    end = try body.list("end") { node throws(JSONProblem) in try FaultAction(node) }
    cycle = try body.list("cycle") { node throws(JSONProblem) in try FaultStep(node) }
    jump = try body["jump"].map { node throws(JSONProblem) in try node.duration() }
  }
}

extension Value {
  /// Creates the value of a checked parameter: a name or a whole number.
  init(word node: JSONNode) {
    self = node.integerValue.map { .integer($0) } ?? .string(node.stringValue ?? node.compactText)
  }

  /// The value as a node of a document.
  fileprivate var node: JSONNode {
    if case .integer(let number) = self { .integer(number) } else { .text(stringValue ?? "") }
  }

  /// The value in the form for `--fault`.
  var word: String {
    if case .integer(let number) = self { String(number) } else { stringValue ?? "" }
  }
}

extension JSONNode {
  /// Returns the node with `$name` replaced by its value, and `${name}` replaced inside texts.
  func substituting(_ values: [String: JSONNode]) -> JSONNode {
    var node = self
    switch kind {
    case .string(let text):
      guard text.contains("$") else { return self }
      if text.hasPrefix("$"), let value = values[String(text.dropFirst())] {
        node.kind = value.kind
      } else {
        var replaced = text
        for (name, value) in values {
          replaced = replaced.replacing("${\(name)}", with: value.stringValue ?? value.compactText)
        }
        node.kind = .string(replaced)
      }
    case .array(let elements): node.kind = .array(elements.map { $0.substituting(values) })
    case .object(let members):
      node.kind = .object(
        members.map { member in
          var member = member
          member.value = member.value.substituting(values)
          return member
        })
    case .null, .bool, .number: break
    }
    return node
  }
}
