import HAPModel
import HAPWire

extension SendAction {
  /// - Parameter node: the content of a `send`, resolved.
  init(_ node: JSONNode) throws(StepError) {
    on = node.connection
    if try node.flag("rest") == true {
      content = .rest
    } else {
      var messages = [try SentMessage(node, on: on)]
      for part in node["batch"]?.elements ?? [] { messages.append(try SentMessage(part, on: on)) }
      content = .messages(messages)
    }
    delivery = Delivery(
      until: try node.integer("until"), pieces: try Sizes(node, "pieces"), pause: try node.duration("pause") ?? .zero)
    times = try node.count("repeat") ?? 1
    save = node.text("save-sent")
    finishes = try node.flag("finish") ?? false
  }
}

extension Sizes {
  /// - Returns: `nil` if there is no such member.
  fileprivate init?(_ node: JSONNode, _ name: String) throws(StepError) {
    guard let sizes = try node.counts(name) else { return nil }
    self = node[name]?.elements == nil ? .all(sizes[0]) : .first(sizes)
  }
}

extension SentMessage {
  fileprivate init(_ node: JSONNode, on name: String) throws(StepError) {
    procedure = node.text("procedure") ?? name
    isPlain = try node.flag("plain") ?? false
    isAhead = try node.flag("ahead") ?? false
    split = try Sizes(node, "split")
    fault = FrameFault()
    if let frame = node["frame"] {
      fault.flip = try frame.word("flip")
      fault.counterOffset = try frame.integer("counter") ?? 0
      fault.length = try frame.integer("length")
      fault.fills = try frame.flag("fill") ?? false
    }
    keysOf = node["frame"]?.text("keys-of")
    uses = Procedure.used(byRequest: node)
    if let raw = try node.bytes("raw") {
      content = .raw(raw)
    } else if let text = node.text("text") {
      content = .text(text)
    } else if let bytes = try node.bytes("bytes") {
      content = .bytes(bytes)
    } else {
      content = .request(try SentRequest(node))
    }
  }
}

extension SentRequest {
  fileprivate init(_ node: JSONNode) throws(StepError) {
    (method, path, body) = try Self.usual(node)
    method = node.text("method") ?? method
    path = node.text("path") ?? path
    version = node.text("version") ?? "HTTP/1.1"
    host = Field(node.text("host"))
    type = Field(node.text("type"))
    length = Field(node.text("length"))
    headerForm = try node.word("header-form")
    headers = node.texts("headers")
    corruptions = []
    for part in node["corrupt"]?.elements ?? [] {
      for member in part.members ?? [] { corruptions.append(try Corruption(member)) }
    }
    size = try node.count("size")
  }

  /// The method, path and body that the step gives in one word.
  private static func usual(_ node: JSONNode) throws(StepError) -> (String, String, Body) {
    if let ids = node["read"] {
      return (
        "GET",
        (["/characteristics?id=" + Scope.ids(ids).joined(separator: ",")] + node.texts("flags")).joined(separator: "&"),
        .none
      )
    }
    if let entries = node["write"] {
      return ("PUT", "/characteristics", .json(try written(entries.elements ?? [], pid: node["pid"])))
    }
    if let prepare = node["prepare"] { return ("PUT", "/prepare", .json(prepare)) }
    for (verb, isOn) in [("subscribe", true), ("unsubscribe", false)] {
      guard let ids = node[verb] else { continue }
      let entries = Scope.ids(ids).map { id in
        JSONNode(
          .object([
            .init(name: "id", place: ids.place, value: JSONNode(.string(id), place: ids.place, path: ids.path)),
            .init(name: "ev", place: ids.place, value: JSONNode(.bool(isOn))),
          ]))
      }
      return ("PUT", "/characteristics", .json(try written(entries, pid: node["pid"])))
    }
    let alterations = try MessageAlteration.list(node["alter"])
    if let what = node.text("pairings") {
      return ("POST", "/pairings", .pairings(PairingsRequest(what, node), alterations))
    }
    if let step = try node.word("setup", as: PairingStep.self) {
      return ("POST", "/pair-setup", .setup(try SetupMessage(step, node), alterations))
    }
    if let step = try node.word("verify", as: PairingStep.self) {
      return ("POST", "/pair-verify", .verify(try VerifyMessage(step, node), alterations))
    }
    if let items = node["tlv"] { return ("POST", "/", .items(try MessageItem.list(items), alterations)) }
    if let body = node["json"] { return ("PUT", "/characteristics", .json(body)) }
    if let body = try node.bytes("body") { return ("POST", "/", .bytes(body)) }
    return ("GET", "/", .none)
  }

