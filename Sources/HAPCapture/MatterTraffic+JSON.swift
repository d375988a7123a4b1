import HAPModel
import HAPProfile
import HAPWire

/// The lines of Matter in a capture: the headers as they were, and the payload without encryption. The reader decodes the
/// payload, so that a later version can show more of it.
extension MatterTraffic {
  /// The kind of the line.
  var kind: String {
    switch self {
    case .message: "message"
    case .unreadable: "unreadable"
    }
  }

  func write(to json: inout JSONWriter) {
    func write(_ name: String, _ value: Value) {
      json.key(name)
      json.value(value)
    }
    switch self {
    case .message(let message):
      write("from", .string(message.isReceived ? "controller" : "accessory"))
      write("peer", .string(message.peer))
      message.forEachHeaderMember(write)
      json.key("bytes")
      json.base64(message.payload)
    case .unreadable(let peer, let bytes, let reason):
      write("peer", .string(peer))
      write("reason", .string(reason))
      json.key("bytes")
      json.base64(bytes)
    }
  }

  /// - Returns: nil: the line is of another kind.
  init?(_ kind: String, _ node: JSONNode) throws(JSONProblem) {
    switch kind {
    case "message": self = .message(try MatterMessage(node))
    case "unreadable":
      self = .unreadable(
        peer: try node.string("peer"), bytes: try CaptureText.bytes(node, "bytes"), reason: try node.string("reason"))
    default: return nil
    }
  }
}

extension MatterMessage {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    func number<Number: FixedWidthInteger & UnsignedInteger>(
      _ name: String, _ type: Number.Type = Number.self
    ) throws(JSONProblem) -> Number {
      Number(try node.required(name).asInteger(in: 0...Int128(Number.max)))
    }
    let sender = try node.string("from")
    guard sender == "controller" || sender == "accessory" else {
      throw node.problem("from must be controller or accessory")
    }
    guard let session = Session(rawValue: try node.string("session")) else {
      throw node.problem("session must be \(Session.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self.init(
      isReceived: sender == "controller", peer: try node.string("peer"), session: session,
      sessionID: try number("sessionID"), controller: try node.optionalString("controller"),
      exchange: try number("exchange"), isFromInitiator: try node.required("initiator").asBool(),
      protocolID: try number("protocol"), opcode: try number("opcode"), counter: try number("counter"),
      acknowledged: node["acknowledged"] == nil ? nil : try number("acknowledged"),
      isReliable: try node.required("reliable").asBool(), isRepeated: try node.required("repeated").asBool(),
      payload: try CaptureText.bytes(node, "bytes"))
  }
}
