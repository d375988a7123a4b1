import HAPExpectation
import HAPIP
import HAPSuite
import HAPWire

/// One thing that is sent: what, on which connection, and how.
package struct FuzzMessage: Equatable, Sendable {
  /// How the bytes come to the accessory, and what happens on the connection before.
  package enum Way: String, CaseIterable, Sendable {
    /// As they are, on a connection that isn't secured.
    case plain
    /// In frames of a session.
    case sealed
    /// As they are, although the connection is secured.
    case around
    /// As M3 of a Pair Setup of which M1 and M2 went well.
    case proof
    /// Sealed, in M5 of a Pair Setup of which M1 to M4 went well.
    case exchange
    /// Sealed, in M3 of a Pair Verify of which M1 and M2 went well.
    case finish

    /// Whether the connection is a session.
    package var isSecured: Bool { self == .sealed || self == .around }
    /// Whether the connection is of no further use.
    package var isOnce: Bool { self == .proof || self == .exchange || self == .finish }
  }

  /// How the connection ends behind it.
  package enum Ending: String, CaseIterable, Sendable { case fin, reset, half }

  /// Messages of the same number and a like way share a connection for as long as it lives. 0...15.
  package var connection: Int
  package var way: Way
  /// "PUT /characteristics": the bytes are the body of a request that is right otherwise; nil: they are all there is.
  package var request: String?
  package var bytes: [UInt8]
  /// In plain: bytes written at a time; sealed: plaintext in each frame. What is left goes in one piece, or in frames as large as may be.
  package var sizes: [Int] = []
  package var fault = FrameFault()
  /// Bytes of what would go out that are held back, off the end.
  package var cut = 0
  package var ending: Ending?
  /// What it was made of, for people.
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

  /// The message before it is sealed. A right request knows its length, whatever became of its body.
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

  /// "PUT /characteristics, sealed, 34 bytes: 7b22…", for people.
  package var summary: String {
    var parts: [String] = []
    parts.append(request ?? (note.isEmpty ? "bytes" : note))
    if way != .plain { parts.append(way.rawValue) }
    if !sizes.isEmpty {
      parts.append(
        "in pieces of \(sizes.prefix(8).map { "\($0)" }.joined(separator: " "))\(sizes.count > 8 ? "…" : "")")
    }
    if fault != FrameFault() { parts.append("frames wrong on purpose") }
    if cut > 0 { parts.append("\(cut) bytes held back") }
    if let ending { parts.append("then \(ending.rawValue)") }
    let text = Hexadecimal.text(bytes.prefix(32)) + (bytes.count > 32 ? "…" : "")
    return parts.joined(separator: ", ") + ", \(bytes.count) byte\(bytes.count == 1 ? "" : "s")"
      + (text.isEmpty ? "" : ": \(text)")
  }
}

/// Stretches that stand for what only a living procedure knows, as they are encoded. One that a change has touched is sent as it is.
package enum FuzzMark {
  package static let signature = [UInt8](repeating: 0xA1, count: 60) + Array("sign".utf8)
  package static let proof = [UInt8](repeating: 0xA2, count: 60) + Array("prov".utf8)
  package static let publicKey = [UInt8](repeating: 0xA3, count: 380) + Array("pkey".utf8)

  /// With the first item whose value is a mark given the value that it stands for.
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
