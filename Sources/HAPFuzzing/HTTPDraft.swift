import HAPWire

/// An HTTP request that may be malformed in any part.
struct HTTPDraft: Equatable, Sendable {
  var method: String
  var target: String
  var version = "HTTP/1.1"
  /// Complete header lines.
  var fields: [String]
  var body: [UInt8]
  var lineEnd = "\r\n"

  init(_ method: String, _ target: String, type: String? = nil, body: [UInt8] = []) {
    self.method = method
    self.target = target
    self.body = body
    fields = ["Host: haptest.local"]
    if let type { fields.append("Content-Type: \(type)") }
    if type != nil || !body.isEmpty { fields.append("Content-Length: \(body.count)") }
  }

  func encoded() -> [UInt8] {
    let lines = ["\(method) \(target) \(version)"] + fields + ["", ""]
    return Array(lines.joined(separator: lineEnd).utf8) + body
  }

  private static let lengths = [
    "0", "-1", "+5", "0x5", "5, 5", "5,6", " 5", "5 ", "", "1e1", "65536", "2147483647", "4294967295", "4294967301",
    "9223372036854775807", "18446744073709551621", "99999999999999999999999999", "\u{0665}",
  ]
  private static let sizes = [
    "FFFFFFFF", "FFFFFFFFFFFFFFFF", "7FFFFFFFFFFFFFFF", "-1", "0x5", "g", "", " 5", "5 ; x", "00000000000000000005",
    "80000000",
  ]
  private static let methods = [
    "HEAD", "OPTIONS", "DELETE", "PATCH", "CONNECT", "TRACE", "get", "G", "", "GET GET", "PRI", "\t", "POST", "PUT",
  ]
  private static let versions = [
    "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1 ", "HTTP/1.10", "EVENT/1.0", "HTTP/", "", "http/1.1", "HTTP/-1.1",
    "HTTP/99999999999.1",
  ]
  private static let targets = [
    "/", "", "*", "//", "/accessories/", "/accessories?x", "/%00", "/%", "/%zz", "/../../etc/passwd", "/pair-setup",
    "http://x/accessories", "/characteristics", "/characteristics?", "/characteristics?id=", "/characteristics?id=1",
    "/characteristics?id=.", "/characteristics?id=1.1&id=1.1", "/characteristics?id=1.1&ev", "/resource", "/prepare",
    "/identify", "/pair-verify", "/secure-message", "?id=1.1", "/characteristics?id=18446744073709551616.1",
  ]
  private static let strange = [
    "Content-Length: 5", "Transfer-Encoding: chunked", "Transfer-Encoding: identity",
    "Transfer-Encoding: gzip, chunked",
    "Expect: 100-continue", "Connection: close", "Connection: Upgrade", "Upgrade: h2c", "Host:", "Host: a\r\nHost: b",
    "no colon", ": no name", "X : blank", " folded: yes", "X:\r\n folded", "X: \0", "X: \u{7F}\u{80}", "Content-Type:",
    "Content-Type: application/hap+json; charset=\"", "Range: bytes=0-", "Accept-Encoding: gzip", "Trailer: X",
  ]

  mutating func mutate(_ chance: inout FuzzChance) {
    switch chance.below(13) {
    case 0: method = chance.pick(Self.methods)
    case 1: version = chance.pick(Self.versions)
    case 2: target = chance.pick(Self.targets)
    case 3:
      target += String(
        repeating: chance.pick(["a", "%41", "/..", "&a=b", ",1.1", "?"]), count: 1 + chance.size(below: 3000))
    case 4: setLength(chance.pick(Self.lengths))
    case 5: fields.append("Content-Length: \(chance.pick(Self.lengths))")
    case 6: chunk(&chance)
    case 7: fields.insert(chance.pick(Self.strange), at: chance.below(fields.count + 1))
    case 8:
      let count = chance.pick([10, 100, 101, 300])
      fields.append(contentsOf: (0..<count).map { "X-\($0): \($0)" })
    case 9: fields.append("X-Long: " + String(repeating: "y", count: chance.pick([255, 1024, 4096, 8192, 12_000])))
    case 10: if !fields.isEmpty { fields.remove(at: chance.below(fields.count)) }
    case 11: lineEnd = chance.pick(["\n", "\r", "\n\r", "\r\r\n", " \r\n"])
    default: method = chance.pick(["\r\n", "\r\n\r\n", "\n", " ", "\0"]) + method
    }
  }

  private mutating func setLength(_ text: String) {
    fields.removeAll { $0.hasPrefix("Content-Length") }
    fields.append("Content-Length: \(text)")
  }

  /// Divides the body into chunks, correct or faulty.
  private mutating func chunk(_ chance: inout FuzzChance) {
    if chance.oneIn(3) == false { fields.removeAll { $0.hasPrefix("Content-Length") } }
    fields.append("Transfer-Encoding: chunked")
    var chunked: [UInt8] = []
    var rest = body[...]
    while !rest.isEmpty {
      let count = min(rest.count, 1 + chance.below(40))
      let size = chance.oneIn(5) ? chance.pick(Self.sizes) : String(count, radix: 16)
      chunked += Array("\(size)\r\n".utf8) + rest.prefix(count) + (chance.oneIn(8) ? [] : Array("\r\n".utf8))
      rest = rest.dropFirst(count)
    }
    if !chance.oneIn(4) { chunked += Array((chance.oneIn(4) ? "0\r\nX: y\r\n\r\n" : "0\r\n\r\n").utf8) }
    body = chunked
  }
}
