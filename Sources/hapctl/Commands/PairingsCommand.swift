import HAPCommandLine
import HAPController
import HAPModel
import HAPStore
import HAPWire

extension Command {
  private static let identifier = Option<String>(
    "identifier", "ID", "of the controller to add, by custom a UUID in capitals"
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
  private static let admin = Flag("admin", "let the controller to add manage pairings too")

  /// `hapctl pairings`
  static let pairings = Command(
    "pairings", "list, add and remove the controllers that an accessory knows",
    operands: .some(label: "list TARGET | add TARGET | remove TARGET ID", count: 2...3),
    options: [identifier.definition, key.definition, admin.definition, CommonOptions.json.definition]
      + CommonOptions.all,
    discussion: [
      "list shows each controller's identifier, whether it is an admin, and its public key, as the accessory keeps them. add lets another controller in, or changes what one may "
        + "that is in already. remove shuts one out. Accessories allow this to admins alone.",
      "Our own pairing is removed by unpair.",
    ],
    examples: [
      ("hapctl pairings list garage", "who may drive the door"),
      ("hapctl pairings add garage --identifier ID --key HEX", "lets a controller in that made its keys itself"),
      ("hapctl pairings remove garage ID", "shuts it out again"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let visit = try Visit("pairings", to: try Target(arguments.operands[1]), arguments, console)
    let (verb, rest) = (arguments.operands[0], arguments.operands.dropFirst(2))
    let (newID, newKey) = (try arguments.value(identifier), try arguments.value(key))
    let isJSON = arguments[CommonOptions.json]
    let isAdmin = arguments[admin]
    if verb != "add", newID != nil || newKey != nil || isAdmin {
      throw UsageError("--identifier, --key and --admin belong to add")
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
      guard rest.isEmpty else { throw UsageError("add takes one TARGET; the controller is named by --identifier") }
      guard let newID else { throw UsageError("--identifier is missing") }
      guard let newKey else { throw UsageError("--key is missing") }
      let new = Pairing(identifier: Array(newID.utf8), publicKey: newKey, isAdmin: isAdmin)
      try visit.refuseOwn(new.identifier, "it is let in already, as an admin")
      return visit.withAccessory { accessory in
        try await accessory.change(.adding(new), refusals: [.unknown: "it knows this identifier with another key"])
        console.print(
          isJSON
            ? addedJSON(new, ours: accessory.pairing.controllerID)
            : "Added \(shown(newID)) as \(isAdmin ? "an admin" : "a user").")
        return .well
      }
    case "remove":
      guard let id = rest.first else { throw UsageError("remove takes a TARGET and an ID") }
      try visit.refuseOwn(Array(id.utf8), "'hapctl unpair \(arguments.operands[1])' removes it, and forgets it here")
      return visit.withAccessory { accessory in
        try await accessory.change(
          .removing(Array(id.utf8)), refusals: [.unknown: "it knows nobody of this identifier"])
        console.print(isJSON ? removedJSON(id) : "Removed \(shown(id)).")
        return .well
      }
    default: throw UsageError("\(shown(verb)): it is list, add or remove")
    }
  }
}

extension Visit {
  /// - Throws: when `identifier` is that of our own pairing. What is wrong with the store is told by what comes next.
  fileprivate func refuseOwn(_ identifier: [UInt8], _ hint: String) throws(UsageError) {
    guard let own = try? store().pairings().pairing(for: target), own.controllerID == identifier else { return }
    throw UsageError("\(shown(String(decoding: identifier, as: UTF8.self))) is our own pairing: \(hint)")
  }
}

extension OpenAccessory {
  /// Add or Remove Pairing.
  /// - Parameter refusals: what an error means here.
  func change(_ message: TLV, refusals: [PairingError: String] = [:]) async throws {
    do { try await changePairings(message) } catch AccessError.pairingsRefused(let code) {
      throw Failure(pairingsRefused: code, refusals)
    }
  }
}

extension Failure {
  /// - Parameter refusals: what an error means here.
  init(pairingsRefused code: UInt8, _ refusals: [PairingError: String] = [:]) {
    let reason =
      switch PairingError(rawValue: code) {
      case .authentication?: "only an admin may ask this"
      case .maxPeers?: "it has no room for another pairing"
      case .busy?: "it is busy; try again in a while"
      case .unavailable?: "it can't do this now"
      case .unknown?: refusals[.unknown] ?? "it doesn't say why (error 1)"
      case .backoff?, .maxTries?, nil: "error \(code)"
      }
    self.init(.problem, "the accessory refuses: \(reason)")
  }
}
