import HAPCrypto
import HAPFrontEnds
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
  /// Whether random identifiers come from the seed of the simulation. Keys never do.
  package var isSeeded = false

  package init() {}

  /// Whether a device may have a passcode.
  package static func allows(passcode: UInt32) -> Bool { Passcode(passcode) != nil }
}

/// The randomness of a node's label and of its names on the network.
struct LabelRandomness {
  /// Of passcode, discriminator, salt, and the name of the host.
  let identifiers: RandomSource
  /// Of the attestation certificates and their keys.
  let keys: RandomSource
  /// Of the names of commissioning windows; nil: they are random.
  let instanceSeed: UInt64?

  /// An accessory with a given identity derives everything from it. Another one with a seed derives identifiers from that.
  init(_ settings: MatterSettings, in place: FrontEndPlace, random: RandomSource) {
    instanceSeed = settings.isSeeded ? place.identifierSeed : nil
    if let secret = place.setup.frontEndSecret {
      func stream(_ part: String) -> RandomSource {
        .derived(from: HKDF.sha512(secret, salt: "hapsim Matter 1", info: part, count: 32))
      }
      (identifiers, keys) = (stream("label"), stream("attestation"))
    } else {
      (identifiers, keys) = (instanceSeed.map { RandomSource.seeded($0) } ?? random, random)
    }
  }
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
