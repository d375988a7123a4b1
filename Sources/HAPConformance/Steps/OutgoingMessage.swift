import HAPExpectation
import HAPModel
import HAPReport
import HAPSuite
import HAPWire

/// A message of a step, before it is encrypted and split.
struct OutgoingMessage {
  var bytes: [UInt8]
  /// The title for the transcript, such as "PUT /characteristics".
  var title: String
  var content: TranscriptEntry.Content
  var kind = TranscriptEntry.Kind.message
  /// Whether the message bypasses the session.
  var isRaw = false
}

extension CaseRun {
  /// Creates the message of a `send` step.
  func outgoing(_ sent: SentMessage) async throws -> OutgoingMessage {
    switch sent.content {
    case .raw(let recipe):
      let bytes = maker.bytes(recipe)
      return OutgoingMessage(
        bytes: bytes, title: "\(bytes.count) raw bytes", content: .text(""), kind: .raw, isRaw: true)
    case .text(let text):
      let line = text.prefix { $0 != "\r\n" && $0 != "\n" }
      return OutgoingMessage(bytes: Array(text.utf8), title: "text: \(line.prefix(80))", content: .text(text))
    case .bytes(let recipe):
      let bytes = maker.bytes(recipe)
      return OutgoingMessage(bytes: bytes, title: "\(bytes.count) bytes", content: .text(""), kind: .raw)
    case .request(let request): return try await outgoing(request, procedure: sent.procedure)
    }
  }

  /// Creates an HTTP request, correct or as faulty as the step requests.
  private func outgoing(_ request: SentRequest, procedure: String) async throws -> OutgoingMessage {
    var body = try await body(request.body, procedure)
    for corruption in request.corruptions { body.bytes = corrupted(body.bytes ?? [], corruption) }
    let (method, path) = (request.method, request.path)
    var head = "\(method) \(path) \(request.version)\r\n"
    let fields: [(name: String, field: SentRequest.Field, usual: String?)] = [
      ("Host", request.host, "\(device.address)"), ("Content-Type", request.type, body.type),
      ("Content-Length", request.length, body.bytes.map { "\($0.count)" }),
    ]
    for (name, field, usual) in fields {
      guard let value = field.value(usual: usual) else { continue }
      head += Self.line(name, value, request.headerForm)
    }
    for line in request.headers { head += line + "\r\n" }
    let bytes = body.bytes ?? []
    if let size = request.size { head += try Self.filling(size - head.utf8.count - 2 - bytes.count) }
    if method == "PUT", path.hasPrefix("/characteristics") { noteWritten(bytes) }
    if path.hasPrefix("/pairings") { touchedPairings = true }
    let title =
      "\(method) \(path.count > 100 ? path.prefix(100) + "…" : path)" + (body.note.isEmpty ? "" : " \(body.note)")
    return OutgoingMessage(
      bytes: Array((head + "\r\n").utf8) + bytes, title: title, content: Readable.content(bytes, type: body.type))
  }

  /// Returns a header field of `count` bytes, line end included.
  private static func filling(_ count: Int) throws(StepProblem) -> String {
    let name = "X-Fill: "
    guard count >= name.utf8.count + 2 else {
      throw StepProblem("the request is longer than \"size\" allows")
    }
    return name + String(repeating: "x", count: count - name.utf8.count - 2) + "\r\n"
  }

  /// Returns a header line in one of several equivalent forms.
  private static func line(_ name: String, _ value: String, _ form: SentRequest.HeaderForm?) -> String {
    switch form {
    case .lower?: "\(name.lowercased()): \(value)\r\n"
    case .upper?: "\(name.uppercased()): \(value)\r\n"
    case .tight?: "\(name):\(value)\r\n"
    case nil: "\(name): \(value)\r\n"
    }
  }

  private func corrupted(_ body: [UInt8], _ corruption: Corruption) -> [UInt8] {
    switch corruption {
    case .flip(let offset):
      var body = body
      ByteMaker.flip(&body, at: offset)
      return body
    case .truncate(let count): return Array(body.prefix(count))
    case .append(let recipe): return body + maker.bytes(recipe)
    case .prepend(let recipe): return maker.bytes(recipe) + body
    }
  }

  /// Notes the characteristics that a request writes, whether it succeeds or not.
  private func noteWritten(_ body: [UInt8]) {
    guard let node = try? JSONNode.parse(body) else { return }
    for entry in node["characteristics"]?.elements ?? [] where entry["value"] != nil {
      guard let aid = entry["aid"]?.integerValue.flatMap(UInt64.init(exactly:)),
        let iid = entry["iid"]?.integerValue.flatMap(UInt64.init(exactly:))
      else { continue }
      written.insert(AttributeID(aid: aid, iid: iid))
    }
  }
}

extension SentRequest.Field {
  /// - Returns: nil if the field is left out.
  fileprivate func value(usual: String?) -> String? {
    switch self {
    case .usual: usual
    case .missing: nil
    case .text(let text): text
    }
  }
}
