import HAPCrypto
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterWire

/// Requests that controllers make of each node.
extension InteractionRequest {
  /// One command.
  /// - Parameter milliseconds: of the timed request before it; nil: none.
  package static func command(
    _ path: CommandPath, _ fields: [(UInt8, Element.Value)] = [], timed milliseconds: UInt16? = nil
  ) -> InteractionRequest {
    let item = InvokeRequest.Item(
      CommandPattern(path.endpoint, path.cluster, path.command), fields.map { Element(.context($0.0), $0.1) })
    return .invoke(InvokeRequest([item], isTimed: milliseconds != nil), milliseconds: milliseconds)
  }

  static func command(
    _ cluster: RootCluster, _ command: CommandNumber, _ fields: [(UInt8, Element.Value)] = [],
    timed milliseconds: UInt16? = nil
  ) -> InteractionRequest {
    .command(CommandPath(0, cluster.rawValue, command), fields, timed: milliseconds)
  }

  /// Attributes.
  package static func read(_ patterns: AttributePattern...) -> InteractionRequest { .read(ReadRequest(patterns)) }

  /// Replaces the value of one attribute.
  package static func write(
    _ path: AttributePath, _ value: Element.Value, timed milliseconds: UInt16? = nil
  ) -> InteractionRequest {
    .write(
      WriteRequest([.init(AttributePattern(path), .replace(value))], isTimed: milliseconds != nil),
      milliseconds: milliseconds)
  }

  /// The time in which the request after a timed request has to arrive, in milliseconds.
  private static let windowTime: UInt16 = 10_000

  /// Opens a commissioning window with a passcode of its own. Matter 1.4 §11.19.8.1.
  /// - Parameter seconds: 180...900.
  package static func openWindow(
    passcode: UInt32, discriminator: UInt16, seconds: UInt16 = 180, salt: [UInt8], iterations: Int = 1000
  ) -> InteractionRequest {
    guard let secrets = SPAKE2Plus.Secrets(passcode: passcode, salt: salt, iterations: iterations) else {
      preconditionFailure("the salt or the iterations are not within the limits")
    }
    return .command(
      .administratorCommissioning, 0,
      [
        (0, .number(seconds)), (1, .octets(secrets.verifier.bytes.withBytes { Array($0) })),
        (2, .number(discriminator)), (3, .number(UInt(iterations))), (4, .octets(salt)),
      ], timed: windowTime)
  }

  /// Opens a commissioning window with the passcode of the device. Matter 1.4 §11.19.8.2.
  /// - Parameter seconds: 180...900.
  package static func openBasicWindow(seconds: UInt16 = 180) -> InteractionRequest {
    .command(.administratorCommissioning, 1, [(0, .number(seconds))], timed: windowTime)
  }

  /// Removes a fabric of the node. Matter 1.4 §11.18.6.12.
  package static func removeFabric(_ index: FabricIndex) -> InteractionRequest {
    .command(.operationalCredentials, 10, [(0, .number(index))])
  }
}
