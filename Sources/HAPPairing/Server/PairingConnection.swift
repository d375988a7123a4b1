import HAPCrypto
import HAPModel
import HAPWire

/// What converts between pairing messages and the bytes of one protocol. It owns connections, and answers on them.
package protocol PairingFrontEnd: AnyObject {
  /// Answers the request that is under way. Called for open connections only.
  func answer(_ answer: PairingAnswer, on connection: any PairingConnection)
  /// After the answers so far, the connection is a session under these keys.
  /// - Parameter controller: the identifier of its pairing; nil: a transient session.
  func secure(_ connection: any PairingConnection, _ keys: SessionKeys, controller: [UInt8]?)
  /// Ends a connection after the answers so far. Called any number of times.
  func close(_ connection: any PairingConnection)
  /// A ticket of the connection has come back: takes its next requests, unless it is closed or still waits.
  func proceed(with connection: any PairingConnection, at now: Duration)
  /// The accessory is paired now, or is no longer. Called on all front ends.
  /// - Parameter connection: of this front end; its answers leave before this is advertised. nil: there is nothing to wait for.
  func pairedStateChanged(after connection: (any PairingConnection)?)
  /// A request is refused, or a session ended (nil). Called only when reports are wanted.
  func reportRefusal(of operation: PairingOperation?, reason: String, on connection: any PairingConnection)
}

/// A connection of a controller over any protocol, as the pairing procedures know it.
package protocol PairingConnection: AnyObject {
  var id: ConnectionID { get }
  var pairing: PairingSession { get }
  /// Whether answers can be sent.
  var isOpen: Bool { get }
  /// Whether an answer is owed: the front end takes no request of the connection meanwhile.
  var isWaiting: Bool { get set }
}

/// Which request a controller sent.
package enum PairingOperation: Sendable {
  case pairSetup, pairVerify, pairings
}

/// The answer to a pairing request, which a front end renders.
package enum PairingAnswer: Equatable, Sendable {
  /// The reply of the procedure. Its errors are items of it.
  case reply(TLV)
  /// The request is malformed or out of order. nil: without a reply.
  case badRequest(TLV?)
  /// The accessory has failed. nil: without a reply.
  case failure(TLV?)
  /// The accessory has failed with this status.
  case failureStatus(HAPStatus)
}

/// The pairing procedures of one connection.
package final class PairingSession {
  /// With whom a connection is a session.
  enum Peer: Equatable {
    case none
    /// A session of transient Pair Setup, which has no pairing.
    case transient
    /// The identifier of the controller's pairing.
    case controller([UInt8])
  }

  var setup: PairSetupServer
  var verify: PairVerifyServer
  /// When the last message of Pair Setup came.
  var setupHeard = Duration.zero
  /// When the last M1 of Pair Setup came.
  var setupStarted = Duration.zero
  var peer = Peer.none
  /// When the first valid M1 of Pair Verify came.
  package internal(set) var verifyStarted: Duration?
  unowned let frontEnd: any PairingFrontEnd

  init(_ setup: PairSetupServer, _ verify: PairVerifyServer, frontEnd: any PairingFrontEnd) {
    self.setup = setup
    self.verify = verify
    self.frontEnd = frontEnd
  }

  package var isVerifying: Bool { verify.isUnderWay }
  package var isSettingUp: Bool { setup.isUnderWay }

  /// The key of the pairing message that is being answered: of Pair Setup's M5 and M6, or of Pair Verify's M2 and M3.
  package var messageKey: SecretBytes? { setup.exchangeKey ?? verify.messageKey }
}
