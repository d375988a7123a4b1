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
      guard messages.reduce(0, { $0 + $1.size }) <= Self.limit else {
        throw StepError(node, "this sends more than \(Self.limit) bytes at once, which is the limit of a suite")
      }
      content = .messages(messages)
    }
    delivery = Delivery(
      until: try node.integer("until"), pieces: try Sizes(node, "pieces"), pause: try node.duration("pause") ?? .zero)
    times = try node.count("repeat") ?? 1
    save = node.optionalText("save-sent")
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
    procedure = try node.text("procedure") ?? name
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
    keysOf = try node["frame"]?.text("keys-of")
    uses = Procedure.used(byRequest: node)
    if let raw = try node.bytes("raw") {
      content = .raw(raw)
    } else if let text = try node.text("text") {
      content = .text(text)
    } else if let bytes = try node.bytes("bytes") {
      content = .bytes(bytes)
    } else {
      content = .request(try SentRequest(node))
    }
    guard isAhead else { return }
    for name in ["raw", "plain", "split", "frame"] where node[name] != nil {
      throw StepError(node, "a message cannot have both \"ahead\" and \"\(name)\": remove one of them")
    }
  }
}

extension SentMessage {
  /// The maximum number of bytes of the message without its head.
  fileprivate var size: Int {
    switch content {
    case .raw(let recipe), .bytes(let recipe): recipe.size
    case .text(let text): text.utf8.count
    case .request(let request): request.bodySize
    }
  }
}

extension SentRequest {
  fileprivate var bodySize: Int {
    func sum(_ items: [MessageItem], _ alterations: [MessageAlteration]) -> Int {
      alterations.reduce(items.reduce(0) { $0 + $1.value.size }) { $0 + $1.change.size }
    }
    var count = size ?? 0
    switch body {
    case .none, .json: break
    case .bytes(let recipe): count += recipe.size
    case .items(let items, let alterations): count += sum(items, alterations)
    case .pairings(_, let alterations), .setup(_, let alterations), .verify(_, let alterations):
      count += sum([], alterations)
    }
    for case .append(let recipe) in corruptions { count += recipe.size }
    for case .prepend(let recipe) in corruptions { count += recipe.size }
    return count
  }

  fileprivate init(_ node: JSONNode) throws(StepError) {
    (method, path, body) = try Self.usual(node)
    method = try node.text("method") ?? method
    path = try node.text("path") ?? path
    version = try node.text("version") ?? "HTTP/1.1"
    host = Field(try node.text("host"))
    type = Field(try node.text("type"))
    length = Field(try node.text("length"))
    headerForm = try node.word("header-form")
    headers = try node.texts("headers")
    corruptions = []
    for part in node["corrupt"]?.elements ?? [] {
      for member in part.members ?? [] { corruptions.append(try Corruption(member)) }
    }
    size = try node.count("size")
  }

  /// Returns the default method, path and body for the kind of message that the step names.
  private static func usual(_ node: JSONNode) throws(StepError) -> (String, String, Body) {
    if let ids = node["read"] {
      let path = try ["/characteristics?id=" + Scope.ids(ids).joined(separator: ",")] + node.texts("flags")
      return ("GET", path.joined(separator: "&"), .none)
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
    if let what = try node.word("pairings", in: ["list", "add", "remove"]) {
      return ("POST", "/pairings", .pairings(try PairingsRequest(what, node), alterations))
    }
    if let step = try node.word("setup", of: [PairingStep.m1, .m3, .m5]) {
      return ("POST", "/pair-setup", .setup(try SetupMessage(step, node), alterations))
    }
    if let step = try node.word("verify", of: [PairingStep.m1, .m3]) {
      return ("POST", "/pair-verify", .verify(try VerifyMessage(step, node), alterations))
    }
    if let items = node["tlv"] { return ("POST", "/", .items(try MessageItem.list(items), alterations)) }
    if let body = node["json"] { return ("PUT", "/characteristics", .json(body)) }
    if let body = try node.bytes("body") { return ("POST", "/", .bytes(body)) }
    return ("GET", "/", .none)
  }

  /// Returns the body of a write. `id` is split into `aid` and `iid`.
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
    default: throw StepError(member.value, "unknown corruption \"\(member.name)\"")
    }
  }
}

extension PairingsRequest {
  fileprivate init(_ what: String, _ node: JSONNode) throws(StepError) {
    switch what {
    case "list": self = .list
    case "remove": self = .remove(controller: try node.text("controller"))
    default:
      let permissions: UInt8
      if node["permissions"]?.integerValue != nil {
        permissions = UInt8(clamping: try node.integer("permissions") ?? 0)
      } else {
        permissions = try node.word("permissions", in: ["user", "admin"]) == "admin" ? 1 : 0
      }
      self = .add(controller: try node.text("controller"), permissions: permissions)
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
      switch try node.text("ephemeral") {
      case nil, "own": .own
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
    isPadded = try node.word("secret-form", in: ["stripped", "padded"]) == "padded"
    wantsZeroSecret = try node.flag("zero-secret") ?? false
    wantsZeroKey = try node.flag("zero-key") ?? false
    stripsServerKey = try node.word("server-key-form", in: ["received", "stripped"]) == "stripped"
    switch try node.text("code") {
    case nil: code = .right
    case "wrong": code = .wrong
    case let text?: code = .text(text)
    }
  }
}

extension SealedEdits {
  fileprivate init(_ node: JSONNode) throws(StepError) {
    controller = try node.text("as")
    identifier = try node.bytes("identifier")
    signer = try node.text("signed-by")
    inner = try MessageAlteration.list(node["inner"])
    nonce = try node.text("nonce")
    hasWrongKey = try node.word("seal-key", in: ["wrong"]) != nil
    if let nonce, nonce.utf8.count != 8 {
      throw StepError(node["nonce"] ?? node, "a nonce is 8 characters, not \(nonce.utf8.count)")
    }
  }
}
