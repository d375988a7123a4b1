import HAPIP
import HAPModel

/// The last databases that accessories sent their controllers in answer to `GET /accessories`. A database may differ
/// from the accessory's real one.
final class SentDatabases {
  private struct Entry: Hashable {
    var controller: String
    var accessory: String
  }

  private var databases: [Entry: AttributeDatabase] = [:]

  /// The maximum number of controllers whose databases are kept.
  private static let mostControllers = 64

  private func entry(_ connection: JudgedConnection) -> Entry {
    Entry(controller: connection.who, accessory: connection.accessory.id)
  }

  func take(_ answer: PlainMessage, on connection: JudgedConnection) {
    let entry = entry(connection)
    guard answer.status == 200, databases[entry] != nil || databases.count < Self.mostControllers,
      let mirror = try? AccessoryMirror(answer.body)
    else { return }
    databases[entry] = mirror.database
  }

  /// Returns whether the database has the characteristic; nil: the controller received no database.
  func has(_ id: AttributeID, on connection: JudgedConnection) -> Bool? {
    databases[entry(connection)].map { $0.slot(of: id) != nil }
  }

  /// Returns whether a characteristic equals its sent description in all properties that rules use; true if none was
  /// sent.
  func isTrue(_ characteristic: Characteristic, at id: AttributeID, on connection: JudgedConnection) -> Bool {
    guard let database = databases[entry(connection)] else { return true }
    guard let told = database.characteristic(id) else { return false }
    return told.type == characteristic.type && told.perms == characteristic.perms
      && told.format == characteristic.format
      && told.constraints.minValue?.doubleValue == characteristic.constraints.minValue?.doubleValue
      && told.constraints.maxValue?.doubleValue == characteristic.constraints.maxValue?.doubleValue
  }
}
