import HAPController
import HAPModel

/// Finds accessories, pairs with one, switches it, and prints what changes.
@main struct ControllerExample {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count >= 3 else {
      print("usage: ControllerExample FOLDER NAME CODE [INTERFACE]")
      return
    }
    let controller = Controller(storage: PairingFolder(words[0]), interfaces: Array(words.dropFirst(3)))
    defer { controller.close() }
    do {
      try await run(controller, name: words[1], code: words[2])
    } catch {
      print("error: \(error)")
    }
  }

  static func run(_ controller: Controller, name: String, code: String) async throws {
    try await find(with: controller)
    let pairing = try await pair(controller, name: name, code: code)
    let session = try await controller.session(with: pairing.name)
    let snapshot = session.snapshot
    print("\(pairing.name) has \(snapshot.database.characteristics.count) characteristics")

    // The stream contains all changes from here on.
    let changes = session.changes()
    let watched = snapshot.characteristics(with: .events)
    for refused in try await session.subscribe(to: watched) {
      print("\(refused.id) can't be watched: status \(refused.status)")
    }
    try await switchOn(session, snapshot)
    await watch(changes)
    await session.close()
    try await controller.unpair(pairing.name)
    print("unpaired")
  }

  /// Prints the accessories that one search of at most 3 s finds.
  static func find(with controller: Controller) async throws {
    for accessory in try await controller.findAccessories() {
      let state = accessory.isPaired == true ? "paired" : "not paired"
      print("found \(accessory.name), \(accessory.deviceID ?? "no device ID"), \(state)")
    }
  }

  /// Pairs with an accessory, unless this was done before.
  /// - Parameter code: the setup code, or the text of the QR code.
  static func pair(_ controller: Controller, name: String, code: String) async throws -> StoredPairing {
    let known = try controller.pairings().first { $0.name == "example" }
    if let known { return known }
    return try await controller.pair(with: name, code: code, name: "example") { step in
      print("pairing: \(step)")
    }
  }

  /// Reads and writes the first characteristic On.
  static func switchOn(_ session: AccessorySession, _ snapshot: DatabaseSnapshot) async throws {
    guard let on = snapshot.characteristic(named: "On") else { return print("the accessory has no characteristic On") }
    for result in try await session.read([on]) {
      print("On is \(result.value.map { "\($0)" } ?? "unknown"), status \(result.status)")
    }
    let results = try await session.write([CharacteristicWrite(on, .bool(true))])
    print(results.allSatisfy(\.isSuccess) ? "switched on" : "the accessory refused the write")
  }

  /// Prints changes until the first change of a value.
  static func watch(_ changes: AsyncStream<SessionChange>) async {
    print("watching")
    for await change in changes {
      switch change {
      case .values(let values, let isCatchUp):
        for value in values {
          print("\(value.id) is \(value.value.map { "\($0)" } ?? "unknown")\(isCatchUp ? " (changed meanwhile)" : "")")
        }
        return
      case .database(let snapshot): print("the database changed; c# is \(snapshot.configurationNumber ?? 0)")
      case .connected: print("connected again")
      case .disconnected(let error, let nextTry): print("\(error); trying again in \(nextTry)")
      case .unreadable(let error), .ended(let error): print("\(error)")
      }
    }
  }
}
