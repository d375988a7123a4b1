/// The output of NSKeyedArchiver: a list of objects that refer to each other by their positions in it, and the archived root objects.
///
/// References can be circular or invalid. No function here follows more than a few of them: a reader follows one reference at a time.
struct KeyedArchive {
  /// `$top`: the archived root objects, by name.
  let top: [String: PropertyList]
  private let objects: [PropertyList]

  init(_ list: PropertyList) throws(AppleArchiveError) {
    guard case .dictionary(let members) = list, case .dictionary(let top)? = members["$top"],
      case .array(let objects)? = members["$objects"]
    else { throw .notKeyed }
    self.top = top
    self.objects = objects
  }

  /// Returns the target of a reference and its place, or the node itself if it is no reference. Nil for an invalid reference.
  func target(of reference: PropertyList) -> (node: PropertyList, place: Int?)? {
    var node = reference
    var place: Int?
    for _ in 0..<4 {
      guard case .uid(let uid) = node else { return (node, place) }
      guard let index = Int(exactly: uid), objects.indices.contains(index) else { return nil }
      place = index
      // nil is archived as the first object, "$null".
      node = index == 0 && objects[0] == .string("$null") ? .null : objects[index]
    }
    return nil
  }

  /// Returns the class name of an object.
  func className(of object: [String: PropertyList]) -> String? {
    guard case .dictionary(let members)? = object["$class"].flatMap({ target(of: $0)?.node }),
      case .string(let name)? = members["$classname"]
    else { return nil }
    return name
  }

  /// Returns the entries of an NSDictionary whose keys are text. It reads all of them, so don't call it for objects that may be referenced
  /// repeatedly.
  func entries(of members: [String: PropertyList]) -> [String: PropertyList] {
    guard case .array(let keys)? = plain(members, "NS.keys"), case .array(let objects)? = plain(members, "NS.objects")
    else { return members }
    var entries: [String: PropertyList] = [:]
    for (key, object) in zip(keys, objects) {
      if case .string(let name) = value(key), entries[name] == nil { entries[name] = object }
    }
    return entries
  }

  /// Returns the target of a reference. Foundation classes are replaced by their contents. The time doesn't depend on the size of the target.
  func value(_ reference: PropertyList) -> ArchivedValue {
    guard let node = target(of: reference)?.node else { return .broken }
    switch node {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(Int128(value))
    case .real(let value): return .real(value)
    case .string(let text): return .string(text)
    case .data(let bytes): return .data(bytes)
    case .array(let elements): return .list(elements)
    case .dictionary(let members): return value(ofObject: members)
    case .date, .uid: return .other
    }
  }

  /// Returns a member of an object, or the target of its reference, if that is not an object.
  private func plain(_ object: [String: PropertyList], _ name: String) -> PropertyList? {
    object[name].flatMap { target(of: $0)?.node }
  }

  private func value(ofObject members: [String: PropertyList]) -> ArchivedValue {
    if case .string(let text)? = plain(members, "NS.string") { return .string(text) }
    if case .data(let bytes)? = plain(members, "NS.data") { return .data(bytes) }
    if case .data(let bytes)? = plain(members, "NS.uuidbytes") { return .data(bytes) }
    if case .data(let mantissa)? = plain(members, "NS.mantissa") { return decimal(mantissa, members) }
    if members["NS.keys"] == nil, case .array(let objects)? = plain(members, "NS.objects") { return .list(objects) }
    return className(of: members) == "NSNull" ? .null : .object(members)
  }

  /// Decodes an NSDecimalNumber: up to eight 16-bit words, lowest first, each in the stated byte order.
  private func decimal(_ mantissa: [UInt8], _ members: [String: PropertyList]) -> ArchivedValue {
    func number(_ name: String) -> Int64? {
      if case .integer(let number)? = plain(members, name) { number } else { nil }
    }
    let exponent = number("NS.exponent") ?? 0
    guard mantissa.count <= 16, (-128...127).contains(exponent) else { return .other }
    let isBigEndian = number("NS.mantissa.bo") == 2
    var whole: UInt128 = 0
    for word in stride(from: 0, to: mantissa.count - 1, by: 2) {
      let high = mantissa[word + (isBigEndian ? 0 : 1)]
      let low = mantissa[word + (isBigEndian ? 1 : 0)]
      whole |= (UInt128(high) << 8 | UInt128(low)) << UInt128(word * 8)
    }
    let isNegative = members["NS.negative"] == .bool(true)
    if exponent == 0, let magnitude = Int128(exactly: whole) { return .integer(isNegative ? -magnitude : magnitude) }
    var scaled = Double(whole)
    for _ in 0..<abs(exponent) { scaled = exponent < 0 ? scaled / 10 : scaled * 10 }
    return .real(isNegative ? -scaled : scaled)
  }
}
