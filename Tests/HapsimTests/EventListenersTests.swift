import HAPHost
import HAPLoop
import Synchronization
import Testing
@testable import HapsimFiles
@testable import HapsimInputs
@testable import HapsimObservation
@testable import HapsimProgram

@Suite("Event listeners") struct EventListenersTests {
  private final class Heard: Sendable {
    private let names = Mutex<[String]>([])
    func add(_ event: SimulatorEvent) { names.withLock { $0.append(event.name) } }
    func take() -> [String] {
      names.withLock { names in
        defer { names = [] }
        return names
      }
    }
  }

  private static let unasked: [SimulatorEvent.Kind] = [
    .trouble("x"), .restarted(.reboot), .advertised(name: "x"), .renamed(from: "x", to: "y"), .moved([]),
    .selfCheck(name: "x", isVisible: true),
  ]
  private static let others: [SimulatorEvent.Kind] = [
    .added, .removed, .connected(peer: "x"), .disconnected(peer: "x"), .identified(aid: 1, for: .zero), .stopped,
  ]

  private func name(of kind: SimulatorEvent.Kind) -> String { SimulatorEvent(accessory: "Lamp", kind).name }

  @Test("A listener receives its selection, and the log receives all events except requests") func selection() throws {
    let loop = EventLoop(name: "listeners")
    loop.start()
    defer { loop.stop() }
    try loop.performAndWait {
      let (log, heard) = (Heard(), Heard())
      let events = EventListeners({ log.add($0) }, on: loop)
      let kinds = Self.unasked + Self.others + [.requested(peer: "x", request: "GET /accessories")]
      func tell() { for kind in kinds { events.tell(SimulatorEvent(accessory: "Lamp", kind)) } }
      let (unasked, others) = (Self.unasked.map(name), Self.others.map(name))

      tell()
      #expect(log.take() == unasked + others && heard.take() == [])
      let number = events.add(.unasked) { heard.add($0) }
      tell()
      #expect(log.take() == unasked + others && heard.take() == unasked)
      events.select(.all, for: number)
      tell()
      #expect(log.take() == unasked + others && heard.take() == unasked + others + ["requested"])
      events.select(.allButRequests, for: number)
      tell()
      #expect(heard.take() == unasked + others)
      events.select(.unasked, for: number)
      // Each listener has its own selection.
      let second = Heard()
      events.add { second.add($0) }
      tell()
      #expect(heard.take() == unasked && second.take() == unasked + others)
    }
  }
}
