import HAPAttributes
import HAPCrypto
import HAPIP
import HAPModel
import HAPPairing
import HAPWire
import Synchronization

/// The core that replays a capture, with its device, its random numbers and its connections.
final class ReplayedCore {
  /// An input that the core cannot have received.
  struct Refusal: Error {
    var message: String
  }

  private let core: AccessoryCore
  private let device: RecordedDevice
  private var connections: [ConnectionID: ConnectionCore] = [:]
  private var work: [Ticket: SlowWork] = [:]
  private var kept: [(id: AttributeID, value: Value)] = []
  /// The time of the first input.
  private var start: Duration?
  private let plain = PlainMessages()
  /// nil: the accessory is served over IP alone.
  private(set) var node: ReplayedNode?

  /// All unencrypted messages so far.
  var messages: [CaptureReplay.Message] { plain.messages }

  init(_ head: CaptureHead, _ lines: [CaptureLine]) throws(CaptureReplay.Mistake) {
    let drawn = DrawnBytes(lines)
    do throws(JSONProblem) {
      core = try head.makeCore(random: RandomSource { drawn.fill($0) })
    } catch { throw CaptureReplay.Mistake(line: 1, message: "\(error.path): \(error.message)") }
    device = RecordedDevice(lines)
    core.attributes.writer = head.judges ? device : nil
    core.makesReports = false
    core.onPlain = { [plain] in
      plain.messages.append(
        CaptureReplay.Message(
          time: plain.now,
          content: .http(connection: $0.number, isFromController: $1, Array($2) + Array($3))))
    }
  }

  /// Returns and removes the bytes that the core has sent on a connection since the last call.
  func takeSent(on id: ConnectionID) throws(Refusal) -> [UInt8] {
    let connection = try connection(id)
    let bytes = connection.outgoing.withReadable { Array($0) }
    connection.outgoing.consume(bytes.count)
    return bytes
  }

  /// Shows a message of Matter, and executes it again.
  /// - Parameter answer: see `ReplayedNode.took`.
  func take(_ traffic: DecodedTraffic, answer: MatterMessage?, at time: Duration, line: Int) {
    setTime(time)
    plain.messages.append(CaptureReplay.Message(time: plain.now, content: .matter(traffic)))
    if let message = traffic.message { node?.took(message, answer: answer, at: time, line: line) }
    finishInput()
  }

  private func setTime(_ time: Duration) {
    // The times of a damaged file can go back.
    plain.now = max(plain.now, time - (start ?? time))
    start = start ?? time
  }

  func take(_ input: CoreInput, at time: Duration, line: Int) throws(Refusal) {
    setTime(time)
    try perform(input, at: time, line: line)
    finishInput()
  }

  private func finishInput() {
    for action in core.takeActions() {
      if case .compute(let job, let ticket) = action { work[ticket] = job }
    }
    core.attributes.takeChanges(into: &kept)
    kept.removeAll(keepingCapacity: true)
    core.takeOutbox { _ in }
  }

