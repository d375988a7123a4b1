import HAPModel
import HAPWire

/// The values in a body of /accessories or /characteristics, by ID.
package struct ValueTable {
  private var values: [AttributeID: JSONNode] = [:]

  /// - Returns: nil if the body is neither of the two.
  package init?(_ body: [UInt8]) {
    guard let node = try? JSONNode.parse(body) else { return nil }
    if let entries = node["characteristics"]?.elements {
      for entry in entries { add(entry, aid: entry["aid"]) }
    } else if let accessories = node["accessories"]?.elements {
      for accessory in accessories {
        for service in accessory["services"]?.elements ?? [] {
          for characteristic in service["characteristics"]?.elements ?? [] {
            add(characteristic, aid: accessory["aid"])
          }
        }
      }
    } else {
      return nil
    }
  }

  private mutating func add(_ node: JSONNode, aid: JSONNode?) {
    guard let aid = aid?.integerValue.flatMap(UInt64.init(exactly:)),
      let iid = node["iid"]?.integerValue.flatMap(UInt64.init(exactly:)), let value = node["value"]
    else { return }
    values[AttributeID(aid: aid, iid: iid)] = value
  }

  /// Returns one sentence for each ID whose value differs in `other`.
  /// - Parameter again: a second reading of this table. IDs whose value differs there change by themselves and are ignored.
  package func differences(from other: ValueTable, whereAlso again: ValueTable) -> [String] {
    var differences: [String] = []
    for (id, value) in values.sorted(by: { $0.key < $1.key }) {
      guard let theirs = other.values[id], let later = again.values[id], Pattern.equal(value, later) else { continue }
      if !Pattern.equal(value, theirs) {
        differences.append("\(id) was \(Pattern.shown(value)), is now \(Pattern.shown(theirs))")
      }
    }
    return differences
  }
}
