import HapsimFiles
import HAPCommandLine
import HAPModel
import HAPStore
import HAPWire

extension Command {
  static let allFlag = Flag("all", "reset all accessories in the folder")
  static let yesFlag = Flag("yes", letter: "y", "reset without confirmation")

  /// `hapsim reset`
  static let reset = Command(
    "reset", "perform a factory reset: remove the pairings of accessories, and create new identities",
    operands: .some(label: "[NAME…]", count: 0...10_000),
    options: [CommonOptions.state.definition, allFlag.definition, yesFlag.definition, CommonOptions.json.definition],
    discussion: [
      "NAME is an accessory's name or device ID as 'hapsim pairings' shows them, or its key as 'hapsim pairings --json' shows it. "
        + "The setup code and setup ID stay, as if printed on a label. A running accessory is not reset: stop it first."
    ]
  ) { (arguments, console) throws(UsageError) in
    let names = arguments.operands
    let all = arguments[allFlag]
    guard all != !names.isEmpty else {
      throw UsageError(all ? "--all and names exclude each other" : "give the names of the accessories, or --all")
    }
    let path = try stateFolder(arguments, console)
    do throws(StoreError) {
      let folder = fileExists(path) ? try StateFolder.open(path: path, report: { console.complain($0) }) : nil
      let known = try folder?.list() ?? []
      let chosen: [KnownAccessory]
      do throws(UsageError) { chosen = all ? known : try choose(names, from: known, path: path) } catch {
        console.complain("hapsim reset: \(error.message)")
        return .usage
      }
      // Check for running accessories before the first reset, so that all or none are reset.
      if let running = chosen.first(where: \.isRunning) {
        console.complain(StoreError(.alreadyRunning(name: running.name, pid: running.pid), path: path, detail: ""))
        return .cannotRun
      }
      if chosen.isEmpty, !arguments[CommonOptions.json] {
        console.print("No accessory has run yet with the state in \(path).")
      }
      guard chosen.isEmpty || arguments[yesFlag] || isConfirmed(chosen, console) else { return .usage }
      var done: [KnownAccessory] = []
      // Print the result after an error too, because the accessories before it were reset.
      defer { if arguments[CommonOptions.json] { console.print(resetJSON(done)) } }
      for accessory in chosen {
        try folder?.reset(key: accessory.key)
        done.append(accessory)
        if !arguments[CommonOptions.json] { console.print("\(shown(accessory.name)) was reset.") }
      }
      return .well
    } catch {
      console.complain(error)
      return .cannotRun
    }
  }
}

/// Returns an object with the accessories that were reset.
private func resetJSON(_ accessories: [KnownAccessory]) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.key("reset")
      json.array { json in
        for accessory in accessories {
          json.object { json in
            for (name, text) in [("name", accessory.name), ("key", accessory.key)] {
              json.key(name)
              json.string(text)
            }
            json.key("pairingsRemoved")
            json.integer(accessory.pairings.count)
          }
        }
      }
    }
  }
}

/// Returns the accessories that the names select, each once.
/// - Throws: for a name that selects none or several.
func choose(_ names: [String], from known: [KnownAccessory], path: String) throws(UsageError) -> [KnownAccessory] {
  var chosen: [KnownAccessory] = []
  for name in names {
    let id = DeviceID(name)
    let exact = known.filter { $0.key == name || (id != nil && $0.deviceID == id) }
    let found = exact.isEmpty ? known.filter { $0.name == name } : exact
    guard found.count <= 1 else {
      // 'hapsim pairings' shows device IDs. An accessory without one has only its key.
      let ids = found.map { accessory in accessory.deviceID.map { "\($0)" } ?? shown(accessory.key) }
      throw UsageError(
        "\(found.count) accessories are named \(shown(name)); give one of these instead of the name: "
          + ids.joined(separator: ", "))
    }
    guard let accessory = found.first else {
      let meant = nearestName(to: name, in: known.map(\.name))
      throw UsageError(
        "the state in \(path) has no accessory \(shown(name))" + (meant.map { "; did you mean \(shown($0))?" } ?? ""))
    }
    if !chosen.contains(accessory) { chosen.append(accessory) }
  }
  return chosen
}

/// Asks the user for confirmation. If there is no terminal, prints the needed option.
private func isConfirmed(_ chosen: [KnownAccessory], _ console: Console) -> Bool {
  let names = chosen.map { accessory in
    let count = accessory.pairings.count
    return shown(accessory.name) + " (\(count == 1 ? "1 pairing" : "\(count) pairings"))"
  }
  guard let answer = console.ask("Reset \(names.joined(separator: ", "))? [y/N]") else {
    console.complain(
      "hapsim reset: this resets \(names.joined(separator: ", ")); use --yes to confirm")
    return false
  }
  guard ["y", "yes"].contains(answer.lowercased()) else {
    console.complain("Nothing was reset.")
    return false
  }
  return true
}
