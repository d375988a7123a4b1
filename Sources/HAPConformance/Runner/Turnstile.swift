/// Lets one through at a time, in the order in which they come.
///
/// There are accessories that keep one Pair Verify for all connections: two at once would be refused, though nobody did wrong. Belongs
/// to the loop's thread.
final class Turnstile {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Waits for its turn. Each that entered must leave.
  nonisolated(nonsending) func enter() async {
    await withCheckedContinuation { continuation in
      // Asked here, because another turn may come before this body.
      if isTaken { return waiting.append(continuation) }
      isTaken = true
      continuation.resume()
    }
  }

  func leave() {
    guard !waiting.isEmpty else {
      isTaken = false
      return
    }
    waiting.removeFirst().resume()
  }
}
