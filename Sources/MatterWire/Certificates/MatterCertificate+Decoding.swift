/// Bytes that are no certificate of Matter.
package struct CertificateError: Error, Hashable {
  /// The fault, as a phrase.
  package var reason: String
  /// The offset of the element in the TLV.
  package var offset: Int

  package init(_ reason: String, at offset: Int) { (self.reason, self.offset) = (reason, offset) }
}

extension CertificateError: CustomStringConvertible {
  package var description: String { "certificate, byte \(offset): \(reason)" }
}

extension MatterCertificate {
  /// Reads the TLV. Its members must be complete and in ascending order of their tags. Matter 1.4 §6.5.2.
  package init(decoding bytes: [UInt8]) throws(CertificateError) {
    guard bytes.count <= Self.byteLimit else {
      throw CertificateError("the certificate has \(bytes.count) bytes, more than \(Self.byteLimit)", at: 0)
    }
    var parser = CertificateParser(bytes)
    self = try parser.certificate()
  }
}

private struct CertificateParser {
  private var reader: ElementReader

  init(_ bytes: [UInt8]) { reader = ElementReader(bytes) }

  mutating func certificate() throws(CertificateError) -> MatterCertificate {
    try open(.anonymous, .structure, "certificate")
    let serial = try octets(1, "serial number", 1...20)
    try expectOne(2, "signature algorithm")
    let issuer = try name(3, "issuer")
    let notBefore = UInt32(try unsigned(4, "beginning of the validity", 0...UInt64(UInt32.max)))
    let notAfter = UInt32(try unsigned(5, "end of the validity", 0...UInt64(UInt32.max)))
    let subject = try name(6, "subject")
    try expectOne(7, "algorithm of the public key")
    try expectOne(8, "curve")
    let keyOffset = reader.offset
    let publicKey = try octets(9, "public key", 65...65)
    guard publicKey[0] == 4 else { throw CertificateError("the public key is not uncompressed", at: keyOffset) }
    let extensions = try extensions()
    let signature = try octets(11, "signature", 64...64)
    try close("certificate")
    if reader.offset < reader.bytes.count {
      throw CertificateError("there are bytes after the certificate", at: reader.offset)
    }
    return MatterCertificate(
      serial: serial, issuer: issuer, notBefore: notBefore, notAfter: notAfter, subject: subject,
      publicKey: publicKey, extensions: extensions, signature: signature)
  }

  // MARK: Names

  private mutating func name(_ number: UInt8, _ what: String) throws(CertificateError) -> DistinguishedName {
    try open(.context(number), .list, what)
    var attributes: [DistinguishedName.Attribute] = []
    while let item = try member() { attributes.append(try attribute(item)) }
    return DistinguishedName(attributes)
  }

  private func attribute(_ item: ElementReader.Item) throws(CertificateError) -> DistinguishedName.Attribute {
    typealias Attribute = DistinguishedName.Attribute
    guard let number = item.tag.contextNumber else {
      throw CertificateError("an attribute of a name has no context tag", at: item.offset)
    }
    if let identifier = DistinguishedName.Identifier(rawValue: number) {
      return .identifier(identifier, try unsigned(item, "identifier", 0...UInt64.max))
    }
    if number == Attribute.authenticatedTagNumber {
      return .authenticatedTag(UInt32(try unsigned(item, "CASE authenticated tag", 0...UInt64(UInt32.max))))
    }
    let isPrintable = number & Attribute.printableFlag != 0
    let tag = number & ~Attribute.printableFlag
    guard (1...Attribute.domainComponent).contains(tag), !isPrintable || tag < Attribute.domainComponent else {
      throw CertificateError("the attribute \(number) of a name is not known", at: item.offset)
    }
    guard case .text(let place) = item.content else {
      throw CertificateError("the attribute \(number) of a name is no text", at: item.offset)
    }
    let text = try reading { () throws(ElementError) in try reader.text(at: place) }
    if isPrintable && !Attribute.isPrintable(text)
      || tag == Attribute.domainComponent && !text.utf8.allSatisfy({ $0 < 0x80 })
    {
      throw CertificateError("the attribute \(number) of a name has other characters", at: item.offset)
    }
    return .text(tag, text, isPrintable: isPrintable)
  }

  // MARK: Extensions

  private mutating func extensions() throws(CertificateError) -> [MatterCertificate.Extension] {
    try open(.context(10), .list, "extensions")
    var extensions: [MatterCertificate.Extension] = []
    var known: Set<UInt8> = []
    while let item = try member() {
      guard let number = item.tag.contextNumber, (1...6).contains(number) else {
        throw CertificateError("the extension \(item.tag) is not known", at: item.offset)
      }
      // Only 6 is for several kinds.
      guard number == 6 || known.insert(number).inserted else {
        throw CertificateError("the extension \(number) occurs twice", at: item.offset)
      }
      extensions.append(try member(number, item))
    }
    return extensions
  }

