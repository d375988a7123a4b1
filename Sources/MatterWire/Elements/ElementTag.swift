/// The tag of an element. Matter 1.4 §A.2, §A.8.
package enum ElementTag: Hashable, Sendable {
  /// Of the members of arrays, and of most elements that are in no container.
  case anonymous
  case context(UInt8)
  /// Of the profile that all vendors share.
  case common(UInt32)
  /// Of the profile that the context implies.
  case implicit(UInt32)
  case full(vendor: UInt16, profile: UInt16, number: UInt32)

  /// The number of a context tag.
  package var contextNumber: UInt8? { if case .context(let number) = self { number } else { nil } }

  /// The upper three bits of the control octet.
  var form: UInt8 {
    switch self {
    case .anonymous: 0
    case .context: 1
    case .common(let number): number <= UInt16.max ? 2 : 3
    case .implicit(let number): number <= UInt16.max ? 4 : 5
    case .full(_, _, let number): number <= UInt16.max ? 6 : 7
    }
  }
}

extension ElementTag: CustomStringConvertible {
  package var description: String {
    switch self {
    case .anonymous: "without a tag"
    case .context(let number): "\(number)"
    case .common(let number): "common \(number)"
    case .implicit(let number): "implicit \(number)"
    case .full(let vendor, let profile, let number): "\(vendor):\(profile):\(number)"
    }
  }
}

/// The kinds of containers. Matter 1.4 §A.5.
package enum ElementContainer: UInt8, Hashable, Sendable {
  /// Members with different tags, in any order.
  case structure = 0x15
  /// Members without tags.
  case array = 0x16
  /// Members with any tags; their order counts.
  case list = 0x17
}

/// Bytes that are no sequence of elements.
package struct ElementError: Error, Equatable {
  package enum Reason: Hashable, Sendable {
    /// The bytes end inside an element or a container.
    case truncated
    /// An element type that Matter reserves.
    case reservedType(UInt8)
    /// The end of a container outside of any, or with a tag.
    case strayEnd
    /// A member of an array with a tag, or one of a structure without.
    case wrongTag
    /// More containers within each other than `ElementReader.depthLimit`.
    case tooDeep
    case notUTF8
    /// Bytes after the only element.
    case trailingBytes
  }

  package var reason: Reason
  /// The offset of the element's control octet; for a text that is not UTF-8, of its first byte.
  package var offset: Int

  package init(_ reason: Reason, at offset: Int) { (self.reason, self.offset) = (reason, offset) }
}

extension ElementError: CustomStringConvertible {
  package var description: String {
    let text =
      switch reason {
      case .truncated: "the bytes end inside an element"
      case .reservedType(let type): "the element type \(type) is reserved"
      case .strayEnd: "an end of a container that is not open, or an end with a tag"
      case .wrongTag: "a member of an array has a tag, or a member of a structure has none"
      case .tooDeep: "more than \(ElementReader.depthLimit) containers are within each other"
      case .notUTF8: "the text is not UTF-8"
      case .trailingBytes: "there are bytes after the element"
      }
    return "TLV, byte \(offset): \(text)"
  }
}
