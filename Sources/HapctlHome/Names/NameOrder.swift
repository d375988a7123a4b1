extension Sequence {
  /// The elements by name as a person expects it: "Lamp 2" before "Lamp 10", capitals and small letters alike. Elements with
  /// equal names keep their order.
  func inNameOrder(_ name: (Element) -> String) -> [Element] {
    let keyed: [(key: NameKey, offset: Int, element: Element)] = enumerated().map { offset, element in
      (NameKey(name(element)), offset, element)
    }
    let sorted = keyed.sorted { first, second in
      first.key == second.key ? first.offset < second.offset : first.key < second.key
    }
    return sorted.map(\.element)
  }
}

/// A name in parts that are compared one after the other: numbers by their value, other texts as lower case.
private struct NameKey: Comparable {
  private enum Part: Comparable {
    /// The digits without leading zeros.
    case number([Character])
    case text(String)

    static func < (first: Part, second: Part) -> Bool {
      switch (first, second) {
      case (.number(let first), .number(let second)):
        first.count == second.count ? first.lexicographicallyPrecedes(second) : first.count < second.count
      case (.text(let first), .text(let second)): first < second
      case (.number, .text): true
      case (.text, .number): false
      }
    }
  }

  private let parts: [Part]

  init(_ name: String) {
    var parts: [Part] = []
    var rest = name.lowercased()[...]
    while let first = rest.first {
      let isNumber = first.isDigit
      let part = rest.prefix { $0.isDigit == isNumber }
      rest = rest[part.endIndex...]
      parts.append(isNumber ? .number(Array(part.drop { $0 == "0" })) : .text(String(part)))
    }
    self.parts = parts
  }

  static func < (first: NameKey, second: NameKey) -> Bool { first.parts.lexicographicallyPrecedes(second.parts) }
}

extension Character {
  fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
