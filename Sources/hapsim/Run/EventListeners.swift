import HAPSimulator

/// Those who are told what happens to the accessories: the log, and who comes while it runs. Belongs to the loop's thread.
final class EventListeners: @unchecked Sendable {  // used on the loop's thread alone
  private var listeners: [(SimulatorEvent) -> Void]

  init(_ log: (@Sendable (SimulatorEvent) -> Void)?) { listeners = log.map { [$0] } ?? [] }

  func add(_ listener: @escaping (SimulatorEvent) -> Void) { listeners.append(listener) }

  func tell(_ event: SimulatorEvent) { for listener in listeners { listener(event) } }
}
