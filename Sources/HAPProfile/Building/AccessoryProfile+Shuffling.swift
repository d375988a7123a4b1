import HAPModel

extension AccessoryProfile {
  /// The ids that were given out, with the iids that the profile doesn't write down handed round among the things of each accessory: none of them keeps its
  /// own. What no accessory does that minds its rules.
  package func shuffled(_ ids: IDMap) -> IDMap {
    var map = ids
    var expanded = accessories.flatMap(\.expanded)
    expanded[0].key = key
    for entry in expanded {
      let scope = "iid \(entry.key)"
      let keys = ServiceKeys(entry.accessory).wishes(entry.accessory, isExact: isExact)
        .filter { $0.explicit == nil }.map(\.key)
      let numbers = keys.map { ids.scopes[scope]?.ids[$0] }
      for (index, key) in keys.enumerated() where index < numbers.count {
        map.scopes[scope]?.ids[key] = numbers[(index + 1) % numbers.count]
      }
    }
    return map
  }

  /// Values under the ids of another map, which has numbers for the same things.
  package func moved<Element>(_ values: [AttributeID: Element], from old: IDMap, to new: IDMap) -> [AttributeID:
    Element]
  {
    var names: [AttributeID: (accessory: String, key: String)] = [:]
    for (accessory, aid) in Self.aids(in: old) {
      for (key, iid) in old.scopes["iid \(accessory)"]?.ids ?? [:] {
        names[AttributeID(aid: aid, iid: iid)] = (accessory, key)
      }
    }
    let aids = Self.aids(in: new)
    var moved: [AttributeID: Element] = [:]
    for (id, value) in values {
      guard let (accessory, key) = names[id], let aid = aids[accessory],
        let iid = new.scopes["iid \(accessory)"]?.ids[key]
      else { continue }
      moved[AttributeID(aid: aid, iid: iid)] = value
    }
    return moved
  }

  private static func aids(in map: IDMap) -> [String: UInt64] { map.scopes["aid"]?.ids ?? [:] }
}
