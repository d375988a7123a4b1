import HAPModel

extension AccessoryProfile {
  /// Returns the assigned ids with all iids that the profile doesn't state rotated within each accessory, so that every one changes.
  /// A conformant accessory never does this.
  package func shuffled(_ ids: IDMap) -> IDMap {
    var map = ids
    var expanded = accessories.flatMap(\.expanded)
    expanded[0].key = key
    for entry in expanded {
      let scope = "iid \(entry.key)"
      let keys = ServiceKeys(entry.accessory).requests(entry.accessory, isExact: isExact)
        .filter { $0.explicit == nil }.map(\.key)
      let numbers = keys.map { ids.scopes[scope]?.ids[$0] }
      for (index, key) in keys.enumerated() where index < numbers.count {
        map.scopes[scope]?.ids[key] = numbers[(index + 1) % numbers.count]
      }
    }
    return map
  }

  /// Returns the values under the ids that the other map assigns to the same entries.
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
