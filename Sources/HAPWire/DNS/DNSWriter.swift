extension DNSMessage {
  /// Returns the wire form.
  ///
  /// Invalid messages are written as well. Data that doesn't match its record's type is written in the form of the
  /// data. Traps if a section has more than 65,535 records, or if the data of a record has more than 65,535 bytes.
  /// - Parameter compressing: whether names are compressed with pointers to earlier names. RFC 1035 §4.1.4.
  package func encoded(compressing: Bool = true) -> [UInt8] {
    var writer = DNSWriter(compressing: compressing)
    writer.append(self)
    return writer.bytes
  }
}

/// Writes DNS messages piece by piece: valid ones or, for hostile tests, invalid ones.
package struct DNSWriter: Sendable {
  package private(set) var bytes: [UInt8] = []
  private let isCompressing: Bool
  /// The offsets of names and of name endings that are already written, by their exact bytes.
  private var places: [[UInt8]: UInt16] = [:]

  package init(compressing: Bool = true) { isCompressing = compressing }

  package mutating func append(_ message: DNSMessage) {
    appendHead(
      id: message.id, flags: message.flags,
      counts: [message.questions.count, message.answers.count, message.authorities.count, message.additionals.count]
        .map { count in
          precondition(count <= 0xFFFF, "a section of a message can have at most 65535 records")
          return UInt16(count)
        })
    for question in message.questions { append(question) }
    for record in message.answers { append(record) }
    for record in message.authorities { append(record) }
    for record in message.additionals { append(record) }
    bytes += message.trailing
  }

  /// - Parameter counts: the counts of the four sections; they may be wrong.
  package mutating func appendHead(id: UInt16, flags: UInt16, counts: [UInt16]) {
    append(id)
    append(flags)
    for count in counts { append(count) }
  }

  package mutating func append(_ question: DNSQuestion) {
    append(question.name)
    append(question.type)
    append(question.classField)
  }

  /// - Parameter declaredLength: the declared length of the data, if it is to be wrong.
  package mutating func append(_ record: DNSRecord, declaredLength: UInt16? = nil) {
    append(record.name)
    append(record.type)
    append(record.classField)
    append(UInt16(record.ttl >> 16))
    append(UInt16(record.ttl & 0xFFFF))
    let start = bytes.count
    append(0 as UInt16)
    append(record.data)
    let length = bytes.count - start - 2
    precondition(length <= 0xFFFF, "the data of a record can have at most 65535 bytes")
    let declared = declaredLength ?? UInt16(length)
    bytes[start] = UInt8(declared >> 8)
    bytes[start + 1] = UInt8(declared & 0xFF)
  }

  package mutating func append(_ name: DNSName) {
    var rest = name.wireForm[...]
    while let length = rest.first {
      if isCompressing {
        if let place = places[Array(rest)] { return append(0xC000 | place) }
        // Pointers have 14 bits. Without a header, a name can be at an offset below 12, to which no pointer may lead.
        if (12..<0x4000).contains(bytes.count) { places[Array(rest)] = UInt16(bytes.count) }
      }
      let label = rest.prefix(1 + Int(length))
      bytes += label
      rest = rest.dropFirst(label.count)
    }
    bytes.append(0)
  }

  private mutating func append(_ data: DNSRecord.Data) {
    switch data {
    case .pointer(let name): append(name)
    case .service(let priority, let weight, let port, let target):
      append(priority)
      append(weight)
      append(port)
      append(target)
    case .text(let strings):
      for string in strings {
        precondition(string.count <= 255, "the length of a string is one byte")
        bytes.append(UInt8(string.count))
        bytes += string
      }
    case .address(let address): bytes += address
    case .existing(let next, let types):
      append(next)
      append(types)
    case .raw(let raw): bytes += raw
    }
  }

  private mutating func append(_ types: [UInt16]) {
    for (window, types) in Dictionary(grouping: types, by: { $0 >> 8 }).sorted(by: { $0.key < $1.key }) {
      var bitmap = [UInt8](repeating: 0, count: 1 + Int((types.max() ?? 0) & 0xFF) >> 3)
      for type in types { bitmap[Int(type & 0xFF) >> 3] |= 0x80 >> UInt8(type & 7) }
      bytes += [UInt8(window), UInt8(bitmap.count)] + bitmap
    }
  }

  package mutating func append(_ number: UInt16) { bytes += [UInt8(number >> 8), UInt8(number & 0xFF)] }

  /// Appends arbitrary bytes.
  package mutating func appendRaw(_ raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }
}
