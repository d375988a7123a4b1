import HAPAttributes
import HAPIP
import HAPLoop
import HAPModel
import HAPProfile
import HAPTestSupport
import Synchronization

@testable import HAPTransport

/// The accessory of `TestHome` with a server on loopback, on its own loop.
final class ServedHome: @unchecked Sendable {  // state is confined to the loop's thread, or has a lock
  let loop = EventLoop(name: "served")
  private let owner: NotingOwner
  private let served = Served()
  let port: UInt16

  /// Retained by the loop's closures instead of this home, because the home must not be released on the loop.
  private final class Served: @unchecked Sendable { var server: AccessoryServer! }

  /// - Parameter holdsStores: stores wait for `releaseStores`.
  init(pairings: [Pairing] = TestHome.pairings, quirks: Quirks = Quirks(), holdsStores: Bool = false) throws {
    owner = NotingOwner(holdsStores: holdsStores)
    loop.start()
    port = try loop.performAndWait { [loop, owner, served] in
      let core = TestHome.accessory(pairings: pairings, quirks: quirks).core
      let server = AccessoryServer(core, on: loop, owner: owner)
      served.server = server
      try server.listen(on: [ListeningPlace(.loopbackV4)], port: 0)
      return server.port
    }
  }

  deinit {
    stop()
    loop.stop()
  }

  func stop() { onLoop { $0.stop() } }

  /// Runs `body` on the loop and waits for it.
  func onLoop<R: Sendable>(_ body: @escaping @Sendable (AccessoryServer) -> R) -> R {
    // The closure doesn't throw.
    try! loop.performAndWait { [served] in body(served.server) }
  }

  var connectionCount: Int { onLoop { $0.connectionCount } }
  var notes: [Note] { owner.notes.withLock { $0 } }

  /// Waits until an event was recorded, or traps at the time limit of a test.
  func wait(for note: Note) { owner.wait(for: note) }

  func releaseStores() { onLoop { [owner] _ in owner.release() } }

  func connect(_ identity: ControllerIdentity = TestHome.admin) throws -> SocketController {
    try SocketController(identity, port: port)
  }

  func verified(_ identity: ControllerIdentity = TestHome.admin) throws -> SocketController {
    let controller = try connect(identity)
    if let failure = controller.memory.verify() { throw SocketController.Failure(message: failure) }
    return controller
  }
}

/// The server's calls to its owner.
enum Note: Equatable, Sendable {
  case storing, advertised(isPaired: Bool), kept(AttributeID), wrote(AttributeID), connected, disconnected
}

private final class NotingOwner: ActionOwner, AccessoryServerOwner, @unchecked Sendable {
  let notes = Mutex<[Note]>([])
  private let holdsStores: Bool
  private var held: [(Bool) -> Void] = []

  init(holdsStores: Bool) { self.holdsStores = holdsStores }

  private func note(_ note: Note) { notes.withLock { $0.append(note) } }

  func wait(for note: Note) {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(20)
    while !notes.withLock({ $0.contains(note) }) {
      precondition(clock.now < end, "\(note) did not occur")
    }
  }

  func release() {
    let held = held
    self.held = []
    for done in held { done(true) }
  }

  func store(_ change: StoredChange, done: @escaping (Bool) -> Void) {
    note(.storing)
    if holdsStores { held.append(done) } else { done(true) }
  }

  func keep(_ changes: [(id: AttributeID, value: Value)]) { for (id, _) in changes { note(.kept(id)) } }
  func advertise(_ advertisement: Advertisement) {
    note(.advertised(isPaired: !advertisement.statusFlags.contains(.notPaired)))
  }
  func identify(aid: UInt64) {}
  func wrote(_ write: ServiceWrite) { for entry in write.entries { note(.wrote(entry.id)) } }
  func read(_ ids: [AttributeID], ticket: Ticket) {}
  func report(_ report: AccessoryReport) {
    switch report {
    case .connected: note(.connected)
    case .disconnected: note(.disconnected)
    default: break
    }
  }
}
