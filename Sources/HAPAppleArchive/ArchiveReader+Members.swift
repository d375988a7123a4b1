import HAPModel

// The members of archived objects, by kind. A value of another kind is reported as a remark.
extension ArchiveReader {
  /// Returns the members of an object that was not read before.
  mutating func object(_ node: PropertyList, _ place: String) -> [String: PropertyList]? {
    guard case .object(let members) = archive.value(node), let object = archive.target(of: node)?.place else {
      log.add(place, "a reference to an object is expected, not \(archive.value(node).summary); it is left out")
      return nil
    }
    guard seen.insert(object).inserted else {
      log.add(place, "this object was already read in another place; it is left out here")
      return nil
    }
    return members
  }

  func value(_ members: [String: PropertyList], _ name: String) -> ArchivedValue {
    members[name].map(archive.value) ?? .null
  }

  /// Returns the entries of a list with their places.
  mutating func list(
    _ members: [String: PropertyList], _ name: String, _ place: String
  ) -> [(PropertyList, String)] {
    let place = Self.path(place, name)
    let room = Self.mostEntries - entries
    var elements: [PropertyList]
    switch value(members, name) {
    case .null: return []
    case .list(let written): elements = written
    case .object(let set) where archive.className(of: set)?.hasSuffix("OrderedSet") ?? false:
      elements = []
      while elements.count <= room, let element = set["NS.object.\(elements.count)"] { elements.append(element) }
    case let other:
      log.add(place, "a list is expected, not \(other.summary)")
      return []
    }
    if elements.count > room {
      log.add(place, "the archive has too many entries; those here from \(room) on are left out")
    }
    elements = Array(elements.prefix(room))
    entries += elements.count
    return elements.enumerated().map { ($1, "\(place)[\($0)]") }
  }

  mutating func text(_ members: [String: PropertyList], _ name: String, _ place: String) -> String? {
    switch value(members, name) {
    case .null: return nil
    case .string(let text): return text
    case let other:
      log.add(Self.path(place, name), "a text is expected, not \(other.summary)")
      return nil
    }
  }

  mutating func number(_ members: [String: PropertyList], _ name: String, _ place: String) -> Int? {
    let value = value(members, name)
    if value.isNull { return nil }
    if let number = value.number.flatMap(Int.init(exactly:)) { return number }
    log.add(Self.path(place, name), "a whole number is expected, not \(value.summary)")
    return nil
  }

  mutating func flag(_ members: [String: PropertyList], _ name: String, _ place: String) -> Bool {
    let value = value(members, name)
    if value.isNull { return false }
    if let number = value.number { return number != 0 }
    log.add(Self.path(place, name), "\(value.summary) is neither true nor false")
    return false
  }

  /// `HAK.instanceid`, at least 1.
  mutating func id(_ members: [String: PropertyList], _ place: String) -> UInt64? {
    guard let number = number(members, "HAK.instanceid", place) else { return nil }
    if number > 0 { return UInt64(number) }
    log.add(place + ".HAK.instanceid", "\(number) is not an id")
    return nil
  }

  /// `HAK.uuid` in any of its forms: text, 16 bytes, or an object with one of these or with another such object.
  mutating func type(_ members: [String: PropertyList], _ place: String) -> TypeID? {
    var members = members
    for _ in 0..<3 {
      switch members["HAK.uuid"] == nil ? value(members, "HAK.data") : value(members, "HAK.uuid") {
      case .object(let inner):
        members = inner
        continue
      case .string(let text): if let type = TypeID(text) { return type }
      case .data(let bytes): if let type = TypeID(bytes: bytes) { return type }
      default: break
      }
      break
    }
    log.add(place + ".HAK.uuid", "the type is missing or not a UUID; this is left out")
    return nil
  }

  mutating func remarkUnknown(_ members: [String: PropertyList], besides known: Set<String>, _ place: String) {
    for name in members.keys.sorted() where !known.contains(name) && name != "$class" {
      let shown = String(name.unicodeScalars.prefix(60).filter { $0.value >= 0x20 && $0.value != 0x7F })
      log.add(Self.path(place, shown), "is not known here: \(value(members, name).summary)")
    }
  }

  static func path(_ place: String, _ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }
}

extension TypeID {
  /// Creates a type from the 16 bytes of a UUID.
  fileprivate init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    self.init(text)
  }
}
