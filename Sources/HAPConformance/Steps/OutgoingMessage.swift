import HAPCrypto
import HAPExpectation
import HAPModel
import HAPReport
import HAPWire

/// A message as a step wants it, before it is sealed and cut in pieces.
struct OutgoingMessage {
  var bytes: [UInt8]
  /// "PUT /characteristics".
  var title: String
  var content: TranscriptEntry.Content
  var kind = TranscriptEntry.Kind.message
  /// Goes around the session, as it is.
  var isRaw = false
}

extension CaseRun {
  /// Makes the message of a `send`.
  func outgoing(_ node: JSONNode, on name: String) async throws -> OutgoingMessage {
    if let raw = node["raw"] {
      let bytes = try maker.bytes(raw)
      return OutgoingMessage(
        bytes: bytes, title: "\(bytes.count) raw bytes", content: .text(""), kind: .raw, isRaw: true)
    }
    if let text = node["text"] {
      let text = Scope.text(text)
      let line = text.prefix { $0 != "\r\n" && $0 != "\n" }
      return OutgoingMessage(bytes: Array(text.utf8), title: "text: \(line.prefix(80))", content: .text(text))
    }
    if let whole = node["bytes"] {
      let bytes = try maker.bytes(whole)
      return OutgoingMessage(bytes: bytes, title: "\(bytes.count) bytes", content: .text(""), kind: .raw)
    }
    return try await request(node, on: name)
  }

  /// An HTTP request, right or as wrong as the step says.
  private func request(_ node: JSONNode, on name: String) async throws -> OutgoingMessage {
    var request = try await plan(node, on: name)
    if let corruptions = node["corrupt"]?.elements {
      for corruption in corruptions { request.body = try corrupted(request.body ?? [], corruption) }
    }
    let method = node["method"]?.stringValue ?? request.method
    let path = node["path"].map { Scope.text($0) } ?? request.path
    var head = "\(method) \(path) \(node["version"]?.stringValue ?? "HTTP/1.1")\r\n"
    let fields: [(name: String, member: String, usual: String?)] = [
      ("Host", "host", "\(device.address)"), ("Content-Type", "type", request.type),
      ("Content-Length", "length", request.body.map { "\($0.count)" }),
    ]
    for field in fields {
      let value = node[field.member].map { Scope.text($0) } ?? field.usual
      guard let value, value != "none" else { continue }
      head += Self.line(field.name, value, form: node["header-form"]?.stringValue)
    }
    for line in node["headers"]?.elements ?? [] { head += Scope.text(line) + "\r\n" }
    let body = request.body ?? []
    if let size = node["size"] {
      head += try filling(try ByteMaker.count(size) - head.utf8.count - 2 - body.count, size)
    }
    if method == "PUT", path.hasPrefix("/characteristics") { noteWritten(body) }
    if path.hasPrefix("/pairings") { touchedPairings = true }
    let title =
      "\(method) \(path.count > 100 ? path.prefix(100) + "…" : path)" + (request.note.isEmpty ? "" : " \(request.note)")
    return OutgoingMessage(
      bytes: Array((head + "\r\n").utf8) + body, title: title, content: Readable.content(body, type: request.type))
  }

  /// A header field of `count` bytes, the end of its line included.
  private func filling(_ count: Int, _ node: JSONNode) throws(StepError) -> String {
    let name = "X-Fill: "
    guard count >= name.utf8.count + 2 else {
      throw StepError(node, "the request without \"size\" has too many bytes for it")
    }
    return name + String(repeating: "x", count: count - name.utf8.count - 2) + "\r\n"
  }

  /// A header line in one of the forms that mean the same.
  private static func line(_ name: String, _ value: String, form: String?) -> String {
    switch form {
    case "lower"?: "\(name.lowercased()): \(value)\r\n"
    case "upper"?: "\(name.uppercased()): \(value)\r\n"
    case "tight"?: "\(name):\(value)\r\n"
    default: "\(name): \(value)\r\n"
    }
  }

  private struct Plan {
    var method: String
    var path: String
    var type: String?
    var body: [UInt8]?
    /// What it is: "M3, proof of 63 bytes".
    var note = ""
  }

  private static let json = "application/hap+json"
  private static let tlv = "application/pairing+tlv8"

