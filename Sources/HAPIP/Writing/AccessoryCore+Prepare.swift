import HAPAttributes
import HAPModel
import HAPWire

extension AccessoryCore {
  /// Handles `PUT /prepare` with `{"ttl":milliseconds,"pid":number}`. A later request replaces an earlier one.
  func receivePrepare(
    _ body: UnsafeRawBufferPointer, by session: AttributeSession, on connection: ConnectionCore, at now: Duration
  ) {
    let request: TimedWritePreparation
    do {
      request = try TimedWritePreparation(body)
    } catch {
      refuse(
        connection, request: "PUT /prepare",
        reason: "the body needs ttl, 1…2^53-1 milliseconds, and pid, a 64-bit number")
      let isObject = error is TimedWritePreparation.Malformed
      return answer(isObject ? quirks.malformedPrepare : quirks.malformedPrepareBody, on: connection)
    }
    attributes.prepare(request.pid, for: .milliseconds(request.ttl), in: session, at: now)
    connection.answer(.ok, .success)
  }
}

/// The body of `PUT /prepare`.
private struct TimedWritePreparation {
  var ttl: Int64
  var pid: UInt64

  /// The body is an object with invalid contents.
  struct Malformed: Error {}

  struct NotAnObject: Error {}

  init(_ body: UnsafeRawBufferPointer) throws {
    var reader = JSONReader(body)
    var ttl: Int128?
    var pid: Int128?
    guard try reader.next() == .beginObject else { throw NotAnObject() }
    loop: while true {
      switch try reader.next() {
      case .key(let key):
        if reader.isEqual(key, to: "ttl") {
          guard ttl == nil, case .number(let number) = try reader.next() else { throw Malformed() }
          ttl = reader.integer(number)
        } else if reader.isEqual(key, to: "pid") {
          guard pid == nil, case .number(let number) = try reader.next() else { throw Malformed() }
          pid = reader.integer(number)
        } else {
          try reader.skipValue()
        }
      case .endObject: break loop
      default: throw Malformed()
      }
    }
    guard try reader.next() == .end, let ttl, let pid, (1...Int128(1) << 53 - 1).contains(ttl),
      let pid = UInt64(exactly: pid)
    else { throw Malformed() }
    self.ttl = Int64(ttl)
    self.pid = pid
  }
}
