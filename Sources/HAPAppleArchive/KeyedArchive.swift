/// What NSKeyedArchiver writes: a list of objects, which name one another by their places in it, and the object that was archived.
///
/// References may lead in circles and nowhere. Nothing here follows more than a few of them: who walks through an archive takes one step at a time.
struct KeyedArchive {
  /// `$top`: what was archived, by the name it was given.
  let top: [String: PropertyList]
  private let objects: [PropertyList]

  init(_ list: PropertyList) throws(AppleArchiveError) {
    guard case .dictionary(let members) = list, case .dictionary(let top)? = members["$top"],
      case .array(let objects)? = members["$objects"]
    else { throw .notKeyed }
    self.top = top
    self.objects = objects
  }

  /// What a reference leads to, and its place; what is no reference leads to itself. Nil for a reference into nothing.
  func target(of reference: PropertyList) -> (node: PropertyList, place: Int?)? {
    var node = reference
    var place: Int?
    for _ in 0..<4 {
      guard case .uid(let uid) = node else { return (node, place) }
      guard let index = Int(exactly: uid), objects.indices.contains(index) else { return nil }
      place = index
      // nil is archived as the first object, which says so.
      node = index == 0 && objects[0] == .string("$null") ? .null : objects[index]
    }
    return nil
  }

  /// The name of an object's class.
  func className(of object: [String: PropertyList]) -> String? {
    guard case .dictionary(let members)? = object["$class"].flatMap({ target(of: $0)?.node }),
      case .string(let name)? = members["$classname"]
    else { return nil }
    return name
  }

  /// The entries of an NSDictionary whose keys are text. Goes through all of them: not for what may be named again and again.
  func entries(of members: [String: PropertyList]) -> [String: PropertyList] {
    guard case .array(let keys)? = plain(members, "NS.keys"), case .array(let objects)? = plain(members, "NS.objects")
    else { return members }
    var entries: [String: PropertyList] = [:]
    for (key, object) in zip(keys, objects) {
      if case .string(let name) = value(key), entries[name] == nil { entries[name] = object }
    }
    return entries
  }

  /// What a reference leads to, with the classes of Foundation taken for what they hold. Takes no longer for what is large.
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

  /// A member of an object, as it was written or one step away, when it is no object itself.
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

  /// An NSDecimalNumber: up to eight words of 16 bits, the lowest first, each of them in the byte order that is named.
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
