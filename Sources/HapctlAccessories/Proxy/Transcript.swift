import HAPCommandLine
import HAPProxy
import HAPModel

/// Writes the decoded messages of a proxy. Belongs to one thread.
final class Transcript: ProxyObserver {
  private let lines: LineOutput
  private let isJSON: Bool
  private var reader: TranscriptReader

  init(to lines: LineOutput, isJSON: Bool, _ database: AttributeDatabase) {
    self.lines = lines
    self.isJSON = isJSON
    reader = TranscriptReader(database)
  }

  func message(_ bytes: [UInt8], isFromController: Bool, on connection: UInt64) {
    write(reader.read(bytes, isFromController: isFromController, connection: connection))
  }

  func note(_ event: ProxyEvent, on connection: UInt64?) {
    write(ProxyEntry(direction: .note, connection: connection, line: event.text))
  }

  private func write(_ entry: ProxyEntry) {
    let now = TranscriptTime.now
    lines.write(isJSON ? entry.json(at: now) : entry.text(at: now), isDroppable: true)
  }
}

extension ProxyEvent {
  /// The transcript line of an event.
  fileprivate var text: String {
    switch self {
    case .advertised(let name): "advertised as \(name)"
    case .renamed(let old, let new): "\(old) is in use; renamed to \(new)"
    case .notVisible(let reason): "not visible on the network: \(reason)"
    case .connected(let peer): "connected from \(peer)"
    case .disconnected: "disconnected"
    case .paired(let controller, let isAdmin): "paired with \(controller)\(isAdmin ? ", an admin" : "")"
    case .unpaired(let controller): "no longer paired with \(controller)"
    case .verified(let controller): "verified: \(controller)"
    case .refused(let request, let reason): "refused: \(request.isEmpty ? "" : request + ": ")\(reason)"
    case .unreadable(let reason): "refused: \(reason)"
    case .identified: "identify"
    case .storeFailed(let reason): reason
    case .otherDatabase(let number): "the accessory's database has changed; the proxy's c# is now \(number)"
    case .accessoryLost(let error): "the connection to the accessory is lost, and this connection closed: \(error)"
    case .accessoryUnreachable(let error): "the accessory can't be reached: \(error)"
    case .identifyFailed(let error): "the accessory doesn't identify itself: \(error)"
    }
  }
}
