import HAPModel

/// What rules may look at besides the connection that something happens on.
package struct JudgeScene {
  /// Since an arbitrary origin.
  package internal(set) var now: Duration
  /// How long a controller has to come back, to subscribe again and to read the database again.
  package let patience: Duration
}

/// What a rule has found.
package struct JudgeFindings {
  private(set) var chances = 0
  private(set) var breaches: [(text: String, connection: JudgedConnection?)] = []

  /// The controller could have broken the rule here.
  mutating func chance() { chances += 1 }

  /// It did; this is a chance, too.
  /// - Parameter connection: where, when it isn't the one that the rule was asked about.
  mutating func breach(_ text: String, on connection: JudgedConnection? = nil) {
    chances += 1
    breaches.append((text, connection))
  }
}

/// Something that a controller has to do, or to leave. It keeps what it has to remember, and no more than so many things of it.
protocol JudgeRule {
  static var description: RuleDescription { get }
  init()
  /// Something happened on a connection. `connection` is as it was before an `asked`, an `answered` or a `told`, and has what the others bring.
  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings)
  /// Something became of an accessory.
  mutating func take(
    _ change: AccessoryChange, of accessory: any JudgedAccessory, _ scene: JudgeScene, _ findings: inout JudgeFindings)
  /// Time has passed.
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
