import HAPCommandLine
import HAPProxy
import HAPModel

/// Writes what goes through a proxy, decoded. Belongs to one thread.
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
    write(TranscriptEntry(direction: .note, connection: connection, line: event.text))
  }

  private func write(_ entry: TranscriptEntry) {
    let now = TranscriptTime.now
    lines.write(isJSON ? entry.json(at: now) : entry.text(at: now), isDroppable: true)
  }
}

extension ProxyEvent {
  /// A line of the transcript.
  fileprivate var text: String {
    switch self {
    case .advertised(let name): "advertised as \(name)"
    case .renamed(let old, let new): "\(old) is taken: called \(new)"
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
    case .otherDatabase(let number): "the accessory has another database; the proxy's c# is \(number) now"
    case .accessoryLost(let error): "the accessory is gone, and so is this connection: \(error)"
    case .accessoryUnreachable(let error): "the accessory can't be reached: \(error)"
    case .identifyFailed(let error): "the accessory doesn't identify: \(error)"
    }
  }
}
