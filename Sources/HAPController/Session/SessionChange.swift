import HAPModel

/// A change that a session reports, in the order of arrival.
public enum SessionChange: Sendable {
  /// The values of subscribed characteristics changed. `isCatchUp`: the change happened at an unknown time without a
  /// connection.
  case values([CharacteristicResult], isCatchUp: Bool)
  /// The database was read again, and it or its `c#` has changed.
  case database(DatabaseSnapshot)
  /// The session has reconnected. The subscriptions are renewed, except for those that the accessory now refuses.
  case connected(refused: [CharacteristicResult])
  /// The connection was lost or could not be opened. The next attempt begins after this time.
  case disconnected(ControllerError, nextTry: Duration)
  /// An event or an answer could not be parsed.
  case unreadable(ControllerError)
  /// The session ended because another attempt can't succeed. This is the last change.
  case ended(ControllerError)
}

/// The result for one characteristic of a request, or one value of an event.
public struct CharacteristicResult: Hashable, Sendable {
  /// The characteristic.
  public let id: AttributeID
  /// The value that was read, written or sent; nil if there is none: see ``status``.
  public let value: Value?
  /// HAP status; 0: success. HAP R2 §6.7.1.4.
  public let status: Int

  /// Creates a result like those that a session returns.
  public init(id: AttributeID, value: Value?, status: Int = 0) {
    self.id = id
    self.value = value
    self.status = status
  }

  /// Whether the accessory accepted the request for this characteristic.
  public var isSuccess: Bool { status == 0 }
}

/// A value for a characteristic.
public struct CharacteristicWrite: Hashable, Sendable {
  /// The characteristic.
  public var id: AttributeID
  /// The value, in the format of the characteristic.
  public var value: Value

  /// Creates a write of a value.
  public init(_ id: AttributeID, _ value: Value) {
    self.id = id
    self.value = value
  }
}

/// The accessories, services and characteristics of an accessory server at one time, with the last known values.
public struct DatabaseSnapshot: Sendable {
  /// The database.
  public let database: AttributeDatabase
  /// The configuration number, `c#`, of the accessory's record when this database was read; nil: no record was received
  /// yet. HAP R2 §6.4.
  public let configurationNumber: UInt32?

  /// Returns the first characteristic of a type.
  /// - Parameters:
  ///   - name: the type's name in the catalogue, such as "Target Door State".
  ///   - aid: the number of a bridged accessory; nil: any accessory.
  public func characteristic(named name: String, aid: UInt64? = nil) -> AttributeID? {
    database.characteristics.indices.first { slot in
      Catalogue.characteristic(database.characteristics[slot].type)?.name == name
        && (aid == nil || database.id(ofSlot: slot).aid == aid)
    }.map { database.id(ofSlot: $0) }
  }

  /// Returns all characteristics with this permission.
  public func characteristics(with permission: Permissions) -> [AttributeID] {
    database.characteristics.indices.filter { database.characteristics[$0].perms.contains(permission) }
      .map { database.id(ofSlot: $0) }
  }
}
