extension DNSMessage {
  /// The reason why bytes are not a DNS message, with the offset of the error.
  package enum DecodingError: Error, Equatable {
    /// The bytes end inside the element that begins there.
    case truncated(at: Int)
    /// A label whose length byte is neither a length up to 63 nor a pointer.
    case malformedLabel(at: Int)
    /// A pointer whose target is not before the part of the name that contains it, because names must not form a loop.
    /// A name with more pointers than a name can have labels is also refused.
    case malformedPointer(at: Int)
    /// A name of more than 255 bytes.
    case nameTooLong(at: Int)
    /// The data of a record doesn't match its type, or doesn't have the declared length.
    case malformedData(at: Int)
  }

  /// Reads a complete message, or refuses all of it. Bytes after the last record are kept.
  package init(decoding bytes: UnsafeRawBufferPointer) throws(DecodingError) {
    var reader = DNSReader(bytes)
    guard bytes.count >= 12 else { throw .truncated(at: 0) }
    self.init(id: try reader.number(), flags: try reader.number())
    let counts = (try reader.number(), try reader.number(), try reader.number(), try reader.number())
    for _ in 0..<counts.0 {
      questions.append(
        DNSQuestion(name: try reader.name(), type: try reader.number(), classField: try reader.number()))
    }
    for _ in 0..<counts.1 { answers.append(try reader.record()) }
    for _ in 0..<counts.2 { authorities.append(try reader.record()) }
    for _ in 0..<counts.3 { additionals.append(try reader.record()) }
    trailing = reader.remainder()
  }

  package init(decoding bytes: [UInt8]) throws(DecodingError) {
    // A closure would lose the type of the error.
    let result = bytes.withUnsafeBytes { raw in
      Result { () throws(DecodingError) in try DNSMessage(decoding: raw) }
    }
    self = try result.get()
  }
}

/// Reads a message from the front, and names from any position.
private struct DNSReader {
  typealias Failure = DNSMessage.DecodingError

  private let bytes: UnsafeRawBufferPointer
  private var at = 0
  /// The end of reading: the end of the message, or of the data of a record.
  private var end: Int

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    end = bytes.count
  }

  mutating func number() throws(Failure) -> UInt16 {
    guard end - at >= 2 else { throw .truncated(at: at) }
    defer { at += 2 }
    return UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1])
  }

  private mutating func take(_ count: Int) throws(Failure) -> [UInt8] {
    guard end - at >= count else { throw .truncated(at: at) }
    defer { at += count }
    return [UInt8](bytes[at..<(at + count)])
  }

  mutating func remainder() -> [UInt8] {
    defer { at = end }
    return [UInt8](bytes[at..<end])
  }

  mutating func name() throws(Failure) -> DNSName {
    var wireForm: [UInt8] = []
    at = try DNSNameWalk.walk(bytes, from: at, before: end) { place, length in
      wireForm.append(contentsOf: bytes[place...(place + length)])
    }
    return DNSName(wireForm: wireForm)
  }

  mutating func record() throws(Failure) -> DNSRecord {
    let name = try name()
    let type = try number()
    let classField = try number()
    let ttl = UInt32(try number()) << 16 | UInt32(try number())
    let length = Int(try number())
    guard end - at >= length else { throw .truncated(at: at) }
    let start = at
    end = at + length
    let data: DNSRecord.Data
    do throws(Failure) {
      data = try self.data(of: type)
    } catch .truncated {
      // The message continues, but the data of the record has ended.
      throw .malformedData(at: start)
    }
    guard at == end else { throw .malformedData(at: start) }
    end = bytes.count
    return DNSRecord(name: name, type: type, classField: classField, ttl: ttl, data: data)
  }

  private mutating func data(of type: UInt16) throws(Failure) -> DNSRecord.Data {
    switch type {
    case DNSType.ptr: return .pointer(try name())
    case DNSType.srv:
      return .service(priority: try number(), weight: try number(), port: try number(), target: try name())
    case DNSType.txt:
      var strings: [[UInt8]] = []
      while at < end {
        let length = Int(bytes[at])
        at += 1
        strings.append(try take(length))
      }
      return .text(strings)
    case DNSType.a: return .address(try take(4))
    case DNSType.aaaa: return .address(try take(16))
    case DNSType.nsec: return .existing(next: try name(), types: try typeBitmap())
    default: return .raw(remainder())
    }
  }

  /// Reads a type bitmap. RFC 4034 §4.1.2: blocks of up to 256 types in ascending order, each with 1...32 bytes.
  private mutating func typeBitmap() throws(Failure) -> [UInt16] {
    var types: [UInt16] = []
    var previous = -1
    while at < end {
      let start = at
      let block = try number()
      let window = Int(block >> 8)
      let length = Int(block & 0xFF)
      guard window > previous, (1...32).contains(length) else { throw .malformedData(at: start) }
      previous = window
      for (index, byte) in try take(length).enumerated() {
        for bit in 0..<8 where byte & 0x80 >> bit != 0 { types.append(UInt16(window << 8 | index << 3 | bit)) }
      }
    }
    return types
  }
}
