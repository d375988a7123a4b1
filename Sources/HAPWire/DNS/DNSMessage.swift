/// A DNS message, as used by multicast DNS. RFC 1035 §4, RFC 6762 §18.
package struct DNSMessage: Equatable, Sendable {
  package var id: UInt16
  /// The flags field of the header, unchanged.
  package var flags: UInt16
  package var questions: [DNSQuestion]
  package var answers: [DNSRecord]
  package var authorities: [DNSRecord]
  package var additionals: [DNSRecord]
  /// Bytes after the last record; empty in a valid message.
  package var trailing: [UInt8] = []

  package static let response: UInt16 = 0x8000
  package static let authoritative: UInt16 = 0x0400
  package static let truncated: UInt16 = 0x0200

  package init(
    id: UInt16 = 0, flags: UInt16 = 0, questions: [DNSQuestion] = [], answers: [DNSRecord] = [],
    authorities: [DNSRecord] = [], additionals: [DNSRecord] = []
  ) {
    self.id = id
    self.flags = flags
    self.questions = questions
    self.answers = answers
    self.authorities = authorities
    self.additionals = additionals
  }

  package var isResponse: Bool { flags & Self.response != 0 }
  /// More known answers follow, RFC 6762 §7.2.
  package var isTruncated: Bool { flags & Self.truncated != 0 }
  /// 0 in multicast DNS, as is the response code. RFC 6762 §18.3.
  package var opcode: UInt8 { UInt8(flags >> 11 & 0xF) }
  package var responseCode: UInt8 { UInt8(flags & 0xF) }

  /// Whether it asks if names are free, and includes the records for which it needs them. RFC 6762 §8.1.
  package var isProbe: Bool { !isResponse && !questions.isEmpty && !authorities.isEmpty }

  /// The records of all three sections, in their order.
  package var records: [DNSRecord] { answers + authorities + additionals }
}
