import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel

/// A read of characteristics of any number of devices. Belongs to the hub.
final class HubRead {
  let ids: [HomeObjectID]
  private(set) var values: [HomeObjectID: Value] = [:]
  private(set) var errors: [HomeObjectID: HomeError] = [:]
  /// Values that arrived after the start: the answer can be older.
  private var newer: [HomeObjectID: Value] = [:]
  /// The devices without an answer.
  private var open = 0
  private let limit: LoopTimer?
  private var onEnd: ((HubRead) -> Void)?

  /// - Parameter limit: ends the read; nil: it ends with the last answer.
  init(_ ids: [HomeObjectID], limit: LoopTimer?, onEnd: @escaping (HubRead) -> Void) {
    (self.ids, self.limit, self.onEnd) = (ids, limit, onEnd)
  }

  /// The results in the order of the request.
  var readings: [CharacteristicReading] {
    ids.map { CharacteristicReading($0, value: values[$0], error: errors[$0]) }
  }

  func begin(_ devices: Int) { open = devices }

  func overtake(_ id: HomeObjectID, _ value: Value) {
    newer[id] = value
    if values[id] != nil { values[id] = value }
  }

  func got(_ id: HomeObjectID, _ value: Value) { values[id] = newer[id] ?? value }

  func failed(_ id: HomeObjectID, _ error: HomeError) { errors[id] = error }

  func deviceEnded() {
    open -= 1
    if open == 0 { end() }
  }

  func end() {
    limit?.close()
    let body = onEnd
    onEnd = nil
    body?(self)
  }
}