  private func perform(_ input: CoreInput, at time: Duration, line: Int) throws(Refusal) {
    switch input {
    case .opened(let id, let peer):
      guard node == nil || core.reserveConnections(before: id),
        let connection = core.open(peer: peer, at: time), connection.id == id
      else {
        throw Refusal(message: "connection \(id.number) can't be opened here")
      }
      connections[id] = connection
    case .received(let id, let bytes):
      let connection = try connection(id)
      connection.incoming.append(bytes)
      core.received(on: connection, at: time)
    case .resumed(let id): core.resume(try connection(id), at: time)
    case .closed(let id):
      core.closed(try connection(id))
      connections[id] = nil
    case .computed(let ticket):
      guard let job = work.removeValue(forKey: ticket) else {
        throw Refusal(message: "no computation is pending under ticket \(ticket.number)")
      }
      core.pairingServer.computed(job.perform(), ticket: ticket, at: time)
    case .stored(let ticket, let succeeded): core.pairingServer.stored(ticket, succeeded: succeeded, at: time)
    case .advanced: core.attributes.advance(to: time)
    case .changed(let changes): try change(changes, at: time)
    case .read(let id, let result, let ticket): core.attributes.read(id, result, ticket: ticket, at: time)
    case .judged(let write, let verdict): core.attributes.judged(write, verdict, at: time)
    case .reachable(let aid, let isReachable):
      guard core.attributes.database.hasAccessory(aid) else { throw Refusal(message: "there is no accessory \(aid)") }
      core.attributes.setReachable(isReachable, aid: aid, at: time)
    case .unpaired(let identifiers): core.pairingServer.unpair(identifiers) { _ in }
    case .replaced(let accessories, let model, let configuration, let live, let judges, let matter):
      guard let database = try? AttributeDatabase(accessories) else {
        throw Refusal(message: "the ids of the database are invalid")
      }
      core.attributes.writer = judges ? device : nil
      // Like `ActionPerformer.replace`: the node knows the new database before it gets events.
      core.attributes.replace(database, live: live, at: time)
      core.databaseWasReplaced(model: model, configurationNumber: configuration)
      try node?.databaseWasReplaced(matter, at: time)
      core.attributes.sendDueEvents(at: time)
    case .joined(let state, let choices):
      guard node == nil else { throw Refusal(message: "the accessory is a Matter node already") }
      node = try ReplayedNode(core.attributes, state, choices, at: time)
    case .wrote(let values): try joined().wrote(values, at: time, line: line)
    case .asked(let ids): try joined().asked(ids, at: time)
    case .verdict: break
    }
  }

  private func joined() throws(Refusal) -> ReplayedNode {
    guard let node else { throw Refusal(message: "the accessory is no Matter node") }
    return node
  }

  private func change(_ changes: [AttributeID: Value], at time: Duration) throws(Refusal) {
    for (id, value) in changes.sorted(by: { $0.key < $1.key }) {
      guard let slot = core.attributes.database.slot(of: id) else { throw Refusal(message: "there is no \(id)") }
      guard value == .null || (try? core.attributes.database.characteristics[slot].admit(value)) != nil else {
        throw Refusal(message: "\(id) can't be \(value)")
      }
      core.attributes.change(id, to: value, at: time)
    }
  }

  private func connection(_ id: ConnectionID) throws(Refusal) -> ConnectionCore {
    guard let connection = connections[id] else { throw Refusal(message: "connection \(id.number) isn't open") }
    return connection
  }
}

/// The unencrypted messages that the core reports during a replay.
private final class PlainMessages {
  /// The time since the first input.
  var now = Duration.zero
  var messages: [CaptureReplay.Message] = []
}

/// The random bytes of the recorded run in their order, followed by zeros.
private final class DrawnBytes: Sendable {
  private let rest: Mutex<ArraySlice<UInt8>>

  init(_ lines: [CaptureLine]) {
    var bytes: [UInt8] = []
    for line in lines { if case .drawn(let drawn) = line { bytes += drawn } }
    rest = Mutex(bytes[...])
  }

  func fill(_ room: UnsafeMutableRawBufferPointer) {
    rest.withLock { rest in
      let taken = rest.prefix(room.count)
      rest = rest.dropFirst(taken.count)
      for (index, byte) in taken.enumerated() { room[index] = byte }
      for index in taken.count..<room.count { room[index] = 0 }
    }
  }
}

/// The recorded device's verdicts on writes, in their order.
private final class RecordedDevice: CharacteristicWriter {
  private var verdicts: ArraySlice<WriteVerdict>

  init(_ lines: [CaptureLine]) {
    verdicts = lines.compactMap { if case .input(.verdict(let verdict), _) = $0 { verdict } else { nil } }[...]
  }

  func judge(_ write: CharacteristicWrite) -> WriteVerdict { verdicts.popFirst() ?? .accepted() }
}
