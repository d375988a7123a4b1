import HAPCommands
import HAPHost
import HAPLoop

/// The accessories of one loop, and the dispatcher of their commands.
package struct ControlledPart: Sendable {
  package let simulation: Simulation
  package let dispatcher: CommandDispatcher

  package init(_ simulation: Simulation, _ dispatcher: CommandDispatcher) {
    self.simulation = simulation
    self.dispatcher = dispatcher
  }

  var loop: EventLoop { simulation.loop }

  /// Runs `body` on the part's loop, immediately if already there.
  func onLoop(_ body: @escaping @Sendable (ControlledPart) -> Void) {
    if loop.isOnLoop { return body(self) }
    loop.schedule { body(self) }
  }

  func look<R: Sendable>(_ body: @escaping @Sendable (ControlledPart) -> R) async -> R {
    if loop.isOnLoop { return body(self) }
    return await withCheckedContinuation { continuation in onLoop { continuation.resume(returning: body($0)) } }
  }
}
