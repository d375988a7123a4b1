import MatterInteraction
import MatterModel
import MatterWire

/// The payload of a message as text for people. Keys, passcodes and the random parts of handshakes are left out.
package struct DecodedMessage: Hashable, Sendable {
  /// The name in the specification: "ReadRequest". Matter 1.4 §4.11.1, §10.2.1.
  package private(set) var name: String
  /// What it contains: a line for each path and each other part.
  package private(set) var parts: [String] = []
  /// Why it is malformed; nil: it is not.
  package private(set) var problem: String?

  package init(_ protocolID: ExchangeHeader.ProtocolID, opcode: UInt8, _ payload: [UInt8]) {
    switch protocolID {
    case .secureChannel:
      guard let opcode = SecureChannelOpcode(rawValue: opcode) else { break }
      name = opcode.name
      do throws(HandshakeFailure) { parts = try HandshakeMessage(opcode, payload).parts() } catch {
        problem = error.reason
      }
      return
    case .interactionModel:
      guard let opcode = InteractionOpcode(rawValue: opcode) else { break }
      name = opcode.name
      do throws(InteractionStatus) { parts = try InteractionMessage(opcode, payload).parts() } catch {
        problem = Self.problem(of: payload, opcode)
      }
      return
    default: break
    }
    name = "Opcode \(opcode.hex)"
    parts = ["protocol \(protocolID.number.hex) of vendor \(protocolID.vendor.hex)"]
    parts.append("\(payload.count) bytes")
    problem = "the opcode is not known"
  }

  /// Returns the parts of a decoded payload.
  /// - Parameter protocolID: the vendor in the upper half, the protocol in the lower one.
  package static func decode(
    _ protocolID: UInt32, _ opcode: UInt8, _ payload: [UInt8]
  ) -> (name: String, parts: [String], problem: String?) {
    let id = ExchangeHeader.ProtocolID(
      vendor: UInt16(protocolID >> 16), UInt16(truncatingIfNeeded: protocolID))
    let decoded = DecodedMessage(id, opcode: opcode, payload)
    return (decoded.name, decoded.parts, decoded.problem)
  }

  /// Why a payload of the interaction model is refused.
  private static func problem(of payload: [UInt8], _ opcode: InteractionOpcode) -> String {
    do throws(ElementError) { _ = try Element(decoding: payload) } catch { return error.description }
    return "a member of the \(opcode.name) is missing, or has a wrong type or range"
  }
}

extension SecureChannelOpcode {
  fileprivate var name: String {
    switch self {
    case .acknowledgement: "Acknowledgement"
    case .pbkdfParamRequest: "PBKDFParamRequest"
    case .pbkdfParamResponse: "PBKDFParamResponse"
    case .pake1: "Pake1"
    case .pake2: "Pake2"
    case .pake3: "Pake3"
    case .sigma1: "Sigma1"
    case .sigma2: "Sigma2"
    case .sigma3: "Sigma3"
    case .sigma2Resume: "Sigma2Resume"
    case .statusReport: "StatusReport"
    }
  }
}

extension InteractionOpcode {
  fileprivate var name: String {
    switch self {
    case .status: "StatusResponse"
    case .read: "ReadRequest"
    case .subscribe: "SubscribeRequest"
    case .subscribeResponse: "SubscribeResponse"
    case .report: "ReportData"
    case .write: "WriteRequest"
    case .writeResponse: "WriteResponse"
    case .invoke: "InvokeRequest"
    case .invokeResponse: "InvokeResponse"
    case .timed: "TimedRequest"
    }
  }
}
