import HAPWire

/// The rule "procedure-order".
struct ProcedureOrder: JudgeRule {
  static let description = RuleDescription(
    "procedure-order", .pairing, .must,
    "sends M1, M3, M5 of Pair Setup and M1, M3 of Pair Verify in order, each step after a successful answer to the previous one",
    source: "HAP R2 §5.6, §5.7", impact: "The accessory answers 400 and restarts the procedure.",
    chance: "a pairing procedure")

  /// The state of the last answer without an error, by connection and path.
  private var answered: [ObjectIdentifier: [String: Int]] = [:]

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    let key = ObjectIdentifier(connection)
    switch act {
    case .asked(let request) where Self.last[request.path] != nil:
      guard let state = request.tlv?.state else {
        return findings.breach("\(request.name) has no readable state")
      }
      let former = answered[key]?[request.path]
      answered[key, default: [:]][request.path] = nil
      switch state {
      case 1: findings.chance()
      case 3, 5:
        guard state <= Self.last[request.path]! else {
          return findings.breach("\(request.name) has no M\(state)")
        }
        if former == Int(state) - 1 {
          findings.chance()
        } else {
          findings.breach("M\(state) of \(request.name) arrived without a successful M\(state - 1) before it")
        }
      default: findings.breach("M\(state) of \(request.name) is not a controller's step")
      }
    case .answered(let answer?):
      guard let path = connection.owed?.request.path, Self.last[path] != nil, answer.pairingError == nil,
        let state = answer.tlv?.state
      else { return }
      answered[key, default: [:]][path] = Int(state)
    case .closed: answered[key] = nil
    default: break
    }
  }

  private static let last: [String: Int] = ["/pair-setup": 5, "/pair-verify": 3]
}

/// The rule "fresh-keys".
struct FreshKeys: JudgeRule {
  static let description = RuleDescription(
    "fresh-keys", .pairing, .must, "uses a new key pair for each Pair Setup and each Pair Verify",
    source: "HAP R2 §5.6.3, §5.7.1", impact: "An attacker who learns one key can read all sessions that used it.",
    chance: "a pairing procedure")

  /// The first bytes of the used keys.
  private var seen: Set<[UInt8]> = []
  private static let mostSeen = 10_000

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act, let message = request.tlv, let key = message[TLVType.publicKey],
      (request.path, message.state) == ("/pair-setup", 3) || (request.path, message.state) == ("/pair-verify", 1)
    else { return }
    if seen.count >= Self.mostSeen { seen.removeAll() }
    if seen.insert(Array(key.prefix(32))).inserted {
      findings.chance()
    } else {
      findings.breach("the key of M\(message.state ?? 0) of \(request.name) was used before")
    }
  }
}

/// The rule "same-bytes".
struct SameBytes: JudgeRule {
  static let description = RuleDescription(
    "same-bytes", .pairing, .must, "sends identifiers of controllers byte for byte as they were at pairing",
    source: "field reports: HAP-python#424, #441",
    impact:
      "An identifier in a different case is a different identifier: the accessory doesn't recognize the controller.",
    chance: "Pair Verify, or a change of pairings")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    let given: [UInt8]
    switch act {
    case .named(let identifier): given = identifier
    case .asked(let request) where request.path == "/pairings":
      guard let identifier = request.tlv?[TLVType.identifier] else { return }
      given = identifier
    default: return
    }
    let known = connection.accessory.pairingIdentifiers
    if known.contains(given) { return findings.chance() }
    let name = String(decoding: given, as: UTF8.self)
    if let meant = known.first(where: { String(decoding: $0, as: UTF8.self).lowercased() == name.lowercased() }) {
      findings.breach("\(name) was sent, but \(String(decoding: meant, as: UTF8.self)) is paired")
    }
  }
}

/// The rule "identifier-form".
struct IdentifierForm: JudgeRule {
  static let description = RuleDescription(
    "identifier-form", .pairing, .should, "has a UUID of 36 characters as its identifier when it pairs",
    source: "HAP R2 §5.6.5", impact: "Accessories that store 36 bytes for the identifier can't store another form.",
    chance: "Pair Setup")

  mutating func take(
    _ change: AccessoryChange, of accessory: any JudgedAccessory, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .paired(let identifier) = change else { return }
    let groups = identifier.split(separator: "-", omittingEmptySubsequences: false)
    let isUUID =
      groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && groups.joined().utf8.allSatisfy { Character(.init($0)).isHexDigit }
    if isUUID { findings.chance() } else { findings.breach("\"\(identifier)\" is not a UUID") }
  }
}

/// The rule "verifies-first".
struct VerifiesFirst: JudgeRule {
  static let description = RuleDescription(
    "verifies-first", .pairing, .must, "sends only requests for pairing and identification before Pair Verify",
    source: "HAP R2 §6.5.2", impact: "The accessory answers 470, and some accessories close the connection.",
    chance: "a request on a connection that isn't verified")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act, connection.verifiedAt == nil else { return }
    // A transient session, which is not reported as verified, is for /secure-message.
    let open = ["/pair-setup", "/pair-verify", "/identify", "/configured", "/secure-message"]
    if open.contains(request.path) { return findings.chance() }
    findings.breach("\(request.name) arrived before Pair Verify")
  }
}

/// The rule "identify-unpaired".
struct IdentifyUnpaired: JudgeRule {
  static let description = RuleDescription(
    "identify-unpaired", .pairing, .must,
    "sends POST /identify only to an unpaired accessory, and uses the Identify characteristic otherwise",
    source: "HAP R2 §6.7.7", impact: "The accessory refuses, and the user doesn't see which accessory it is.",
    chance: "POST /identify")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act, request.name == "POST /identify" else { return }
    if connection.accessory.isPaired {
      findings.breach("POST /identify arrived, but the accessory is paired")
    } else {
      findings.chance()
    }
  }
}

/// The rule "pairings-by-admins".
struct PairingsByAdmins: JudgeRule {
  static let description = RuleDescription(
    "pairings-by-admins", .pairing, .must, "lists and changes pairings only as an admin",
    source: "HAP R2 §5.10, §5.11, §5.12", impact: "The accessory refuses.", chance: "POST /pairings")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act, request.path == "/pairings", let controller = connection.controller else {
      return
    }
    if connection.accessory.isAdmin(controller) {
      findings.chance()
    } else {
      findings.breach("\(controller) is not an admin")
    }
  }
}

/// The rule "backs-off".
struct BacksOff: JudgeRule {
  static let description = RuleDescription(
    "backs-off", .pairing, .should,
    "waits, or asks the user, before it repeats a refused Pair Setup: no more than three times in two seconds",
    source: "HAP R2 §5.6.2, §5.6.4",
    impact: "Wrong codes are counted: after 100 of them the accessory can't be paired until it is reset.",
    chance: "Pair Setup after a refused one")

  private var refused = RefusedProcedure("Pair Setup", at: "/pair-setup", most: 3, within: 2)

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) { refused.take(act, on: connection, scene, &findings) }
}

/// The rule "stops-knocking".
struct StopsKnocking: JudgeRule {
  static let description = RuleDescription(
    "stops-knocking", .pairing, .should,
    "stops retrying Pair Verify with an accessory that lacks its pairing: no more than four times in ten seconds",
    source: "field reports: home-assistant/core#104539, #125458",
    impact: "The accessory computes for removed controllers, and other controllers wait.",
    chance: "Pair Verify after a refused one")

  private var refused = RefusedProcedure("Pair Verify", at: "/pair-verify", most: 4, within: 10)

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) { refused.take(act, on: connection, scene, &findings) }
}
