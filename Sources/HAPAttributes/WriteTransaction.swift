import HAPModel

/// One entry of a write request. HAP R2 §6.7.2.
package struct AttributeWrite {
  package enum Authorization: Equatable {
    case bytes([UInt8])
    /// The data could not be decoded.
    case malformed
  }

  package var id: AttributeID
  /// The value in the form of the protocol; the rules of the characteristic convert it. nil: no value is written.
  package var value: Value?
  /// Subscribes or unsubscribes; nil: neither.
  package var subscribes: Bool?
  /// Whether the controller requests a write response with the value.
  package var wantsResponse = false
  /// Additional authorization data. HAP R2 §6.7.2.2.
  package var authorization: Authorization?
  /// Whether the controller is outside the local network.
  package var isRemote = false

  package init(_ id: AttributeID, value: Value? = nil, subscribes: Bool? = nil) {
    self.id = id
    self.value = value
    self.subscribes = subscribes
  }
}

/// A write request and its results. A front end reuses one for all requests, so that a request allocates nothing.
package struct WriteTransaction {
  package var writes: [AttributeWrite] = []
  /// The status of each write, in order.
  package internal(set) var statuses: [HAPStatus] = []
  /// Values that the device returned, by the index of the write; empty for most requests.
  package internal(set) var responses: [Int: Value] = [:]
  /// Writes that the device answers later, by their numbers.
  var late: [UInt64: LateWrite] = [:]

  package init() {}

  /// Sets one status for all writes, which are not executed.
  package mutating func refuse(_ status: HAPStatus) {
    statuses = Array(repeating: status, count: writes.count)
  }

  mutating func begin() {
    statuses.removeAll(keepingCapacity: true)
    if !responses.isEmpty { responses.removeAll() }
    if !late.isEmpty { late.removeAll() }
  }
}

/// The progress of a write request.
package enum WriteProgress {
  /// Every write has its status.
  case done
  /// The device answers later, and `AttributeFrontEnd.finish` is then called.
  case waiting
  /// The request ended at an attribute that does not exist (`AttributeQuirks.unknownWriteEndsRequest`).
  case ended
}

/// A write that the device answers later.
struct LateWrite {
  var position: Int
  /// In the canonical form.
  var value: Value
}
