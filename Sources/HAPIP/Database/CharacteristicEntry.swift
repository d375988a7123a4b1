import HAPModel
import HAPWire

/// One entry of an answer to a read or a write, or of an event. HAP R2 §6.7.2, §6.7.4, §6.8.2.
package struct CharacteristicEntry: Equatable, Sendable {
  package var id: AttributeID
  /// The JSON value; nil: the entry has none.
  package var value: JSONNode?
  /// nil: the entry has none, which means success.
  package var status: Int?
  /// The whole entry, for the additional members of a read.
  package var node: JSONNode

  /// Whether the read or write succeeded.
  package var isSuccess: Bool { status == nil || status == 0 }
  /// The HAP status of a failure; nil if it succeeded or if HAP doesn't define the status.
  package var failure: HAPStatus? { isSuccess ? nil : HAPStatus(rawValue: Int32(clamping: status ?? 0)) }

  /// Reads the list `characteristics` of a body.
  /// - Parameter reader: collects the deviations.
  /// - Throws: if there is no such list, or an entry has no ID.
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
