import HAPWire

/// Writes the packets of a query: as many questions as fit, then the known answers, in several packets if necessary.
/// RFC 6762 §7.1, §7.2.
struct QueryPacker {
  /// An answer in the browser's cache.
  struct KnownAnswer {
    /// The owner's name in wire format, without the empty label at the end.
    var name: [UInt8]
    var type: UInt16
    /// The remaining TTL in seconds.
    var ttl: UInt32
    /// The data before the name at its end.
    var data: [UInt8]
    var target: [UInt8]?
  }

  /// The maximum number of name suffixes to which later names can be compressed. The names of a query have few suffixes
  /// in common. The last entry is for the name that was written last.
  private static let suffixLimit = 16

  private let limit: Int
  private(set) var packets: [[UInt8]] = []
  private var bytes: [UInt8] = []
  private var questionCount = 0
  private var answerCount = 0
  private var suffixes: [(name: ArraySlice<UInt8>, place: Int)] = []

  /// - Parameter limit: the maximum size of a packet in bytes, 512 or more.
  init(limit: Int) {
    self.limit = limit
    begin()
  }

  private mutating func begin() {
    bytes = [UInt8](repeating: 0, count: 12)
    questionCount = 0
    answerCount = 0
    suffixes.removeAll(keepingCapacity: true)
  }

  var isEmpty: Bool { questionCount == 0 && answerCount == 0 }

  /// Ends the packet, and starts another one.
  /// - Parameter isTruncated: whether more known answers follow.
  mutating func finish(isTruncated: Bool = false) {
    guard !isEmpty else { return }
    if isTruncated { put(DNSMessage.truncated, at: 2) }
    put(UInt16(questionCount), at: 4)
    put(UInt16(answerCount), at: 6)
    packets.append(bytes)
    begin()
  }

  /// Adds a question.
  /// - Returns: false if there is no room in this packet, which is then unchanged.
  mutating func append(question name: [UInt8], type: UInt16, wantsUnicast: Bool) -> Bool {
    append { packer in
      packer.write(name)
      packer.write(type)
      packer.write(wantsUnicast ? 0x8001 : 1)
      packer.questionCount += 1
    }
  }

  /// Adds an answer, to the next packet if there is no room in this one. An answer that is larger than a packet is
  /// skipped.
  mutating func append(_ answer: KnownAnswer) {
    if write(answer) || isEmpty { return }
    finish(isTruncated: true)
    _ = write(answer)
  }

  private mutating func write(_ answer: KnownAnswer) -> Bool {
    append { packer in
      packer.write(answer.name)
      packer.write(answer.type)
      packer.write(1)
      packer.write(UInt16(truncatingIfNeeded: answer.ttl >> 16))
      packer.write(UInt16(truncatingIfNeeded: answer.ttl))
      let start = packer.bytes.count
      packer.write(0)
      packer.bytes += answer.data
      if let target = answer.target { packer.write(target) }
      packer.put(UInt16(packer.bytes.count - start - 2), at: start)
      packer.answerCount += 1
    }
  }

  private mutating func append(_ body: (inout QueryPacker) -> Void) -> Bool {
    let before = (bytes: bytes.count, questions: questionCount, answers: answerCount)
    body(&self)
    if bytes.count <= limit { return true }
    bytes.removeSubrange(before.bytes...)
    suffixes.removeAll { $0.place >= before.bytes }
    (questionCount, answerCount) = (before.questions, before.answers)
    return false
  }

  private mutating func write(_ name: [UInt8]) {
    var rest = name[...]
    while let length = rest.first {
      if let known = suffixes.first(where: { $0.name == rest }) { return write(0xC000 | UInt16(known.place)) }
      // A compression pointer has 14 bits.
      if bytes.count < 0x4000 {
        if suffixes.count == Self.suffixLimit { suffixes.removeLast() }
        suffixes.append((rest, bytes.count))
      }
      bytes += rest.prefix(1 + Int(length))
      rest = rest.dropFirst(1 + Int(length))
    }
    bytes.append(0)
  }

  private mutating func write(_ number: UInt16) {
    bytes.append(UInt8(number >> 8))
    bytes.append(UInt8(truncatingIfNeeded: number))
  }

  private mutating func put(_ number: UInt16, at place: Int) {
    bytes[place] = UInt8(number >> 8)
    bytes[place + 1] = UInt8(truncatingIfNeeded: number)
  }
}
