import HAPModel

/// One write of a controller, as the device gets to see it: the rules of the database have admitted it.
package struct CharacteristicWrite: Equatable, Sendable {
  package var id: AttributeID
  /// Canonical for the characteristic's format.
  package var value: Value
  /// `authData`, decoded: additional authorization for a characteristic with `aa`. HAP R2 §6.7.2.2.
  package var authorization: [UInt8]?
  /// `remote`: the controller is not at home.
  package var isRemote: Bool

  package init(id: AttributeID, value: Value, authorization: [UInt8]? = nil, isRemote: Bool = false) {
    self.id = id
    self.value = value
    self.authorization = authorization
    self.isRemote = isRemote
  }
}

/// The device's own word on a write, after the rules of the database and before the answer.
package protocol CharacteristicWriter: AnyObject {
  /// - Returns: what becomes of it. A refused write changes nothing.
  func judge(_ write: CharacteristicWrite) -> WriteVerdict
}

package enum WriteVerdict: Equatable, Sendable {
  /// Taken. `response` is what a controller gets that asked for one (`r`) of a characteristic with `wr`; nil: the value written.
  case accepted(response: Value? = nil)
  /// Not taken; never `.success`.
  case refused(HAPStatus)
}
