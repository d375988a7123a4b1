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

/// HAP over IP as a front end of the attributes.
extension AccessoryCore: AttributeFrontEnd {
  private func connection(of session: AttributeSession) -> ConnectionCore {
    unsafeDowncast(session.connection, to: ConnectionCore.self)
  }

  package func isAdmin(_ session: AttributeSession) -> Bool {
    pairingServer.isAdmin(session.controller)
  }

  /// One EVENT with all that waits, unless an answer is still owed: an event is never inside an answer or before one that is under way.
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
            preconditionFailure("the query was read before")
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

  /// Serves another database from now on. HAP R2 §6.6.1 wants `c#` raised, and it is advertised. Connections stay.
  ///
  /// - Parameters:
  ///   - new: as `AttributeServer.replace` has it.
  ///   - model: the model of aid 1, which is advertised as `md`.
  ///   - configurationNumber: 1...65535, durable already.
  ///   - live: characteristics whose values the device is asked for.
  package func replace(
    _ new: AttributeDatabase, model: String, configurationNumber: UInt16, live: some Sequence<AttributeID>,
    at now: Duration
  ) {
    attributes.replace(new, live: live, at: now)
    databaseWasReplaced(model: model, configurationNumber: configurationNumber)
    attributes.sendDueEvents(at: now)
  }

  /// The attributes serve another database. Renders it from now on, and advertises what is new.
  /// - Parameters:
  ///   - model: of aid 1, which is advertised as `md`.
  ///   - configurationNumber: 1...65535, durable already.
  package func databaseWasReplaced(model: String, configurationNumber: UInt16) {
    rendering = AttributeRendering(attributes.database, quirks: quirks)
    if advertised.model != model || advertised.configurationNumber != configurationNumber {
      advertised.model = model
      advertised.configurationNumber = configurationNumber
      advertise(after: nil)
    }
  }
}
