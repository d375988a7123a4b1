import HAPModel
import HAPWire

/// A controller's copy of an accessory: the database as it was read, with the values of later responses and events.
package struct AccessoryMirror: Sendable {
  package private(set) var database: AttributeDatabase
  /// The deviations in the accessory's messages.
  package private(set) var remarks: [Deviation]
  /// Whether Booleans were sent as `true` and `false`.
  package let saysBooleansInWords: Bool
  /// Whether an empty tlv8 was sent as null.
  package let listsEmptyTLV8AsNull: Bool

  /// Reads the answer to `GET /accessories`.
  /// - Throws: if it is not JSON, or has no list of accessories.
  package init(_ body: [UInt8]) throws(JSONProblem) {
    var reader = AttributeReader()
    let accessories = try reader.accessories(try reader.parse(body))
    do { database = try AttributeDatabase(accessories) } catch {
      preconditionFailure("the reader has accepted an invalid database: \(error)")
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

  /// Applies the values of a response or an event.
  /// - Returns: all values in their order, including unchanged ones. Values for unknown characteristics are reported
  ///   as deviations and skipped.
  package mutating func take(_ entries: [CharacteristicEntry], of place: String) -> [Change] {
    var reader = AttributeReader()
    var changes: [Change] = []
    for entry in entries {
      guard let node = entry.value, entry.isSuccess else { continue }
      guard let slot = database.slot(of: entry.id) else {
        remark(Deviation(place, "there is no \(entry.id) in the database"))
        continue
      }
      let value = reader.value(node, database.characteristics[slot].format)
      database[slot: slot] = value
      changes.append(Change(id: entry.id, value: value))
    }
    for remark in reader.remarks { self.remark(Deviation("\(place): \(remark.place)", remark.message)) }
    return changes
  }

  private mutating func remark(_ remark: Deviation) {
    if remarks.count < Deviation.most { remarks.append(remark) }
  }
}
