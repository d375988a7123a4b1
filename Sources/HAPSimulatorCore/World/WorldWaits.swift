import HAPModel
import HAPWorld

/// The waits in a simulated world, which may be endless. They are listed in the message for a world in which nothing
/// can happen. Belongs to the world's thread.
package final class WorldWaits {
  private let world: SimulatedWorld
  private var waits: [(number: Int, text: String, since: Duration)] = []
  private var last = 0

  package init(_ world: SimulatedWorld) { self.world = world }

  /// - Returns: a number to pass to `end`.
  func begin(_ text: String) -> Int {
    last += 1
    waits.append((last, text, world.now))
    return last
  }

  func end(_ number: Int) { waits.removeAll { $0.number == number } }

  /// A line for each wait, the oldest first; at most 20.
  var lines: [String] {
    let lines = waits.prefix(20).map { "\($0.text), since \($0.since.roundText)" }
    return waits.count > 20 ? lines + ["and \(waits.count - 20) more"] : lines
  }
}
