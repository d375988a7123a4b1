import HAPWire

/// The name of a subject or an issuer: attributes in their order. Matter 1.4 §6.5.6.
package struct DistinguishedName: Hashable, Sendable {
  /// Identifiers of Matter, with the numbers of their tags.
  package enum Identifier: UInt8, Hashable, Sendable, CaseIterable {
    case node = 17, firmwareSigner, intermediate, root, fabric
  }

  package enum Attribute: Hashable, Sendable {
    /// An attribute of X.520, 1...15, or a domain component, 16.
    case text(UInt8, String, isPrintable: Bool)
    case identifier(Identifier, UInt64)
    /// A CASE authenticated tag: an identifier in the upper half, a version in the lower one. Matter 1.4 §6.6.2.1.2.
    case authenticatedTag(UInt32)
  }

  package var attributes: [Attribute]

  package init(_ attributes: [Attribute]) { self.attributes = attributes }

  /// The values of one kind of identifier.
  package func values(_ identifier: Identifier) -> [UInt64] {
    attributes.compactMap { if case .identifier(identifier, let value) = $0 { value } else { nil } }
  }

  package var node: UInt64? { values(.node).first }
  package var fabric: UInt64? { values(.fabric).first }
  /// The CASE authenticated tags.
  package var tags: [UInt32] {
    attributes.compactMap { if case .authenticatedTag(let tag) = $0 { tag } else { nil } }
  }
}

extension DistinguishedName.Attribute {
  static let domainComponent: UInt8 = 16
  static let authenticatedTagNumber: UInt8 = 22
  /// Set in the tag of a PrintableString.
  static let printableFlag: UInt8 = 0x80

  /// 2.5.4.x for the tags 1...15.
  private static let numbers: [UInt8] = [3, 4, 5, 6, 7, 8, 10, 11, 12, 41, 42, 43, 44, 46, 65]

  /// Whether a text can be a PrintableString. ITU-T X.680 §41.4.
  static func isPrintable(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: " '()+,-./:=?".utf8.contains(byte)
      }
    }
  }

  func encode(into buffer: inout ByteBuffer) {
    switch self {
    case .text(let tag, let text, let isPrintable):
      buffer.appendElement(.context(isPrintable ? tag | Self.printableFlag : tag), text: text)
    case .identifier(let identifier, let value):
      buffer.appendElement(.context(identifier.rawValue), unsigned: value)
    case .authenticatedTag(let tag):
      buffer.appendElement(.context(Self.authenticatedTagNumber), unsigned: UInt64(tag))
    }
  }

  func encode(into writer: inout DERWriter) {
    switch self {
    case .text(Self.domainComponent, let text, _): writer.append(.domainComponent, .ia5String, text)
    case .text(let tag, let text, let isPrintable):
      writer.append(
        .nameAttribute(Self.numbers[Int(tag) - 1]), isPrintable ? .printableString : .utf8String, text)
    case .identifier(let identifier, let value):
      writer.append(.matter(1, identifier.rawValue - 16), .utf8String, Self.digits(value, 16))
    case .authenticatedTag(let tag):
      writer.append(
        .matter(1, Self.authenticatedTagNumber - 16), .utf8String, Self.digits(UInt64(tag), 8))
    }
  }

  /// Upper-case hexadecimal digits with leading zeros.
  private static func digits(_ value: UInt64, _ count: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: count - text.count) + text
  }
}

extension DistinguishedName {
  func encode(_ tag: UInt8, into buffer: inout ByteBuffer) {
    buffer.openContainer(.context(tag), .list)
    for attribute in attributes { attribute.encode(into: &buffer) }
    buffer.closeContainer()
  }

  func encode(into writer: inout DERWriter) {
    writer.append(.sequence) { for attribute in attributes { attribute.encode(into: &$0) } }
  }
}
