import HAPIP
import HAPLoop
import HAPModel
import HAPPairing
import HAPTransport
import HAPWire

/// A monitored connection of a controller to an accessory: each message is checked in plain text and in order.
/// Confined to the world's thread.
final class SwarmConnection: @unchecked Sendable {  // see above
  /// A request that has no answer yet.
  private struct Pending {
    let name: String
    let start: UInt64
    /// Called with the answer, before any later message.
    let onAnswer: (LinkMessage) -> Void
  }

  let controller: ControllerMachine
  let accessory: AccessoryMachine
  private(set) var client: ControllerClient!
  /// The number of the accessory's start to which the connection belongs.
  let start: Int
  /// The accessory's address at the time of the connection attempt.
  private let address: SocketAddress
  private var swarm: SwarmRun { accessory.swarm }
  private var pending: Pending?
  /// The start of each subscription: each later change of the characteristic must cause an event.
  private(set) var subscriptions: [AttributeID: UInt64] = [:]
  /// Characteristics whose subscription is unknown until the answer arrives.
  private var unsure: Set<AttributeID> = []
  /// The time of each characteristic's last event.
  private(set) var lastEvents: [AttributeID: UInt64] = [:]
  private(set) var lastEventValues: [AttributeID: Int] = [:]
  private var own: [AttributeID: Set<Int>] = [:]
  /// The time of this connection's last write to each characteristic: earlier changes need no event.
  private(set) var lastWrites: [AttributeID: UInt64] = [:]
  private(set) var isOver = false

  init(_ controller: ControllerMachine, _ accessory: AccessoryMachine, on loop: EventLoop) {
    self.controller = controller
    self.accessory = accessory
    start = accessory.starts
    address = accessory.address
    client = ControllerClient(on: loop) { [weak self] isFromController, bytes in
      if !isFromController { self?.received(bytes) }
    }
  }

  var isUsable: Bool { !isOver && controller.isUp }

  // MARK: Lifecycle

  /// Connects and runs Pair Verify.
  func open(as identity: ControllerCredentials, with paired: PairedAccessory) async throws(ClientError) {
    try await connect()
    guard isUsable else { throw .cancelled }
    do throws(ClientError) { try await client.pairVerify(identity, with: paired) } catch {
      over(error)
      throw error
    }
  }

  func connect() async throws(ClientError) {
    do throws(ClientError) { try await client.connect(to: [address]) } catch {
      over(error)
      throw error
    }
    let events = client.events
    Task(executorPreference: swarm.world) { [weak self] in
      for await _ in events {}
      await self?.ended()
    }
  }

  /// Runs Pair Setup.
  func pair(_ identity: ControllerCredentials, code: String) async throws(ClientError) -> PairedAccessory {
    guard isUsable else { throw .cancelled }
    do throws(ClientError) {
      guard let paired = try await client.pairSetup(code: code, identity: identity) else { throw ClientError.cancelled }
      return paired
    } catch {
      over(error)
      throw error
    }
  }

  func close() async {
    guard isUsable else { return over(nil) }
    isOver = true
    await client.close()
  }

  /// Records the end of the connection and its reason.
  private func ended() async {
    guard isUsable else { return over(nil) }
    do throws(ClientError) { _ = try await client.request(.accessories) } catch { over(error) }
  }

  /// - Parameter error: the reason; `nil` if the connection ended regularly, or locally.
  private func over(_ error: ClientError?) {
    if !isOver, let error { check(error) }
    isOver = true
  }

  /// Handles the end of the controller's process.
  func controllerDied() { isOver = true }

  // MARK: Requests

