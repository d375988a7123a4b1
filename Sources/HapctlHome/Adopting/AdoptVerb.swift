import HAPCommandLine
import HAPController
import HAPHome
import HAPHubLink
import HAPModel
import HAPStore
import HAPWire

extension HomeVerb {
  private static let allPairings = Flag("all", "take over all pairings of the file, or of the state folder")
  private static let state = Option<String>(
    "state", "DIR",
    "the folder with hapctl's own pairings (default: $XDG_STATE_HOME/hapctl, else ~/.local/state/hapctl)")

  static let adoptVerb = HomeVerb(
    "adopt", "take over pairings of another controller, without pairing again",
    [.optional(.file, "ALIAS|FILE"), .any(.text, "NAME")], options: [.init(allPairings), .init(state, .file)],
    discussion: [
      "ALIAS is a pairing of 'hapctl pair'. FILE is a pairing file of aiohomekit, or the folder of Home Assistant's configuration, or its file .storage/core.config_entries. NAME is the name of a pairing in the file; --all takes all.",
      "Areas of Home Assistant become rooms, and the names that a person gave there become the names of the accessories.",
      "The other controller keeps its pairing: do not let both use it at the same time.",
    ],
    examples: [
      ("hapctl home adopt garage", "takes over hapctl's pairing garage"),
      ("hapctl home adopt /config/.storage/core.config_entries --all", "takes over the pairings of Home Assistant"),
    ],
    json: "`{\"adopted\": [{\"name\", \"device\", \"accessories\": [{\"id\", \"name\", \"room\"}], \"error\"}]}`",
    need: .accessories
  ) { session, arguments in
    let source = arguments.operands.first
    let names = Array(arguments.operands.dropFirst())
    let isFile = source.map { $0.contains("/") || fileExists($0) } ?? false
    let pairings: [AdoptablePairing]
    if let source, isFile {
      pairings = try AdoptablePairing.read(source).chosen(names, all: arguments[allPairings], from: source)
    } else {
      guard names.isEmpty else { throw UsageError("the file \(shown(source ?? "")) does not exist") }
      let folder = try stateFolder(of: "hapctl", given: try arguments.value(state), session.console)
      let stored = try ControllerStore(folder: folder).pairings().map { AdoptablePairing($0) }
      pairings = try stored.chosen(source.map { [$0] } ?? [], all: arguments[allPairings], from: folder)
    }
    return try await session.adopt(pairings)
  }
}

/// A pairing of another controller, with the rooms and names that people gave there.
struct AdoptablePairing: Sendable {
  var pairing: ControllerPairing
  /// By aid.
  var rooms: [UInt64: String] = [:]
  var names: [UInt64: String] = [:]

  init(_ pairing: ControllerPairing) { self.pairing = pairing }

  /// The greatest size of a file: 64 MiB. A device registry has about 1 KiB for each device.
  private static let limit = 64 << 20

  /// Reads a file of aiohomekit, or the files of Home Assistant.
  static func read(_ path: String) throws -> [AdoptablePairing] {
    var file = path
    for name in [".storage/core.config_entries", "core.config_entries"] where isFolder(path) {
      if fileExists("\(path)/\(name)") {
        file = "\(path)/\(name)"
        break
      }
    }
    guard !isFolder(file) else {
      throw HomeFailure(.cannotRun, "the folder \(path) has no file .storage/core.config_entries")
    }
    var found: [AdoptablePairing]
    do { found = try PairingFile.read(try readFile(file, limit: limit)).map { AdoptablePairing($0) } } catch let error
      as JSONProblem
    {
      throw HomeFailure("\(file):\(error.place): \(error.path.isEmpty ? "" : "\(error.path): ")\(error.message)")
    }
    guard file.hasSuffix("core.config_entries") else { return found }
    let folder = String(file.dropLast("core.config_entries".count))
    let registry = try HomeAssistantRegistry(
      devices: try contents(folder + "core.device_registry"), areas: try contents(folder + "core.area_registry"))
    for index in found.indices {
      let placed = registry.places(of: found[index].pairing.accessoryName)
      (found[index].rooms, found[index].names) = (placed.rooms, placed.names)
    }
    return found
  }

  /// Nil if there is no such file.
  private static func contents(_ path: String) throws -> JSONNode? {
    guard fileExists(path) else { return nil }
    do throws(JSONError) { return try JSONNode.parse(try bytes(path)) } catch {
      throw HomeFailure("\(path):\(error.place): \(error.message)")
    }
  }

  private static func bytes(_ path: String) throws(JSONError) -> [UInt8] {
    do { return try readFile(path, limit: limit) } catch {
      throw JSONError(place: JSONPlace(line: 1, column: 1), message: error.message)
    }
  }
}

