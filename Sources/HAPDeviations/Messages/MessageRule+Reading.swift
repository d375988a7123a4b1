import HAPIP
import HAPModel
import HAPWire

extension MessageRule {
  private static let names = [
    "when", "status", "version", "method", "target", "headers", "head", "body", "body-hex", "json", "tlv", "inner",
    "text", "chunked", "before", "behind", "drop", "delay", "overtaken", "twice", "replay", "answer", "first", "then",
    "remember", "event", "apply", "suppress", "close", "pause", "exit", "mark", "frame",
    "identify", "advertise", "everybody", "size",
  ]

  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: Self.names)
    self.init(try MessageCondition(try node.required("when")))
    guard (node.members?.count ?? 0) > 1 else { throw node.problem("the rule does nothing") }
    status = try node["status"].map { (node) throws(JSONProblem) in Int(try node.asInteger(in: 100...999)) }
    version = try node.optionalString("version")
    method = try node.optionalString("method")
    target = try node.optionalString("target")
    fields = try node["headers"]?.fields() ?? []
    head = try node.each("head") { (node) throws(JSONProblem) in try Replacement(node) }
    body = try node["body"].map { (node) throws(JSONProblem) in Array(try node.asString().utf8) }
    if let hex = node["body-hex"] { body = try hex.hexadecimal() }
    json = try node.each("json") { (node) throws(JSONProblem) in try JSONEdit(node) }
    tlv = try node.each("tlv") { (node) throws(JSONProblem) in try TLVEdit(node) }
    inner = try node.each("inner") { (node) throws(JSONProblem) in try TLVEdit(node) }
    text = try node.each("text") { (node) throws(JSONProblem) in try Replacement(node) }
    isChunked = try node.bool("chunked", default: false)
    size = try node["size"].map { (node) throws(JSONProblem) in Int(try node.asInteger(in: 1...1_000_000)) }
    before = Array(try node.optionalString("before")?.utf8 ?? "".utf8)
    behind = Array(try node.optionalString("behind")?.utf8 ?? "".utf8)
    drops = try node.bool("drop", default: false)
    delay = try node["delay"]?.duration()
    isOvertaken = try node.bool("overtaken", default: false)
    isTwice = try node.bool("twice", default: false)
    isForEverybody = try node.bool("everybody", default: false)
    isReplayed = try node.bool("replay", default: false)
    answer = try node["answer"].map { (node) throws(JSONProblem) in try Answer(node) }
    first = try node.each("first") { (node) throws(JSONProblem) in try Request(node) }
    then = try node.each("then") { (node) throws(JSONProblem) in try Request(node) }
    remembers = try node.optionalString("remember")
    event = try node["event"].map { (node) throws(JSONProblem) in try Event(node) }
    application = try node["apply"].map { (node) throws(JSONProblem) in try Application(node) }
    suppressed = Set(
      try node.each("suppress") { (node) throws(JSONProblem) -> DefectScript.Suppressed in try node.word() })
    closing = try node["close"]?.word()
    pause = try node["pause"]?.duration()
    if let pause, pause > .seconds(60) { throw try node.required("pause").problem("it must be at most 1min") }
    exits = try node.bool("exit", default: false)
    mark = try node.optionalString("mark")
    frame = try node["frame"]?.word()
    identifies = try node["identify"].map { (node) throws(JSONProblem) in
      UInt64(try node.asInteger(in: 1...Int128(UInt64.max)))
    }
    advertised = try node["advertise"]?.fields() ?? []
  }
}

extension MessageRule.Replacement {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["replace", "with"])
    old = try node.string("replace")
    guard !old.isEmpty else { throw node.problem("the text to replace must not be empty") }
    new = try node.string("with")
  }
}

extension MessageRule.Answer {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["status", "headers", "body", "json", "tlv"])
    if let status = node["status"] { self.status = Int(try status.asInteger(in: 100...999)) }
    fields = try node["headers"]?.fields() ?? []
    if let text = try node.optionalString("body") {
      switch text {
      case "accessories": body = .accessories
      case "values": body = .values
      default: body = .text(Array(text.utf8), type: "application/hap+json")
      }
    }
    if let json = node["json"] {
      var buffer = ByteBuffer()
      buffer.appendJSON(json)
      body = .text(buffer.bytes, type: "application/hap+json")
    }
    if let items = node["tlv"] {
      var writer = TLVWriter()
      for member in try items.asObject() {
        writer.append(try TLVName.type(member.name, member.value), try TLVName.value(member.value))
      }
      body = .text(writer.bytes, type: "application/pairing+tlv8")
    }
  }
}

extension MessageRule.Request {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["method", "target", "headers", "body", "body-hex", "remembered", "per"])
    if let name = try node.optionalString("remembered") {
      remembered = name
      isOfThisController = try node.says("controller", at: "per")
      return
    }
    var body = Array(try node.optionalString("body")?.utf8 ?? "".utf8)
    if let hex = node["body-hex"] { body = try hex.hexadecimal() }
    var message = PlainMessage(start: "\(try node.string("method")) \(try node.string("target")) HTTP/1.1")
    message.set("Host", "hapsim")
    for (name, value) in try node["headers"]?.fields() ?? [] { message.set(name, value) }
    if !body.isEmpty { message.replaceBody(body) }
    text = message
  }
}

