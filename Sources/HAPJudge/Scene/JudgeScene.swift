import HAPModel

/// The context for rules, besides the connection.
package struct JudgeScene {
  /// The time since an arbitrary origin.
  package internal(set) var now: Duration
  /// The time that a controller has to reconnect, to subscribe again and to read the database again.
  package let patience: Duration
}

/// The findings of a rule.
package struct JudgeFindings {
  private(set) var chances = 0
  private(set) var breaches: [(text: String, connection: JudgedConnection?)] = []

  /// Counts a situation in which the controller could have violated the rule.
  mutating func chance() { chances += 1 }

  /// Adds a violation, and counts the situation.
  /// - Parameter connection: the connection, if it is not the one that was passed to the rule.
  mutating func breach(_ text: String, on connection: JudgedConnection? = nil) {
    chances += 1
    breaches.append((text, connection))
  }
}

/// A rule that a controller must follow. Its memory is bounded.
protocol JudgeRule {
  static var description: RuleDescription { get }
  init()
  /// Receives an event on a connection. For `asked`, `answered` and `told`, `connection` has its state before the
  /// event; for the others, the state after it.
  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings)
  /// Receives a change of an accessory.
  mutating func take(
    _ change: AccessoryChange, of accessory: any JudgedAccessory, _ scene: JudgeScene, _ findings: inout JudgeFindings)
  /// Receives the passage of time.
  mutating func advance(_ scene: JudgeScene, _ findings: inout JudgeFindings)
}

extension JudgeRule {
  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {}
  mutating func take(
    _ change: AccessoryChange, of accessory: any JudgedAccessory, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {}
  mutating func advance(_ scene: JudgeScene, _ findings: inout JudgeFindings) {}
}
