import HAPIP
import HAPLoop

extension PersistentConnection {
  /// A request without an answer.
  final class Request {
    let number: UInt64
    let request: ControllerRequest
    /// On the loop's clock, in nanoseconds.
    let deadline: UInt64
    /// Runs until the request is sent.
    let timer: LoopTimer
    /// Whether it may wait for a connection, and for the next one after a loss.
    let waits: Bool
    /// nil: the caller no longer waits, but the answer will come.
    var done: ((Answer) -> Void)?

    init(
      _ number: UInt64, _ request: ControllerRequest, deadline: UInt64, timer: LoopTimer, waits: Bool,
      done: @escaping (Answer) -> Void
    ) {
      self.number = number
      self.request = request
      self.deadline = deadline
      self.timer = timer
      self.waits = waits
      self.done = done
    }
  }
}