  private func plan(_ node: JSONNode, on name: String) async throws -> Plan {
    if let ids = node["read"] {
      var path = "/characteristics?id=" + Scope.ids(ids).joined(separator: ",")
      for flag in node["flags"]?.elements ?? [] { path += "&" + Scope.text(flag) }
      return Plan(method: "GET", path: path)
    }
    if let entries = node["write"] { return try writePlan(entries, pid: node["pid"]) }
    if let prepare = node["prepare"] { return jsonPlan("/prepare", prepare) }
    for (verb, isOn) in [("subscribe", true), ("unsubscribe", false)] {
      guard let ids = node[verb] else { continue }
      let entries = Scope.ids(ids).map { text in
        JSONNode.object([("id", .text(text)), ("ev", JSONNode(.bool(isOn)))])
      }
      return try writePlan(.list(entries), pid: node["pid"])
    }
    if let what = node["pairings"]?.stringValue { return try pairingsPlan(what, node) }
    if let step = node["setup"]?.stringValue { return try await setupPlan(step, node, on: name) }
    if let step = node["verify"]?.stringValue { return try verifyPlan(step, node, on: name) }
    if let items = node["tlv"] {
      var draft = try TLVDraft(items, maker)
      try draft.alter(node["alter"], maker)
      return Plan(method: "POST", path: "/", type: Self.tlv, body: draft.encoded(), note: state(of: draft))
    }
    if let body = node["json"] {
      var plan = jsonPlan("/characteristics", body)
      plan.method = "PUT"
      return plan
    }
    if let body = node["body"] {
      return Plan(method: "POST", path: "/", type: nil, body: try maker.bytes(body))
    }
    return Plan(method: "GET", path: "/")
  }

  private func jsonPlan(_ path: String, _ body: JSONNode) -> Plan {
    Plan(method: "PUT", path: path, type: Self.json, body: JSONWriter.bytes { $0.node(body) })
  }

  /// "M3" where there is one State item of one byte.
  private func state(of draft: TLVDraft) -> String {
    draft.items.first { $0.type == TLVType.state && $0.value.count == 1 }.map { "M\($0.value[0])" } ?? ""
  }

  // MARK: Writes

