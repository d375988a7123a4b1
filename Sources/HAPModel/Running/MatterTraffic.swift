/// A datagram that a Matter node has received or sent, with its payload decrypted: for captures and logs.
package enum MatterTraffic: Hashable, Sendable {
  case message(MatterMessage)
  /// A received datagram that was dropped before its payload could be read.
  /// - Parameters:
  ///   - bytes: as they were received.
  ///   - reason: a phrase.
  case unreadable(peer: String, bytes: [UInt8], reason: String)
}

/// What determines the endpoints of an accessory as a Matter node, besides its database.
package struct MatterEndpointState: Hashable, Sendable {
  /// The vendor of device types and clusters that Matter does not know.
  package var vendor: UInt16
  /// Identifies the node; at most 32 bytes.
  package var nodeID: String
  /// The numbers of endpoints, vendor clusters and vendor attributes, in their stored form.
  package var numbers: [UInt8]
  /// The values that only the node knows, in their stored form.
  package var settings: [UInt8]

  package init(vendor: UInt16, nodeID: String, numbers: [UInt8], settings: [UInt8]) {
    (self.vendor, self.nodeID, self.numbers, self.settings) = (vendor, nodeID, numbers, settings)
  }
}

/// A message of a Matter session. Matter 1.4 §4.4.
package struct MatterMessage: Hashable, Sendable {
  /// How the session was made; the raw value is the `session` of captures and events.
  package enum Session: String, CaseIterable, Sendable {
    case unsecured
    case pase = "PASE"
    case caseSession = "CASE"
  }

  package var isReceived: Bool
  /// "192.0.2.7:5540"
  package var peer: String
  package var session: Session
  /// The identifier that the node has given to the session; 0: it is unsecured.
  package var sessionID: UInt16
  /// The name of the controller in reports; nil: the session is unsecured.
  package var controller: String?
  package var exchange: UInt16
  /// Whether the sender has begun the exchange.
  package var isFromInitiator: Bool
  /// The vendor in the upper half, the protocol in the lower one.
  package var protocolID: UInt32
  package var opcode: UInt8
  package var counter: UInt32
  /// The counter of the message that this one acknowledges; nil: none.
  package var acknowledged: UInt32?
  /// Whether the sender wants an acknowledgement.
  package var isReliable: Bool
  /// Whether the same message was received or sent before.
  package var isRepeated: Bool
  package var payload: [UInt8]

  package init(
    isReceived: Bool, peer: String, session: Session, sessionID: UInt16, controller: String?, exchange: UInt16,
    isFromInitiator: Bool, protocolID: UInt32, opcode: UInt8, counter: UInt32, acknowledged: UInt32?,
    isReliable: Bool, isRepeated: Bool, payload: [UInt8]
  ) {
    (self.isReceived, self.peer, self.session, self.sessionID) = (isReceived, peer, session, sessionID)
    (self.controller, self.exchange, self.isFromInitiator) = (controller, exchange, isFromInitiator)
    (self.protocolID, self.opcode, self.counter) = (protocolID, opcode, counter)
    (self.acknowledged, self.isReliable, self.isRepeated) = (acknowledged, isReliable, isRepeated)
    self.payload = payload
  }
}

/// Decoded traffic of a Matter node, for people. Secrets are left out of the texts.
package struct DecodedTraffic: Hashable, Sendable {
  package let traffic: MatterTraffic
  /// "ReadRequest"; nil: the datagram is unreadable.
  package let name: String?
  /// What the message contains, a line for each part.
  package let parts: [String]
  /// Why it is malformed; nil: it is not.
  package let problem: String?

  /// Decodes a payload. The protocol has the form of `MatterMessage.protocolID`.
  package typealias Decoder = (_ protocolID: UInt32, _ opcode: UInt8, _ payload: [UInt8]) -> (
    name: String, parts: [String], problem: String?
  )

  package init(_ traffic: MatterTraffic, by decode: Decoder) {
    self.traffic = traffic
    switch traffic {
    case .message(let message):
      let decoded = decode(message.protocolID, message.opcode, message.payload)
      (name, parts, problem) = (decoded.name, decoded.parts, decoded.problem)
    case .unreadable(_, _, let reason): (name, parts, problem) = (nil, [], reason)
    }
  }

  package var isReceived: Bool { message?.isReceived ?? true }
  package var peer: String {
    switch traffic {
    case .message(let message): message.peer
    case .unreadable(let peer, _, _): peer
    }
  }

  /// nil: the datagram is unreadable.
  package var message: MatterMessage? { if case .message(let message) = traffic { message } else { nil } }

  /// The datagram, or the decrypted payload of the message.
  package var bytes: [UInt8] {
    switch traffic {
    case .message(let message): message.payload
    case .unreadable(_, let bytes, _): bytes
    }
  }

  /// The session, the exchange and the flags, in one line: "PASE session 7, exchange 12 of the controller, message 33,
  /// acknowledges 31, repeated".
  package var headerText: String {
    guard let message else { return "unreadable datagram of \(bytes.count) bytes" }
    let secured =
      message.session == .unsecured ? "no session" : "\(message.session.rawValue) session \(message.sessionID)"
    let beginner = message.isFromInitiator == message.isReceived ? "controller" : "accessory"
    var text = "\(secured), exchange \(message.exchange) of the \(beginner), message \(message.counter)"
    if let acknowledged = message.acknowledged { text += ", acknowledges \(acknowledged)" }
    if message.isReliable { text += ", wants an acknowledgement" }
    if message.isRepeated { text += ", repeated" }
    return text
  }

  /// The message, its parts and its problem, a line each.
  package var contentLines: [String] {
    var lines = [name].compactMap(\.self)
    lines += parts.map { "  " + $0 }
    if let problem { lines.append(name == nil ? "dropped: \(problem)" : "malformed: \(problem)") }
    return lines
  }

  /// The longest content in `text`, in characters.
  private static let textLimit = 500

  /// One line for logs.
  package var text: String {
    let place = isReceived ? "from \(peer)" : "to \(peer)"
    guard let name else { return "unreadable datagram \(place): \(problem ?? "")" }
    var content = parts.joined(separator: "; ")
    if content.count > Self.textLimit { content = String(content.prefix(Self.textLimit)) + "…" }
    let repeated = message?.isRepeated == true ? " (repeated)" : ""
    return "\(name) \(place)\(repeated)" + (content.isEmpty ? "" : ": \(content)")
      + (problem.map { "; malformed: \($0)" } ?? "")
  }

  /// Calls `body` with each header field, in the order of JSON objects.
  package func forEachMember(_ body: (String, Value) -> Void) {
    body("from", .string(isReceived ? "controller" : "accessory"))
    body("peer", .string(peer))
    if let message {
      message.forEachHeaderMember(body)
      if let name { body("message", .string(name)) }
    }
    if let problem { body("problem", .string(problem)) }
  }
}

extension MatterMessage {
  /// Calls `body` with the fields of the headers except the addresses, in the order of JSON objects.
  package func forEachHeaderMember(_ body: (String, Value) -> Void) {
    body("session", .string(session.rawValue))
    body("sessionID", .integer(Int128(sessionID)))
    if let controller { body("controller", .string(controller)) }
    body("exchange", .integer(Int128(exchange)))
    body("initiator", .bool(isFromInitiator))
    body("protocol", .integer(Int128(protocolID)))
    body("opcode", .integer(Int128(opcode)))
    body("counter", .integer(Int128(counter)))
    if let acknowledged { body("acknowledged", .integer(Int128(acknowledged))) }
    body("reliable", .bool(isReliable))
    body("repeated", .bool(isRepeated))
  }
}
