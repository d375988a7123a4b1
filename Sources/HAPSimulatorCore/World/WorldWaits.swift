import HAPModel
import HAPWorld

/// What waits in a simulated world, perhaps without end: for the message of a world in which nothing can happen. Belongs to the world's thread.
package final class WorldWaits {
  private let world: SimulatedWorld
  private var waits: [(number: Int, text: String, since: Duration)] = []
  private var last = 0

  package init(_ world: SimulatedWorld) { self.world = world }

  /// - Returns: to be given to `end`.
  func begin(_ text: String) -> Int {
    last += 1
    waits.append((last, text, world.now))
    return last
  }

  func end(_ number: Int) { waits.removeAll { $0.number == number } }

  /// A line for each wait, the oldest first; 20 at most.
  var lines: [String] {
    let lines = waits.prefix(20).map { "\($0.text), since \($0.since.roundText)" }
    return waits.count > 20 ? lines + ["and \(waits.count - 20) more"] : lines
  }
}
