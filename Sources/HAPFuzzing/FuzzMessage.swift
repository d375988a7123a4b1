import HAPExpectation
import HAPIP
import HAPSuite
import HAPWire

/// One message: its bytes, its connection and its delivery.
package struct FuzzMessage: Equatable, Sendable {
  /// The delivery of the bytes, and the steps on the connection before it.
  package enum Way: String, CaseIterable, Sendable {
    /// Unchanged, on a connection that is not secured.
    case plain
    /// In frames of a session.
    case sealed
    /// Unchanged, although the connection is secured.
    case around
    /// As M3 of a Pair Setup whose M1 and M2 succeeded.
    case proof
    /// Sealed, in M5 of a Pair Setup whose M1 to M4 succeeded.
    case exchange
    /// Sealed, in M3 of a Pair Verify whose M1 and M2 succeeded.
    case finish

    /// Whether the connection is a session.
    package var isSecured: Bool { self == .sealed || self == .around }
    /// Whether the connection cannot be used again.
    package var isOnce: Bool { self == .proof || self == .exchange || self == .finish }
  }

  /// The way in which the connection ends after the message.
  package enum Ending: String, CaseIterable, Sendable { case fin, reset, half }

  /// Messages with the same number and a similar way share a connection while it is open. 0...15.
  package var connection: Int
  package var way: Way
  /// The request that has the bytes as its body, such as "PUT /characteristics"; `nil`: the bytes are the whole
  /// message.
  package var request: String?
  package var bytes: [UInt8]
  /// In plain text: the bytes of each write; sealed: the plaintext bytes of each frame. The rest is sent in one piece, or in frames of maximum size.
  package var sizes: [Int] = []
  package var fault = FrameFault()
  /// The number of bytes to hold back at the end.
  package var cut = 0
  package var ending: Ending?
  /// A description for people.
  package var note: String

  package init(
    _ way: Way, _ bytes: [UInt8], request: String? = nil, on connection: Int = 0, note: String = ""
  ) {
    self.way = way
    self.bytes = bytes
    self.request = request
    self.connection = connection
    self.note = note
  }

  /// The message before sealing. A correct request has the correct length for its body, even if the body was changed.
  package var wire: [UInt8] {
    guard let request else { return bytes }
    let words = request.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var whole = ControllerRequest(words[0], words.count > 1 ? words[1] : "")
    if !bytes.isEmpty || whole.method != "GET" {
      let isPairing = ["/pair-setup", "/pair-verify", "/pairings"].contains { whole.target.hasPrefix($0) }
      whole.contentType = isPairing ? "application/pairing+tlv8" : "application/hap+json"
      whole.body = bytes
    }
    return whole.encoded(host: "haptest.local")
  }

  /// A summary for people: "PUT /characteristics, sealed, 34 bytes: 7b22…".
  package var summary: String {
    var parts: [String] = []
    parts.append(request ?? (note.isEmpty ? "bytes" : note))
    if way != .plain { parts.append(way.rawValue) }
    if !sizes.isEmpty {
      parts.append(
        "in pieces of \(sizes.prefix(8).map { "\($0)" }.joined(separator: " "))\(sizes.count > 8 ? "…" : "")")
    }
    if fault != FrameFault() { parts.append("faulty frames") }
    if cut > 0 { parts.append("\(cut) bytes held back") }
    if let ending { parts.append("then \(ending.rawValue)") }
    let text = Hexadecimal.text(bytes.prefix(32)) + (bytes.count > 32 ? "…" : "")
    return parts.joined(separator: ", ") + ", \(bytes.count) byte\(bytes.count == 1 ? "" : "s")"
      + (text.isEmpty ? "" : ": \(text)")
  }
}

/// Placeholders for values that only a running procedure knows, in their encoded form. A changed placeholder is sent unchanged.
package enum FuzzMark {
  package static let signature = [UInt8](repeating: 0xA1, count: 60) + Array("sign".utf8)
  package static let proof = [UInt8](repeating: 0xA2, count: 60) + Array("prov".utf8)
  package static let publicKey = [UInt8](repeating: 0xA3, count: 380) + Array("pkey".utf8)

  /// Returns the bytes with the value of the first matching placeholder item replaced.
  package static func replace(_ mark: [UInt8], of type: UInt8, by value: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    replace(
      TLV([.init(type: type, value: mark)]).encoded(), by: TLV([.init(type: type, value: value)]).encoded(), in: bytes)
  }

  private static func replace(_ mark: [UInt8], by value: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= mark.count else { return bytes }
    for start in 0...(bytes.count - mark.count) where bytes[start] == mark[0] {
      if bytes[start..<(start + mark.count)].elementsEqual(mark) {
        return Array(bytes[..<start]) + value + Array(bytes[(start + mark.count)...])
      }
    }
    return bytes
  }
}
