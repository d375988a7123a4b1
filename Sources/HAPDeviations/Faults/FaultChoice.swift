import HAPModel
import HAPWire

/// A fault with its parameters, and for whom.
package struct FaultChoice: Equatable, Sendable {
  package let definition: FaultDefinition
  /// As given; the others have their standard.
  package let given: [(name: String, value: Value)]
  package let scope: ConnectionScope
  /// What it does to messages, the record and the device.
  package let defect: Defect?
  package let network: NetworkFault?
  /// What it does to what Pair Setup draws.
  package let setup: SetupFault?
  /// What is done at the accessory at its begin, and at its end.
  package let begin: [FaultAction]
  package let end: [FaultAction]
  /// What is done again and again, while it is on.
  package let cycle: [FaultStep]
  /// By how much the simulation's clock jumps.
  package let jump: Duration?

  package var name: String { definition.name }
  package var isOneShot: Bool { definition.isOneShot }

  /// `latency:by=2s:jitter=500ms`, as `--fault` takes it.
  package var text: String {
    ([name] + given.map { "\($0.name)=\($0.value.word)" }).joined(separator: ":")
  }

  /// The same fault with the same words.
  package static func == (one: Self, other: Self) -> Bool { one.text == other.text }

  /// - Parameters:
  ///   - parameters: an object with their values, and with `controller` or `connection` where it is for some connections alone.
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
      throw parameters.problem("\(definition.name) is for the accessory as a whole, not for some of its connections")
    }
    setup = try body["setup"].map { node throws(JSONProblem) in try SetupFault(node) }
    begin = try body.list("begin") { node throws(JSONProblem) in try FaultAction(node) }
    end = try body.list("end") { node throws(JSONProblem) in try FaultAction(node) }
    cycle = try body.list("cycle") { node throws(JSONProblem) in try FaultStep(node) }
    jump = try body["jump"].map { node throws(JSONProblem) in try node.duration() }
  }
}

extension Value {
  /// A parameter's value that was checked: a name or a whole number.
  init(word node: JSONNode) {
    self = node.integerValue.map { .integer($0) } ?? .string(node.stringValue ?? node.compactText)
  }

  /// As a document has it.
  fileprivate var node: JSONNode {
    if case .integer(let number) = self { .integer(number) } else { .text(stringValue ?? "") }
  }

  /// As `--fault` takes it.
  var word: String {
    if case .integer(let number) = self { String(number) } else { stringValue ?? "" }
  }
}

extension JSONNode {
  /// With what names stand for in place of `$name`, and inside of texts in place of `${name}`.
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
