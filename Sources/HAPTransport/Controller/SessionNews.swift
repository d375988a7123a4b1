import HAPIP
import HAPLoop
import HAPWire

/// What a session that outlives its connections tells, in the order in which it happened.
package enum SessionNews: Sendable {
  /// The accessory is verified, and everything is subscribed to again but what it refuses now. With what was put up with in Pair Verify.
  case connected(isAgain: Bool, refused: [CharacteristicEntry], remarks: [Tolerated])
  /// The connection is gone, or could not be made; after so long it is tried again.
  case lost(ClientError, nextTry: Duration)
  /// It is of no use to try again. The last news.
  case gaveUp(ClientError)
  /// Values that changed.
  /// - `isCatchUp`: while there was no connection; nobody knows when.
  /// - `remarks`: what was off in the message.
  case values([CharacteristicEntry], isCatchUp: Bool, remarks: [Tolerated])
  /// The database, read again because it may have changed: the accessory's configuration number did, or there was no connection for a while.
  case database(AccessoryMirror)
  /// An event, or the answer that should tell what changed meanwhile, says nothing that can be understood.
  case unreadable(ClientError)
}

/// News that wait to be read. Values have a limit, which their giver is told of; of older states, the latest are kept.
struct SessionNewsQueue {
  /// How many messages with values may wait.
  static let valueRoom = ControllerClient.eventRoom
  /// How many bytes they may have had together when they came.
  static let byteRoom = 4 << 20
  /// How many states may wait.
  static let stateRoom = 100

  private var waiting: [(news: SessionNews, byteCount: Int)] = []
  private var valueCount = 0
  private var byteCount = 0

  var isFull: Bool { valueCount >= Self.valueRoom || byteCount >= Self.byteRoom }

  mutating func append(state: SessionNews) {
    if waiting.count - valueCount >= Self.stateRoom, let oldest = waiting.firstIndex(where: { !$0.news.hasValues }) {
      waiting.remove(at: oldest)
    }
    waiting.append((state, 0))
  }

  /// - Parameter byteCount: of the message they came in.
  /// - Returns: false when there was no room; nothing was kept then.
  mutating func append(values: SessionNews, byteCount: Int) -> Bool {
    guard !isFull else { return false }
    valueCount += 1
    self.byteCount += byteCount
    waiting.append((values, byteCount))
    return true
  }

  mutating func next() -> SessionNews? {
    guard !waiting.isEmpty else { return nil }
    let first = waiting.removeFirst()
    if first.news.hasValues { valueCount -= 1 }
    byteCount -= first.byteCount
    return first.news
  }
}

extension SessionNews {
  fileprivate var hasValues: Bool {
    switch self {
    case .connected, .lost, .gaveUp: false
    case .values, .database, .unreadable: true
    }
  }
}
