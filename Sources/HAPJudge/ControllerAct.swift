import HAPIP
import HAPModel

/// What a controller does on a connection, and what it is answered there, as an accessory sees it.
package enum ControllerAct: Equatable, Sendable {
  case opened(peer: String)
  /// Bytes came, whatever is in them.
  case arrived
  /// A whole request came, in plain.
  case asked(PlainMessage)
  /// An answer left, as it was sent; nil: what left is no HTTP.
  case answered(PlainMessage?)
  /// An event left.
  case told(PlainMessage)
  /// What came made no frame, or no request.
  case unreadable(reason: String)
  /// The identifier that the controller gave in M3 of Pair Verify, byte for byte.
  case named([UInt8])
  /// Pair Verify is over: the connection is secured.
  case verified(controller: String)
  /// The controller has ended its sending, or reset the connection.
  case left
  /// The connection is gone.
  case closed
}

/// What becomes of an accessory, as far as its controllers have to heed it.
package enum AccessoryChange: Equatable, Sendable {
  /// A pairing was made. `identifier` is the controller's.
  case paired(identifier: String)
  case unpaired(identifier: String)
  /// The record says this configuration number.
  case announced(configurationNumber: String)
  /// It can be reached, as far as it knows, or can't.
  case serves(Bool)
}

extension JudgedAccessory {
  func hasPaired(_ controller: String) -> Bool {
    pairingIdentifiers.contains { String(decoding: $0, as: UTF8.self) == controller }
  }
}

/// An accessory whose controllers are judged, as it is at the moment.
package protocol JudgedAccessory: AnyObject {
  /// No other has it; the same over restarts.
  var id: String { get }
  var name: String { get }
  var database: AttributeDatabase { get }
  var isPaired: Bool { get }
  /// Whether a controller of this identifier may change pairings now.
  func isAdmin(_ controller: String) -> Bool
  /// Whether it can be reached: it is on the network, and nobody made that a bad one on purpose.
  var serves: Bool { get }
  /// Of all controllers, byte for byte.
  var pairingIdentifiers: [[UInt8]] { get }
}