  /// The body of a write. An `id` becomes `aid` and `iid`.
  private static func written(_ entries: [JSONNode], pid: JSONNode?) throws(StepError) -> JSONNode {
    var rendered: [JSONNode] = []
    for entry in entries {
      var members: [JSONNode.Member] = []
      for member in entry.members ?? [] {
        guard member.name == "id" else {
          members.append(member)
          continue
        }
        guard let id = AttributeID(Scope.text(member.value)) else {
          throw StepError(member.value, "an id is aid.iid, not \(Scope.text(member.value))")
        }
        members.append(.init(name: "aid", place: member.place, value: .integer(id.aid)))
        members.append(.init(name: "iid", place: member.place, value: .integer(id.iid)))
      }
      rendered.append(JSONNode(.object(members), place: entry.place, path: entry.path))
    }
    var members: [(name: String, value: JSONNode)] = [("characteristics", .list(rendered))]
    if let pid { members.append(("pid", pid)) }
    return .object(members)
  }
}

extension SentRequest.Field {
  fileprivate init(_ text: String?) {
    switch text {
    case nil: self = .usual
    case "none": self = .missing
    case let text?: self = .text(text)
    }
  }
}

extension Corruption {
  fileprivate init(_ member: JSONNode.Member) throws(StepError) {
    switch member.name {
    case "flip": self = .flip(at: Int(clamping: member.value.integerValue ?? 0))
    case "truncate": self = .truncate(max(0, Int(clamping: member.value.integerValue ?? 0)))
    case "append": self = .append(try ByteRecipe(member.value))
    case "prepend": self = .prepend(try ByteRecipe(member.value))
    default: throw StepError(member.value, "there is no corruption \"\(member.name)\"")
    }
  }
}

extension PairingsRequest {
  fileprivate init(_ what: String, _ node: JSONNode) {
    switch what {
    case "list": self = .list
    case "remove": self = .remove(controller: node.text("controller"))
    default:
      let permissions: UInt8 =
        switch node.text("permissions") {
        case "admin": 1
        case "user": 0
        default: UInt8(clamping: node["permissions"]?.integerValue ?? 0)
        }
      self = .add(controller: node.text("controller"), permissions: permissions)
    }
  }
}

extension SetupMessage {
  fileprivate init(_ step: PairingStep, _ node: JSONNode) throws(StepError) {
    switch step {
    case .m1:
      self = .start(
        method: UInt8(clamping: try node.integer("method-item") ?? 0), flags: try node.bytes("flags-item"))
    case .m3: self = .proof(try ProofEdits(node))
    default: self = .exchange(try SealedEdits(node))
    }
  }
}

extension VerifyMessage {
  fileprivate init(_ step: PairingStep, _ node: JSONNode) throws(StepError) {
    guard step != .m1 else {
      self = .start(publicKey: try node.bytes("public-key"))
      return
    }
    let ephemeral: Ephemeral =
      switch node.text("ephemeral") {
      case nil: .own
      case "swapped": .swapped
      case let other?: .of(other)
      }
    self = .finish(try SealedEdits(node), ephemeral: ephemeral)
  }
}

extension ProofEdits {
  fileprivate init(_ node: JSONNode) throws(StepError) {
    switch node["public-key"]?.stringValue {
    case "zero": publicKey = .zero
    case "n": publicKey = .n
    case "2n": publicKey = .twoN
    case "short": publicKey = .short
    default: publicKey = try node.bytes("public-key").map { .bytes($0) }
    }
    secret = try node.bytes("secret")
    isPadded = node.text("secret-form") == "padded"
    wantsZeroSecret = try node.flag("zero-secret") ?? false
    wantsZeroKey = try node.flag("zero-key") ?? false
    stripsServerKey = node.text("server-key-form") == "stripped"
    switch node.text("code") {
    case nil: code = .right
    case "wrong": code = .wrong
    case let text?: code = .text(text)
    }
  }
}

extension SealedEdits {
  fileprivate init(_ node: JSONNode) throws(StepError) {
    controller = node.text("as")
    identifier = try node.bytes("identifier")
    signer = node.text("signed-by")
    inner = try MessageAlteration.list(node["inner"])
    nonce = node.text("nonce")
    hasWrongKey = node["seal-key"] != nil
    if let nonce, nonce.utf8.count != 8 {
      throw StepError(node["nonce"] ?? node, "a nonce is 8 characters, not \(nonce.utf8.count)")
    }
  }
}
