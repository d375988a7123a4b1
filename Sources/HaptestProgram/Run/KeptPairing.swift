import HAPCommandLine
import HAPPairing
import HAPStore
import HAPWire

/// A pairing of hapctl's, to run with.
enum KeptPairing {
  static func named(
    _ name: String, _ arguments: Arguments, _ console: Console
  ) throws -> (credentials: ControllerCredentials, accessory: PairedAccessory) {
    let folder = try stateFolder(of: "hapctl", given: try arguments.value(RunRequest.state), console)
    let pairings: [ControllerPairing]
    do throws(StoreError) { pairings = try ControllerStore(folder: folder).pairings() } catch {
      throw Refusal(.cannotRun, "\(error)")
    }
    guard let found = pairings.first(where: { $0.alias == name || $0.accessoryName == name.uppercased() }) else {
      let meant = nearestName(to: name, in: pairings.map(\.alias)).map { "; did you mean \(shown($0))?" } ?? ""
      throw Refusal(.usage, "hapctl keeps no pairing \(shown(name))\(meant)")
    }
    return (
      ControllerCredentials(identifier: found.controllerID, key: found.controllerKey),
      PairedAccessory(identifier: found.accessoryID, publicKey: found.accessoryKey)
    )
  }
}
