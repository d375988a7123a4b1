import MatterInteraction
import MatterWire

extension HandshakeMessage {
  /// What the message contains, without random numbers, keys and proofs, of which only the length is shown.
  /// - Throws: why the message is malformed.
  func parts() throws(HandshakeFailure) -> [String] {
    switch opcode {
    case .acknowledgement: return []
    case .statusReport: return try statusParts()
    default: break
    }
    let fields = try HandshakeFields(self)
    switch opcode {
    case .acknowledgement, .statusReport: return []
    case .pbkdfParamRequest:
      _ = try fields.octets(1, count: PASE.randomByteCount)
      return [
        "session \(try fields.session(2)) of the initiator", "passcode ID \(try fields.unsigned(3, in: 0...65_535))",
        try fields.bool(4) ? "the parameters are known" : "asks for the parameters",
      ] + (try fields.shownParameters(5))
    case .pbkdfParamResponse:
      _ = try fields.octets(1, count: PASE.randomByteCount)
      _ = try fields.octets(2, count: PASE.randomByteCount)
      var parts = ["session \(try fields.session(3)) of the responder"]
      if let derivation = try fields.structure(4) {
        let iterations = try derivation.unsigned(1, in: 0...UInt64(UInt32.max))
        parts.append("\(iterations) iterations, \(try derivation.length(2)) of salt")
      }
      return parts + (try fields.shownParameters(5))
    case .pake1: return ["pA: \(try fields.length(1))"]
    case .pake2: return ["pB: \(try fields.length(1))", "cB: \(try fields.length(2))"]
    case .pake3: return ["cA: \(try fields.length(1))"]
    case .sigma1: return try fields.sigma1Parts()
    case .sigma2:
      return [
        "session \(try fields.session(2)) of the responder", "public key: \(try fields.length(3))",
        "sealed: \(try fields.length(4))",
      ] + (try fields.shownParameters(5))
    case .sigma3: return ["sealed: \(try fields.length(1))"]
    case .sigma2Resume:
      return [
        "session \(try fields.session(3)) of the responder", "resumption ID: \(try fields.length(1))",
        "MIC: \(try fields.length(2))",
      ] + (try fields.shownParameters(4))
    }
  }

  private func statusParts() throws(HandshakeFailure) -> [String] {
    do throws(MessageError) {
      let report = try StatusReport(decoding: payload)
      let code = report.secureChannelCode.map { "\($0)".words } ?? "protocol \(report.protocolID.hex)"
      var parts = ["\("\(report.general)".words) (\(report.general.rawValue)), \(code) (\(report.code))"]
      if report.secureChannelCode == .busy, report.data.count == 2 {
        parts.append("wait \(UInt16(report.data[0]) | UInt16(report.data[1]) << 8) ms")
      } else if !report.data.isEmpty {
        parts.append("data: \(report.data.count) bytes")
      }
      return parts
    } catch { throw HandshakeFailure(error.description) }
  }
}

extension HandshakeFields {
  /// The length of an octet string of any length.
  fileprivate func length(_ tag: UInt8) throws(HandshakeFailure) -> String {
    "\(try octets(tag, count: 0...MessageLayer.payloadLimit).count) bytes"
  }

  fileprivate func sigma1Parts() throws(HandshakeFailure) -> [String] {
    _ = try octets(1, count: CASE.randomByteCount)
    var parts = [
      "session \(try session(2)) of the initiator", "destination ID: \(try length(3))", "public key: \(try length(4))",
    ]
    if try octets(ifPresent: 6, count: CASE.resumptionIDByteCount...CASE.resumptionIDByteCount) != nil {
      parts.append("asks for a resumption")
    }
    return parts + (try shownParameters(5))
  }

  fileprivate func shownParameters(_ tag: UInt8) throws(HandshakeFailure) -> [String] {
    guard try structure(tag) != nil else { return [] }
    let parameters = try parameters(tag)
    func milliseconds(_ duration: Duration) -> Int64 { Int64(duration / .milliseconds(1)) }
    return [
      "repeats after \(milliseconds(parameters.idleInterval)) ms, \(milliseconds(parameters.activeInterval)) ms while active, "
        + "active for \(milliseconds(parameters.activeThreshold)) ms"
    ]
  }
}
