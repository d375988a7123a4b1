import HAPWire

/// The steps of the vocabulary, in the order of the documentation.
///
/// `Vocabulary.verbs` describes each of them, and the runner of HAPConformance switches over them. A step without an implementation
/// therefore does not compile.
package enum StepName: String, CaseIterable, Hashable, Sendable {
  case connect
  case close
  case secure
  case reading
  case settle
  case send
  case expect
  case event
  case events
  case silence
  case forget
  case pair
  case verify
  case controller
  case unpair
  case `let`
  case make
  case collect
  case check
  case find
  case database
  case lint
  case compare
  case record
  case deviation
  case fail
  case skip
  case mark
  case `repeat`
  case each
  case `if`
  case together
  case wait
  case `try`
  case `do`
  case finally
  case hook
  case reachable
  case alive
  case mdns
  case txt
  case claims

  /// The only member of a step that is not its name: a comment for readers of the suite.
  private static let note = "note"

  /// Returns the member of a step that has its name and its content; `nil` if the step has only a note.
  static func member(of step: JSONNode) -> JSONNode.Member? {
    step.members?.first { $0.name != note }
  }
}
