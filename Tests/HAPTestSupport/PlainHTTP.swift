import Foundation

/// A message from the accessory, as received by a controller.
package struct AccessoryMessage: @unchecked Sendable {
  /// `HTTP/1.1 200 OK` or `EVENT/1.0 200 OK`, without the line's end.
  package var startLine: String
  /// Fields in order; names as sent.
  package var fields: [(name: String, value: String)]
  package var body: [UInt8]

  package init(startLine: String, fields: [(name: String, value: String)], body: [UInt8]) {
    (self.startLine, self.fields, self.body) = (startLine, fields, body)
  }

  package var isEvent: Bool { startLine.hasPrefix("EVENT/") }
  package var status: Int { startLine.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? -1 }
  package var text: String { String(decoding: body, as: UTF8.self) }
  package func field(_ name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
  package var type: String? { field("content-type") }
  package var tlv: PlainTLV? { PlainTLV(decoding: body) }

  /// The body as JSON, or `nil`.
  package var json: [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
  }
  /// The members of `characteristics` in order.
  package var entries: [[String: Any]] { json?["characteristics"] as? [[String: Any]] ?? [] }
  /// `aid.iid` and `status` of each entry; `nil` for an entry without a status.
  package var statuses: [String: Int?] {
    Dictionary(
      entries.map { ("\(number($0["aid"])).\(number($0["iid"]))", ($0["status"] as? NSNumber)?.intValue) },
      uniquingKeysWith: { $1 })
  }
  /// The entry of one characteristic.
  package func entry(_ id: String) -> [String: Any]? {
    entries.first { "\(number($0["aid"])).\(number($0["iid"]))" == id }
  }
}

private func number(_ value: Any?) -> UInt64 { (value as? NSNumber)?.uint64Value ?? 0 }

extension Dictionary<String, Any> {
  /// A member as an integer; true and false are 1 and 0.
  package func int(_ name: String) -> Int? { (self[name] as? NSNumber)?.intValue }
  package func isNull(_ name: String) -> Bool { self[name] is NSNull }
}

/// Removes complete messages from the front of `bytes`. Incomplete and unreadable bytes stay.
package func takeMessages(_ bytes: inout [UInt8]) -> [AccessoryMessage] {
  var messages: [AccessoryMessage] = []
  while let end = firstIndex(of: [13, 10, 13, 10], in: bytes) {
    let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
    var fields: [(name: String, value: String)] = []
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      fields.append((String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)))
    }
    if fields.contains(where: { $0.name.lowercased() == "transfer-encoding" && $0.value == "chunked" }) {
      guard let (body, next) = chunkedBody(in: bytes, from: end + 4) else { break }
      messages.append(AccessoryMessage(startLine: lines[0], fields: fields, body: body))
      bytes.removeFirst(next)
      continue
    }
    let length = fields.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
    guard bytes.count >= end + 4 + length else { break }
    let body = Array(bytes[(end + 4)..<(end + 4 + length)])
    messages.append(AccessoryMessage(startLine: lines[0], fields: fields, body: body))
    bytes.removeFirst(end + 4 + length)
  }
  return messages
}

/// The joined chunks and their end; `nil` if they are incomplete or malformed.
private func chunkedBody(in bytes: [UInt8], from start: Int) -> (body: [UInt8], next: Int)? {
  var body: [UInt8] = []
  var place = start
  while let lineEnd = bytes[place...].firstIndex(of: 13), lineEnd + 1 < bytes.count,
    let size = Int(String(decoding: bytes[place..<lineEnd], as: UTF8.self), radix: 16)
  {
    place = lineEnd + 2
    guard place + size + 2 <= bytes.count else { return nil }
    if size == 0 { return (body, place + 2) }
    body += bytes[place..<place + size]
    place += size + 2
  }
  return nil
}

private func firstIndex(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
  guard bytes.count >= pattern.count else { return nil }
  return (0...(bytes.count - pattern.count)).first { Array(bytes[$0..<($0 + pattern.count)]) == pattern }
}
