import HAPHome
import HAPWire

extension HomeFilePlan {
  /// Performs the commands at a hub, which gives new objects other identifiers than the plan.
  /// - Parameter perform: performs one command, and returns its changes.
  /// - Throws: the first error; the steps before it are done.
  package func perform(_ perform: (HomeCommand) async throws -> [HomeChange]) async throws {
    var identifiers = IdentifierMap()
    for step in steps {
      identifiers.learn(step.changes, try await perform(try identifiers.translate(step.command)))
    }
  }
}

/// The identifiers that a hub gave to the objects of a plan.
package struct IdentifierMap: Sendable {
  package init() {}

  private var actual: [String: String] = [:]

  /// Compares the changes of the plan with those of the hub.
  package mutating func learn(_ planned: [HomeChange], _ performed: [HomeChange]) {
    for (planned, performed) in zip(planned, performed) { learn(planned.node, performed.node) }
  }

  private mutating func learn(_ planned: JSONNode, _ performed: JSONNode) {
    if let members = planned.members {
      for member in members { if let other = performed[member.name] { learn(member.value, other) } }
    } else if let elements = planned.elements {
      for (element, other) in zip(elements, performed.elements ?? []) { learn(element, other) }
    } else if let text = planned.stringValue, let other = performed.stringValue, text != other,
      HomeObjectID(text) != nil, HomeObjectID(other) != nil
    {
      actual[text] = other
    }
  }

  /// Returns the command with the identifiers of the hub.
  package func translate(_ command: HomeCommand) throws(HomeError) -> HomeCommand {
    if actual.isEmpty { return command }
    do throws(JSONProblem) { return try HomeCommand(translate(command.node)) } catch { throw HomeError(error) }
  }

  private func translate(_ node: JSONNode) -> JSONNode {
    switch node.kind {
    case .string(let text): actual[text].map { .text($0) } ?? node
    case .array(let elements): .list(elements.map(translate))
    case .object(let members): .object(members.map { ($0.name, translate($0.value)) })
    case .null, .bool, .number: node
    }
  }
}
