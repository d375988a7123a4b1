import HAPCommandLine
import HAPLoop
import HAPModel
import HAPStore
import HAPWire

/// The accessory that a command addresses: an alias or a device ID of a pairing that is kept, an address, or the setup ID of a setup payload.
enum Target: Equatable {
  case name(String)
  case address(SocketAddress)
  /// Found by the setup hash that the accessory advertises.
  case setupID(SetupID)

  /// "192.0.2.7:51826", "[fe80::1%eth0]:51826", "localhost:51826"; anything else is a name.
  init(_ text: String) throws(UsageError) {
    self = try SocketAddress(commandLine: text).map { .address($0) } ?? .name(text)
  }
}

/// The accessory and what is meant of it: "garage/Target Door State", "garage/1.10", "garage".
struct Reference: Equatable {
  var target: String
  /// What stands behind the first slash; nil: nothing.
  var path: String?

  init(_ text: String) {
    guard let slash = text.firstIndex(of: "/") else {
      target = text
      return
    }
    target = String(text[..<slash])
    path = String(text[text.index(after: slash)...])
  }
}

extension [ControllerPairing] {
  /// The one that a target names.
  func pairing(for target: Target) throws(Failure) -> ControllerPairing {
    switch target {
    case .name(let name):
      if let pairing = first(where: { $0.alias == name }) ?? first(where: { $0.accessoryName == name.uppercased() }) {
        return pairing
      }
      let meant = nearestName(to: name, in: map(\.alias)).map { "; did you mean \(shown($0))?" } ?? ""
      throw Failure(.problem, "there is no pairing \(shown(name))\(meant) ('hapctl list' has them all)")
    case .address(let address):
      if let pairing = first(where: { $0.addresses.contains("\(address)") }) { return pairing }
      throw Failure(.problem, "no pairing is kept for \(address): 'hapctl pair \(address) --code …' makes one")
    case .setupID(let id): throw Failure(.problem, "no pairing is kept for setup ID \(id)")
    }
  }
}

/// Why a command ends without success: in one line, with what to do about it.
struct Failure: Error {
  var code: ExitCode
  var message: String

  init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }
}
