import HAPSuite
import HAPWire

/// An answer as patterns and paths access it.
package struct AnswerView {
  package let arrival: Arrival
  /// Time from the request to the arrival.
  let took: Duration

  package init(arrival: Arrival, took: Duration) {
    self.arrival = arrival
    self.took = took
  }

  var message: WireMessage? { if case .message(let message) = arrival { message } else { nil } }

  /// Returns the value at a path: `status`, `json.accessories[0].aid`, `tlv.salt`, `headers.content-type`, `time`…
  package func value(_ path: String) -> JSONNode? {
    let first = String(path.prefix { $0 != "." && $0 != "[" })
    let rest = String(path.dropFirst(first.count))
    switch first {
    case "time": return .number((took / .milliseconds(1) * 100).rounded() / 100)
    case "at":
      guard let message else { return nil }
      return .number((message.time / .milliseconds(1) * 100).rounded() / 100)
    case "closed":
      if case .closed = arrival { return JSONNode(.bool(true)) }
      return JSONNode(.bool(false))
    case "silent":
      if case .silence = arrival { return JSONNode(.bool(true)) }
      return JSONNode(.bool(false))
    default: break
    }
    guard let message else { return nil }
    switch first {
    case "status": return .integer(message.status)
    case "version": return .text(message.version)
    case "reason": return .text(message.reason)
    case "type": return message.type.map { .text($0) }
    case "chunked": return JSONNode(.bool(message.isChunked))
    case "sealed": return JSONNode(.bool(message.isSealed))
    case "body": return .text(Hexadecimal.text(message.body))
    case "text": return .text(String(decoding: message.body, as: UTF8.self))
    case "size": return .integer(message.body.count)
    case "frames": return JSONNode.list(message.frames.map { .integer($0.count) }).at(rest)
    case "headers": return headers.at(rest)
    case "json": return json?.at(rest)
    case "tlv": return tlv?.at(rest)
    default: return nil
    }
  }

  /// Header fields by lower-case name; the values of a repeated field are joined by commas.
  var headers: JSONNode {
    var members: [(name: String, value: JSONNode)] = []
    for field in message?.fields ?? [] {
      if let index = members.firstIndex(where: { $0.name == field.name }) {
        members[index].value = .text((members[index].value.stringValue ?? "") + ", " + field.value)
      } else {
        members.append((field.name, .text(field.value)))
      }
    }
    return .object(members)
  }

  package var json: JSONNode? { message.flatMap { try? JSONNode.parse($0.body) } }

  /// Items by name. For lists, `list` has the groups between separators.
  var tlv: JSONNode? {
    guard let message, let tlv = try? TLV(decoding: message.body) else { return nil }
    return Self.variable(tlv)
  }

  static func variable(_ message: TLV) -> JSONNode {
    var members: [(name: String, value: JSONNode)] = []
    var groups: [[(name: String, value: JSONNode)]] = [[]]
    var order: [JSONNode] = []
    for item in message.items {
      let name = Vocabulary.itemTypes.first { $0.type == item.type }?.name ?? "0x\(String(item.type, radix: 16))"
      order.append(.text(name))
      if item.type == TLVType.separator {
        groups.append([])
      } else if item.type != TLVType.state {
        groups[groups.count - 1].append((name, value(item)))
      }
      if !members.contains(where: { $0.name == name }) { members.append((name, value(item))) }
    }
    let list = groups.filter { !$0.isEmpty }.map { group in
      var unique: [(name: String, value: JSONNode)] = []
      for entry in group where !unique.contains(where: { $0.name == entry.name }) { unique.append(entry) }
      return JSONNode.object(unique)
    }
    members.append(("list", .list(list)))
    members.append(("order", .list(order)))
    return .object(members)
  }

  private static func value(_ item: TLV.Item) -> JSONNode {
    switch item.type {
    case TLVType.error:
      if item.value.count == 1, let known = Vocabulary.errorNames.first(where: { $0.value == item.value[0] }) {
        return .text(known.name)
      }
      return item.value.count == 1 ? .integer(item.value[0]) : .text(Hexadecimal.text(item.value))
    case TLVType.state, TLVType.method, TLVType.permissions:
      return item.value.count == 1 ? .integer(item.value[0]) : .text(Hexadecimal.text(item.value))
    case TLVType.retryDelay, TLVType.flags:
      return item.value.count <= 8
        ? .integer(item.value.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        : .text(Hexadecimal.text(item.value))
    case TLVType.identifier: return .text(String(decoding: item.value, as: UTF8.self))
    default: return .text(Hexadecimal.text(item.value))
    }
  }

  /// One line for reports: "HTTP/1.1 207 Multi-Status, {"characteristics":…}".
  package var summary: String {
    switch arrival {
    case .message(let message):
      if message.type == "application/pairing+tlv8" {
        return
          "\(message.title), \(Readable.tlv(message.body).split(separator: "\n").joined(separator: ", ").prefix(300))"
      }
      if message.body.isEmpty { return "\(message.title), no body" }
      let text = String(decoding: message.body.prefix(300), as: UTF8.self)
      return "\(message.title), \(text)\(message.body.count > 300 ? "…" : "")"
    case .garbage(let reason, let bytes, _):
      return "\(reason): \(Hexadecimal.text(bytes.prefix(40)))"
    case .closed(let reset, _): return reset ? "the connection was reset" : "the connection was closed"
    case .silence(let limit): return "no answer within \(limit.roundText)"
    }
  }
}
