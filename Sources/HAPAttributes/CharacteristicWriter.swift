import HAPModel

/// One write of a controller, as the device gets to see it: the rules of the database have admitted it.
package struct CharacteristicWrite: Equatable, Sendable {
  /// Names this write when the device answers it later; never used again.
  package var number: UInt64
  package var id: AttributeID
  /// Canonical for the characteristic's format.
  package var value: Value
  /// `authData`, decoded: additional authorization for a characteristic with `aa`. HAP R2 §6.7.2.2.
  package var authorization: [UInt8]?
  /// `remote`: the controller is not at home.
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

  /// - Parameter value: the written one, as the characteristic has it.
  init(_ number: UInt64, _ write: AttributeWrite, _ value: Value) {
    var authorization: [UInt8]?
    if case .bytes(let bytes)? = write.authorization { authorization = bytes }
    self.init(number: number, id: write.id, value: value, authorization: authorization, isRemote: write.isRemote)
  }
}

/// The device's own word on a write, after the rules of the database and before the answer.
package protocol CharacteristicWriter: AnyObject {
  /// It must not call the core or its server: a request is under way there.
  /// - Returns: what becomes of it. A refused write changes nothing.
  func judge(_ write: CharacteristicWrite) -> WriteVerdict
}

package enum WriteVerdict: Equatable, Sendable {
  /// Taken. `response` is what a controller gets that asked for one (`r`) of a characteristic with `wr`; nil: the value written.
  case accepted(response: Value? = nil)
  /// Not taken; never `.success`.
  case refused(HAPStatus)
  /// The device needs time: it answers with `AttributeServer.judged`. After `AttributeQuirks.deviceDeadline` the write has failed with -70408, and the
  /// value stays.
  case later
}

/// What a controller wrote to the characteristics of one service in one request, in the order of the request. Hue, saturation and brightness
/// of a light come together.
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
  /// Mostly none.
  package var others: [Entry] = []

  package init(first: Entry, others: [Entry] = []) {
    self.first = first
    self.others = others
  }

  package var entries: Entries { Entries(write: self) }

  /// The first and the others, without an array made of them.
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
