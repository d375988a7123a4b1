import HAPModel
import HAPWire

/// A prepared timed write: good for one request of the session that prepared it, until it expires. HAP R2 §6.7.2.4.
struct TimedWrite {
  /// Most that a session keeps where a later one does not replace the earlier ones: the oldest go.
  static let limit = 16

  var pid: UInt64
  var expires: Duration
}

extension AccessoryCore {
  /// `PUT /prepare` with `{"ttl":milliseconds,"pid":number}`. A later one replaces an earlier one.
  func receivePrepare(_ body: UnsafeRawBufferPointer, on connection: ConnectionCore, at now: Duration) {
    let request: TimedWritePreparation
    do {
      request = try TimedWritePreparation(body)
    } catch {
      refuse(
        connection, request: "PUT /prepare",
        reason: "the body needs ttl, 1…2^53-1 milliseconds, and pid, a number of 64 bits")
      let isObject = error is TimedWritePreparation.Malformed
      return answer(isObject ? conduct.malformedPrepare : conduct.malformedPrepareBody, on: connection)
    }
    if conduct.laterPrepareReplaces { connection.timedWrites.removeAll() }
    connection.timedWrites.removeAll { $0.pid == request.pid || $0.expires < now }
    if connection.timedWrites.count == TimedWrite.limit { connection.timedWrites.removeFirst() }
    connection.timedWrites.append(TimedWrite(pid: request.pid, expires: now + .milliseconds(request.ttl)))
    connection.answer(.ok, .success)
  }

  /// Whether a request that carries `pid` may go on. The prepared write is spent by it, right or wrong.
  func spendTimedWrite(_ pid: UInt64, on connection: ConnectionCore, at now: Duration) -> Bool {
    func isPrepared(_ connection: ConnectionCore) -> Bool {
      connection.timedWrites.contains { $0.pid == pid && now <= $0.expires }
    }
    let holder: ConnectionCore =
      switch conduct.timedWriteScope {
      case .session: connection
      case .accessory: sessions.first(where: isPrepared) ?? connection
      }
    let isGood = isPrepared(holder)
    if isGood || conduct.wrongPIDSpends { holder.timedWrites.removeAll { $0.pid == pid || conduct.wrongPIDSpends } }
    return isGood
  }
}

/// The body of `PUT /prepare`.
private struct TimedWritePreparation {
  var ttl: Int64
  var pid: UInt64

  /// The body is an object with something wrong in it.
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
