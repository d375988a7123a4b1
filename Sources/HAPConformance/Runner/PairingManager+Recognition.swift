import HAPExpectation
import HAPWire

extension PairingManager {
  /// Time limit of the first probe. Pair Verify gets more time, because a small processor computes keys for it.
  private static let firstLimit = Duration.seconds(3)

  /// Looks for any sign of HAP in the answers to requests without side effects.
  /// - Throws: if there is none. `absence` indicates whether other answers were received.
  func lookForHAP() async throws(Refusal) {
    let firstLimit = min(Self.firstLimit, world.answerLimit)
    let absence: Refusal? = try await work { run in
      var verify = VerifyProcedure()
      let start = verify.start(random: run.random, publicKey: nil).encoded()
      var answer: String?
      var silences: [String] = []
      for (method, path, body) in [("GET", "/accessories", nil), ("POST", "/pair-verify", start)] {
        let connection = try await run.connection("probe \(path)")
        var arrival = await run.arrival(
          method, path, type: body == nil ? nil : "application/pairing+tlv8", body: body, on: connection,
          "probe \(path)", within: body == nil ? firstLimit : nil)
        if Task.isCancelled { throw CaseInterrupted() }
        if case .silence = arrival, !connection.unfinished.isEmpty {
          arrival = .garbage(reason: "an incomplete answer", bytes: connection.unfinished, time: .zero)
        }
        if arrival.hasSignOfHAP { return nil }
        let line = "\(method) \(path): \(arrival.brief)"
        switch arrival {
        case .message, .garbage: answer = answer ?? line
        case .closed, .silence: silences.append(line)
        }
      }
      if let answer { return Refusal(message: answer, absence: .otherServer) }
      return Refusal(message: silences.joined(separator: "; "), absence: .noAnswer)
    }
    if let absence { throw absence }
  }
}

extension Arrival {
  /// Whether an answer has a part that only HAP has: a media type, status 470, an event, a TLV8 with a state, or JSON
  /// with accessories, characteristics or a HAP status. Answers of faulty accessories have at least one of these parts.
  var hasSignOfHAP: Bool {
    switch self {
    case .message(let message):
      if message.isEvent || message.status == 470 { return true }
      if let type = message.type, type.contains("hap+json") || type.contains("pairing+tlv8") { return true }
      if let tlv = try? TLV(decoding: message.body), tlv.items.contains(where: isState) { return true }
      guard let json = try? JSONNode.parse(message.body) else { return false }
      return json["accessories"]?.elements != nil || json["characteristics"]?.elements != nil
        || (json["status"]?.integerValue).map { (-70_499 ... -70_400).contains($0) } ?? false
    case .garbage(_, let bytes, _):
      let text = String(decoding: bytes, as: UTF8.self).lowercased()
      return ["hap+json", "pairing+tlv8", " 470", "event/1.0"].contains { text.contains($0) }
    case .closed, .silence: return false
    }
  }

  private func isState(_ item: TLV.Item) -> Bool {
    item.type == TLVType.state && item.value.count == 1 && (1...6).contains(item.value[0])
  }

  /// One short line: the status line, or a description of what was received instead.
  var brief: String {
    switch self {
    case .message(let message):
      var text = message.title
      if let server = message.field("server") { text += ", Server: \(server)" }
      return String(text.prefix(120))
    case .garbage(_, let bytes, _):
      let isText = bytes.prefix(60).allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0D || $0 == 0x0A }
      let line = bytes.prefix { $0 != 0x0D && $0 != 0x0A }.prefix(60)
      return isText
        ? "\"\(String(decoding: line, as: UTF8.self))\", which isn't HTTP"
        : "bytes \(Hexadecimal.text(bytes.prefix(16))), which aren't HTTP"
    case .closed(let reset, _): return reset ? "the connection was reset" : "the connection was closed"
    case .silence(let limit): return "no answer within \(limit.roundText)"
    }
  }
}
