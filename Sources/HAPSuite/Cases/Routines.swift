import HAPModel
import HAPWire

/// The routines of a suite: lists of steps that replace every `do` that calls them.
struct Routines {
  private let steps: [String: JSONNode]
  /// The limit on the nesting of routines. Deeper nesting means that a routine calls itself.
  private static let greatestDepth = 8
  /// The limit on the steps of one case. Routines that call others many times could otherwise fill the memory.
  private static let mostSteps = 20_000
  private var count = 0

  /// - Parameter node: the suite's `routines`: lists of steps, by name.
  init(_ node: JSONNode?) {
    steps = Dictionary((node?.members ?? []).map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the steps without any `do`, at every depth. A `let` defines the variables of `with`; the routine's steps follow it.
  mutating func expanded(_ steps: [JSONNode], _ checker: inout ShapeChecker, depth: Int = 0) -> [JSONNode] {
    var result: [JSONNode] = []
    for step in steps {
      count += 1
      guard count <= Self.mostSteps else {
        if count == Self.mostSteps + 1 {
          checker.complain(step, "the case and its routines have more than \(Self.mostSteps) steps")
        }
        return result
      }
      guard let member = StepName.member(of: step) else {
        result.append(step)
        continue
      }
      guard member.name == StepName.do.rawValue else {
        result.append(inside(step, &checker, depth))
        continue
      }
      let name = member.value.stringValue ?? member.value["routine"]?.stringValue ?? ""
      guard let routine = self.steps[name] else {
        let meant = nearestName(to: name, in: self.steps.keys.sorted()).map { ": did you mean \"\($0)\"?" } ?? ""
        checker.complain(member.value, "the suite has no routine \"\(name)\"\(meant)")
        continue
      }
      guard depth < Self.greatestDepth else {
        checker.complain(member.value, "the routine \"\(name)\" calls itself")
        continue
      }
      if let with = member.value["with"], with.members?.isEmpty == false {
        result.append(
          JSONNode(
            .object([JSONNode.Member(name: StepName.let.rawValue, place: with.place, value: with)]), place: step.place,
            path: step.path)
        )
      }
      result += expanded(routine.elements ?? [], &checker, depth: depth + 1)
    }
    return result
  }

  /// Expands the lists of steps inside a step.
  private mutating func inside(_ node: JSONNode, _ checker: inout ShapeChecker, _ depth: Int) -> JSONNode {
    guard let members = node.members else { return node }
    var result: [JSONNode.Member] = []
    for var member in members {
      switch member.name {
      case "steps", "then", "else", "always", "finally":
        member.value = list(member.value, &checker, depth)
      case "together":
        let lanes = (member.value.elements ?? []).map { list($0, &checker, depth) }
        member.value = JSONNode(.array(lanes), place: member.value.place, path: member.value.path)
      case "repeat", "each", "if", "try":
        member.value = inside(member.value, &checker, depth)
      default: break
      }
      result.append(member)
    }
    return JSONNode(.object(result), place: node.place, path: node.path)
  }

  private mutating func list(_ node: JSONNode, _ checker: inout ShapeChecker, _ depth: Int) -> JSONNode {
    guard let elements = node.elements else { return node }
    return JSONNode(.array(expanded(elements, &checker, depth: depth)), place: node.place, path: node.path)
  }
}
