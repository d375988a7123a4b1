import HAPModel
import HAPWire

/// What a controller knows of an accessory: its database as it was read, with the values that answers and events brought since.
package struct AccessoryMirror: Sendable {
  package private(set) var database: AttributeDatabase
  /// What was off in what the accessory sent.
  package private(set) var remarks: [Tolerated]
  /// Whether truth values came as `true` and `false`.
  package let saysBooleansInWords: Bool
  /// Whether a tlv8 that has nothing to say came as null.
  package let listsEmptyTLV8AsNull: Bool

  /// Reads the answer to `GET /accessories`.
  /// - Throws: where it is no JSON, or has no list of accessories.
  package init(_ body: [UInt8]) throws(JSONProblem) {
    var reader = AttributeReader()
    let accessories = try reader.accessories(try reader.parse(body))
    do { database = try AttributeDatabase(accessories) } catch {
      preconditionFailure("the reader leaves out: \(error)")
    }
    remarks = reader.remarks
    saysBooleansInWords = reader.sawBooleanInWords
    listsEmptyTLV8AsNull = reader.sawNullTLV8
  }

  /// A change of one value.
  package struct Change: Equatable, Sendable {
    package var id: AttributeID
    package var value: Value

    package init(id: AttributeID, value: Value) {
      self.id = id
      self.value = value
    }
  }

  /// Takes the values of an answer or an event.
  /// - Returns: what it told, in its order: also values that were known already. What isn't in the database is remarked and left out.
  package mutating func take(_ entries: [CharacteristicEntry], of place: String) -> [Change] {
    var reader = AttributeReader()
    var changes: [Change] = []
    for entry in entries {
      guard let node = entry.value, entry.isSuccess else { continue }
      guard let slot = database.slot(of: entry.id) else {
        remark(Tolerated(place, "there is no \(entry.id) in the database"))
        continue
      }
      let value = reader.value(node, database.characteristics[slot].format)
      database[slot: slot] = value
      changes.append(Change(id: entry.id, value: value))
    }
    for remark in reader.remarks { self.remark(Tolerated("\(place): \(remark.place)", remark.message)) }
    return changes
  }

  private mutating func remark(_ remark: Tolerated) {
    if remarks.count < Tolerated.most { remarks.append(remark) }
  }
}
