import HAPModel
import HAPWire
import HAPYAML

/// A file of faults: the valid faults, and the problems of the others.
package struct FaultFile: Sendable {
  package private(set) var faults: [FaultDefinition] = []
  /// "file:line:column: path: message"
  package private(set) var problems: [String] = []

  package init(_ bytes: [UInt8], file: String) {
    do throws(JSONError) {
      let document = try JSONNode.yaml(bytes)
      for element in document["faults"]?.elements ?? [] {
        do throws(JSONProblem) {
          let fault = try FaultDefinition(element)
          guard !faults.contains(where: { $0.name == fault.name }) else {
            throw element.problem("the fault \"\(fault.name)\" already exists")
          }
          // The fault must be valid with the default of each parameter, and with each word of a choice.
          for parameters in fault.trials { _ = try FaultChoice(fault, parameters) }
          faults.append(fault)
        } catch { problems.append("\(file):\(error.place): \(error.path): \(error.message)") }
      }
      if faults.isEmpty, problems.isEmpty { problems.append("\(file):1:1: the file has no faults") }
    } catch { problems.append("\(file):\(error.place): \(error.message)") }
  }
}

extension FaultDefinition {
  /// Sections that defects have too, limited to those that can take effect while the accessory runs.
  static let alterations = ["rules", "record", "device", "sealing", "idle", "restart"]
  private static let sections =
    alterations + [
      "network", "setup", "datagrams", "interaction", "begin", "end", "cycle", "jump",
    ]

  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["name", "what", "reports", "parameters", "once"] + Self.sections)
    name = try node.string("name")
    what = try node.string("what")
    reports = try node.list("reports") { node throws(JSONProblem) in Int(try node.asInteger(in: 1...41)) }
    var parameters: [FaultParameter] = []
    for member in try node["parameters"]?.asObject() ?? [] { parameters.append(try FaultParameter(member)) }
    self.parameters = parameters
    body = node
    isOneShot = try node.bool("once", default: false)
    if isOneShot, let lasting = Self.sections.first(where: { node[$0] != nil && !["begin", "jump"].contains($0) }) {
      throw try node.required(lasting).problem("a fault with \"once\" can have no section other than begin and jump")
    }
    guard Self.sections.contains(where: { node[$0] != nil }) else { throw node.problem("the fault does nothing") }
  }

  /// The parameter objects to check: the defaults, and each word of each choice.
  fileprivate var trials: [JSONNode] {
    var trials: [JSONNode] = [.object([])]
    for parameter in parameters {
      if case .choice(let choices) = parameter.kind {
        trials += choices.map { .object([(parameter.name, .text($0))]) }
      }
    }
    return trials
  }
}

extension FaultParameter {
  init(_ member: JSONNode.Member) throws(JSONProblem) {
    let node = member.value
    try node.refuseUnknownMembers(except: ["kind", "what", "default", "from", "to", "choices"])
    name = member.name
    what = try node.string("what")
    let kind = try node.string("kind")
    var choices: [JSONNode.Member] = []
    switch kind {
    case "duration":
      self.kind = .duration(from: try node["from"].map { (node) throws(JSONProblem) in try node.duration() } ?? .zero)
    case "count":
      let least = try node["from"]?.asInteger(in: 0...Int128(Int32.max)) ?? 0
      self.kind = .count(least...(try node["to"]?.asInteger(in: least...Int128(Int32.max)) ?? Int128(Int32.max)))
    case "text": self.kind = .text
    case "choice":
      choices = try node.required("choices").asObject()
      self.kind = .choice(choices.map(\.name))
    default: throw try node.required("kind").problem("it must be duration, count, text or choice")
    }
    meanings = choices.map(\.value)
    let standard = try node.required("default")
    self.standard = Value(word: standard)
    _ = try meaning(of: standard)
  }
}
