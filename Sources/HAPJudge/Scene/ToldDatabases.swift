import HAPModel
import HAPProtocol
import HAPWire

/// What accessories last told their controllers in answer to `GET /accessories`, which need not be the truth.
final class ToldDatabases {
  private struct Entry: Hashable {
    var controller: String
    var accessory: String
  }

  /// What was told of a characteristic, as far as rules go by it.
  private struct Told {
    var type: TypeID?
    var perms: Permissions
    var format: Format?
    var minimum: Double?
    var maximum: Double?
  }

  private var databases: [Entry: [AttributeID: Told]] = [:]

  /// Controllers whose databases are kept, and characteristics of each.
  private static let mostControllers = 64
  private static let mostCharacteristics = 100_000

  private func entry(_ connection: JudgedConnection) -> Entry {
    Entry(controller: connection.who, accessory: connection.accessory.id)
  }

  func take(_ answer: PlainMessage, on connection: JudgedConnection) {
    guard answer.status == 200, let accessories = answer.json?["accessories"]?.elements else { return }
    let entry = entry(connection)
    guard databases[entry] != nil || databases.count < Self.mostControllers else { return }
    var told: [AttributeID: Told] = [:]
    for accessory in accessories {
      guard let aid = accessory["aid"]?.integerValue.flatMap({ UInt64(exactly: $0) }) else { continue }
      for service in accessory["services"]?.elements ?? [] {
        for node in service["characteristics"]?.elements ?? [] {
          guard let iid = node["iid"]?.integerValue.flatMap({ UInt64(exactly: $0) }),
            told.count < Self.mostCharacteristics
          else { continue }
          told[AttributeID(aid: aid, iid: iid)] = Told(
            type: node["type"]?.stringValue.flatMap { TypeID($0) },
            perms: (node["perms"]?.elements ?? []).compactMap { $0.stringValue.flatMap { Permissions(name: $0) } }
              .reduce([]) { $0.union($1) },
            format: node["format"]?.stringValue.flatMap { Format(rawValue: $0) },
            minimum: node["minValue"]?.numberValue?.double, maximum: node["maxValue"]?.numberValue?.double)
        }
      }
    }
    databases[entry] = told
  }

  /// Nil: the controller was told no database.
  func has(_ id: AttributeID, on connection: JudgedConnection) -> Bool? {
    databases[entry(connection)].map { $0[id] != nil }
  }

  /// Whether a characteristic is what was told of it, if anything was.
  func isTrue(_ characteristic: Characteristic, at id: AttributeID, on connection: JudgedConnection) -> Bool {
    guard let database = databases[entry(connection)] else { return true }
    guard let told = database[id] else { return false }
    return told.type == characteristic.type && told.perms == characteristic.perms
      && told.format == characteristic.format
      && told.minimum == characteristic.constraints.minValue?.double
      && told.maximum == characteristic.constraints.maxValue?.double
  }
}

extension Value {
  fileprivate var double: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .float(let float): float
    case .null, .bool, .string, .data: nil
    }
  }
}
