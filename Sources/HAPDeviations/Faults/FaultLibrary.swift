import HAPModel
import HAPWire
import HAPYAML

package typealias FaultLibrary = DeviationLibrary<FaultDefinition>

extension FaultDefinition: LibraryEntry {
  package static let kind = "fault"
  package var id: String { name }
}

private let builtInFaults: FaultLibrary = {
  let files = EmbeddedFaults.files.map { FaultFile(Array("\($0.text)".utf8), file: $0.name) }
  return FaultLibrary(builtIn: files.flatMap(\.faults), problems: files.flatMap(\.problems))
}()

extension DeviationLibrary where Entry == FaultDefinition {
  /// The faults that the program contains.
  package static var builtIn: FaultLibrary { builtInFaults }

  /// Reads a choice from a document: a name, a text as on the command line, or an object with `fault` and parameters.
  package func choice(_ node: JSONNode) throws(JSONProblem) -> FaultChoice {
    if let text = node.stringValue { return try choice(text, at: node) }
    var members = try node.asObject()
    let name = try node.string("fault")
    guard let definition = self[name] else { throw try node.required("fault").problem(unknown(name)) }
    members.removeAll { $0.name == "fault" }
    return try FaultChoice(definition, JSONNode(.object(members), place: node.place, path: node.path))
  }

  /// Reads a choice such as `latency:by=2s:jitter=500ms`.
  package func choice(_ text: String) throws(JSONProblem) -> FaultChoice { try choice(text, at: .text(text)) }

  private func choice(_ text: String, at node: JSONNode) throws(JSONProblem) -> FaultChoice {
    var words: [String] = []
    for part in text.split(separator: ":", omittingEmptySubsequences: false) {
      // A part without "=" belongs to the value before it, because identifiers contain colons.
      if words.count > 1, !part.contains("=") {
        words[words.count - 1] += ":" + part
      } else {
        words.append(String(part))
      }
    }
    guard let definition = self[words[0]] else { throw node.problem(unknown(words[0])) }
    var members: [JSONNode.Member] = []
    for word in words.dropFirst() {
      let halves = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard halves.count == 2 else { throw node.problem("\"\(word)\" is not parameter=value") }
      guard !members.contains(where: { $0.name == halves[0] }) else {
        throw node.problem("\(halves[0]) is given twice")
      }
      var value = definition.parameter(halves[0])?.node(from: halves[1]) ?? .text(halves[1])
      value.place = node.place
      value.path = node.path
      members.append(JSONNode.Member(name: halves[0], place: node.place, value: value))
    }
    return try FaultChoice(definition, JSONNode(.object(members), place: node.place, path: node.path))
  }
}

extension FaultDefinition {
  /// - Parameter parameters: an object with the values of parameters, and with `controller` or `connection` to limit
  ///   the fault to some connections.
  package func choice(_ parameters: JSONNode) throws(JSONProblem) -> FaultChoice { try FaultChoice(self, parameters) }

  /// The fault with the defaults of all parameters. Reading the file has checked that it is valid.
  package var plain: FaultChoice {
    do throws(JSONProblem) { return try choice(.object([])) } catch {
      preconditionFailure("the fault \(name) was read: \(error.message)")
    }
  }
}
