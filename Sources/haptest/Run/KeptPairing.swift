import HAPCommandLine
import HAPProtocol
import HAPStore
import HAPWire

/// A pairing of hapctl's, to run with.
enum KeptPairing {
  static func named(
    _ name: String, _ arguments: Arguments, _ console: Console
  ) throws -> (credentials: ControllerCredentials, accessory: PairedAccessory) {
    let folder = try folder(arguments, console)
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

  /// hapctl's. A relative `$XDG_STATE_HOME` doesn't count (XDG Base Directory Specification).
  private static func folder(_ arguments: Arguments, _ console: Console) throws -> String {
    if let given = try arguments.value(RunRequest.state) { return given }
    if let state = console.environment("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/hapctl" }
    if let home = console.environment("HOME"), home.hasPrefix("/") { return home + "/.local/state/hapctl" }
    throw UsageError("there is no default state folder, since neither XDG_STATE_HOME nor HOME is set; give --state DIR")
  }
}
