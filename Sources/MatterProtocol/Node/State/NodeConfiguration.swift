import HAPCrypto
import MatterModel
import Synchronization

/// The constants of a node.
package struct NodeConfiguration: Sendable {
  /// At most 32 bytes, as have the other three texts.
  package let vendorName: String
  package let productName: String
  package let serialNumber: String
  /// Identifies the node; other than the serial number.
  package let uniqueID: String
  package var hardwareVersion: UInt16 = 1
  package var hardwareVersionText = "1"
  package var softwareVersion: UInt32 = 1
  package var softwareVersionText = "1.0"
  /// The device type that discovery announces.
  package var deviceType: UInt32
  package var interface: NodeInterface
  package var passcode: PasscodeAccess
  /// 0...4095.
  package var discriminator: UInt16
  /// The proof of the origin, with the vendor and the product.
  package var credentials: DeviceCredentials
  /// The signed certification declaration.
  package var declaration: [UInt8]
  package var bootReason = BootReason.powerOn
  /// The seed of the names of commissioning windows. After a reboot, they are others. nil: they are random.
  package var instanceSeed: UInt64?

  /// Matter 1.4 §11.12.4.4.
  package enum BootReason: UInt8, Hashable, Sendable {
    case unspecified, powerOn, brownOut, softwareWatchdog, hardwareWatchdog, softwareUpdate, softwareReset
  }

  /// Texts of more than 32 bytes are cut.
  ///
  /// - Precondition: the discriminator is at most 4095.
  package init(
    vendorName: String, productName: String, serialNumber: String, uniqueID: String, deviceType: UInt32,
    interface: NodeInterface, passcode: PasscodeAccess, discriminator: UInt16, credentials: DeviceCredentials,
    declaration: [UInt8]
  ) {
    precondition(discriminator <= OnboardingLimits.mostDiscriminator, "a discriminator of more than 12 bits")
    (self.vendorName, self.productName) = (Self.cut(vendorName), Self.cut(productName))
    (self.serialNumber, self.uniqueID) = (Self.cut(serialNumber), Self.cut(uniqueID))
    (self.deviceType, self.interface) = (deviceType, interface)
    (self.passcode, self.discriminator) = (passcode, discriminator)
    (self.credentials, self.declaration) = (credentials, declaration)
  }

  private static func cut(_ text: String) -> String {
    var text = text
    while text.utf8.count > 32 { text.removeLast() }
    return text
  }

  package var vendor: UInt16 { credentials.vendor }
  package var product: UInt16 { credentials.product }
}

/// The limits of the values with which a node is found.
enum OnboardingLimits {
  static let mostDiscriminator: UInt16 = 0x0FFF
}

/// The network interface of a node, for its diagnostics. Matter 1.4 §11.12.4.8.
package struct NodeInterface: Hashable, Sendable {
  /// At most 32 bytes.
  package var name: String
  /// 6 or 8 bytes.
  package var hardwareAddress: [UInt8]
  /// 4 bytes each.
  package var ipv4Addresses: [[UInt8]]
  /// 16 bytes each.
  package var ipv6Addresses: [[UInt8]]

  package init(
    name: String, hardwareAddress: [UInt8], ipv4Addresses: [[UInt8]] = [], ipv6Addresses: [[UInt8]] = []
  ) {
    (self.name, self.hardwareAddress) = (name, hardwareAddress)
    (self.ipv4Addresses, self.ipv6Addresses) = (ipv4Addresses, ipv6Addresses)
  }
}

/// What the responder of PASE needs: the verifier of a passcode, and how it was computed from the passcode.
package struct PasscodeAccess: Sendable {
  private let source: VerifierSource
  /// 1000...100000.
  package let iterations: Int
  /// 16...32 bytes.
  package let salt: [UInt8]
  /// The window that it is valid in; nil: of none.
  var window: UInt64?

  /// - Returns: nil if the salt or the iterations are not within the limits.
  package init?(verifier: SPAKE2Plus.Verifier, iterations: Int, salt: [UInt8]) {
    self.init(iterations: iterations, salt: salt) { verifier }
  }

  /// - Parameter verifier: returns the verifier. It is called once, on any thread, when a commissioner tries the passcode.
  /// - Returns: nil if the salt or the iterations are not within the limits.
  package init?(iterations: Int, salt: [UInt8], verifier: @escaping @Sendable () -> SPAKE2Plus.Verifier) {
    guard SPAKE2Plus.iterations.contains(iterations), SPAKE2Plus.saltByteCount.contains(salt.count) else { return nil }
    (source, self.iterations, self.salt) = (VerifierSource(make: verifier), iterations, salt)
  }

  /// The first call can take a millisecond.
  package var verifier: SPAKE2Plus.Verifier { source.verifier }
}

/// A verifier that is computed when it is needed. Most nodes of a fleet never need it.
private final class VerifierSource: Sendable {
  private let make: @Sendable () -> SPAKE2Plus.Verifier
  private let made = Mutex<SPAKE2Plus.Verifier?>(nil)

  init(make: @escaping @Sendable () -> SPAKE2Plus.Verifier) { self.make = make }

  var verifier: SPAKE2Plus.Verifier {
    made.withLock { made in
      let verifier = made ?? make()
      made = verifier
      return verifier
    }
  }
}
