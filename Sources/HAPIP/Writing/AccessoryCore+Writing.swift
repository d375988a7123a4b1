import HAPAttributes
import HAPModel
import HAPWire

extension AccessoryCore {
  /// Handles `PUT /characteristics`. HAP R2 §6.7.2.
  ///
  /// The status is 204 if every write succeeded and no value is to be returned; otherwise it is 207, with a status
  /// for every entry.
  func receiveWrite(
    _ body: UnsafeRawBufferPointer, by session: AttributeSession, on connection: ConnectionCore, at now: Duration
  ) {
    do throws(WriteRequest.Mistake) {
      try writeRequest.read(body, quirks: quirks)
    } catch {
      refuse(
        connection, request: "PUT /characteristics", reason: "\(error.message), at byte \(error.offset) of the body")
      return answer(writeRequest.isWithoutEntries ? quirks.emptyWrite : quirks.malformedBody, on: connection)
    }
    if quirks.refusesDuplicateIDs, writeRequest.hasDuplicates {
      refuse(connection, request: "PUT /characteristics", reason: "an id occurs twice")
      return connection.answer(.unprocessable, .invalidValue)
    }
    var isTimed = false
    if let pid = writeRequest.pid {
      isTimed = attributes.spendTimedWrite(pid, in: session, at: now)
      if !isTimed {
        refuse(connection, request: "PUT /characteristics", reason: "the pid was not prepared, was used or has expired")
        guard quirks.executesUnpreparedWrites else {
          writeRequest.transaction.refuse(.invalidValue)
          return answerWrite(writeRequest.transaction, on: connection)
        }
      }
    }
    guard !writeRequest.transaction.writes.isEmpty else { return connection.answer(.noContent) }
    switch attributes.write(&writeRequest.transaction, isTimed: isTimed, by: session, at: now) {
    case .done: answerExecuted(writeRequest.transaction, on: connection)
    case .waiting: connection.isWaiting = true
    case .ended: answer(quirks.malformedBody, on: connection)
    }
  }

  /// Answers after every write has its status.
  func answerExecuted(_ writes: WriteTransaction, on connection: ConnectionCore) {
    for index in writes.writes.indices
    where writes.statuses[index] != .success
      || (writes.writes[index].wantsResponse && attributes.isAnsweredWithValue(writes.writes[index]))
    {
      return answerWrite(writes, on: connection)
    }
    connection.answer(.noContent)
  }

  private func answerWrite(_ writes: WriteTransaction, on connection: ConnectionCore) {
    let statuses = writes.statuses
    let isRefused = quirks.partialWrite == .badRequest && statuses.contains { $0 != .success }
    let (entries, responses) = (writes.writes, writes.responses)
    connection.answer(isRefused ? .badRequest : .multiStatus, .hapJSON) { buffer in
      buffer.append("{\"characteristics\":[")
      var isFirst = true
      for (index, entry) in entries.enumerated() {
        let isAnsweredWithValue = attributes.isAnsweredWithValue(entry)
        if quirks.partialWrite == .failures, statuses[index] == .success, !isAnsweredWithValue { continue }
        if !isFirst { buffer.append(",") }
        isFirst = false
        writeEntry(entry.id, statuses[index], to: &buffer)
        if isAnsweredWithValue, statuses[index] == .success, let slot = attributes.database.slot(of: entry.id) {
          rendering.writeValue(responses[index] ?? attributes.listedValue(ofSlot: slot), to: &buffer)
        }
        buffer.append("}")
      }
      buffer.append("]}")
    }
  }
}
