import HAPIP
import HAPModel

/// What accessories last told their controllers in answer to `GET /accessories`, which need not be the truth.
final class ToldDatabases {
  private struct Entry: Hashable {
    var controller: String
    var accessory: String
  }

  private var databases: [Entry: AttributeDatabase] = [:]

  /// Controllers whose databases are kept.
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

  /// Nil: the controller was told no database.
  func has(_ id: AttributeID, on connection: JudgedConnection) -> Bool? {
    databases[entry(connection)].map { $0.slot(of: id) != nil }
  }

  /// Whether a characteristic is what was told of it, as far as rules go by it, if anything was.
  func isTrue(_ characteristic: Characteristic, at id: AttributeID, on connection: JudgedConnection) -> Bool {
    guard let database = databases[entry(connection)] else { return true }
    guard let told = database.characteristic(id) else { return false }
    return told.type == characteristic.type && told.perms == characteristic.perms
      && told.format == characteristic.format
      && told.constraints.minValue?.doubleValue == characteristic.constraints.minValue?.doubleValue
      && told.constraints.maxValue?.doubleValue == characteristic.constraints.maxValue?.doubleValue
  }
}
