import HAPModel
import HAPWire

extension FaultParameter {
  /// Returns the value in the fault's body for a value of the parameter.
  /// - Throws: if the value is not allowed.
  func meaning(of node: JSONNode) throws(JSONProblem) -> JSONNode {
    func wrong() -> JSONProblem {
      node.problem("\(name) is \(expectation), not \(node.stringValue.map { "\"\($0)\"" } ?? node.kindName)")
    }
    switch kind {
    case .duration(let least):
      guard let duration = node.stringValue.flatMap({ Duration($0) }), duration >= least else { throw wrong() }
      return node
    case .count(let range):
      guard let number = node.integerValue, range.contains(number) else { throw wrong() }
      return node
    case .text:
      guard node.stringValue != nil else { throw wrong() }
      return node
    case .choice(let choices):
      let word = node.stringValue ?? node.numberValue?.text
      guard let found = choices.firstIndex(where: { $0 == word }) else {
        let meant = word.flatMap { nearestName(to: $0, in: choices) }.map { ": did you mean \"\($0)\"?" }
        throw JSONProblem(path: wrong().path, place: node.place, message: wrong().message + (meant ?? ""))
      }
      return meanings[found]
    }
  }

  /// Returns the node for a value on a command line.
  func node(from text: String) -> JSONNode {
    switch kind {
    case .duration, .text, .choice: .text(text)
    case .count: Int128(text).map { .integer($0) } ?? .text(text)
    }
  }
}
