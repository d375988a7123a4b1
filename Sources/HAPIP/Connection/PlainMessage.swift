import HAPModel
import HAPWire

/// A request, a response or an event, split into parts that can be changed individually.
package struct PlainMessage: Equatable, Sendable {
  /// `GET /accessories HTTP/1.1`, `HTTP/1.1 200 OK`, `EVENT/1.0 200 OK`.
  package var start: String
  package var fields: [HTTPField]
  package var body: [UInt8]
  /// The head as received, without the empty line; nil: the message was created here.
  package private(set) var rawHead: String?

  package static func == (one: Self, other: Self) -> Bool { one.bytes == other.bytes }

  package init(start: String, fields: [HTTPField] = [], body: [UInt8] = []) {
    self.start = start
    self.fields = fields
    self.body = body
  }

  /// - Parameters:
  ///   - head: with or without the empty line.
  ///   - body: with its chunks joined, if there were any.
  package init(head: some Sequence<UInt8>, body: [UInt8]) {
    let bytes = Array(head)
    let count = bytes.count - bytes.reversed().prefix { $0 == 10 || $0 == 13 }.count
    rawHead = String(decoding: bytes[..<count], as: UTF8.self)
    let text = HTTPHeadText(bytes)
    start = text.start
    fields = text.fields
    self.body = body
  }

  /// Parses a message of the accessory from the buffer.
  package init?(answer bytes: [UInt8]) {
    var bytes = bytes
    let parsed = bytes.withUnsafeMutableBytes { raw -> (head: [UInt8], body: [UInt8])? in
      var parser = HTTPResponseParser()
      guard case .message(_, let body, _) = parser.parse(raw) else { return nil }
      let text = [UInt8](raw)
      return ([UInt8](text[..<Self.headCount(of: text)]), [UInt8](text[body]))
    }
    guard let parsed else { return nil }
    self.init(head: parsed.head, body: parsed.body)
    if isChunked { set("Transfer-Encoding", nil) }
  }

  /// Returns the number of bytes before the empty line, or of all bytes if there is none.
  package static func headCount(of bytes: [UInt8]) -> Int {
    var end = 0
    while end + 4 <= bytes.count, !bytes[end...].starts(with: [13, 10, 13, 10]) { end += 1 }
    return end + 4 <= bytes.count ? end : bytes.count
  }

  // MARK: Reading

  package var words: [Substring] { start.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false) }
  package var isEvent: Bool { start.hasPrefix("EVENT/") }
  package var status: Int? { words.count > 1 ? Int(words[1]) : nil }
  package var method: String { words.first.map(String.init) ?? "" }
  package var target: String { words.count > 1 ? String(words[1]) : "" }
  package var path: String { String(target.prefix { $0 != "?" }) }
  package var isChunked: Bool { self["Transfer-Encoding"]?.lowercased() == "chunked" }

  /// The parameters of the query in their order.
  package var query: [(name: String, value: String)] {
    guard let mark = target.firstIndex(of: "?") else { return [] }
    return target[mark...].dropFirst().split(separator: "&").map { pair in
      let equals = pair.firstIndex(of: "=") ?? pair.endIndex
      return (String(pair[..<equals]), String(pair[equals...].dropFirst()))
    }
  }

  /// The characteristic IDs of a request, from its query or its body.
  package var ids: [AttributeID] {
    if let text = query.first(where: { $0.name == "id" })?.value {
      return text.split(separator: ",").compactMap { id in
        let parts = id.split(separator: ".").map { UInt64($0) }
        guard parts.count == 2, let aid = parts[0], let iid = parts[1] else { return nil }
        return AttributeID(aid: aid, iid: iid)
      }
    }
    return entries.compactMap(\.attributeID)
  }

  package var json: JSONNode? { body.isEmpty ? nil : try? JSONNode.parse(body) }
  package var tlv: TLV? { try? TLV(decoding: body) }
  package var entries: [JSONNode] { json?["characteristics"]?.elements ?? [] }
  package var headText: String { ([start] + fields.map { "\($0.name): \($0.value)" }).joined(separator: "\r\n") }

  package subscript(_ name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  // MARK: Changing

  /// - Parameter value: nil: removes the field.
  package mutating func set(_ name: String, _ value: String?) {
    let index = fields.firstIndex { $0.name.lowercased() == name.lowercased() }
    guard let value else {
      fields.removeAll { $0.name.lowercased() == name.lowercased() }
      return
    }
    if let index { fields[index] = HTTPField(name, value) } else { fields.append(HTTPField(name, value)) }
  }

  package mutating func setStatus(_ status: Int) {
    var buffer = ByteBuffer()
    HTTPWriter.head(status: status, into: &buffer)
    let line = String(decoding: buffer.bytes.prefix { $0 != 13 }, as: UTF8.self)
    start = isEvent ? "EVENT/1.0" + line.drop { $0 != " " } : line
  }

  /// Replaces the body and sets `Content-Length`.
  package mutating func replaceBody(_ new: [UInt8]) {
    body = new
    set("Content-Length", new.isEmpty && status == 204 ? nil : String(new.count))
  }

  /// Pads a message that has a `Content-Length` to `count` bytes, with blanks after its body. A longer message stays
  /// unchanged.
  package mutating func pad(to count: Int) {
    guard let length = self["Content-Length"], bytes.count < count else { return }
    let rest = count - (bytes.count - body.count - length.utf8.count)
    // The digits of the length are bytes as well, so there may be no matching number.
    let width = (1...20).first { String(rest - $0).utf8.count == $0 }
    let padded = rest - (width ?? String(rest).utf8.count)
    guard padded >= body.count else { return }
    body += Array(repeating: UInt8(ascii: " "), count: padded - body.count)
    set("Content-Length", (width == nil ? " " : "") + String(padded))
  }

  package var bytes: [UInt8] { Array((headText + "\r\n\r\n").utf8) + body }

  /// The message with its body in two chunks.
  package var chunkedBytes: [UInt8] {
    var message = self
    message.set("Content-Length", nil)
    message.set("Transfer-Encoding", "chunked")
    var bytes = Array((message.headText + "\r\n\r\n").utf8)
    for part in [body.prefix(body.count / 2), body.dropFirst(body.count / 2)] where !part.isEmpty {
      bytes += Array("\(String(part.count, radix: 16))\r\n".utf8) + part + [13, 10]
    }
    return bytes + Array("0\r\n\r\n".utf8)
  }
}

extension JSONNode {
  /// `aid` and `iid` of an entry.
  package var attributeID: AttributeID? {
    guard let aid = self["aid"]?.integerValue.flatMap({ UInt64(exactly: $0) }),
      let iid = self["iid"]?.integerValue.flatMap({ UInt64(exactly: $0) })
    else { return nil }
    return AttributeID(aid: aid, iid: iid)
  }
}
