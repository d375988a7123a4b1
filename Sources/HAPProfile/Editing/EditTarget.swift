/// The target of an edit: `name`, `LightBulb`, `LightBulb.name`, `LightBulb/On`, `LightBulb/On.minValue`.
///
/// A member follows a dot, and a nested member follows another one: `LockMechanism.behaviour.jams`.
enum EditTarget: Equatable {
  /// Members of the accessory.
  case members([String])
  case service(String, members: [String])
  case characteristic(service: String, String, members: [String])

  init(_ text: String) {
    if let slash = text.firstIndex(of: "/") {
      let (words, members) = Self.split(text[text.index(after: slash)...], ProfileMembers.characteristic)
      self = .characteristic(service: String(text[..<slash]), words, members: members)
      return
    }
    let names = Self.names(text[...])
    if ProfileMembers.document.contains(names[0]) || ProfileMembers.bridgedAccessory.contains(names[0])
      || names[0].hasPrefix("x-")
    {
      self = .members(names)
      return
    }
    let (words, members) = Self.split(text[...], ProfileMembers.service)
    self = .service(words, members: members)
  }

  /// Splits at the first dot before a known member. If there is no known member, a last part that looks like a member name counts as one,
  /// so that the error message is about that member.
  private static func split(_ text: Substring, _ known: [String]) -> (words: String, members: [String]) {
    let dots = text.indices.filter { text[$0] == "." }
    let first = dots.first { dot in
      let name = names(text[text.index(after: dot)...])[0]
      return known.contains(name) || name.hasPrefix("x-")
    }
    if let first { return (String(text[..<first]), names(text[text.index(after: first)...])) }
    if let last = dots.last, let letter = text[text.index(after: last)...].first, ("a"..."z").contains(letter) {
      return (String(text[..<last]), [String(text[text.index(after: last)...])])
    }
    return (String(text), [])
  }

  private static func names(_ text: Substring) -> [String] {
    text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }
}
