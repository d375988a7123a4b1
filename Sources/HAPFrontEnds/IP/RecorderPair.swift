import HAPIP
import HAPModel

/// Two recorders of a core's inputs and outputs. The first one is called first.
final class RecorderPair: CoreRecorder {
  private let first: any CoreRecorder
  private let second: any CoreRecorder

  init(_ first: any CoreRecorder, _ second: any CoreRecorder) {
    self.first = first
    self.second = second
  }

  func note(_ input: CoreInput, at now: Duration) {
    first.note(input, at: now)
    second.note(input, at: now)
  }

  func sent(_ connection: ConnectionID, _ bytes: UnsafeRawBufferPointer, at now: Duration) {
    first.sent(connection, bytes, at: now)
    second.sent(connection, bytes, at: now)
  }

  func turnedAway(peer: String, at now: Duration) {
    first.turnedAway(peer: peer, at: now)
    second.turnedAway(peer: peer, at: now)
  }

  func ended(_ connection: ConnectionID, withReset: Bool, at now: Duration) {
    first.ended(connection, withReset: withReset, at: now)
    second.ended(connection, withReset: withReset, at: now)
  }
}
