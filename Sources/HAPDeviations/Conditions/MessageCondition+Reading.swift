import HAPWire

extension MessageCondition {
  private static let names = [
    "request", "answer", "event", "bytes", "mark", "query", "ids", "head", "body", "where", "asked", "tlv", "asked-tlv",
    "status", "secured", "admin", "controller", "paired", "frames", "reads", "while", "after", "not-after", "unless",
    "within", "nth", "per", "restarted", "m3", "inner", "pipelined", "end", "broken-frame",
    "random", "size", "abandoned-setup", "idle", "length", "at", "missing", "offline", "every",
  ]

  convenience init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: Self.names)
    var members = Members(kind: try Self.kind(node))
    for (name, value) in try node["query"]?.fields() ?? [] { members.query.append((name, value.map { Glob($0) })) }
    members.ids = try node["ids"]?.count()
    members.head = try node["head"]?.glob()
    members.body = try node["body"]?.glob()
    members.paths = try Self.paths(node, "where")
    members.askedPaths = try Self.paths(node, "asked")
    members.items = try Self.items(node["tlv"])
    members.askedItems = try Self.items(node["asked-tlv"])
    members.statuses = try node.each("status") { (node) throws(JSONProblem) in Int(try node.asInteger(in: 100...999)) }
    members.isSecured = try node["secured"]?.asBool()
    members.isAdmin = try node["admin"]?.asBool()
    members.controller = try node["controller"].map { (node) throws(JSONProblem) in try Self.controller(node) }
    members.isPaired = try node["paired"]?.asBool()
    members.frames = try node["frames"]?.count()
    members.reads = try node["reads"]?.count()
    members.company = try node["while"].map { (node) throws(JSONProblem) in try Self.company(node) }
    members.after = try node["after"].map { (node) throws(JSONProblem) in try MessageCondition(node) }
    members.notAfter = try (node["not-after"] ?? node["unless"]).map { (node) throws(JSONProblem) in
      try MessageCondition(node)
    }
    members.within = try node["within"]?.duration()
    members.nth = try node["nth"]?.position()
    members.share = try node["random"].map { (node) throws(JSONProblem) in try Self.share(node) }
    if let scope = node["per"] { members.scope = try scope.word() }
    if let restarted = node["restarted"] {
      if restarted.members == nil {
        members.restarted = try restarted.duration()
      } else {
        try restarted.refuseUnknownMembers(except: ["by", "within"])
        members.restarted = try restarted.required("within").duration()
        members.restartCauses = try restarted["by"]?.causes() ?? []
      }
    }
    members.finish = try node.each("m3") { (node) throws(JSONProblem) in try node.word() }
    members.innerItems = try Self.items(node["inner"])
    members.abandonedSetup = try node["abandoned-setup"]?.duration()
    members.sizes = try node.each("size") { (node) throws(JSONProblem) in try node.count() }
    members.idle = try node["idle"]?.duration()
    members.isOffline = try node["offline"]?.asBool()
    members.missing = try node["missing"]?.count()
    members.lengths = try node.each("length") { (node) throws(JSONProblem) in try node.count() }
    members.address = try node.optionalString("at")
    members.isPipelined = try node["pipelined"]?.asBool()
    self.init(members)
  }

  /// Reads a share such as "30%", in percent.
  private static func share(_ node: JSONNode) throws(JSONProblem) -> Double {
    let text = try node.asString()
    guard text.hasSuffix("%"), let percent = Double(text.dropLast()), percent > 0, percent < 100 else {
      throw node.problem("a share between 0% and 100% is expected, such as \"30%\", not \"\(text)\"")
    }
    return percent
  }

  private static func kind(_ node: JSONNode) throws(JSONProblem) -> Kind {
    let all = ["request", "answer", "event", "bytes", "end", "broken-frame", "every", "mark"]
    let kinds = all.filter { node[$0] != nil }
    guard kinds.count == 1, let name = kinds.first, let value = node[name] else {
      throw node.problem("it needs one of \(all.joined(separator: ", "))")
    }
    if name == "end" { return .end }
    if name == "broken-frame" { return .brokenFrame(try value.word()) }
    if name == "every" {
      let pause = try value.duration()
      guard pause >= .milliseconds(1) else { throw value.problem("it must be at least 1ms") }
      return .beat(every: pause)
    }
    let text = try value.asString()
    switch name {
    case "event": return .event(Glob(text))
    case "bytes": return .bytes(Glob(text))
    case "mark": return .mark(text)
    default: break
    }
    if name == "answer", text == "-" || text == "nothing" { return .answerToNothing }
    let words = text.split(separator: " ")
    guard (1...2).contains(words.count) else {
      throw value.problem("a method and a path are expected, such as \"GET /accessories\", or \"*\"")
    }
    let method = Glob(words.count == 2 ? String(words[0]) : "*")
    let path = Glob(String(words[words.count - 1]))
    return name == "request" ? .request(method: method, path: path) : .answer(method: method, path: path)
  }

  private static func paths(
    _ node: JSONNode, _ name: String
  ) throws(JSONProblem) -> [(path: JSONPattern, isThere: Bool)] {
    try node.each(name) { (node) throws(JSONProblem) in
      let text = try node.asString()
      guard text.hasPrefix("!") else { return (try node.path(), true) }
      var rest = node
      rest.kind = .string(String(text.dropFirst()))
      return (try rest.path(), false)
    }
  }

  private static func items(_ node: JSONNode?) throws(JSONProblem) -> [(type: UInt8, test: ItemTest)] {
    var items: [(type: UInt8, test: ItemTest)] = []
    for member in try node?.asObject() ?? [] {
      let type = try TLVName.type(member.name, member.value)
      let test: ItemTest
      if member.value.isNull {
        test = .absent
      } else if member.value.stringValue == "present" {
        test = .present
      } else if let start = member.value["starts"] {
        test = .starting(try TLVName.value(start))
      } else if let length = member.value["length"] {
        test = .length(try length.count())
      } else {
        test = .equal(try TLVName.value(member.value))
      }
      items.append((type, test))
    }
    return items
  }

  private static func controller(_ node: JSONNode) throws(JSONProblem) -> Controller {
    try node.refuseUnknownMembers(except: ["nth", "new"])
    if let nth = node["nth"] { return .number(Int(try nth.asInteger(in: 1...1000))) }
    guard try node.bool("new", default: false) else { throw node.problem("it must be { nth: 2 } or { new: true }") }
    return .other
  }

  private static func company(_ node: JSONNode) throws(JSONProblem) -> Company {
    try node.refuseUnknownMembers(except: ["secured", "verifying", "setting-up", "subscribed", "partial", "count"])
    return Company(
      isSecured: try node["secured"]?.asBool(), isVerifying: try node["verifying"]?.asBool(),
      isSettingUp: try node["setting-up"]?.asBool(), isSubscribed: try node["subscribed"]?.asBool(),
      isPartial: try node["partial"]?.asBool(), count: try node["count"]?.count())
  }
}

