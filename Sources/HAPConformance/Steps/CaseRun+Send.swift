import HAPExpectation
import HAPReport
import HAPSuite
import HAPWire

extension CaseRun {
  func send(_ send: SendAction) async throws {
    let name = send.on
    let connection = try await connection(name)
    guard case .messages(let messages) = send.content else {
      connection.write(held.removeValue(forKey: name) ?? [])
      connection.noteSent(.note, "the rest", .text(""), bytes: [], frames: [])
      return
    }
    for turn in 0..<send.times {
      // Yield to the loop, so that bytes are sent and the case's time limit applies.
      if turn > 0 { await Task.yield() }
      if Task.isCancelled { throw CaseInterrupted() }
      guard connection.queuedByteCount <= SendAction.limit else {
        throw CaseFailure(
          "\(connection.queuedByteCount) bytes are still unsent", sent: lastRequest[name],
          accepted: ["the accessory reads its input"], got: "it reads nothing", isSilence: true)
      }
      var wire: [UInt8] = []
      for message in messages { wire += try await wireBytes(message, on: connection, name) }
      try await deliver(wire, send.delivery, on: connection, name)
      if let variable = send.save { scope[variable] = .text(Hexadecimal.text(wire)) }
    }
    if send.finishes { connection.close(.half) }
  }

  /// Returns a message's bytes on the wire: encrypted in a session, unless it bypasses the session.
  private func wireBytes(_ sent: SentMessage, on connection: WireConnection, _ name: String) async throws -> [UInt8] {
    let message = try await outgoing(sent)
    var frames: [TranscriptEntry.Frame] = []
    var bytes = message.bytes
    if sent.isAhead, !connection.isSecured {
      guard let keys = verifies[sent.procedure]?.sessionKeys else {
        throw StepProblem("no M2 of Pair Verify was expected yet, so there are no keys")
      }
      (bytes, frames) = connection.sealedAhead(message.bytes, keys)
    } else if !message.isRaw, !sent.isPlain, connection.isSecured || sent.keysOf != nil {
      let sizes = sent.split?.parts(of: message.bytes.count) ?? []
      if sent.fault.fills, let length = sent.fault.length, (sizes.count + 1) * length > SendAction.limit {
        throw StepProblem("the frames have more than \(SendAction.limit) bytes: a suite may send no more")
      }
      let other = try sent.keysOf.map { name throws(StepProblem) in try existing(name) }
      (bytes, frames) = connection.prepared(
        message.bytes, sizes: sizes, fault: sent.fault, keysOf: other)
    }
    lastRequest[name] = message.title
    used.send(sent.uses, on: name, isSecured: connection.isSecured)
    device.lastSent = (message.title, bytes)
    connection.noteSent(message.kind, message.title, message.content, bytes: message.bytes, frames: frames)
    return bytes
  }

  /// Writes bytes at once or in pieces, or writes only the beginning.
  private func deliver(
    _ wire: [UInt8], _ delivery: Delivery, on connection: WireConnection, _ name: String
  ) async throws {
    var wire = wire
    if let until = delivery.until {
      let count = until < 0 ? max(0, wire.count + until) : min(wire.count, until)
      held[name] = Array(wire[count...])
      wire = Array(wire[..<count])
    }
    guard let pieces = delivery.pieces else { return connection.write(wire) }
    var rest = wire[...]
    for size in pieces.parts(of: wire.count) {
      guard !rest.isEmpty else { break }
      connection.write(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
      // Without a pause, yield to the loop, so that pieces are sent one by one.
      if delivery.pause > .zero { try await pause(delivery.pause) } else { await Task.yield() }
      if connection.isClosed { return }
    }
    if !rest.isEmpty { connection.write(Array(rest)) }
  }
}