  /// Sends a request and waits for its answer.
  /// - Parameter onAnswer: called with the answer, before any later message is handled.
  func send(_ request: ControllerRequest, onAnswer: @escaping (LinkMessage) -> Void) async throws(ClientError) {
    guard isUsable else { throw .cancelled }
    precondition(pending == nil, "a connection has one user")
    let started = swarm.now
    let expected = Pending(name: request.name, start: started, onAnswer: onAnswer)
    pending = expected
    defer { pending = nil }
    do throws(ClientError) { _ = try await client.request(request) } catch {
      // The accessory's former address doesn't answer.
      if case .timedOut = error, isQuiet(since: started), address == accessory.address {
        swarm.report(.requestsAreAnswered, "\(self): no answer to \(request.name)")
      }
      over(error)
      throw error
    }
  }

  private func isQuiet(since start: UInt64) -> Bool {
    swarm.faultLog.active(accessory.number, controller.number, from: start, to: swarm.now).isEmpty
  }

  private func check(_ error: ClientError) {
    switch error {
    case .malformed(.frame, _): swarm.report(.countersAreUnique, "\(self): \(error)")
    case .malformed(.cutOff, _): break
    case .malformed, .unasked, .noTLV, .body: swarm.report(.answersAreSound, "\(self): \(error)")
    default: break
    }
  }

  private func answered(_ message: LinkMessage) {
    guard let pending else { return }
    self.pending = nil
    let wait = swarm.now - pending.start
    if wait > SwarmRun.longestWait, isQuiet(since: pending.start) {
      swarm.report(.waitsAreBounded, "\(self): \(pending.name) took \(wait / 1_000_000) ms")
    }
    pending.onAnswer(message)
  }

  // MARK: Subscriptions

  func willChangeSubscription(to id: AttributeID) {
    subscriptions[id] = nil
    unsure.insert(id)
  }

  func subscriptionChanged(to id: AttributeID, isOn: Bool) {
    unsure.remove(id)
    subscriptions[id] = isOn ? swarm.now : nil
  }

  /// Records that this connection writes the value now.
  func willWrite(_ index: Int, to id: AttributeID) {
    own[id, default: []].insert(index)
    lastWrites[id] = swarm.now
  }

  // MARK: Messages

  private func received(_ bytes: [UInt8]) {
    guard let message = Self.message(bytes) else { return }
    if message.isEvent { event(message) } else { answered(message) }
  }

  private func event(_ message: LinkMessage) {
    var reader = AttributeReader()
    let entries: [CharacteristicEntry]
    do throws(JSONProblem) { entries = try CharacteristicEntry.list(message.body, &reader) } catch {
      return swarm.report(.answersAreSound, "\(self): an event can't be read: \(error.message)")
    }
    for entry in entries {
      let id = entry.id
      guard let register = accessory.ledger.registers[id] else { continue }
      guard let number = entry.number else {
        swarm.report(.answersAreSound, "\(self): an event of \(id) has no number")
        continue
      }
      let index = register.watched.index(number)
      lastEvents[id] = swarm.now
      lastEventValues[id] = index
      if subscriptions[id] == nil, !unsure.contains(id), start == accessory.starts {
        swarm.report(.noEventUnsubscribed, "\(self): an event of \(id) without a subscription")
      }
      if own[id]?.contains(index) == true, !register.history.isFromOthers(index, than: controller.number) {
        swarm.report(.noEventToWriter, "\(self): an event of \(id) with its own value \(number)")
      }
    }
  }

  /// Returns the message of a complete answer or event.
  private static func message(_ bytes: [UInt8]) -> LinkMessage? {
    var parser = HTTPResponseParser()
    var copy = bytes
    return copy.withUnsafeMutableBytes { buffer in
      guard case .message(let head, let body, _) = parser.parse(buffer) else { return nil }
      return LinkMessage(
        isEvent: head.isEvent, status: head.status, contentType: head.contentType, body: Array(buffer[body]))
    }
  }
}

extension SwarmConnection: CustomStringConvertible {
  var description: String { "controller \(controller.number) at accessory \(accessory.number)" }
}

extension CharacteristicEntry {
  /// The value as a number, if it is one.
  var number: Double? {
    guard isSuccess, case .number(let number)? = value?.kind else { return nil }
    return number.double
  }
}
