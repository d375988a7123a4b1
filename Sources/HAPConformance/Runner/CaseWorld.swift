import HAPLoop
import HAPWire

/// What cases reach besides connections: hooks, multicast, and the run that they are part of. Belongs to the loop's thread.
final class CaseWorld: @unchecked Sendable {
  /// How long an answer may take where a case says nothing else.
  var answerLimit: Duration = .seconds(10)
}
