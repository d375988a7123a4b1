/// Conducts by the names of the stacks whose manners they are.
public struct ConductPresets: Sendable {
  private let entries: [(name: String, conduct: Conduct)]

  init(_ entries: [(name: String, conduct: Conduct)]) { self.entries = entries }

  /// The names, in the order of the documentation.
  public var keys: [String] { entries.map(\.name) }

  /// The conduct of this name.
  public subscript(_ name: String) -> Conduct? { entries.first { $0.name == name }?.conduct }
}
