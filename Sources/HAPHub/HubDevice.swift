import HAPAccessoryPort
import HAPHome
import HAPHomeEngine
import HAPLoop
import HAPModel

/// A paired device and its connection. Belongs to the hub.
final class HubDevice {
  let pairing: DevicePairing
  let connection: any DeviceConnection
  /// The number of the connection: news of an earlier one for the same device are ignored.
  let number: Int
  var id: DeviceID { pairing.device }

  var state = SceneConnection.connecting
  /// The reason why there is no connection.
  var why: String? = "there was no connection yet"
  var address: String?
  /// The last known addresses.
  var addresses: [String]

  /// The characteristics whose events are wanted.
  var wanted: Set<AttributeID> = []
  /// Those that the connection was given last; nil: they are requested again.
  private var requested: Set<AttributeID>? = []
  /// The start of the open request for subscriptions; nil: none is open.
  private(set) var requestingSince: Duration?

  /// Called when the connection is ready or has ended, when a ready connection has the wanted subscriptions, or after a
  /// limit of time.
  private var waiters: [(number: Int, waiter: CheckedContinuation<Void, Never>, timer: LoopTimer)] = []
  private var lastWaiter = 0

  /// Whether the device is being added or adopted, so that its databases wait in `introduction`.
  var isNew: Bool {
    didSet { if !isNew { introduction = nil } }
  }
  /// The last database of a new device, or the reason why there is none.
  private(set) var introduction: Result<DeviceDescription, HomeError>?
  private var onIntroduction: ((Result<DeviceDescription, HomeError>) -> Void)?

  init(_ pairing: DevicePairing, _ connection: any DeviceConnection, number: Int, isNew: Bool) {
    (self.pairing, self.connection, self.number, self.isNew) = (pairing, connection, number, isNew)
    addresses = pairing.addresses
  }

  // MARK: Waiting

  func add(_ waiter: CheckedContinuation<Void, Never>, atMost limit: Duration, on loop: EventLoop) {
    lastWaiter += 1
    let number = lastWaiter
    let timer = LoopTimer(loop) { [weak self] in self?.resumeWaiters { $0 == number } }
    timer.start(after: limit)
    waiters.append((number, waiter, timer))
  }

  func resumeWaiters(where isDue: (Int) -> Bool = { _ in true }) {
    let due = waiters.filter { isDue($0.number) }
    waiters.removeAll { isDue($0.number) }
    for (_, waiter, timer) in due {
      timer.close()
      waiter.resume()
    }
  }

  // MARK: The first database

  func introduce(_ result: Result<DeviceDescription, HomeError>) {
    guard isNew else { return }
    introduction = result
    onIntroduction?(result)
    onIntroduction = nil
  }

  /// Calls `body` with the first database, or with the reason why there is none.
  func whenIntroduced(_ body: @escaping (Result<DeviceDescription, HomeError>) -> Void) {
    if let introduction { body(introduction) } else { onIntroduction = body }
  }

  // MARK: Subscriptions

  /// Returns the set to request now; nil: it was requested already, or a request has no answer yet.
  func nextSubscription(at now: Duration) -> Set<AttributeID>? {
    guard requestingSince == nil, wanted != requested else { return nil }
    requestingSince = now
    requested = wanted
    return wanted
  }

  func subscriptionEnded() { requestingSince = nil }

  /// The connection is new: the wanted subscriptions are requested again, so that their answer can be waited for.
  func forgetSubscriptions() {
    if requestingSince != nil || requested?.isEmpty == false { requested = nil }
  }
}