  private mutating func member(
    _ number: UInt8, _ item: ElementReader.Item
  ) throws(CertificateError) -> MatterCertificate.Extension {
    let identifierCounts = MatterCertificate.keyIdentifierByteCount...MatterCertificate.keyIdentifierByteCount
    switch number {
    case 1: return try basicConstraints(item)
    case 2:
      let usage = try unsigned(item, "key usage", MatterCertificate.KeyUsage.all)
      return .keyUsage(MatterCertificate.KeyUsage(rawValue: UInt16(usage)))
    case 3: return .extendedKeyUsage(try purposes(item))
    case 4: return .subjectKeyIdentifier(try octets(item, "subject key identifier", identifierCounts))
    case 5: return .authorityKeyIdentifier(try octets(item, "authority key identifier", identifierCounts))
    default:
      let encoded = try octets(item, "extension", 1...MatterCertificate.byteLimit)
      do throws(DERError) {
        var reader = DERReader(encoded)
        let isCritical = try reader.certificateExtension().isCritical
        try reader.finish()
        return .other(encoded, isCritical: isCritical)
      } catch { throw CertificateError("the extension is malformed: \(error)", at: item.offset) }
    }
  }

  private mutating func basicConstraints(
    _ begin: ElementReader.Item
  ) throws(CertificateError) -> MatterCertificate.Extension {
    guard begin.content == .begin(.structure) else {
      throw CertificateError("the basic constraints are no structure", at: begin.offset)
    }
    guard let flag = try member(), flag.tag == .context(1), case .bool(let isCA) = flag.content else {
      throw CertificateError("the basic constraints have no CA flag", at: begin.offset)
    }
    var pathLength: UInt8?
    if let item = try member() {
      guard item.tag == .context(2), isCA else {
        throw CertificateError("a member of the basic constraints is not allowed", at: item.offset)
      }
      pathLength = UInt8(try unsigned(item, "path length", 0...UInt64(UInt8.max)))
      try close("basic constraints")
    }
    return .basicConstraints(isCA: isCA, pathLength: pathLength)
  }

  private mutating func purposes(
    _ begin: ElementReader.Item
  ) throws(CertificateError) -> [MatterCertificate.KeyPurpose] {
    guard begin.content == .begin(.array) else {
      throw CertificateError("the extended key usage is no array", at: begin.offset)
    }
    var purposes: [MatterCertificate.KeyPurpose] = []
    while let item = try member() {
      guard let purpose = MatterCertificate.KeyPurpose(rawValue: UInt8(try unsigned(item, "purpose", 0...255))) else {
        throw CertificateError("the purpose of the key is not known", at: item.offset)
      }
      purposes.append(purpose)
    }
    guard !purposes.isEmpty else { throw CertificateError("the extended key usage is empty", at: begin.offset) }
    return purposes
  }

  // MARK: Elements

  private func reading<R>(_ body: () throws(ElementError) -> R) throws(CertificateError) -> R {
    do throws(ElementError) { return try body() } catch { throw Self.error(error) }
  }

  private static func error(_ error: ElementError) -> CertificateError {
    CertificateError("malformed TLV: \(error)", at: error.offset)
  }

  private mutating func next(_ what: String) throws(CertificateError) -> ElementReader.Item {
    do throws(ElementError) {
      if let item = try reader.next() { return item }
    } catch { throw Self.error(error) }
    throw CertificateError("the bytes end before: \(what)", at: reader.offset)
  }

  /// The next member of the open container; nil at its end.
  private mutating func member() throws(CertificateError) -> ElementReader.Item? {
    let item = try next("end of a container")
    return item.content == .end ? nil : item
  }

  private mutating func open(
    _ tag: ElementTag, _ container: ElementContainer, _ what: String
  ) throws(CertificateError) {
    let item = try next(what)
    guard item.tag == tag, item.content == .begin(container) else {
      throw CertificateError("another element than: \(what)", at: item.offset)
    }
  }

  private mutating func close(_ what: String) throws(CertificateError) {
    let item = try next("end of \(what)")
    guard item.content == .end else { throw CertificateError("a member more than \(what) has", at: item.offset) }
  }

  private mutating func expected(_ number: UInt8, _ what: String) throws(CertificateError) -> ElementReader.Item {
    let item = try next(what)
    guard item.tag == .context(number) else {
      throw CertificateError("another element than: \(what)", at: item.offset)
    }
    return item
  }

  private mutating func octets(
    _ number: UInt8, _ what: String, _ counts: ClosedRange<Int>
  ) throws(CertificateError) -> [UInt8] { try octets(expected(number, what), what, counts) }

  private func octets(
    _ item: ElementReader.Item, _ what: String, _ counts: ClosedRange<Int>
  ) throws(CertificateError) -> [UInt8] {
    guard case .octets(let place) = item.content, counts.contains(place.count) else {
      throw CertificateError("\(what): not a string of \(counts) octets", at: item.offset)
    }
    return Array(reader.bytes[place])
  }

  private mutating func unsigned(
    _ number: UInt8, _ what: String, _ range: ClosedRange<UInt64>
  ) throws(CertificateError) -> UInt64 { try unsigned(expected(number, what), what, range) }

  private func unsigned(
    _ item: ElementReader.Item, _ what: String, _ range: ClosedRange<UInt64>
  ) throws(CertificateError) -> UInt64 {
    guard case .unsigned(let number) = item.content, range.contains(number) else {
      throw CertificateError("\(what): no unsigned number within \(range)", at: item.offset)
    }
    return number
  }

  /// Matter has one value for the algorithms and for the curve.
  private mutating func expectOne(_ number: UInt8, _ what: String) throws(CertificateError) {
    _ = try unsigned(number, what, 1...1)
  }
}
