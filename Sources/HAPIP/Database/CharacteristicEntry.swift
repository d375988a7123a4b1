import HAPModel
import HAPWire

/// One entry of an answer to a read or a write, or of an event. HAP R2 §6.7.2, §6.7.4, §6.8.2.
package struct CharacteristicEntry: Equatable, Sendable {
  package var id: AttributeID
  /// As the JSON has it; nil: the entry has none.
  package var value: JSONNode?
  /// nil: the entry has none, which means success.
  package var status: Int?
  /// The whole entry, for what a read with extras brings.
  package var node: JSONNode

  /// Whether it worked.
  package var isSuccess: Bool { status == nil || status == 0 }
  /// The status by its name; nil for one that HAP doesn't have.
  package var failure: HAPStatus? { isSuccess ? nil : HAPStatus(rawValue: Int32(clamping: status ?? 0)) }

  /// Reads the list `characteristics` of a body.
  /// - Parameter reader: is told what was off.
  /// - Throws: where there is no such list, or an entry has no id.
  package static func list(
    _ body: [UInt8], _ reader: inout AttributeReader
  ) throws(JSONProblem) -> [CharacteristicEntry] {
    try reader.parse(body).required("characteristics").asList().map { (node) throws(JSONProblem) in
      let ids: ClosedRange<Int128> = 1...Int128(UInt64.max)
      let aid = try node.required("aid").asInteger(in: ids)
      let iid = try node.required("iid").asInteger(in: ids)
      return CharacteristicEntry(
        id: AttributeID(aid: UInt64(aid), iid: UInt64(iid)), value: node["value"],
        status: try node["status"].map { (node) throws(JSONProblem) in Int(try node.asInteger(in: -99_999...99_999)) },
        node: node)
    }
  }
}
