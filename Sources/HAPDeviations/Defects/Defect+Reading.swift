import HAPModel
import HAPProfile
import HAPWire

extension Defect {
  private static let members = [
    "id", "breaks", "what", "drags", "total", "unproven", "profile", "proof", "needs", "rules", "quirks", "record",
    "device", "restart",
    "identity", "setup", "random", "sealing", "idle",
  ]

  /// - Parameter area: the area of its cases.
  package init(_ node: JSONNode, area: String) throws(JSONProblem) {
    if node["matter"] != nil {
      try node.refuseUnknownMembers(except: ["id"] + MatterDefect.members)
      self.init(id: try Self.id(of: node), area: area, what: try node.string("what"), try MatterDefect(node))
      return
    }
    try node.refuseUnknownMembers(except: Self.members)
    let id = try Self.id(of: node)
    let breaks = try node.required("breaks").texts()
    guard !breaks.isEmpty else { throw try node.required("breaks").problem("it must break at least one case") }
    var drags: [(id: String, reason: String)] = []
    for member in try node["drags"]?.asObject() ?? [] { drags.append((member.name, try member.value.asString())) }
    guard drags.count <= 5 else {
      throw try node.required("drags").problem(
        "a defect can drag at most five other cases; more than five indicate several errors")
    }
    let proof = node["proof"]
    try proof?.refuseUnknownMembers(except: ["options", "serve", "claims"])
    var manners: [(field: QuirksField, setting: QuirksField.Setting)] = []
    for member in try node["quirks"]?.asObject() ?? [] { manners.append(try Self.manner(member)) }
    self.init(
      id: id, area: area, breaks: breaks, what: try node.string("what"), drags: drags,
      total: try node.optionalString("total"), unproven: try node.optionalString("unproven"), claims: proof?["claims"],
      profile: try node.optionalString("profile") ?? "kitchen-sink",
      testOptions: try proof?["options"]?.texts() ?? [], serveOptions: try proof?["serve"]?.texts() ?? [],
      needs: try node["needs"]?.types() ?? [],
      rules: try node.each("rules") { (node) throws(JSONProblem) in try MessageRule(node) }, manners: manners,
      records: try node.each("record") { (node) throws(JSONProblem) in try RecordChange(node) },
      devices: try node.each("device") { (node) throws(JSONProblem) in try DeviceChange(node) },
      restart: try node["restart"].map { (node) throws(JSONProblem) in try RestartChange(node) },
      identity: try node["identity"].map { (node) throws(JSONProblem) in try IdentityChange(node) },
      setup: try node["setup"].map { (node) throws(JSONProblem) in try SetupChange(node) },
      random: try node["random"].map { (node) throws(JSONProblem) in try RandomChange(node) },
      sealings: try node.each("sealing") { (node) throws(JSONProblem) in try SealingChange(node) },
      idle: try node["idle"]?.duration())
    let changes = ["rules", "quirks", "record", "device", "restart", "identity", "setup", "random", "sealing", "idle"]
    guard node["unproven"] != nil || changes.contains(where: { node[$0] != nil }) else {
      throw node.problem("it changes nothing: it needs one of \(changes.joined(separator: ", "))")
    }
  }

  private static func id(of node: JSONNode) throws(JSONProblem) -> String {
    let id = try node.string("id")
    guard !id.isEmpty, id.utf8.allSatisfy(Self.isSlugByte) else {
      throw try node.required("id").problem("an id consists of lowercase letters, digits and \"-\"")
    }
    return id
  }

  private static func isSlugByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || byte == UInt8(ascii: "-")
  }

  private static func manner(
    _ member: JSONNode.Member
  ) throws(JSONProblem) -> (field: QuirksField, setting: QuirksField.Setting) {
    guard let field = QuirksField.named(member.name) else {
      let meant =
        nearestName(to: member.name, in: QuirksField.all.map(\.name)).map { ": did you mean \"\($0)\"?" } ?? ""
      throw JSONProblem(
        path: member.value.path.description, place: member.place,
        message: "the quirks have no \"\(member.name)\"\(meant)")
    }
    var scratch = Quirks()
    guard let setting = QuirksField.Setting(member.value), field.apply(setting, to: &scratch) else {
      throw member.value.problem("\(field.kind.expectation) is expected")
    }
    return (field, setting)
  }
}

// MARK: Used by several readers

extension JSONNode {
  /// Reads one text or a list of texts.
  func texts() throws(JSONProblem) -> [String] {
    var texts: [String] = []
    for node in elements ?? [self] { texts.append(try node.asString()) }
    return texts
  }

  /// Reads the member: one element or a list. Returns an empty list if it is absent.
  func each<T>(_ name: String, _ read: (JSONNode) throws(JSONProblem) -> T) throws(JSONProblem) -> [T] {
    guard let node = self[name] else { return [] }
    var result: [T] = []
    for element in node.elements ?? [node] { result.append(try read(element)) }
    return result
  }

  func duration() throws(JSONProblem) -> Duration {
    guard let duration = Duration(try asString()) else { throw problem("a duration is expected, such as 500ms or 2s") }
    return duration
  }

  func glob() throws(JSONProblem) -> Glob { Glob(try asString()) }

  func count() throws(JSONProblem) -> CountPattern {
    let text = numberValue?.text ?? stringValue ?? ""
    guard let count = CountPattern(text) else { throw problem("a count is expected: 2, \"2+\" or \"-2\"") }
    return count
  }

  /// Reads which of several messages are meant.
  func position() throws(JSONProblem) -> CountPattern {
    let pattern = try count()
    guard pattern.range.upperBound > 0 else { throw problem("messages are counted from 1") }
    return pattern
  }

  func path() throws(JSONProblem) -> JSONPattern {
    let text = try asString()
    do throws(JSONPattern.Malformed) { return try JSONPattern(text) } catch { throw problem(error.message) }
  }

  func type() throws(JSONProblem) -> TypeID {
    let text = try asString()
    guard let type = Catalogue.type(named: text) else {
      let names = Catalogue.characteristics.map(\.identifier) + Catalogue.services.map(\.identifier)
      let meant = nearestName(to: text, in: names).map { ": did you mean \"\($0)\"?" } ?? ""
      throw problem("the catalogue has no \"\(text)\"\(meant)")
    }
    return type
  }

  func types() throws(JSONProblem) -> [TypeID] {
    var types: [TypeID] = []
    for node in elements ?? [self] { types.append(try node.type()) }
    return types
  }

  func word<Word: RawRepresentable & CaseIterable>(
    _: Word.Type = Word.self
  ) throws(JSONProblem) -> Word where Word.RawValue == String {
    let text = try asString()
    guard let word = Word(rawValue: text) else {
      throw problem("it must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", ")), not \"\(text)\"")
    }
    return word
  }

  func hexadecimal() throws(JSONProblem) -> [UInt8] {
    guard let bytes = Hexadecimal.bytes(try asString().filter { $0 != " " }) else {
      throw problem("hexadecimal digits are expected, two for each byte")
    }
    return bytes
  }

  /// Reads the name and value of each header field; null removes a field.
  func fields() throws(JSONProblem) -> [(name: String, value: String?)] {
    var fields: [(name: String, value: String?)] = []
    for member in try asObject() {
      let value = member.value
      if value.isNull {
        fields.append((member.name, nil))
      } else if let number = value.numberValue {
        fields.append((member.name, number.text))
      } else {
        fields.append((member.name, try value.asString()))
      }
    }
    return fields
  }
}