  private func writePlan(_ entries: JSONNode, pid: JSONNode?) throws -> Plan {
    var rendered: [JSONNode] = []
    for entry in entries.elements ?? [] {
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
    return jsonPlan("/characteristics", .object(members))
  }

  /// Remembers which characteristics a request writes, whatever becomes of it.
  private func noteWritten(_ body: [UInt8]) {
    guard let node = try? JSONNode.parse(body) else { return }
    for entry in node["characteristics"]?.elements ?? [] where entry["value"] != nil {
      guard let aid = entry["aid"]?.integerValue.flatMap(UInt64.init(exactly:)),
        let iid = entry["iid"]?.integerValue.flatMap(UInt64.init(exactly:))
      else { continue }
      written.insert(AttributeID(aid: aid, iid: iid))
    }
  }

  // MARK: Pairings

  private func pairingsPlan(_ what: String, _ node: JSONNode) throws -> Plan {
    var draft = TLVDraft([.init(type: TLVType.state, value: [1])])
    func add(_ type: UInt8, _ value: [UInt8]) { draft.items.append(.init(type: type, value: value)) }
    switch what {
    case "list": add(TLVType.method, [5])
    case "remove":
      add(TLVType.method, [4])
      add(TLVType.identifier, try controller(node["controller"]).credentials.identifier)
    default:
      let controller = try controller(node["controller"])
      add(TLVType.method, [3])
      add(TLVType.identifier, controller.credentials.identifier)
      add(TLVType.publicKey, controller.credentials.key.publicKey)
      let permissions = node["permissions"]
      let number: UInt8
      switch permissions?.stringValue {
      case "admin"?: number = 1
      case "user"?: number = 0
      default: number = UInt8(clamping: permissions?.integerValue ?? 0)
      }
      add(TLVType.permissions, [number])
    }
    try draft.alter(node["alter"], maker)
    if draft.items.contains(where: { $0.type == TLVType.method && $0.value == [3] }) {
      added += draft.items.filter { $0.type == TLVType.identifier }.map(\.value)
    }
    return Plan(method: "POST", path: "/pairings", type: Self.tlv, body: draft.encoded(), note: what)
  }

  // MARK: Procedures

  private func setupPlan(_ step: String, _ node: JSONNode, on name: String) async throws -> Plan {
    let procedure = node["procedure"]?.stringValue ?? name
    var draft: TLVDraft
    switch step {
    case "M1":
      setups[procedure] = SetupProcedure()
      draft = SetupProcedure.start(
        method: UInt8(clamping: node["method-item"]?.integerValue ?? 0),
        flags: try node["flags-item"].map { try maker.bytes($0) })
    case "M3": draft = try await proofMessage(node, procedure)
    default: draft = try exchangeMessage(node, procedure)
    }
    try draft.alter(node["alter"], maker)
    return Plan(method: "POST", path: "/pair-setup", type: Self.tlv, body: draft.encoded(), note: step)
  }

  private func proofMessage(_ node: JSONNode, _ procedure: String) async throws -> TLVDraft {
    guard let begun = setups[procedure] else { throw StepError(node, "no M2 of \"\(procedure)\" was expected yet") }
    var choices = SRPChoices()
    switch node["public-key"]?.stringValue {
    case "zero"?: choices.publicKey = [UInt8](repeating: 0, count: 384)
    case "n"?: choices.publicKey = SRPChoices.prime
    case "2n"?: choices.publicKey = SRPChoices.twicePrime
    case "short"?: choices.isShort = true
    default: if let key = node["public-key"] { choices.publicKey = try maker.bytes(key) }
    }
    if let secret = node["secret"] { choices.secret = try maker.bytes(secret) }
    choices.isPadded = node["secret-form"]?.stringValue == "padded"
    choices.wantsZeroSecret = node["zero-secret"]?.boolValue ?? false
    choices.wantsZeroKey = node["zero-key"]?.boolValue ?? false
    choices.stripsServerKey = node["server-key-form"]?.stringValue == "stripped"
    guard let code = device.code else { throw CaseSkip(reason: "the setup code is not known") }
    let entered: String
    switch node["code"].map({ Scope.text($0) }) {
    case "wrong"?: entered = device.wrongCode
    case let other?: entered = other
    case nil: entered = code
    }
    let random = random
    let chosen = choices
    let result = await loop.offload { () -> Result<(SetupProcedure, TLVDraft), ProcedureError> in
      var setup = begun
      return Result { () throws(ProcedureError) in
        let draft = try setup.proof(code: entered, chosen, random: random)
        return (setup, draft)
      }
    }
    switch result {
    case .success(let (made, draft)):
      setups[procedure] = made
      return draft
    case .failure(let error): throw StepError(node, error.message)
    }
  }

  private func exchangeMessage(_ node: JSONNode, _ procedure: String) throws -> TLVDraft {
    guard let setup = setups[procedure] else { throw StepError(node, "no M2 of \"\(procedure)\" was expected yet") }
    let controller = try identity(node)
    exchanged.append(controller)
    do {
      var inner = try setup.exchange(controller, signedBy: try signer(node))
      try inner.alter(node["inner"], maker)
      return try setup.sealedExchange(
        inner.encoded(), nonce: try nonce(node, "PS-Msg05"),
        wrongKey: node["seal-key"] == nil ? nil : random.secret(32))
    } catch let error as ProcedureError { throw StepError(node, error.message) }
  }

  private func verifyPlan(_ step: String, _ node: JSONNode, on name: String) throws -> Plan {
    let procedure = node["procedure"]?.stringValue ?? name
    var draft: TLVDraft
    if step == "M1" {
      var verify = VerifyProcedure()
      draft = verify.start(random: random, publicKey: try node["public-key"].map { try maker.bytes($0) })
      verifies[procedure] = verify
    } else {
      let verify = verifies[procedure] ?? VerifyProcedure()
      let isSwapped = node["ephemeral"]?.stringValue == "swapped"
      let over = isSwapped ? nil : node["ephemeral"]?.stringValue
      if let over, verifies[over] == nil { throw StepError(node, "there is no procedure \"\(over)\"") }
      do {
        var inner: TLVDraft
        if verify.ephemeral == nil {
          // M3 without M1: right in form, signed over nothing that was said.
          inner = TLVDraft([
            .init(type: TLVType.identifier, value: try identity(node).credentials.identifier),
            .init(type: TLVType.signature, value: random.bytes(64)),
          ])
        } else {
          inner = try verify.finish(
            try identity(node), signedBy: try signer(node), over: over.flatMap { verifies[$0] }, isSwapped: isSwapped)
        }
        try inner.alter(node["inner"], maker)
        draft = verify.sealedFinish(
          inner.encoded(), nonce: try nonce(node, "PV-Msg03"),
          wrongKey: node["seal-key"] == nil ? nil : random.secret(32), random: random)
      } catch let error as ProcedureError { throw StepError(node, error.message) }
    }
    try draft.alter(node["alter"], maker)
    return Plan(method: "POST", path: "/pair-verify", type: Self.tlv, body: draft.encoded(), note: step)
  }

  /// The controller of a procedure, with another identifier where the step says so.
  private func identity(_ node: JSONNode) throws -> TestController {
    let controller = try controller(node["as"])
    guard let identifier = node["identifier"] else { return controller }
    return TestController(
      name: controller.name, identifier: try maker.bytes(identifier), key: controller.credentials.key)
  }

  private func signer(_ node: JSONNode) throws -> SigningKey? {
    try node["signed-by"].map { try controller($0).credentials.key }
  }

  private func nonce(_ node: JSONNode, _ right: String) throws -> String {
    guard let other = node["nonce"] else { return right }
    guard let text = other.stringValue, text.utf8.count == 8 else { throw StepError(other, "a nonce is 8 characters") }
    return text
  }

  private func corrupted(_ body: [UInt8], _ node: JSONNode) throws -> [UInt8] {
    var body = body
    for member in node.members ?? [] {
      switch member.name {
      case "flip": ByteMaker.flip(&body, at: Int(clamping: member.value.integerValue ?? 0))
      case "truncate": body = Array(body.prefix(max(0, Int(clamping: member.value.integerValue ?? 0))))
      case "append": body += try maker.bytes(member.value)
      case "prepend": body = try maker.bytes(member.value) + body
      default: throw StepError(member.value, "there is no corruption \"\(member.name)\"")
      }
    }
    return body
  }
}
