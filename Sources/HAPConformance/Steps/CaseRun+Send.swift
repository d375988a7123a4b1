import HAPExpectation
import HAPReport
import HAPSuite
import HAPWire

extension CaseRun {
  func send(_ node: JSONNode) async throws {
    let name = name(of: node)
    let connection = try await connection(name)
    if node["rest"]?.boolValue == true {
      connection.write(held.removeValue(forKey: name) ?? [])
      connection.noteSent(.note, "the rest", .text(""), bytes: [], frames: [])
      return
    }
    let times = try node["repeat"].map { try ByteMaker.count($0) } ?? 1
    for _ in 0..<times {
      var wire = try await wireBytes(node, on: connection, name)
      for part in node["batch"]?.elements ?? [] { wire += try await wireBytes(part, on: connection, name) }
      try await deliver(wire, node, on: connection, name)
      if let variable = node["save-sent"]?.stringValue { scope[variable] = .text(Hexadecimal.text(wire)) }
    }
    if node["finish"]?.boolValue == true { connection.close(.half) }
  }

  /// A message as it goes out: sealed in a session, unless it is to go around it.
  private func wireBytes(_ node: JSONNode, on connection: WireConnection, _ name: String) async throws -> [UInt8] {
    let message = try await outgoing(node, on: name)
    var frames: [TranscriptEntry.Frame] = []
    var bytes = message.bytes
    if node["ahead"]?.boolValue == true, !connection.isSecured {
      guard let keys = verifies[node["procedure"]?.stringValue ?? name]?.sessionKeys else {
        throw StepError(node, "no M2 of Pair Verify was expected yet, so there are no keys")
      }
      (bytes, frames) = connection.sealedAhead(message.bytes, keys)
    } else if !message.isRaw, node["plain"]?.boolValue != true, connection.isSecured || node["frame"]?["keys-of"] != nil
    {
      let other = try node["frame"]?["keys-of"]?.stringValue.map { try existing($0, node) }
      (bytes, frames) = connection.prepared(
        message.bytes, sizes: try sizes(node["split"], of: message.bytes.count), fault: try fault(node["frame"]),
        keysOf: other)
    }
    lastRequest[name] = message.title
    used.send(Procedure.used(byRequest: node), on: name, isSecured: connection.isSecured)
    device.lastSent = (message.title, bytes)
    connection.noteSent(message.kind, message.title, message.content, bytes: message.bytes, frames: frames)
    return bytes
  }

  /// In one piece, in many, or only the beginning.
  private func deliver(_ wire: [UInt8], _ node: JSONNode, on connection: WireConnection, _ name: String) async throws {
    var wire = wire
    if let until = node["until"]?.integerValue {
      let count = until < 0 ? max(0, wire.count + Int(clamping: until)) : min(wire.count, Int(clamping: until))
      held[name] = Array(wire[count...])
      wire = Array(wire[..<count])
    }
    guard let pieces = node["pieces"] else { return connection.write(wire) }
    let pause = try duration(node["pause"], default: .zero)
    var rest = wire[...]
    for size in try sizes(pieces, of: wire.count) {
      guard !rest.isEmpty else { break }
      connection.write(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
      // Without a pause the loop still gets its turn, so that pieces leave one by one.
      if pause > .zero { try await self.pause(pause) } else { await Task.yield() }
      if connection.isClosed { return }
    }
    if !rest.isEmpty { connection.write(Array(rest)) }
  }

  /// One size for all, or some sizes; what is left is one more.
  private func sizes(_ node: JSONNode?, of count: Int) throws -> [Int] {
    guard let node else { return [] }
    if let elements = node.elements { return try elements.map { try ByteMaker.count($0) } }
    let size = try ByteMaker.count(node)
    guard size > 0 else { return [] }
    return [Int](repeating: size, count: (count + size - 1) / size)
  }

  private func fault(_ node: JSONNode?) throws -> FrameFault {
    var fault = FrameFault()
    guard let node else { return fault }
    if let part = node["flip"]?.stringValue { fault.flip = FrameFault.Part(rawValue: part) }
    fault.counterOffset = Int(clamping: node["counter"]?.integerValue ?? 0)
    fault.length = node["length"]?.integerValue.map { Int(clamping: $0) }
    fault.fills = node["fill"]?.boolValue ?? false
    return fault
  }
}
