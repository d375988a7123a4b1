import HAPAttributes
import HAPModel
import HAPWire

extension AccessoryCore {
  /// Handles `GET /accessories`. HAP R2 §6.6.4.
  func receiveAccessoriesRead(by session: AttributeSession, on connection: ConnectionCore, at now: Duration) {
    if attributes.hasLiveValues {
      let ids = attributes.liveIDs(by: session)
      if !ids.isEmpty { return ask(for: ids, .database, on: connection, session, at: now) }
    }
    answerAccessoriesRead(failures: [:], by: session, on: connection)
  }

  /// - Parameter failures: values that the device could not read; they are listed as null.
  func answerAccessoriesRead(
    failures: [AttributeID: HAPStatus], by session: AttributeSession, on connection: ConnectionCore
  ) {
    let hidesAdminOnly = !isAdmin(session)
    connection.answer(.ok, .hapJSON, chunks: quirks.chunked == .accessories) { buffer in
      rendering.writeDatabase(
        attributes.database, hidesAdminOnly: hidesAdminOnly, failures: failures, to: &buffer)
    }
  }

  /// The attribute database as `GET /accessories` returns it to an admin.
  package var databaseText: [UInt8] {
    var buffer = ByteBuffer()
    rendering.writeDatabase(attributes.database, hidesAdminOnly: false, failures: [:], to: &buffer)
    return buffer.bytes
  }

  /// Returns a value in the form of responses.
  package func text(of value: Value) -> [UInt8] {
    var buffer = ByteBuffer()
    rendering.writeBareValue(value, to: &buffer)
    return buffer.bytes
  }

  /// Handles `GET /characteristics?id=1.9,…`. HAP R2 §6.7.4.
  ///
  /// The status is 200 if every characteristic could be read; otherwise it is 207, and every entry has a `status`.
  func receiveRead(
    _ query: UnsafeRawBufferPointer?, by session: AttributeSession, on connection: ConnectionCore, at now: Duration
  ) {
    guard let query else {
      refuse(connection, request: "GET /characteristics", reason: "no query")
      return answer(quirks.malformedQuery, on: connection)
    }
    let request: ReadQuery
    do throws(ReadQuery.Mistake) {
      request = try ReadQuery(
        query, limit: Self.readLimit, flags: quirks.queryFlags, refusesUnknownKeys: quirks.refusesUnknownQueryKeys)
    } catch {
      refuse(connection, request: "GET /characteristics?" + String(decoding: query, as: UTF8.self), reason: "\(error)")
      return answer(quirks.malformedQuery, on: connection)
    }
    if quirks.refusesDuplicateIDs, request.hasDuplicates {
      refuse(connection, request: "GET /characteristics", reason: "an id occurs twice")
      return connection.answer(.unprocessable, .invalidValue)
    }
    guard request.count > 0 else { return answer(quirks.emptyRead, on: connection) }
    if attributes.hasLiveValues {
      var ids: [AttributeID] = []
      request.forEachID { if attributes.isLive($0, for: session), !ids.contains($0) { ids.append($0) } }
      if !ids.isEmpty {
        return ask(for: ids, .characteristics(query: [UInt8](query)), on: connection, session, at: now)
      }
    }
    answerRead(request, query, failures: [:], by: session, on: connection)
  }

  /// - Parameter failures: values that the device could not read.
  func answerRead(
    _ request: ReadQuery, _ query: UnsafeRawBufferPointer, failures: [AttributeID: HAPStatus],
    by session: AttributeSession, on connection: ConnectionCore
  ) {
    var allReadable = true
    connection.answer(.hapJSON) { buffer in
      let start = buffer.readableCount
      allReadable = writeReads(request, failures, withStatus: false, by: session, to: &buffer)
      if allReadable { return .ok }
      // Nearly all reads succeed completely, so this isn't checked first. If one fails, the body is written again
      // with a status in every entry.
      buffer.removeLast(buffer.readableCount - start)
      _ = writeReads(request, failures, withStatus: true, by: session, to: &buffer)
      return .multiStatus
    }
    if !allReadable {
      refuse(
        connection, request: "GET /characteristics?" + String(decoding: query, as: UTF8.self),
        reason: reasons(of: request, for: session, failures))
    }
  }

  /// Writes the body of the answer to a read.
  /// - Returns: whether all characteristics could be read. If not, the body is unusable without `withStatus`.
  private func writeReads(
    _ request: ReadQuery, _ failures: [AttributeID: HAPStatus], withStatus: Bool, by session: AttributeSession,
    to buffer: inout ByteBuffer
  ) -> Bool {
    buffer.append("{\"characteristics\":[")
    var isFirst = true
    var allReadable = true
    request.forEachID { id in
      if isPassedOver(id) || !(allReadable || withStatus) { return }
      if !isFirst { buffer.append(",") }
      isFirst = false
      allReadable =
        writeRead(of: id, request.extras, failures, withStatus: withStatus, by: session, to: &buffer) && allReadable
    }
    buffer.append("]}")
    return allReadable
  }

  /// Whether an ID is skipped: with some quirks, a bridge skips accessories that it doesn't have.
  private func isPassedOver(_ id: AttributeID) -> Bool {
    quirks.skipsUnknownAccessories && attributes.database.accessoryEntries.count > 1
      && !attributes.database.hasAccessory(id.aid)
  }

  /// The maximum number of IDs in one request. A request head of legal size has room for fewer, whatever the IDs are.
  static let readLimit = 4096

  private func ask(
    for ids: [AttributeID], _ read: PendingRead, on connection: ConnectionCore, _ session: AttributeSession,
    at now: Duration
  ) {
    connection.pendingRead = read
    connection.isWaiting = true
    attributes.askDevice(for: ids, of: session, at: now)
  }

  /// - Returns: whether it could be read.
  private func writeRead(
    of id: AttributeID, _ extras: ReadQuery.Extras, _ failures: [AttributeID: HAPStatus], withStatus: Bool,
    by session: AttributeSession, to buffer: inout ByteBuffer
  ) -> Bool {
    defer { buffer.append("}") }
    switch attributes.readable(id, by: session, failures) {
    case .slot(let slot):
      rendering.writeIDs(id, to: &buffer)
      if withStatus { buffer.append(",\"status\":0") }
      rendering.writeExtras(extras, ofSlot: slot, isSubscribed: session.isSubscribed(toSlot: slot), to: &buffer)
      rendering.writeValue(attributes.listedValue(ofSlot: slot), to: &buffer)
      return true
    case .failure(let status, let slot):
      writeEntry(id, status, to: &buffer)
      if let slot {
        rendering.writeExtras(extras, ofSlot: slot, isSubscribed: session.isSubscribed(toSlot: slot), to: &buffer)
      }
      return false
    }
  }

  /// Writes `{"aid":1,"iid":9,"status":-70409` without the closing brace.
  func writeEntry(_ id: AttributeID, _ status: HAPStatus, to buffer: inout ByteBuffer) {
    buffer.append("{\"aid\":")
    buffer.appendDecimal(id.aid)
    buffer.append(",\"iid\":")
    buffer.appendDecimal(id.iid)
    buffer.append(",\"status\":")
    buffer.appendDecimal(Int64(status.rawValue))
  }

  private func reasons(
    of request: ReadQuery, for session: AttributeSession, _ failures: [AttributeID: HAPStatus]
  ) -> String {
    var words: [String] = []
    request.forEachID { id in
      if case .failure(let status, _) = attributes.readable(id, by: session, failures), words.count < 8 {
        words.append("\(id): \(status.rawValue) \(status)")
      }
    }
    return words.joined(separator: ", ")
  }
}
