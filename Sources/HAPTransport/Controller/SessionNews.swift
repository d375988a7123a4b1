import HAPIP
import HAPLoop
import HAPWire

/// News of a session that outlives its connections, in order of occurrence.
package enum SessionNews: Sendable {
  /// The accessory is verified, and all subscriptions are restored, except those that it refuses now. `remarks` are
  /// the deviations tolerated in Pair Verify.
  case connected(isAgain: Bool, refused: [CharacteristicEntry], remarks: [Deviation])
  /// The connection was lost or could not be made; the next attempt follows after `nextTry`.
  case lost(ClientError, nextTry: Duration)
  /// Another attempt can't succeed. The last news.
  case gaveUp(ClientError)
  /// Values that changed.
  /// - `isCatchUp`: whether they changed without a connection, at an unknown time.
  /// - `remarks`: the deviations in the message.
  case values([CharacteristicEntry], isCatchUp: Bool, remarks: [Deviation])
  /// The database, read again because it may have changed: the accessory's configuration number is different, or
  /// there was no connection for a while.
  case database(AccessoryMirror)
  /// An event, or the read of values after a reconnect, can't be parsed.
  case unreadable(ClientError)
}

/// Unread news. Values have a limit, which `append` reports; of states, only the latest are kept.
struct SessionNewsQueue {
  /// The maximum number of unread messages with values.
  static let valueRoom = ControllerClient.eventRoom
  /// The maximum size of these messages together, in bytes.
  static let byteRoom = 4 << 20
  /// The maximum number of unread states.
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

  /// - Parameter byteCount: the size of the message with the values.
  /// - Returns: false if there was no space; nothing was stored then.
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
