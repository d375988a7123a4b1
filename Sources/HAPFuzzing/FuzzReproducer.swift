import HAPExpectation
import HAPSuite
import HAPWire

/// The messages that made an accessory fail, as a file: `{"format": 1, "area": "tlv", "seed": 7, "state": "paired", "messages": […]}`.
package struct FuzzReproducer: Equatable, Sendable {
  private static let messageLimit = 4096

  package var area: FuzzArea
  package var seed: UInt64
  /// The name of the accessory on the command line.
  package var target: String
  package var state: FuzzState
  package var kind: FuzzFinding.Kind
  /// The failure in one line.
  package var message: String
  /// Whether the failure occurred again when these messages were sent again.
  package var isConfirmed: Bool
  package var messages: [FuzzMessage]

  package init(
    area: FuzzArea, seed: UInt64, target: String, state: FuzzState, finding: FuzzFinding, isConfirmed: Bool,
    messages: [FuzzMessage]
  ) {
    self.area = area
    self.seed = seed
    self.target = target
    self.state = state
    kind = finding.kind
    message = finding.message
    self.isConfirmed = isConfirmed
    self.messages = messages
  }

  // MARK: Writing

  package var bytes: [UInt8] {
    var lines = ["{"]
    func member(_ name: String, _ value: JSONNode) {
      lines.append("  " + JSONWriter.text { $0.string(name) } + ": " + value.compactText + ",")
    }
    member("format", .integer(1))
    member("area", .text(area.rawValue))
    member("seed", .integer(seed))
    member("target", .text(target))
    member("state", .text(state.rawValue))
    member("finding", .text(kind.rawValue))
    member("message", .text(message))
    member("confirmed", JSONNode(.bool(isConfirmed)))
    lines.append("  \"messages\": [")
    for (index, message) in messages.enumerated() {
      let text = Self.node(message).compactText
      lines.append("    \(text)" + (index + 1 < messages.count ? "," : ""))
    }
    return Array((lines + ["  ]", "}", ""]).joined(separator: "\n").utf8)
  }

  private static func node(_ message: FuzzMessage) -> JSONNode {
    var members: [(name: String, value: JSONNode)] = [
      ("connection", .integer(message.connection)), ("way", .text(message.way.rawValue)),
    ]
    if let request = message.request { members.append(("request", .text(request))) }
    members.append(("bytes", .text(Hexadecimal.text(message.bytes))))
    if !message.sizes.isEmpty { members.append(("sizes", .list(message.sizes.map { .integer($0) }))) }
    if message.fault.counterOffset != 0 { members.append(("counter", .integer(message.fault.counterOffset))) }
    if let length = message.fault.length { members.append(("length", .integer(length))) }
    if message.fault.fills { members.append(("fills", JSONNode(.bool(true)))) }
    if let flip = message.fault.flip { members.append(("flip", .text(flip.rawValue))) }
    if message.cut > 0 { members.append(("cut", .integer(message.cut))) }
    if let ending = message.ending { members.append(("ending", .text(ending.rawValue))) }
    if !message.note.isEmpty { members.append(("note", .text(message.note))) }
    return .object(members)
  }

  // MARK: Reading

  package init(_ bytes: [UInt8]) throws(JSONProblem) {
    let node: JSONNode
    do throws(JSONError) { node = try JSONNode.parse(bytes) } catch {
      throw JSONProblem(path: "", place: error.place, message: error.message)
    }
    try node.refuseUnknownMembers(except: [
      "format", "area", "seed", "target", "state", "finding", "message", "confirmed", "messages",
    ])
    _ = try node.required("format").asInteger(in: 1...1)
    area = try Self.word(node.required("area"))
    seed = UInt64(try node.required("seed").asInteger(in: 0...Int128(UInt64.max)))
    target = try node.optionalString("target") ?? ""
    state = try Self.word(node.required("state"))
    kind = try Self.word(node.required("finding"))
    message = try node.optionalString("message") ?? ""
    isConfirmed = try node.bool("confirmed", default: false)
    let list = try node.required("messages")
    guard try (1...Self.messageLimit).contains(list.asList().count) else {
      throw list.problem("1 to \(Self.messageLimit) messages are expected")
    }
    messages = try node.list("messages") { node throws(JSONProblem) in try Self.message(node) }
  }

  private static func word<T: RawRepresentable & CaseIterable>(_ node: JSONNode) throws(JSONProblem) -> T
  where T.RawValue == String {
    let text = try node.asString()
    guard let value = T(rawValue: text) else {
      throw node.problem("one of these is expected: \(T.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return value
  }

  private static func message(_ node: JSONNode) throws(JSONProblem) -> FuzzMessage {
    try node.refuseUnknownMembers(except: [
      "connection", "way", "request", "bytes", "sizes", "counter", "length", "fills", "flip", "cut", "ending", "note",
    ])
    let hexadecimal = try node.required("bytes")
    guard let bytes = Hexadecimal.bytes(try hexadecimal.asString()) else {
      throw hexadecimal.problem("bytes are an even number of hexadecimal digits")
    }
    var message = FuzzMessage(try word(node.required("way")), bytes)
    message.connection = Int(try node.required("connection").asInteger(in: 0...15))
    if let request = node["request"] {
      let text = try request.asString()
      guard text.contains(" /"), text.utf8.count <= 16_384, !text.utf8.contains(where: { $0 < 0x20 }) else {
        throw request.problem("a request is a method and a target, such as \"PUT /characteristics\"")
      }
      message.request = text
    }
    if let sizes = node["sizes"] {
      guard try sizes.asList().count <= 16_384 else { throw sizes.problem("at most 16384 sizes are allowed") }
      message.sizes = try node.list("sizes") { node throws(JSONProblem) in Int(try node.asInteger(in: 0...65_535)) }
    }
    let counter = try node["counter"]?.asInteger(in: Int128(Int64.min)...Int128(Int64.max)) ?? 0
    message.fault.counterOffset = Int(clamping: counter)
    message.fault.length = try node["length"].map { node throws(JSONProblem) in Int(try node.asInteger(in: 0...65_535))
    }
    message.fault.fills = try node.bool("fills", default: false)
    message.fault.flip = try node["flip"].map { node throws(JSONProblem) -> FrameFault.Part in try word(node) }
    message.cut = Int(try node["cut"]?.asInteger(in: 0...1_000_000) ?? 0)
    message.ending = try node["ending"].map { node throws(JSONProblem) -> FuzzMessage.Ending in try word(node) }
    message.note = try node.optionalString("note") ?? ""
    return message
  }
}
