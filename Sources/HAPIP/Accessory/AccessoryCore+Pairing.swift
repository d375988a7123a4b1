import HAPAttributes
import HAPCrypto
import HAPModel
import HAPPairing
import HAPWire

/// HAP over IP as a front end of the pairing server.
extension AccessoryCore: PairingFrontEnd {
  /// Handles `POST /pair-setup`. HAP R2 §5.6.
  /// - Parameter body: nil: the request had no body.
  func receivePairSetup(_ body: UnsafeRawBufferPointer?, on connection: ConnectionCore, at now: Duration) {
    pairingServer.receivePairSetup(body.flatMap { try? TLV(decoding: $0) }, on: connection, at: now)
  }

  /// Handles `POST /pair-verify`. HAP R2 §5.7.
  /// - Parameter body: nil: the request had no body.
  func receivePairVerify(_ body: UnsafeRawBufferPointer?, on connection: ConnectionCore) {
    pairingServer.receivePairVerify(body.flatMap { try? TLV(decoding: $0) }, on: connection)
  }

  /// Handles `POST /pairings` from a verified controller.
  func receivePairings(_ body: UnsafeRawBufferPointer, on connection: ConnectionCore) {
    pairingServer.receivePairings(try? TLV(decoding: body), on: connection)
  }

  private func core(of connection: any PairingConnection) -> ConnectionCore {
    unsafeDowncast(connection, to: ConnectionCore.self)
  }

  package func answer(_ answer: PairingAnswer, on connection: any PairingConnection) {
    let connection = core(of: connection)
    switch answer {
    case .reply(let reply): connection.answer(reply)
    case .badRequest(nil): connection.answer(.badRequest)
    case .badRequest(let reply?): connection.answer(reply, .badRequest)
    case .failure(nil): connection.answer(.internalError)
    case .failure(let reply?): connection.answer(reply, .internalError)
    case .failureStatus(let status): connection.answer(.internalError, status)
    }
  }

  /// Secures the connection from now on. Earlier responses were sent in plain text.
  package func secure(_ connection: any PairingConnection, _ keys: SessionKeys, controller: [UInt8]?) {
    let connection = core(of: connection)
    let session = AttributeSession(controller: controller, connection: connection, frontEnd: self)
    session.holdsEvents = connection.isWaiting
    connection.session = SecureSession(keys, session, quirks: quirks)
    attributes.open(session)
    slots.verified(connection)
    tap?.secured(connection)
  }

  package func close(_ connection: any PairingConnection) { close(core(of: connection), with: nil) }

  package func proceed(with connection: any PairingConnection, at now: Duration) {
    work(off: core(of: connection), at: now)
  }

  package func pairedStateChanged(after connection: (any PairingConnection)?) { advertise(after: connection?.id) }

  package func reportRefusal(of operation: PairingOperation?, reason: String, on connection: any PairingConnection) {
    let request =
      switch operation {
      case .pairSetup?: "POST /pair-setup"
      case .pairVerify?: "POST /pair-verify"
      case .pairings?: "POST /pairings"
      case nil: ""
      }
    refuse(core(of: connection), request: request, reason: reason)
  }
}

extension ConnectionCore: PairingConnection {
  package var isOpen: Bool { phase == .open }
}

extension AccessoryCore {
  package var identity: AccessoryIdentity { pairingServer.identity }
  package var pairings: [Pairing] { pairingServer.pairings }
  package var failedAttempts: Int { pairingServer.failedAttempts }
  package var isPaired: Bool { pairingServer.isPaired }
}
