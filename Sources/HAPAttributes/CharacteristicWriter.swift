import HAPModel

/// One write of a controller for the device; it has passed the rules of the database.
package struct CharacteristicWrite: Equatable, Sendable {
  /// Identifies this write if the device answers it later; never reused.
  package var number: UInt64
  package var id: AttributeID
  /// In the canonical form of the characteristic's format.
  package var value: Value
  /// `authData`, decoded: additional authorization for a characteristic with `aa`. HAP R2 §6.7.2.2.
  package var authorization: [UInt8]?
  /// `remote`: the controller is outside the local network.
  package var isRemote: Bool

  package init(
    number: UInt64, id: AttributeID, value: Value, authorization: [UInt8]? = nil, isRemote: Bool = false
  ) {
    self.number = number
    self.id = id
    self.value = value
    self.authorization = authorization
    self.isRemote = isRemote
  }

  /// - Parameter value: the written value in the canonical form.
  init(_ number: UInt64, _ write: AttributeWrite, _ value: Value) {
    var authorization: [UInt8]?
    if case .bytes(let bytes)? = write.authorization { authorization = bytes }
    self.init(number: number, id: write.id, value: value, authorization: authorization, isRemote: write.isRemote)
  }
}

/// Decides for the device about a write, after the rules of the database and before the response.
package protocol CharacteristicWriter: AnyObject {
  /// Decides about a write. Must not call the core or its server, which are handling a request.
  /// - Returns: the decision. A refused write changes nothing.
  func judge(_ write: CharacteristicWrite) -> WriteVerdict
}

package enum WriteVerdict: Equatable, Sendable {
  /// Accepted. `response` is the value for a write response (`r`, for a characteristic with `wr`); nil: the written
  /// value.
  case accepted(response: Value? = nil)
  /// Refused; never `.success`.
  case refused(HAPStatus)
  /// The device needs time: it answers with `AttributeServer.judged`. After `AttributeQuirks.deviceDeadline` the
  /// write fails with -70408, and the value stays unchanged.
  case later
}

/// The values that a controller wrote to the characteristics of one service in one request, in the order of the
/// request. Hue, saturation and brightness of a light are therefore together.
package struct ServiceWrite: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    package var id: AttributeID
    package var value: Value

    package init(_ id: AttributeID, _ value: Value) {
      self.id = id
      self.value = value
    }
  }

  package var first: Entry
  /// Usually empty.
  package var others: [Entry] = []

  package init(first: Entry, others: [Entry] = []) {
    self.first = first
    self.others = others
  }

  package var entries: Entries { Entries(write: self) }

  /// All entries, without allocating an array.
  package struct Entries: Sequence {
    fileprivate let write: ServiceWrite

    package func makeIterator() -> Iterator { Iterator(write: write) }

    package struct Iterator: IteratorProtocol {
      fileprivate let write: ServiceWrite
      private var position = 0

      fileprivate init(write: ServiceWrite) { self.write = write }

      package mutating func next() -> Entry? {
        defer { position += 1 }
        if position == 0 { return write.first }
        return position <= write.others.count ? write.others[position - 1] : nil
      }
    }
  }
}