extension [AdoptablePairing] {
  /// Returns the pairings of these names.
  /// - Parameter source: the file or folder, for messages.
  fileprivate func chosen(_ names: [String], all: Bool, from source: String) throws -> [AdoptablePairing] {
    guard !isEmpty else { throw HomeFailure(.cannotRun, "\(source) has no pairing over IP") }
    if all {
      guard names.isEmpty else { throw UsageError("--all takes no names: unexpected argument \(shown(names[0]))") }
      return self
    }
    let aliases = map(\.pairing.alias)
    if names.isEmpty {
      if count == 1 { return self }
      throw UsageError(
        "\(source) has \(count) pairings: name some of \(aliases.map(\.quoted).joined(separator: ", ")), or use --all")
    }
    return try names.map { name in
      if let found = first(where: { $0.pairing.alias == name })
        ?? first(where: { HomeName($0.pairing.alias).key == HomeName(name).key || $0.pairing.accessoryName == name })
      {
        return found
      }
      let hint = nearestName(to: name, in: aliases).map { ": did you mean \($0.quoted)?" } ?? ""
      throw HomeFailure("there is no pairing \(name.quoted) in \(source)\(hint)")
    }
  }
}

extension HomeSession {
  /// Takes over pairings one after the other. One that the hub refuses does not stop the others.
  fileprivate func adopt(_ pairings: [AdoptablePairing]) async throws -> ExitCode {
    let home = try home.id
    var nodes: [JSONNode] = []
    var hasFailure = false
    for entry in pairings {
      var failure: String?
      var added: [HomeObjectID] = []
      if let device = DeviceID(entry.pairing.accessoryName.uppercased()) {
        do throws(HomeError) {
          let answer = try await link.ask(.adopt(PairingAdoption(entry, device, home: home)))
          guard case .added(let ids, _) = answer else { throw HomeError(.invalidParameter, nil, "wrong answer") }
          added = ids
        } catch { failure = "\(error)" }
      } else {
        failure = "\(entry.pairing.accessoryName.quoted) is not a device ID"
      }
      let accessories = try added.compactMap { try snapshot.model.home(home)?.accessories.find($0) }
      let rooms = try accessories.map { try snapshot.model.home(home)?.room($0.room)?.name.text ?? "" }
      nodes.append(
        .members(
          ("name", .text(entry.pairing.alias)), ("device", .text(entry.pairing.accessoryName)),
          (
            "accessories",
            .list(
              zip(accessories, rooms).map {
                .object([("id", .id($0.id)), ("name", .text($0.name.text)), ("room", .text($1))])
              })
          ), ("error", failure.map { .text($0) })))
      if let failure {
        hasFailure = true
        if !isJSON { complain("\(entry.pairing.alias): \(failure)") }
      } else if !isJSON {
        for (accessory, room) in zip(accessories, rooms) {
          print("Added \(accessory.name.text.quoted) in the room \(room.quoted).")
        }
      }
    }
    if isJSON { print(.object([("adopted", .list(nodes))])) }
    return hasFailure ? .problem : .well
  }
}

extension HomeSession {
  /// Prints the aliases of hapctl for a device whose pairing was removed. They are not deleted: hapctl may also have a
  /// pairing of its own, which the hub does not know.
  func noteAdopted(_ device: DeviceID) {
    guard !isJSON, let folder = try? stateFolder(of: "hapctl", given: nil, console),
      fileExists(folder + "/controller.db"), let stored = try? ControllerStore(folder: folder).pairings()
    else { return }
    for pairing in stored where DeviceID(pairing.accessoryName.uppercased()) == device {
      print(
        "hapctl has the pairing \(pairing.alias.quoted) with it. If it was adopted, it no longer works: 'hapctl unpair \(shown(pairing.alias)) --forget' deletes it."
      )
    }
  }
}

extension PairingAdoption {
  fileprivate init(_ entry: AdoptablePairing, _ device: DeviceID, home: HomeObjectID) {
    let pairing = entry.pairing
    self.init(
      home: home, device: device, accessoryKey: pairing.accessoryKey,
      controllerID: String(decoding: pairing.controllerID, as: UTF8.self),
      controllerSeed: pairing.controllerKey.seed.withBytes { Array($0) }, addresses: pairing.addresses,
      rooms: entry.rooms.compactMapValues(\.asHomeName), names: entry.names.compactMapValues(\.asHomeName))
  }
}

extension String {
  /// The text as a name that rules N4 and N5 allow; nil if no letter and no digit is in it.
  var asHomeName: String? {
    let policy = HomePolicy()
    if let name = try? HomeName.checked(self, policy) { return name.text }
    var words: [String] = [""]
    for character in self {
      if (try? HomeName.checked("a\(character)a", policy)) != nil, character != " " {
        words[words.count - 1].append(character)
      } else if words.last?.isEmpty == false {
        words.append("")
      }
    }
    var name = String(words.filter { !$0.isEmpty }.joined(separator: " ").prefix(HomeName.greatestLength))
    // An apostrophe is allowed only within a name.
    while !name.isEmpty, (try? HomeName.checked(name, policy)) == nil {
      if (try? HomeName.checked(String(name.prefix(1)), policy)) == nil {
        name.removeFirst()
      } else {
        name.removeLast()
      }
    }
    return name.isEmpty ? nil : name
  }
}
