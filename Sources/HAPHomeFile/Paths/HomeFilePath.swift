/// The path of a service or a characteristic: names with slashes, such as "Stereo Light/On" or "Stereo Light/Light Bulb/On".
package struct HomeFilePath: Hashable, Sendable, CustomStringConvertible {
  package enum Part: Hashable, Sendable, CustomStringConvertible {
    case name(String)
    /// An instance ID, written "@10".
    case iid(UInt64)

    package var description: String { text }
  }

  package var accessory: String
  /// The parts after the accessory's name: one or two.
  package var parts: [Part]

  package init(_ accessory: String, _ parts: Part...) { self.init(accessory, parts) }

  /// - Parameter parts: one or two.
  package init(_ accessory: String, _ parts: [Part]) { (self.accessory, self.parts) = (accessory, parts) }

  /// Parses a path of two or three parts. A backslash before a slash, a backslash or "@" belongs to the name.
  /// - Throws: the reason, as a sentence.
  package init(_ text: String) throws(Malformed) {
    let parts = try Self.parts(text)
    guard case .name(let accessory) = parts[0] else {
      throw Malformed(message: "the path \"\(text)\" does not begin with the name of an accessory")
    }
    guard (2...3).contains(parts.count) else {
      throw Malformed(
        message:
          "the path \"\(text)\" has the wrong number of parts: write ACCESSORY/SERVICE, ACCESSORY/CHARACTERISTIC or ACCESSORY/SERVICE/CHARACTERISTIC"
      )
    }
    self.accessory = accessory
    self.parts = Array(parts.dropFirst())
  }

  /// Parses the parts of a path, at least one.
  package static func parts(_ text: String) throws(Malformed) -> [Part] {
    var parts: [Part] = []
    var rest = text.unicodeScalars[...]
    while true {
      parts.append(try Part(reading: &rest))
      guard rest.popFirst() != nil else { return parts }  // the slash
    }
  }

  package struct Malformed: Error {
    package var message: String
  }

  package var description: String {
    ([.name(accessory)] + parts).map(\.text).joined(separator: "/")
  }
}

extension HomeFilePath.Part {
  /// Parses one part alone.
  init(_ text: String) throws(HomeFilePath.Malformed) {
    var rest = text.unicodeScalars[...]
    self = try HomeFilePath.Part(reading: &rest)
    guard rest.isEmpty else { throw HomeFilePath.Malformed(message: "\"\(text)\" has more than one part") }
  }

  /// Reads up to a slash, which remains.
  fileprivate init(reading rest: inout Substring.UnicodeScalarView) throws(HomeFilePath.Malformed) {
    let isNumber = rest.first == "@"
    var name = String.UnicodeScalarView()
    while let scalar = rest.first, scalar != "/" {
      rest.removeFirst()
      if scalar == "\\", let next = rest.popFirst() { name.append(next) } else { name.append(scalar) }
    }
    let text = String(name)
    guard !text.isEmpty else { throw HomeFilePath.Malformed(message: "a name is missing before or after a slash") }
    guard isNumber else {
      self = .name(text)
      return
    }
    guard text.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }), let iid = UInt64(text.dropFirst()) else {
      throw HomeFilePath.Malformed(message: "\"\(text)\" is not an instance ID: write \"@\" and a number, or a name")
    }
    self = .iid(iid)
  }

  /// The form that `init` parses.
  package var text: String {
    switch self {
    case .iid(let iid): return "@\(iid)"
    case .name(let name):
      var text = String.UnicodeScalarView()
      for (index, scalar) in name.unicodeScalars.enumerated() {
        if scalar == "/" || scalar == "\\" || (scalar == "@" && index == 0) { text.append("\\") }
        text.append(scalar)
      }
      return String(text)
    }
  }
}
