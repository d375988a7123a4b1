import HAPSuite

/// The procedures that a case has used so far, and that may be the cause when one of its steps fails.
struct UsedProcedures {
  /// Procedures of the last request on each connection, by the connection's name.
  private(set) var requests: [String: [Procedure]] = [:]
  /// Procedures of the answers that variables came from, by the variable's name.
  private var variables: [String: [Procedure]] = [:]
  /// Connections that have sent a request in their session.
  private var begun: Set<String> = []
  /// Whether a hook has restarted the accessory.
  var hasRestarted = false

  /// Notes a request. A session's first request counts as a procedure too.
  mutating func send(_ procedures: [Procedure], on name: String, isSecured: Bool) {
    var all = procedures
    if isSecured {
      all += [.session, .sessions]
      if begun.insert(name).inserted { all.append(.firstRequest) }
    }
    requests[name] = all
  }

  /// Notes that a connection was opened, on which nothing has been sent yet.
  mutating func open(_ name: String) {
    requests[name] = nil
    begun.remove(name)
  }

  mutating func save(_ names: [String], from procedures: [Procedure]) {
    for name in names { variables[name] = procedures }
  }

  /// Returns the procedures that the values of variables came from.
  func sources(of names: [String]) -> [Procedure] { names.flatMap { variables[$0] ?? [] } }

  func request(on name: String) -> [Procedure] { requests[name] ?? [] }
}

extension CaseRun {
  /// Returns the procedures that a step used when it failed, each once. Empty: the step only tests the case's subject.
  func procedures(of step: Step) -> [Procedure] {
    var result = Procedure.used(by: step.name)
    switch step.name {
    case .expect, .event, .events, .silence: result += used.request(on: step.connection(in: scope))
    case .check, .compare, .repeat, .if, .fail: result += used.sources(of: step.variables)
    default: break
    }
    if used.hasRestarted, !result.isEmpty, step.name != .reachable { result.append(.restart) }
    var seen: Set<Procedure> = []
    return result.filter { seen.insert($0).inserted }
  }
}
