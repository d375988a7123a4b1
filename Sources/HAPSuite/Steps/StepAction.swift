import HAPModel
import HAPWire

/// The action of a step: the step with the values of its variables.
///
/// The runner of HAPConformance switches over it, so that a step without an implementation does not compile. Values of variables, patterns and
/// the JSON that a step sends are data of the case and remain JSON.
package enum StepAction: Equatable, Sendable {
  case connect(Connect)
  case close(on: String, how: ConnectionEnding)
  case secure(on: String, procedure: String, with: KeyOrigin)
  case reading(on: String, isPaused: Bool)
  case settle
  case send(SendAction)
  case expect(Expectation)
  case event(EventExpectation)
  case events(EventCollection)
  case silence(Silence)
  case forget(on: String)
  case pair(PairSetupRun)
  case verify(PairVerifyRun)
  case controller(NewController)
  /// `nil`: all pairings, the tester's included.
  case unpair(controller: String?)
  case `let`([VariableValue])
  case make([VariableBytes])
  case collect([VariableValue])
  case check([ValueCheck])
  case find([NamedSubject])
  case database(DatabaseReading)
  case lint(DatabaseRules)
  case compare(DatabaseComparison)
  case record(String)
  case deviation(String)
  case fail(String)
  case skip(String)
  case mark(String)
  case `repeat`(Repetition)
  case each(Iteration)
  case `if`(Branch)
  case together([[Step]])
  case wait(Duration)
  case `try`(Attempt)
  case finally([Step])
  case hook(HookAction)
  case reachable(within: Duration?)
  case alive
  case mdns(MulticastAction)
  case txt([NamedPattern])
  case claims
}

/// The way in which a connection ends: in order, by a reset, or by closing only the sending side.
package enum ConnectionEnding: String, CaseIterable, Sendable { case fin, reset, half }

/// The origin of the keys of a session.
package enum KeyOrigin: String, CaseIterable, Sendable {
  /// A transient Pair Setup.
  case transient
  /// A Pair Verify.
  case verify
}

/// A message of Pair Setup (M1 to M6) or of Pair Verify (M1 to M4).
package enum PairingStep: String, CaseIterable, Sendable {
  case m1 = "M1"
  case m2 = "M2"
  case m3 = "M3"
  case m4 = "M4"
  case m5 = "M5"
  case m6 = "M6"
}

/// A TCP connection.
package struct Connect: Equatable, Sendable {
  package var on: String
  /// An address of the accessory that replaces the default one.
  package var address: String?
  package var within: Duration?
  /// A variable for `connected`, `refused`, `silent` or `unreachable`. `nil`: the case fails if the connection fails.
  package var save: String?
}

/// Bytes for a variable. The variable receives them as hexadecimal text.
package struct VariableBytes: Equatable, Sendable {
  package var variable: String
  package var bytes: ByteRecipe
}

/// A pattern of a header field, or of a key of a TXT record.
package struct NamedPattern: Equatable, Sendable {
  package var name: String
  package var pattern: JSONNode

  static func list(_ node: JSONNode?) -> [NamedPattern] {
    (node?.members ?? []).map { NamedPattern(name: $0.name, pattern: $0.value) }
  }
}

/// A value of an answer that is assigned to a variable.
package struct SavedValue: Equatable, Sendable {
  package var variable: String
  /// "json.accessories[0].aid".
  package var path: String
}

/// A correct Pair Setup.
package struct PairSetupRun: Equatable, Sendable {
  package var on: String
  package var procedure: String
  package var controller: String?
  /// A setup code that replaces the accessory's.
  package var code: String?
  /// The last message to wait for: M2, M4 or M6.
  package var last: PairingStep
  package var mayReconnect: Bool
  package var save: [SavedValue]
}

/// A correct Pair Verify.
package struct PairVerifyRun: Equatable, Sendable {
  package var on: String
  package var controller: String?
  package var mayReconnect: Bool
}

/// A reading of /accessories.
package struct DatabaseReading: Equatable, Sendable {
  package var on = "main"
  /// A variable for the database.
  package var save: String?
  /// A variable for the bytes of the body.
  package var bytes: String?

  package init() {}
}

/// A controller of the case, in addition to the tester's own.
package struct NewController: Equatable, Sendable {
  package var name: String
  package var isPaired: Bool
  package var isAdmin: Bool
  /// `nil`: a random UUID in upper case.
  package var identifier: ByteRecipe?
  /// Another controller whose key it uses.
  package var keyOf: String?
}

/// Steps that are repeated.
package struct Repetition: Equatable, Sendable {
  /// A condition that ends the repetition early.
  package struct End: Equatable, Sendable {
    package var that: DeferredValue
    package var pattern: DeferredValue
    package var reason: DeferredValue?
  }

  package var times: Int
  /// The counter variable; it starts at 0.
  package var variable: String
  package var every: Duration
  package var until: End?
  package var within: Duration?
  package var steps: [Step]
}

/// Steps for each element of a list.
package struct Iteration: Equatable, Sendable {
  package var elements: [JSONNode]
  package var variable: String
  package var steps: [Step]
}

/// Steps that depend on a value.
package struct Branch: Equatable, Sendable {
  package var that: JSONNode
  package var pattern: JSONNode
  package var then: [Step]
  package var otherwise: [Step]
}

/// Steps that may fail.
package struct Attempt: Equatable, Sendable {
  package var steps: [Step]
  /// Steps that run afterwards in any case. `nil`: none.
  package var always: [Step]?
  /// A variable for the failure; empty text without a failure.
  package var save: String?
}

/// A request to a hook, and the handling of its answer.
package struct HookAction: Equatable, Sendable {
  package var name: HookName
  package var subject: DeferredSubject?
  package var value: JSONNode?
  /// For `press`: single, double or long.
  package var kind: String?
  package var save: String?
  package var refused: String?
  package var isOptional: Bool
}
