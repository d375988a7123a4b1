import HAPWire

/// Writes elements. Integers, lengths and tags get the smallest width. Matter 1.4 appendix A.
extension ByteBuffer {
  package mutating func appendElement(_ tag: ElementTag, signed value: Int64) {
    let log =
      value == Int64(Int8(truncatingIfNeeded: value))
      ? 0
      : value == Int64(Int16(truncatingIfNeeded: value))
        ? 1
        : value == Int64(Int32(truncatingIfNeeded: value)) ? 2 : 3
    appendControl(tag, type: UInt8(log))
    appendLittleEndian(UInt64(bitPattern: value), width: 1 << log)
  }

  package mutating func appendElement(_ tag: ElementTag, unsigned value: UInt64) {
    let log = Self.widthLog(value)
    appendControl(tag, type: 0x04 + UInt8(log))
    appendLittleEndian(value, width: 1 << log)
  }

  package mutating func appendElement(_ tag: ElementTag, bool value: Bool) {
    appendControl(tag, type: value ? 0x09 : 0x08)
  }

  package mutating func appendElement(_ tag: ElementTag, single value: Float) {
    appendControl(tag, type: 0x0A)
    appendLittleEndian(UInt64(value.bitPattern), width: 4)
  }

  package mutating func appendElement(_ tag: ElementTag, double value: Double) {
    appendControl(tag, type: 0x0B)
    appendLittleEndian(value.bitPattern, width: 8)
  }

  package mutating func appendElement(_ tag: ElementTag, text value: String) {
    appendLength(tag, type: 0x0C, value.utf8.count)
    append(value.utf8)
  }

  package mutating func appendElement(_ tag: ElementTag, octets value: [UInt8]) {
    appendLength(tag, type: 0x10, value.count)
    append(value)
  }

  package mutating func appendNull(_ tag: ElementTag) { appendControl(tag, type: 0x14) }

  /// Begins a container. `closeContainer` ends it.
  package mutating func openContainer(_ tag: ElementTag, _ container: ElementContainer) {
    appendControl(tag, type: container.rawValue)
  }

  package mutating func closeContainer() { append(0x18 as UInt8) }

  // MARK: Parts

  private mutating func appendControl(_ tag: ElementTag, type: UInt8) {
    append(tag.form << 5 | type)
    switch tag {
    case .anonymous: break
    case .context(let number): append(number)
    case .common(let number), .implicit(let number): appendTagNumber(number)
    case .full(let vendor, let profile, let number):
      appendLittleEndian(UInt64(vendor), width: 2)
      appendLittleEndian(UInt64(profile), width: 2)
      appendTagNumber(number)
    }
  }

  private mutating func appendTagNumber(_ number: UInt32) {
    appendLittleEndian(UInt64(number), width: number <= UInt16.max ? 2 : 4)
  }

  private mutating func appendLength(_ tag: ElementTag, type: UInt8, _ count: Int) {
    let log = Self.widthLog(UInt64(count))
    appendControl(tag, type: type + UInt8(log))
    appendLittleEndian(UInt64(count), width: 1 << log)
  }

  /// The binary logarithm of the number of bytes.
  private static func widthLog(_ value: UInt64) -> Int {
    value <= UInt8.max ? 0 : value <= UInt16.max ? 1 : value <= UInt32.max ? 2 : 3
  }
}
