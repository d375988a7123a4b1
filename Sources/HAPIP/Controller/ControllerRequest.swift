import HAPModel
import HAPWire

/// A request of a controller. It may be invalid, because the tester sends invalid requests.
package struct ControllerRequest: Equatable, Sendable {
  package var method: String
  /// The path with its query.
  package var target: String
  /// `Content-Type`; nil: no such field.
  package var contentType: String?
  /// nil: neither a body nor `Content-Length`.
  package var body: [UInt8]?
  /// Further fields, as complete lines.
  package var fields: [String]

  package init(
    _ method: String, _ target: String, contentType: String? = nil, body: [UInt8]? = nil, fields: [String] = []
  ) {
    self.method = method
    self.target = target
    self.contentType = contentType
    self.body = body
    self.fields = fields
  }

  /// "GET /accessories", for messages.
  package var name: String { "\(method) \(target.prefix { $0 != "?" })" }

  /// Returns the complete plaintext message.
  /// - Parameter host: the value of the `Host` field.
  package func encoded(host: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256 + (body?.count ?? 0))
    func add(_ texts: String...) { for text in texts { bytes += text.utf8 } }
    add(method, " ", target, " HTTP/1.1\r\nHost: ", host, "\r\n")
    if let contentType { add("Content-Type: ", contentType, "\r\n") }
    if let body { add("Content-Length: ", String(body.count), "\r\n") }
    for field in fields { add(field, "\r\n") }
    add("\r\n")
    if let body { bytes += body }
    return bytes
  }
}

// MARK: The requests of HAP

extension ControllerRequest {
  private static let json = "application/hap+json"
  private static let tlv = "application/pairing+tlv8"

  /// HAP R2 §6.6.
  package static let accessories = ControllerRequest("GET", "/accessories")

  /// Unpaired identify. HAP R2 §6.7.7.
  package static let identify = ControllerRequest("POST", "/identify", body: [])

  package static func pairSetup(_ message: TLV) -> ControllerRequest { posting(message, to: "/pair-setup") }
  package static func pairVerify(_ message: TLV) -> ControllerRequest { posting(message, to: "/pair-verify") }
  package static func pairings(_ message: TLV) -> ControllerRequest { posting(message, to: "/pairings") }

  private static func posting(_ message: TLV, to target: String) -> ControllerRequest {
    ControllerRequest("POST", target, contentType: tlv, body: message.encoded())
  }

  /// The optional members that a read requests. HAP R2 §6.7.4.
  package struct ReadExtras: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let meta = ReadExtras(rawValue: 1)
    package static let perms = ReadExtras(rawValue: 2)
    package static let type = ReadExtras(rawValue: 4)
    package static let ev = ReadExtras(rawValue: 8)
  }

  /// Reads characteristics. HAP R2 §6.7.4.
  package static func read(_ ids: [AttributeID], _ extras: ReadExtras = []) -> ControllerRequest {
    var target = "/characteristics?id=" + ids.map { "\($0)" }.joined(separator: ",")
    for (extra, name) in [(ReadExtras.meta, "meta"), (.perms, "perms"), (.type, "type"), (.ev, "ev")]
    where extras.contains(extra) { target += "&\(name)=1" }
    return ControllerRequest("GET", target)
  }

  /// One entry of a write. HAP R2 §6.7.2.
  package struct WriteEntry: Equatable, Sendable {
    package var id: AttributeID
    package var value: Value?
    package var ev: Bool?
    /// Additional authorization.
    package var authData: [UInt8]?
    /// Whether the write comes from outside the local network.
    package var remote: Bool?
    /// Whether a write response with a value is requested.
    package var wantsResponse: Bool

    package init(
      _ id: AttributeID, value: Value? = nil, ev: Bool? = nil, authData: [UInt8]? = nil, remote: Bool? = nil,
      wantsResponse: Bool = false
    ) {
      self.id = id
      self.value = value
      self.ev = ev
      self.authData = authData
      self.remote = remote
      self.wantsResponse = wantsResponse
    }
  }

  /// Writes characteristics, or subscribes to them. HAP R2 §6.7.2, §6.8.2.
  /// - Parameter pid: the `pid` of the preceding `prepare`, for a timed write.
  package static func write(_ entries: [WriteEntry], pid: UInt64? = nil) -> ControllerRequest {
    let body = JSONWriter.bytes { json in
      json.object { json in
        json.key("characteristics")
        json.array { json in for entry in entries { entry.write(to: &json) } }
        if let pid {
          json.key("pid")
          json.integer(pid)
        }
      }
    }
    return ControllerRequest("PUT", "/characteristics", contentType: json, body: body)
  }

  /// Prepares a timed write. HAP R2 §6.7.2.4.
  /// - Parameters:
  ///   - ttl: milliseconds, at least 1.
  ///   - pid: chosen by the controller, and repeated in the write.
  package static func prepare(ttl: UInt64, pid: UInt64) -> ControllerRequest {
    let body = JSONWriter.bytes { json in
      json.object { json in
        json.key("ttl")
        json.integer(ttl)
        json.key("pid")
        json.integer(pid)
      }
    }
    return ControllerRequest("PUT", "/prepare", contentType: json, body: body)
  }

  /// Requests an image of a camera. HAP R2 §11.5.
  package static func snapshot(width: Int, height: Int, aid: UInt64?) -> ControllerRequest {
    let body = JSONWriter.bytes { json in
      json.object { json in
        json.key("resource-type")
        json.string("image")
        json.key("image-width")
        json.integer(width)
        json.key("image-height")
        json.integer(height)
        if let aid {
          json.key("aid")
          json.integer(aid)
        }
      }
    }
    return ControllerRequest("POST", "/resource", contentType: json, body: body)
  }
}

extension ControllerRequest.WriteEntry {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("aid")
      json.integer(id.aid)
      json.key("iid")
      json.integer(id.iid)
      if let value {
        json.key("value")
        value.write(to: &json)
      }
      if let ev {
        json.key("ev")
        json.bool(ev)
      }
      if let authData {
        json.key("authData")
        json.base64(authData)
      }
      if let remote {
        json.key("remote")
        json.bool(remote)
      }
      if wantsResponse {
        json.key("r")
        json.bool(true)
      }
    }
  }
}

extension Value {
  /// Reads a JSON value regardless of the format: a number becomes an integer only if it is written as one. Nil for
  /// lists and objects.
  package init?(json node: JSONNode) {
    switch node.kind {
    case .null: self = .null
    case .bool(let bool): self = .bool(bool)
    case .number(let number): self = number.integer.map { .integer($0) } ?? .float(number.double)
    case .string(let text): self = .string(text)
    case .array, .object: return nil
    }
  }

  /// Writes the value in HAP's JSON form: bytes as base64.
  package func write(to json: inout JSONWriter) {
    switch self {
    case .null: json.null()
    case .bool(let value): json.bool(value)
    case .integer(let value): json.integer(value)
    case .float(let value): json.double(value)
    case .string(let value): json.string(value)
    case .data(let value): json.base64(value)
    }
  }
}
