import HAPModel
import HAPSuite
import HAPWire

/// A hooks file in JSON:
/// `{"format": 1, "hooks": {"reboot": "ssh lamp reboot", "press": "manual", "jam": {"command": "…", "within": "30s"}}}`.
package struct HookFile: Equatable, Sendable {
  package enum Way: Equatable, Sendable {
    /// A shell command and its time limit.
    case command(String, within: Duration)
    /// A prompt to a person.
    case manual
  }

  /// Time limit of a command without `within`. A device may need this long to start.
  package static let defaultTime = Duration.seconds(60)
  private static let longestTime = Duration.seconds(3600)

  package var hooks: [HookName: Way]

  package init(_ hooks: [HookName: Way]) { self.hooks = hooks }

  package init(_ bytes: [UInt8]) throws(JSONProblem) {
    let node: JSONNode
    do throws(JSONError) { node = try JSONNode.parse(bytes) } catch {
      throw JSONProblem(path: "", place: error.place, message: error.message)
    }
    try self.init(node)
  }

  package init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["format", "hooks"])
    _ = try node.required("format").asInteger(in: 1...1)
    let hooks = try node.required("hooks")
    try hooks.refuseUnknownMembers(except: HookName.allCases.map(\.rawValue))
    self.hooks = [:]
    for member in hooks.members ?? [] {
      guard let name = HookName(rawValue: member.name) else { continue }  // a note: "x-…"
      self.hooks[name] = try Self.way(member.value)
    }
  }

  private static func way(_ node: JSONNode) throws(JSONProblem) -> Way {
    if let text = node.stringValue {
      return text == "manual" ? .manual : .command(try command(node), within: defaultTime)
    }
    guard node.members != nil else {
      throw node.problem("a command, \"manual\", or an object with a command is expected, not \(node.kindName)")
    }
    try node.refuseUnknownMembers(except: ["command", "within"])
    let within = try node["within"].map { node throws(JSONProblem) in try time(node) }
    return .command(try command(try node.required("command")), within: within ?? defaultTime)
  }

  private static func command(_ node: JSONNode) throws(JSONProblem) -> String {
    let text = try node.asString()
    guard text.contains(where: { !$0.isWhitespace }) else { throw node.problem("the command is empty") }
    guard !text.utf8.contains(0) else { throw node.problem("the command contains a NUL character") }
    return text
  }

  private static func time(_ node: JSONNode) throws(JSONProblem) -> Duration {
    guard let text = node.stringValue, let time = Duration(text), time > .zero, time <= longestTime else {
      throw node.problem("a time such as \"500ms\", \"30s\" or \"2min\" is expected, 1h at most")
    }
    return time
  }
}