extension MessageRule.Event {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["of", "value", "aid", "iid", "at", "subscribed"])
    switch try node.string("of") {
    case "asked": subjects = .asked
    case "all": subjects = .all
    case let name:
      _ = try node.required("of").type()
      subjects = .type(name)
    }
    value = node["value"]
    aid = try node["aid"].map { (node) throws(JSONProblem) in UInt64(try node.asInteger(in: 0...Int128(UInt64.max))) }
    iid = try node["iid"].map { (node) throws(JSONProblem) in UInt64(try node.asInteger(in: 0...Int128(UInt64.max))) }
    if let place = node["at"] { position = try place.word() }
    isForSubscribers = try node.bool("subscribed", default: false)
  }
}

extension MessageRule.Application {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    if node.stringValue == "asked" {
      self = .asked
      return
    }
    var values: [(type: String, value: JSONNode)] = []
    for member in try node.asObject() {
      guard Catalogue.type(named: member.name) != nil else {
        throw member.value.problem("the catalogue has no \"\(member.name)\"")
      }
      values.append((member.name, member.value))
    }
    self = .types(values)
  }
}

extension JSONEdit {
  private static let verbs = [
    "set", "raise", "remove", "rename", "insert", "copy", "repeat", "reverse", "quote", "lower", "upper", "fill",
    "crowd",
  ]

  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: Self.verbs + ["to", "by", "value", "at"])
    let verbs = Self.verbs.filter { node[$0] != nil }
    guard verbs.count == 1, let verb = verbs.first else {
      throw node.problem("an edit has one of \(Self.verbs.joined(separator: ", "))")
    }
    path = try node.required(verb).path()
    switch verb {
    case "set": change = .set(try node.required("to"))
    case "raise": change = .raise(try node.required("by").asDouble())
    case "remove": change = .remove
    case "rename": change = .rename(try node.string("to"))
    case "insert": change = .insert(try node.required("value"), atBeginning: try node.says("first", at: "at"))
    case "copy": change = .copy(to: try node.required("to").path())
    case "repeat": change = .repeat
    case "reverse": change = .reverse
    case "quote": change = .quote
    case "lower": change = .lower
    case "upper": change = .upper
    case "crowd": change = .crowd(Int(try node.required("to").asInteger(in: 1...10_000)))
    default: change = .fill(Int(try node.required("to").asInteger(in: 0...1_000_000)))
    }
  }
}

extension TLVEdit {
  private static let verbs = [
    "set", "add", "remove", "flip", "cut", "extend", "pad", "reverse", "lower", "repeat", "order", "fragments",
  ]

  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: Self.verbs + ["to", "value", "at", "byte", "nth"])
    let verbs = Self.verbs.filter { node[$0] != nil }
    guard verbs.count == 1, let verb = verbs.first else {
      throw node.problem("an edit has one of \(Self.verbs.joined(separator: ", "))")
    }
    let subject = try node.required(verb)
    nth = try node["nth"].map { (node) throws(JSONProblem) in Int(try node.asInteger(in: 1...100_000)) }
    switch verb {
    case "order":
      subjectType = .item(0)
      change = .order(
        try node.each("order") { (node) throws(JSONProblem) in try TLVName.type(try node.asString(), node) })
      return
    case "fragments":
      subjectType = .item(0)
      change = .fragments(Int(try subject.asInteger(in: 1...255)))
      return
    default: break
    }
    let name = subject.numberValue?.text ?? subject.stringValue ?? ""
    subjectType = name == "entry" ? .entry : .item(try TLVName.type(name, subject))
    switch verb {
    case "set": change = .set(try TLVName.value(try node.required("to")))
    case "add":
      change = .add(try TLVName.value(try node.required("value")), atBeginning: try node.says("first", at: "at"))
    case "remove": change = .remove
    case "flip": change = .flip(byte: Int(try node["byte"]?.asInteger(in: -10_000...10_000) ?? 0))
    case "cut", "extend": change = .resize(Int(try node.required("to").asInteger(in: 0...10_000)))
    case "pad": change = .pad(Int(try node.required("to").asInteger(in: 0...10_000)))
    case "reverse": change = .reverse
    case "lower": change = .lower
    default: change = .repeat
    }
    if case .entry = subjectType {
      switch change {
      case .remove, .repeat: break
      default: throw node.problem("an entry can only be removed or repeated")
      }
    }
  }
}

extension JSONNode {
  /// Returns whether a member is present. Its only allowed value is this word.
  fileprivate func says(_ word: String, at name: String) throws(JSONProblem) -> Bool {
    guard let node = self[name] else { return false }
    guard node.stringValue == word else { throw node.problem("it must be \(word)") }
    return true
  }
}
