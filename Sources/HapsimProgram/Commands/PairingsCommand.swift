import HapsimFiles
import HAPCommandLine
import HAPModel
import HAPStore
import HAPWire

extension Command {
  /// `hapsim pairings`
  static let pairings = Command(
    "pairings", "list the accessories of a state folder and the controllers paired with them",
    options: [CommonOptions.state.definition, CommonOptions.json.definition],
    discussion: ["Running accessories are included. The first bytes of each key are shown; --json prints whole keys."]
  ) { (arguments, console) throws(UsageError) in
    let path = try stateFolder(arguments, console)
    do throws(StoreError) {
      // A folder must not be created only to be read.
      let known = fileExists(path) ? try StateFolder.open(path: path, report: { console.complain($0) }).list() : []
      if arguments[CommonOptions.json] {
        console.print(pairingsJSON(known, path: path))
      } else {
        for line in pairingsText(known, path: path, console.output) { console.print(line) }
      }
      return .well
    } catch {
      console.complain(error)
      return .cannotRun
    }
  }
}

/// Returns the list as text.
func pairingsText(_ known: [KnownAccessory], path: String, _ terminal: Terminal) -> [String] {
  guard !known.isEmpty else { return ["No accessory has run yet with the state in \(path)."] }
  var lines: [String] = []
  for accessory in known {
    var facts = [accessory.deviceID.map { "\($0)" } ?? "no identity yet"]
    if accessory.isRunning { facts.append("running" + (accessory.pid.map { " (process \($0))" } ?? "")) }
    lines.append(terminal.styled(shown(accessory.name), .bold) + "  " + facts.joined(separator: ", "))
    if accessory.pairings.isEmpty { lines.append("  not paired") }
    for pairing in accessory.pairings {
      let key = Hexadecimal.text(pairing.publicKey.prefix(4))
      lines.append("  \(shown(pairing.name))  \(pairing.isAdmin ? "admin" : "user ")  key \(key)…")
    }
  }
  return lines
}

/// Returns the list as an object on one line.
func pairingsJSON(_ known: [KnownAccessory], path: String) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.key("state")
      json.string(path)
      json.key("accessories")
      json.array { json in
        for accessory in known {
          json.object { json in
            json.key("name")
            json.string(accessory.name)
            json.key("key")
            json.string(accessory.key)
            json.key("deviceID")
            if let id = accessory.deviceID { json.string("\(id)") } else { json.null() }
            json.key("running")
            json.bool(accessory.isRunning)
            json.key("pid")
            if let pid = accessory.pid { json.integer(pid) } else { json.null() }
            json.key("pairings")
            json.array { json in
              for pairing in accessory.pairings {
                json.object { json in
                  json.key("identifier")
                  json.string(pairing.name)
                  json.key("admin")
                  json.bool(pairing.isAdmin)
                  json.key("publicKey")
                  json.string(Hexadecimal.text(pairing.publicKey))
                }
              }
            }
          }
        }
      }
    }
  }
}
