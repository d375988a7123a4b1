import HAPModel
import HAPWire

/// The values of a body of /accessories or /characteristics, by their ids.
package struct ValueTable {
  private var values: [AttributeID: JSONNode] = [:]

  /// - Returns: nil for what is neither of the two.
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

  /// Where both have a value, and not the same, a sentence for each.
  /// - Parameter again: what has another value in it than here changes by itself, and says nothing.
  package func differences(from other: ValueTable, whereAlso again: ValueTable) -> [String] {
    var differences: [String] = []
    for (id, value) in values.sorted(by: { $0.key < $1.key }) {
      guard let theirs = other.values[id], let later = again.values[id], Pattern.equal(value, later) else { continue }
      if !Pattern.equal(value, theirs) {
        differences.append("\(id) was \(Pattern.shown(value)), and is \(Pattern.shown(theirs))")
      }
    }
    return differences
  }
}
