import HAPAttributes
import HAPModel
import HAPWire

/// A read that waits for the device.
enum PendingRead {
  /// `GET /characteristics`, with its query.
  case characteristics(query: [UInt8])
  /// `GET /accessories`
  case database
}

/// HAP over IP as a front end of the attribute server.
extension AccessoryCore: AttributeFrontEnd {
  private func connection(of session: AttributeSession) -> ConnectionCore {
    unsafeDowncast(session.connection, to: ConnectionCore.self)
  }

  package func isAdmin(_ session: AttributeSession) -> Bool {
    pairingServer.isAdmin(session.controller)
  }

  /// Sends one EVENT with all pending changes, unless a response is pending: an event never comes inside a response
  /// or before a pending one.
  package func sendEvents(of session: AttributeSession, at now: Duration) {
    let connection = connection(of: session)
    guard !connection.isWaiting, connection.phase == .open, session.hasEvents else { return }
    connection.sendEvent { buffer in
      buffer.append("{\"characteristics\":[")
      var isFirst = true
      for entry in session.waitingEvents {
        if !isFirst { buffer.append(",") }
        isFirst = false
        rendering.writeIDs(attributes.database.id(ofSlot: entry.slot), to: &buffer)
        rendering.writeValue(entry.value ?? attributes.database.characteristics[entry.slot].value, to: &buffer)
        buffer.append("}")
      }
      buffer.append("]}")
    }
    attributes.reportEvents(of: session)
    session.didSendEvents(at: now)
  }

  package func finish(_ request: AnsweredRequest, of session: AttributeSession, at now: Duration) {
    let connection = connection(of: session)
    connection.isWaiting = false
    guard connection.phase == .open else { return }
    switch request {
    case .read(let failures):
      switch connection.pendingRead.take() {
      case .database?: answerAccessoriesRead(failures: failures, by: session, on: connection)
      case .characteristics(let query)?:
        query.withUnsafeBytes { query in
          let read = try? ReadQuery(
            query, limit: Self.readLimit, flags: quirks.queryFlags, refusesUnknownKeys: quirks.refusesUnknownQueryKeys)
          guard let read else {
            preconditionFailure("the query must be valid")
          }
          answerRead(read, query, failures: failures, by: session, on: connection)
        }
      case nil: preconditionFailure("the device was asked without a request")
      }
    case .write(let writes): answerExecuted(writes, on: connection)
    }
    work(off: connection, at: now)
  }

  package func reportRefusal(of id: AttributeID, _ status: HAPStatus, reason: String, in session: AttributeSession) {
    refuse(connection(of: session), request: "PUT /characteristics \(id)", reason: "\(status.rawValue): \(reason)")
  }

  package func reportMissing(_ id: AttributeID, in session: AttributeSession) {
    refuse(connection(of: session), request: "PUT /characteristics", reason: "there is no \(id)")
  }

  /// Replaces the database. `c#` is raised, as HAP R2 §6.6.1 requires, and advertised. Connections stay open.
  ///
  /// - Parameters:
  ///   - new: see `AttributeServer.replace`.
  ///   - model: the model of aid 1, which is advertised as `md`.
  ///   - configurationNumber: 1...65535; must already be durable.
  ///   - live: characteristics whose values are requested from the device.
  package func replace(
    _ new: AttributeDatabase, model: String, configurationNumber: UInt16, live: some Sequence<AttributeID>,
    at now: Duration
  ) {
    attributes.replace(new, live: live, at: now)
    databaseWasReplaced(model: model, configurationNumber: configurationNumber)
    attributes.sendDueEvents(at: now)
  }

  /// Renders a replaced database from now on, and advertises the changes.
  /// - Parameters:
  ///   - model: the model of aid 1, which is advertised as `md`.
  ///   - configurationNumber: 1...65535; must already be durable.
  package func databaseWasReplaced(model: String, configurationNumber: UInt16) {
    rendering = AttributeRendering(attributes.database, quirks: quirks)
    if advertised.model != model || advertised.configurationNumber != configurationNumber {
      advertised.model = model
      advertised.configurationNumber = configurationNumber
      advertise(after: nil)
    }
  }
}
