import HAPCommandLine
import HAPPairing
import HAPStore
import HAPWire

/// A pairing stored by hapctl, for a run as that controller.
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
      throw Refusal(.usage, "hapctl has no pairing \(shown(name))\(meant)")
    }
    return (
      ControllerCredentials(identifier: found.controllerID, key: found.controllerKey),
      PairedAccessory(identifier: found.accessoryID, publicKey: found.accessoryKey)
    )
  }
}
