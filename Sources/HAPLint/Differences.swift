import HAPModel

// Differences between two reads of one accessory.
extension DatabaseLint {
  /// Compares the structure of two databases (ADB-41, ADB-42, ADB-44): accessories, services and characteristics by their ids, with
  /// their types, formats, permissions, units, limits and links. Values and the order of elements are ignored.
  /// - Returns: a sentence for each difference, by ascending ids, at most `mostOfAKind`; one sentence if either text is not a database.
  package static func structuralDifferences(between old: [UInt8], and new: [UInt8]) -> [String] {
    guard let old = structure(old), let new = structure(new) else {
      return ["one of the two texts is not an attribute database"]
    }
    var differences: [String] = []
    for id in Set(old.keys).union(new.keys).sorted() {
      guard differences.count < mostOfAKind else { break }
      switch (old[id], new[id]) {
      case (let before?, nil): differences.append("\(id.words): \(before.name) was removed")
      case (nil, let after?): differences.append("\(id.words): \(after.name) was added")
      case (let before?, let after?): differences += before.differences(from: after).map { "\(id.words): \($0)" }
      case (nil, nil): break
      }
    }
    return Array(differences.prefix(mostOfAKind))
  }

  /// Finds ids that have changed their meaning (ADB-43): the same aid and iid with another type, or with a service instead of a
  /// characteristic. An accessory with another serial number is another accessory.
  /// - Returns: the ids in ascending order, at most `mostOfAKind`.
  package static func reusedIDs(old: [UInt8], new: [UInt8]) -> [String] {
    guard let old = structure(old), let new = structure(new) else { return [] }
    var reused: [String] = []
    for id in Set(old.keys).intersection(new.keys).sorted() {
      guard reused.count < mostOfAKind else { break }
      guard let before = old[id], let after = new[id] else { continue }
      if before.name != after.name {
        reused.append("\(id.words) was \(before.name), and is now \(after.name)")
      } else if let was = before.serial, let now = after.serial, was != now {
        reused.append("\(id.words) was the accessory with the serial number \(was), and is now the one with \(now)")
      }
    }
    return reused
  }

  /// Returns the characteristics that are null, for `LintFacts.nullAgain` of a second read.
  package static func nulls(in body: [UInt8]) -> Set<AttributeID> {
    guard let database = DatabaseReading(body).root.map(ParsedDatabase.init) else { return [] }
    var nulls: Set<AttributeID> = []
    for accessory in database.accessories {
      for characteristic in accessory.services.lazy.flatMap(\.characteristics)
      where characteristic.content?.isNull == true {
        if let aid = accessory.aid, let iid = characteristic.iid { nulls.insert(AttributeID(aid: aid, iid: iid)) }
      }
    }
    return nulls
  }

  // MARK: Parts

  /// Returns the structure by ids; iid 0 is the accessory itself. Of two elements with one id, the first counts.
  private static func structure(_ body: [UInt8]) -> [AttributeID: Thing]? {
    guard let database = DatabaseReading(body).root.map(ParsedDatabase.init), database.list?.elements != nil else {
      return nil
    }
    var things: [AttributeID: Thing] = [:]
    func add(_ aid: UInt64, _ iid: UInt64, _ thing: Thing) {
      let id = AttributeID(aid: aid, iid: iid)
      if things[id] == nil { things[id] = thing }
    }
    for accessory in database.accessories {
      guard let aid = accessory.aid else { continue }
      add(aid, 0, Thing(accessory))
      for service in accessory.services {
        if let iid = service.iid { add(aid, iid, Thing(service)) }
        for characteristic in service.characteristics {
          if let iid = characteristic.iid { add(aid, iid, Thing(characteristic, of: service)) }
        }
      }
    }
    return things
  }

  private struct Thing {
    /// A name such as "the service Light Bulb" or "the characteristic On of Light Bulb".
    var name: String
    /// The members of the structure, as text.
    var traits: [String: String]

    /// The serial number of an accessory, in quotes.
    var serial: String?

    init(_ accessory: ParsedAccessory) {
      name = "the accessory"
      traits = [:]
      if let text = accessory.information?[.serialNumber]?.content?.string, !text.isEmpty { serial = quoted(text) }
    }

    init(_ service: ParsedService) {
      name = "the service \(service.name)"
      traits = ["linked": service.linked.sorted().map(String.init).joined(separator: ", ")]
      traits["primary"] = service.isPrimary ? "true" : "false"
      traits["hidden"] = service.isHidden ? "true" : "false"
    }

    init(_ characteristic: ParsedCharacteristic, of service: ParsedService) {
      name = "the characteristic \(characteristic.name) of \(service.name)"
      traits = ["perms": characteristic.perms?.names.joined(separator: ", ") ?? ""]
      traits["service"] = service.iid.map(String.init)
      for member in characteristic.value.members ?? [] where Self.watched.contains(member.name) && !member.value.isNull
      {
        traits[member.name] = member.value.text
      }
    }

    private static let watched: Set<String> = [
      "format", "unit", "minValue", "maxValue", "minStep", "maxLen", "maxDataLen", "valid-values", "valid-values-range",
      "description",
    ]

    func differences(from new: Thing) -> [String] {
      if name != new.name { return ["was \(name), and is now \(new.name)"] }
      return Set(traits.keys).union(new.traits.keys).sorted().compactMap { trait in
        let before = traits[trait]
        let after = new.traits[trait]
        if before == after { return nil }
        return "\(trait) of \(name) was \(Self.words(before)), and is now \(Self.words(after))"
      }
    }

    private static func words(_ trait: String?) -> String { trait.map { $0.isEmpty ? "empty" : $0 } ?? "absent" }
  }
}

extension AttributeID {
  fileprivate var words: String { iid == 0 ? "aid \(aid)" : description }
}

extension ParsedValue {
  /// All numbers and texts of the value at any depth, for comparison.
  fileprivate var text: String {
    switch kind {
    case .array(let elements): "[" + elements.prefix(64).map(\.text).joined(separator: ", ") + "]"
    default: words
    }
  }
}
