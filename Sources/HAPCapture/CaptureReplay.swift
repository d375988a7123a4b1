import HAPAttributes
import HAPCrypto
import HAPIP
import HAPModel
import HAPPairing
import HAPWire
import Synchronization

/// Runs a capture through a core again, and holds what it says against what was said then.
package struct CaptureReplay {
  /// Something in the file that no run can have: with the line, from 1.
  package struct Mistake: Error, Equatable, CustomStringConvertible {
    package var line: Int
    package var message: String
    package var description: String { "\(line): \(message)" }
  }

  /// Where this run and that one part.
  package struct Difference: Equatable, Sendable {
    package var line: Int
    package var connection: UInt64
    /// The first byte that differs, counted from the start of what was sent at once.
    package var offset: Int
    package var then: [UInt8]
    package var now: [UInt8]
  }

  /// A message in plain.
  package struct Message: Equatable, Sendable {
    /// Since the first line behind the head.
    package var time: Duration
    package var connection: UInt64
    package var isFromController: Bool
    package var bytes: [UInt8]
  }

  package private(set) var name: String
  package private(set) var inputs = 0
  package private(set) var sentBytes = 0
  /// The first; nil: byte for byte the same.
  package private(set) var difference: Difference?
  package private(set) var messages: [Message] = []

  /// Replays a whole capture. A last line that was cut off is passed over.
  package init(_ file: [UInt8]) throws(Mistake) {
    var lines: [CaptureLine] = []
    let texts = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let first = texts.first, !first.isEmpty else { throw Mistake(line: 1, message: "there is nothing in it") }
    let head = try Self.parse(Array(first), 1) { (node) throws(JSONProblem) in try CaptureHead(node) }
    let isWhole = texts.last?.isEmpty == true
    for (index, text) in texts.enumerated().dropFirst() where !text.isEmpty {
      if index == texts.count - 1, !isWhole { break }
      lines.append(
        try Self.parse(Array(text), index + 1) { (node) throws(JSONProblem) in try CaptureLine(node) })
    }
    name = head.name
    try run(head, lines)
  }

  private static func parse<T>(
    _ text: [UInt8], _ line: Int, _ read: (JSONNode) throws(JSONProblem) -> T
  ) throws(Mistake) -> T {
    do {
      return try read(try JSONNode.parse(text))
    } catch let error as JSONProblem {
      throw Mistake(line: line, message: "\(error.path.isEmpty ? "" : "\(error.path): ")\(error.message)")
    } catch let error as JSONError {
      throw Mistake(line: line, message: "\(error.message), at column \(error.place.column)")
    } catch {
      throw Mistake(line: line, message: "\(error)")
    }
  }

  private mutating func run(_ head: CaptureHead, _ lines: [CaptureLine]) throws(Mistake) {
    let chance = DrawnBytes(lines)
    let core: AccessoryCore
    do throws(JSONProblem) {
      core = try head.makeCore(random: RandomSource { chance.fill($0) })
    } catch { throw Mistake(line: 1, message: "\(error.path): \(error.message)") }
    let device = NotedDevice(lines)
    core.attributes.writer = head.judges ? device : nil
    core.makesReports = false
    var connections: [ConnectionID: ConnectionCore] = [:]
    var kept: [(id: AttributeID, value: Value)] = []
    var work: [Ticket: SlowWork] = [:]
    let plain = Plain()
    var start: Duration?
    core.onPlain = {
      plain.messages.append(
        Message(time: plain.now, connection: $0.number, isFromController: $1, bytes: Array($2) + Array($3)))
    }

    for (index, line) in lines.enumerated() {
      let number = index + 2
      func known(_ id: ConnectionID) throws(Mistake) -> ConnectionCore {
        guard let connection = connections[id] else {
          throw Mistake(line: number, message: "connection \(id.number) isn't open")
        }
        return connection
      }
      switch line {
      case .drawn, .input(.verdict, _): continue
      case .sent(let id, let then, _):
        let connection = try known(id)
        let now = connection.outgoing.withReadable { Array($0) }
        connection.outgoing.consume(now.count)
        sentBytes += now.count
        if difference == nil, now != then {
          let offset = zip(now, then).enumerated().first { $1.0 != $1.1 }?.offset ?? min(now.count, then.count)
          difference = Difference(line: number, connection: id.number, offset: offset, then: then, now: now)
        }
        continue
      case .input(let input, let time):
        inputs += 1
        plain.now = time - (start ?? time)
        start = start ?? time
        switch input {
        case .opened(let id, let peer):
          guard let connection = core.open(peer: peer, at: time), connection.id == id else {
            throw Mistake(line: number, message: "connection \(id.number) can't be opened here")
          }
          connections[id] = connection
        case .received(let id, let bytes):
          let connection = try known(id)
          connection.incoming.append(bytes)
          core.received(on: connection, at: time)
        case .resumed(let id): core.resume(try known(id), at: time)
        case .closed(let id):
          core.closed(try known(id))
          connections[id] = nil
        case .computed(let ticket):
          guard let job = work.removeValue(forKey: ticket) else {
            throw Mistake(line: number, message: "nothing was to be computed under ticket \(ticket.number)")
          }
          core.pairing.computed(job.perform(), ticket: ticket, at: time)
        case .stored(let ticket, let succeeded): core.pairing.stored(ticket, succeeded: succeeded, at: time)
        case .advanced: core.attributes.advance(to: time)
        case .changed(let changes):
          for (id, value) in changes.sorted(by: { $0.key < $1.key }) {
            guard let slot = core.attributes.database.slot(of: id) else {
              throw Mistake(line: number, message: "there is no \(id)")
            }
            guard value == .null || (try? core.attributes.database.characteristics[slot].admit(value)) != nil else {
              throw Mistake(line: number, message: "\(id) can't be \(value)")
            }
            core.attributes.change(id, to: value, at: time)
          }
        case .read(let id, let result, let ticket): core.attributes.read(id, result, ticket: ticket, at: time)
        case .judged(let write, let verdict): core.attributes.judged(write, verdict, at: time)
        case .reachable(let aid, let isReachable):
          guard core.attributes.database.hasAccessory(aid) else {
            throw Mistake(line: number, message: "there is no accessory \(aid)")
          }
          core.attributes.setReachable(isReachable, aid: aid, at: time)
        case .unpaired(let identifiers): core.pairing.unpair(identifiers) { _ in }
        case .replaced(let accessories, let model, let configuration, let live, let judges):
          guard let database = try? AttributeDatabase(accessories) else {
            throw Mistake(line: number, message: "the database's ids are no database's")
          }
          core.attributes.writer = judges ? device : nil
          core.replace(database, model: model, configurationNumber: configuration, live: live, at: time)
        case .verdict: break
        }
      }
      for action in core.takeActions() {
        if case .compute(let job, let ticket) = action { work[ticket] = job }
      }
      core.attributes.takeChanges(into: &kept)
      kept.removeAll(keepingCapacity: true)
      core.takeOutbox { _ in }
    }
    messages = plain.messages
  }
}

/// What the core shows while a capture is replayed.
private final class Plain {
  /// Since the first input.
  var now = Duration.zero
  var messages: [CaptureReplay.Message] = []
}

/// The bytes of chance of that run, in their order; zeros when it drew fewer.
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

/// The device of that run, as far as it had a word on writes.
private final class NotedDevice: CharacteristicWriter {
  private var verdicts: ArraySlice<WriteVerdict>

  init(_ lines: [CaptureLine]) {
    verdicts = lines.compactMap { if case .input(.verdict(let verdict), _) = $0 { verdict } else { nil } }[...]
  }

  func judge(_ write: CharacteristicWrite) -> WriteVerdict { verdicts.popFirst() ?? .accepted() }
}