/// Names of TLV8 items and their values in defect files.
enum TLVName {
  static let all: [(name: String, type: UInt8)] = [
    ("method", TLVType.method), ("identifier", TLVType.identifier), ("salt", TLVType.salt),
    ("public-key", TLVType.publicKey), ("proof", TLVType.proof), ("encrypted-data", TLVType.encryptedData),
    ("state", TLVType.state), ("error", TLVType.error), ("retry-delay", TLVType.retryDelay),
    ("certificate", TLVType.certificate), ("signature", TLVType.signature), ("permissions", TLVType.permissions),
    ("fragment-data", TLVType.fragmentData), ("fragment-last", TLVType.fragmentLast),
    ("session-id", TLVType.sessionID), ("flags", TLVType.flags), ("separator", TLVType.separator),
  ]

  /// - Parameter node: the location for messages.
  static func type(_ name: String, _ node: JSONNode) throws(JSONProblem) -> UInt8 {
    if let item = all.first(where: { $0.name == name }) { return item.type }
    if let number = UInt8(name) { return number }
    let meant = nearestName(to: name, in: all.map(\.name)).map { ": did you mean \"\($0)\"?" } ?? ""
    throw node.problem("TLV8 has no item \"\(name)\"\(meant)")
  }

  /// Reads a number in as few bytes as possible, "0x…" or a text.
  static func value(_ node: JSONNode) throws(JSONProblem) -> [UInt8] {
    if node.numberValue != nil {
      var rest = try node.asInteger(in: 0...Int128(UInt64.max))
      var bytes: [UInt8] = []
      repeat {
        bytes.append(UInt8(truncatingIfNeeded: rest))
        rest >>= 8
      } while rest > 0
      return bytes
    }
    let text = try node.asString()
    guard text.hasPrefix("0x") else { return Array(text.utf8) }
    guard let bytes = Hexadecimal.bytes(String(text.dropFirst(2))) else {
      throw node.problem("hexadecimal digits are expected after 0x, two for each byte")
    }
    return bytes
  }
}
