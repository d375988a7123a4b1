import HAPCrypto
import HAPModel
import HAPWire

/// Converts between pairing messages and the bytes of one protocol. It owns connections, and answers on them.
package protocol PairingFrontEnd: AnyObject {
  /// Answers the current request. Called only for open connections.
  func answer(_ answer: PairingAnswer, on connection: any PairingConnection)
  /// Makes the connection a session with these keys, after the answers so far.
  /// - Parameter controller: the identifier of its pairing; nil: a transient session.
  func secure(_ connection: any PairingConnection, _ keys: SessionKeys, controller: [UInt8]?)
  /// Ends a connection after the answers so far. Idempotent.
  func close(_ connection: any PairingConnection)
  /// Continues after a ticket of the connection: handles its next requests, unless it is closed or still waits.
  func proceed(with connection: any PairingConnection, at now: Duration)
  /// Reports that the accessory is now paired, or no longer paired. Called on all front ends.
  /// - Parameter connection: a connection of this front end whose answers are sent before this is advertised. nil: there is none.
  func pairedStateChanged(after connection: (any PairingConnection)?)
  /// Reports a refused request, or the end of a session (nil). Called only if reports are enabled.
  func reportRefusal(of operation: PairingOperation?, reason: String, on connection: any PairingConnection)
}

/// A controller's connection over any protocol, as used by the pairing procedures.
package protocol PairingConnection: AnyObject {
  var id: ConnectionID { get }
  var pairing: PairingSession { get }
  /// Whether answers can be sent.
  var isOpen: Bool { get }
  /// Whether an answer is pending. Meanwhile the front end handles no other request of the connection.
  var isWaiting: Bool { get set }
}

/// The kind of a controller's request.
package enum PairingOperation: Sendable {
  case pairSetup, pairVerify, pairings
}

/// The answer to a pairing request, which a front end encodes.
package enum PairingAnswer: Equatable, Sendable {
  /// The reply of the procedure. Its errors are items of the reply.
  case reply(TLV)
  /// The request is malformed or out of order. nil: no reply.
  case badRequest(TLV?)
  /// The accessory has failed. nil: no reply.
  case failure(TLV?)
  /// The accessory has failed with this status.
  case failureStatus(HAPStatus)
}

/// The pairing procedures of one connection.
package final class PairingSession {
  /// The peer of a session.
  enum Peer: Equatable {
    case none
    /// A session of transient Pair Setup, which has no pairing.
    case transient
    /// The identifier of the controller's pairing.
    case controller([UInt8])
  }

  var setup: PairSetupServer
  var verify: PairVerifyServer
  /// The time of the last Pair Setup message.
  var setupHeard = Duration.zero
  /// The time of the last Pair Setup M1.
  var setupStarted = Duration.zero
  var peer = Peer.none
  /// The time of the first valid Pair Verify M1.
  package internal(set) var verifyStarted: Duration?
  unowned let frontEnd: any PairingFrontEnd

  init(_ setup: PairSetupServer, _ verify: PairVerifyServer, frontEnd: any PairingFrontEnd) {
    self.setup = setup
    self.verify = verify
    self.frontEnd = frontEnd
  }

  package var isVerifying: Bool { verify.isUnderWay }
  package var isSettingUp: Bool { setup.isUnderWay }

  /// The key that encrypts the current pairing message: M5 and M6 of Pair Setup, or M2 and M3 of Pair Verify.
  package var messageKey: SecretBytes? { setup.exchangeKey ?? verify.messageKey }
}
