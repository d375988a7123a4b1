import HAPLoop
import HAPModel
import HAPStore
import HAPWire

/// The accessory that a caller selects: the name or device ID of a stored pairing or of an accessory on the network, an
/// address, or the setup ID of a setup payload.
package enum Target: Equatable, Sendable {
  case name(String)
  case address(SocketAddress)
  /// The accessory whose advertised setup hash matches.
  case setupID(SetupID)

  /// Parses an address such as "192.0.2.7:51826", "[fe80::1%eth0]:51826" or "localhost:51826". Any other text is a
  /// name.
  /// - Throws: `.malformedAddress`; `.noSuchInterface` for the part after a %.
  package init(text: String) throws(LoopError) {
    self = try SocketAddress(text: text).map { .address($0) } ?? .name(text)
  }
}

extension [ControllerPairing] {
  /// Returns the pairing that a target selects.
  /// - Throws: `.noPairing`.
  package func pairing(for target: Target) throws(AccessError) -> ControllerPairing {
    switch target {
    case .name(let name):
      if let pairing = first(where: { $0.alias == name }) ?? first(where: { $0.accessoryName == name.uppercased() }) {
        return pairing
      }
      throw .noPairing(target, nearest: nearestName(to: name, in: map(\.alias)))
    case .address(let address):
      if let pairing = first(where: { $0.addresses.contains("\(address)") }) { return pairing }
      throw .noPairing(target, nearest: nil)
    case .setupID: throw .noPairing(target, nearest: nil)
    }
  }
}

/// Parses the addresses of a pairing. Skips texts that are not addresses.
/// - Throws: `.malformedAddress`.
package func socketAddresses(_ texts: [String]) throws(AccessError) -> [SocketAddress] {
  var found: [SocketAddress] = []
  for text in texts {
    do throws(LoopError) { if let address = try SocketAddress(text: text) { found.append(address) } } catch {
      throw .malformedAddress(text, reason: error.detail)
    }
  }
  return found
}
