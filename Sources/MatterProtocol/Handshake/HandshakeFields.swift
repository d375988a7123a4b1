import HAPCrypto
import HAPWire
import MatterWire

/// The payload of a handshake message: a structure whose members are checked when they are taken.
struct HandshakeFields {
  private let element: Element

  /// - Throws: a failure if the payload is no structure without a tag.
  init(_ message: HandshakeMessage) throws(HandshakeFailure) {
    guard let element = try? Element(decoding: message.payload), element.tag == .anonymous,
      case .container(.structure, _) = element.value
    else { throw HandshakeFailure("the payload is not a structure") }
    self.element = element
  }

  private init(_ element: Element) { self.element = element }

  private static func wrong(_ tag: UInt8) -> HandshakeFailure {
    HandshakeFailure("field \(tag) is missing or has a wrong value")
  }

  func octets(_ tag: UInt8, count: ClosedRange<Int>) throws(HandshakeFailure) -> [UInt8] {
    guard case .octets(let octets) = element[tag], count.contains(octets.count) else { throw Self.wrong(tag) }
    return octets
  }

  func octets(_ tag: UInt8, count: Int) throws(HandshakeFailure) -> [UInt8] { try octets(tag, count: count...count) }

  /// nil: the member is absent.
  func octets(ifPresent tag: UInt8, count: ClosedRange<Int>) throws(HandshakeFailure) -> [UInt8]? {
    element[tag] == nil ? nil : try octets(tag, count: count)
  }

  func unsigned(_ tag: UInt8, in range: ClosedRange<UInt64>) throws(HandshakeFailure) -> UInt64 {
    guard case .unsigned(let number) = element[tag], range.contains(number) else { throw Self.wrong(tag) }
    return number
  }

  /// The identifier of a session: 1...65535.
  func session(_ tag: UInt8) throws(HandshakeFailure) -> UInt16 { UInt16(try unsigned(tag, in: 1...65_535)) }

  func bool(_ tag: UInt8) throws(HandshakeFailure) -> Bool {
    guard case .bool(let isTrue) = element[tag] else { throw Self.wrong(tag) }
    return isTrue
  }

  /// nil: the member is absent.
  func structure(_ tag: UInt8) throws(HandshakeFailure) -> HandshakeFields? {
    guard let value = element[tag] else { return nil }
    guard case .container(.structure, _) = value else { throw Self.wrong(tag) }
    return HandshakeFields(Element(.anonymous, value))
  }

  /// The peer's parameters; defaults if the member is absent.
  func parameters(_ tag: UInt8) throws(HandshakeFailure) -> SessionParameters {
    SessionParameters(try structure(tag)?.element)
  }
}

extension HandshakeMessage {
  /// A message whose payload is a structure. `write` appends the members.
  init(_ opcode: SecureChannelOpcode, writing write: (inout ByteBuffer) -> Void) {
    var buffer = ByteBuffer()
    buffer.openContainer(.anonymous, .structure)
    write(&buffer)
    buffer.closeContainer()
    self.init(opcode, buffer.bytes)
  }

  /// The wait in milliseconds that Busy asks for.
  private static let busyWait: UInt16 = 500

  static func status(_ code: StatusReport.SecureChannelCode) -> HandshakeMessage {
    let data = code == .busy ? withUnsafeBytes(of: busyWait.littleEndian) { Array($0) } : []
    var buffer = ByteBuffer()
    StatusReport(code, data: data).encode(into: &buffer)
    return HandshakeMessage(.statusReport, buffer.bytes)
  }

  /// The step after a status report of the peer, which ends a handshake in each state.
  /// - Parameter session: the session that the peer has to confirm; nil: none yet.
  func stepAfterStatus(confirming session: EstablishedSession?) -> HandshakeStep {
    if let failure = reportedFailure { return .fail(failure, nil) }
    guard let session else { return .fail(HandshakeFailure("the status report is premature"), nil) }
    return .establish(session, nil)
  }

  /// The failure that a status report of the peer means; nil: it reports success.
  private var reportedFailure: HandshakeFailure? {
    guard let report = try? StatusReport(decoding: payload) else {
      return HandshakeFailure("the status report is malformed")
    }
    guard report.general != .success || report.secureChannelCode != .sessionEstablished else { return nil }
    return HandshakeFailure("the peer reports status \(report.general.rawValue)/\(report.code)")
  }
}

/// The keys of a session. Matter 1.4 §4.13.2.6.
struct SessionKeys: Sendable {
  /// Seals the messages of the initiator.
  let ofInitiator: SecretBytes
  /// Seals the messages of the responder.
  let ofResponder: SecretBytes
  let attestationChallenge: SecretBytes

  init(_ secret: SecretBytes, salt: [UInt8] = [], info: String = "SessionKeys") {
    let keys = HKDF.sha256(secret, salt: salt, info: info, count: 48)
    (ofInitiator, ofResponder) = (keys.part(0..<16), keys.part(16..<32))
    attestationChallenge = keys.part(32..<48)
  }
}
