import HAPCommandLine
import HAPController
import HAPModel
import HAPStore
import HAPWire

extension Command {
  private static let identifier = Option<String>(
    "identifier", "ID", "the identifier of the controller to add, usually an uppercase UUID"
  ) { (text: String) throws(UsageError) in
    guard (1...36).contains(text.utf8.count) else { throw UsageError("an identifier has 1 to 36 bytes") }
    return text
  }
  private static let key = Option<[UInt8]>("key", "HEX", "the public key of the controller to add") {
    (text: String) throws(UsageError) in
    guard let bytes = Hexadecimal.bytes(text), bytes.count == 32 else {
      throw UsageError("a public key is 32 bytes in hexadecimal")
    }
    return bytes
  }
  private static let admin = Flag("admin", "add the controller as an admin, which may manage pairings")

  /// `hapctl pairings`
  static let pairings = Command(
    "pairings", "list, add and remove an accessory's pairings with controllers",
    operands: .some(label: "list TARGET | add TARGET | remove TARGET ID", count: 2...3),
    options: [identifier.definition, key.definition, admin.definition, CommonOptions.json.definition]
      + CommonOptions.all,
    discussion: [
      "'list' shows each controller's identifier, whether it is an admin, and its public key. 'add' adds a controller, or changes the permission of one "
        + "that is already paired. 'remove' removes a controller. Accessories permit this only to admins.",
      "Use 'hapctl unpair' to remove hapctl's pairing.",
    ],
    examples: [
      ("hapctl pairings list garage", "lists the controllers of the accessory"),
      ("hapctl pairings add garage --identifier ID --key HEX", "adds a controller that created its own keys"),
      ("hapctl pairings remove garage ID", "removes the controller"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let visit = try Visit("pairings", to: try Target(arguments.operands[1]), arguments, console)
    let (verb, rest) = (arguments.operands[0], arguments.operands.dropFirst(2))
    let (newID, newKey) = (try arguments.value(identifier), try arguments.value(key))
    let isJSON = arguments[CommonOptions.json]
    let isAdmin = arguments[admin]
    if verb != "add", newID != nil || newKey != nil || isAdmin {
      throw UsageError("--identifier, --key and --admin are valid only with add")
    }
    switch verb {
    case "list":
      guard rest.isEmpty else { throw UsageError("list takes one TARGET") }
      return visit.withAccessory { accessory in
        let pairings = try await accessory.listPairings()
        let ours = accessory.pairing.controllerID
        if isJSON {
          console.print(listJSON(pairings, ours: ours))
        } else {
          for pairing in pairings {
            let marks = (pairing.isAdmin ? "admin" : "user ") + (pairing.identifier == ours ? "  ours" : "      ")
            console.print("\(shown(pairing.name))  \(marks)  \(Hexadecimal.text(pairing.publicKey))")
          }
        }
        return .well
      }
    case "add":
      guard rest.isEmpty else { throw UsageError("add takes one TARGET; --identifier selects the controller") }
      guard let newID else { throw UsageError("--identifier is missing") }
      guard let newKey else { throw UsageError("--key is missing") }
      let new = Pairing(identifier: Array(newID.utf8), publicKey: newKey, isAdmin: isAdmin)
      try visit.refuseOwn(new.identifier, "the accessory already has it, as an admin")
      return visit.withAccessory { accessory in
        try await accessory.change(.adding(new), refusals: [.unknown: "it has this identifier with another key"])
        console.print(
          isJSON
            ? addedJSON(new, ours: accessory.pairing.controllerID)
            : "Added \(shown(newID)) as \(isAdmin ? "an admin" : "a user").")
        return .well
      }
    case "remove":
      guard let id = rest.first else { throw UsageError("remove takes a TARGET and an ID") }
      try visit.refuseOwn(Array(id.utf8), "use 'hapctl unpair \(arguments.operands[1])' to remove it")
      return visit.withAccessory { accessory in
        try await accessory.change(
          .removing(Array(id.utf8)), refusals: [.unknown: "it has no pairing with this identifier"])
        console.print(isJSON ? removedJSON(id) : "Removed \(shown(id)).")
        return .well
      }
    default: throw UsageError("\(shown(verb)): expected list, add or remove")
    }
  }
}

extension Visit {
  /// - Throws: if `identifier` is that of hapctl's own pairing. An error of the store is ignored here and reported by
  ///   the next step.
  fileprivate func refuseOwn(_ identifier: [UInt8], _ hint: String) throws(UsageError) {
    guard let own = try? store().pairings().pairing(for: target), own.controllerID == identifier else { return }
    throw UsageError("\(shown(String(decoding: identifier, as: UTF8.self))) is hapctl's own pairing: \(hint)")
  }
}

extension OpenAccessory {
  /// Sends Add or Remove Pairing.
  /// - Parameter refusals: error texts for this request.
  func change(_ message: TLV, refusals: [PairingError: String] = [:]) async throws {
    do { try await changePairings(message) } catch AccessError.pairingsRefused(let code) {
      throw Failure(pairingsRefused: code, refusals)
    }
  }
}

extension Failure {
  /// - Parameter refusals: error texts for this request.
  init(pairingsRefused code: UInt8, _ refusals: [PairingError: String] = [:]) {
    let reason =
      switch PairingError(rawValue: code) {
      case .authentication?: "only an admin may do this"
      case .maxPeers?: "it has no room for another pairing"
      case .busy?: "it is busy; try again later"
      case .unavailable?: "it can't do this now"
      case .unknown?: refusals[.unknown] ?? "it gives no reason (error 1)"
      case .backoff?, .maxTries?, nil: "error \(code)"
      }
    self.init(.problem, "the accessory refuses: \(reason)")
  }
}
