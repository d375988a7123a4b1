import MatterModel
import MatterWire

/// How accessories are served as Matter nodes.
package struct MatterSettings: Equatable, Sendable {
  /// nil: 5540, or any free port if that is in use.
  package var port: UInt16?
  /// nil: a random one at the first start, which is then kept.
  package var passcode: UInt32?
  /// 0...4095; nil: a random one at the first start, which is then kept.
  package var discriminator: UInt16?
  /// One of the vendors for tests, FFF1...FFF4.
  package var vendor: UInt16 = 0xFFF1
  package var product: UInt16 = 0x8000

  package init() {}

  /// Whether a device may have a passcode.
  package static func allows(passcode: UInt32) -> Bool { Passcode(passcode) != nil }
}

/// The data with which a person adds a node to a fabric.
package struct MatterInvitation: Equatable, Sendable {
  package let port: UInt16
  package let payload: OnboardingPayload
  /// The certificate of the attestation authority as DER: a commissioner has to trust it.
  package let trustAnchor: [UInt8]

  /// The text of the QR code.
  package var qrText: String { payload.qrText }
  /// The code that a person types.
  package var manualCode: String { payload.manualCode.text }
}
