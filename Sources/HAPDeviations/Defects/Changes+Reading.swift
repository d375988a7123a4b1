import HAPIP
import HAPModel
import HAPWire

extension RecordChange {
  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: [
      "when", "txt", "type", "name", "port", "address", "frozen", "delay", "goodbye", "conflict", "responder",
      "lower", "cache-flush", "announce", "also", "again", "rival",
    ])
    if let when = node["when"] {
      try when.refuseUnknownMembers(except: ["paired", "restarts", "updates", "restarted"])
      isPaired = try when["paired"]?.asBool()
      restarts = try when["restarts"]?.count()
      updates = try when["updates"]?.count()
      if let restarted = when["restarted"] {
        causes = Set(try (restarted["by"] ?? restarted).causes())
      }
    }
    if let record = node["txt"] {
      if record.elements != nil {
        wholeTXT = try record.texts()
      } else {
        txt = try record.fields().map { ($0.name, $0.value) }
      }
    }
    type = try node.optionalString("type")
    name = try node.optionalString("name")
    port = try node["port"].map { (node) throws(JSONProblem) in try Self.port(node) }
    address = try node.optionalString("address")
    isFrozen = try node.bool("frozen", default: false)
    delay = try node["delay"]?.duration()
    saysGoodbye = try node.bool("goodbye", default: true)
    conflict = try node["conflict"]?.word()
    lowered = try node["lower"]?.texts() ?? []
    also = try node.optionalString("also")
    if let also, !(1...63).contains(also.utf8.count) {
      throw try node.required("also").problem("a name has 1 to 63 bytes")
    }
    again = try node["again"]?.duration()
    if let again, again < .milliseconds(1) { throw try node.required("again").problem("it must be at least 1ms") }
    hasRival = try node.bool("rival", default: false)
    try readResponder(node)
  }

  private mutating func readResponder(_ node: JSONNode) throws(JSONProblem) {
    var manner = ResponderQuirk()
    if let responder = node["responder"] {
      switch responder.stringValue {
      case "plain":
        manner.passesOverKnownAnswers = true
        manner.answersUnicast = false
      case "known-answers": manner.passesOverKnownAnswers = true
      case "multicast-only": manner.answersUnicast = false
      case "deaf": manner.hearsUnicast = false
      default: throw responder.problem("it must be one of plain, known-answers, multicast-only, deaf")
      }
    }
    manner.flushesCaches = try node.bool("cache-flush", default: true)
    manner.announces = try node.bool("announce", default: true)
    manner.yieldsNames = conflict != .keep
    if manner != ResponderQuirk() { responder = manner }
  }

  private static func port(_ node: JSONNode) throws(JSONProblem) -> Port {
    if let text = node.stringValue, let distance = Int(text), (-100...100).contains(distance) {
      return .beside(distance)
    }
    return .fixed(UInt16(try node.asInteger(in: 1...65535)))
  }
}

extension DeviceChange {
  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["of", "aid", "change", "value", "when", "delay", "also", "written", "lasts"])
    type = try node.required("of").type()
    aid = try node["aid"].map { (node) throws(JSONProblem) in UInt64(try node.asInteger(in: 1...Int128(UInt64.max))) }
    if let when = node["when"] {
      try when.refuseUnknownMembers(except: ["by"])
      cause = try when["by"]?.word()
    }
    value = node["value"]
    if let change = node["change"] {
      if change.stringValue == "drop" {
        self.change = .drop
      } else if let text = change.stringValue, text.hasPrefix("+") || text.hasPrefix("-"), let distance = Double(text) {
        self.change = .beside(distance)
      } else {
        self.change = .value(change)
      }
    }
    delay = try node["delay"]?.duration()
    for member in try node["also"]?.asObject() ?? [] {
      guard let type = Catalogue.type(named: member.name) else {
        throw member.value.problem("the catalogue has no \"\(member.name)\"")
      }
      also.append((type, member.value))
    }
    written = try node["written"]?.word()
    lasts = try node["lasts"]?.duration()
  }
}

extension RestartChange {
  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["after", "forget", "keep", "number", "admins", "ids"])
    if node["after"] != nil {
      after = Set(try node.required("after").causes())
    }
    forgets = Set(try node.each("forget") { (node) throws(JSONProblem) -> Memory in try node.word() })
    keeps = Set(try node.each("keep") { (node) throws(JSONProblem) -> Memory in try node.word() })
    if let number = node["number"] {
      guard let distance = Int(number.numberValue?.text ?? number.stringValue ?? "") else {
        throw number.problem("a number is expected, such as \"+1\"")
      }
      self.number = distance
    }
    if let admins = node["admins"] {
      guard admins.stringValue == "users" else { throw admins.problem("it must be users") }
      makesUsers = true
    }
    if let ids = node["ids"] {
      guard ids.stringValue == "shuffled" else { throw ids.problem("it must be shuffled") }
      shufflesIDs = true
    }
  }
}

extension IdentityChange {
  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["signs-with", "id", "code"])
    if let code = node["code"] {
      let digits = try code.asString().filter { $0 != "-" }
      guard digits.utf8.count == 8, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt32(digits)
      else { throw code.problem("a setup code has eight digits, such as 111-11-111") }
      setupCode = SetupCode(unchecked: number)
    }
    for name in ["signs-with", "id"] {
      if let value = node[name], value.stringValue != "other" { throw value.problem("it must be other") }
    }
    signsWithOther = node["signs-with"] != nil
    saysOtherID = node["id"] != nil
  }
}

extension SetupChange {
  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["refuse-secret"])
    refusedSecret = try node.required("refuse-secret").word()
  }
}

extension RandomChange {
  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["in", "is"])
    path = try node.optionalString("in")
    manner = try node.required("is").word()
  }
}

extension SealingChange {
  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: [
      "when", "size", "counter", "length", "aad", "tag", "plain", "empty", "early", "after",
    ])
    condition = try node["when"].map { (node) throws(JSONProblem) in try MessageCondition(node) }
    frames = FrameAlteration()
    if let size = node["size"] { frames.size = Int(try size.asInteger(in: 1...65535)) }
    if let after = node["after"] {
      self.after = UInt64(try after.asInteger(in: 0...1_000_000))
      isOnce = true
    }
    if let counter = node["counter"] {
      // Skips the number of the first frame, which is 0.
      isOnce = isOnce || counter.stringValue == "start-at-1"
      frames.counter = counter.stringValue == "start-at-1" ? .skip : try counter.word()
    }
    frames.hasBigEndianLength = try Self.says("big-endian", node["length"])
    frames.authenticatesLength = try !Self.says("none", node["aad"])
    frames.flipsTag = try Self.says("flip", node["tag"])
    frames.isPlain = try node.bool("plain", default: false)
    frames.beginsEmpty = try node.bool("empty", default: false)
    frames.beginsEarly = try node.bool("early", default: false)
  }

  private static func says(_ word: String, _ node: JSONNode?) throws(JSONProblem) -> Bool {
    guard let node else { return false }
    guard node.stringValue == word else { throw node.problem("it must be \(word)") }
    return true
  }
}

extension JSONNode {
  /// Reads the causes of a restart: one or a list.
  func causes() throws(JSONProblem) -> [RestartChange.Cause] {
    var causes: [RestartChange.Cause] = []
    for node in elements ?? [self] { causes.append(try node.word()) }
    return causes
  }
}
