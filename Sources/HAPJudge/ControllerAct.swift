import HAPIP
import HAPModel

/// An action of a controller on a connection, or an answer or event sent to it, as the accessory sees it.
package enum ControllerAct: Equatable, Sendable {
  case opened(peer: String)
  /// Bytes arrived, whatever they contain.
  case arrived
  /// A whole request arrived, decrypted.
  case asked(PlainMessage)
  /// An answer was sent; nil: the sent bytes are not HTTP.
  case answered(PlainMessage?)
  /// An event was sent.
  case told(PlainMessage)
  /// The received bytes are not a valid frame or request.
  case unreadable(reason: String)
  /// The identifier from the controller's M3 of Pair Verify, byte for byte.
  case named([UInt8])
  /// Pair Verify succeeded, and the connection is encrypted.
  case verified(controller: String)
  /// The controller has closed its side, or reset the connection.
  case left
  /// The connection is closed.
  case closed
}

/// A change of an accessory that controllers must react to.
package enum AccessoryChange: Equatable, Sendable {
  /// A pairing was added. `identifier` is that of the controller.
  case paired(identifier: String)
  case unpaired(identifier: String)
  /// The record has this configuration number.
  case announced(configurationNumber: String)
  /// The accessory can, or can't, be reached, according to its own state.
  case serves(Bool)
}

extension JudgedAccessory {
  func hasPaired(_ controller: String) -> Bool {
    pairingIdentifiers.contains { String(decoding: $0, as: UTF8.self) == controller }
  }
}

/// An accessory whose controllers are judged, in its current state.
package protocol JudgedAccessory: AnyObject {
  /// The unique identifier. It stays the same over restarts.
  var id: String { get }
  var name: String { get }
  var database: AttributeDatabase { get }
  var isPaired: Bool { get }
  /// Whether a controller with this identifier may change pairings now.
  func isAdmin(_ controller: String) -> Bool
  /// Whether the accessory can be reached: it is on the network, and no fault impairs the network.
  var serves: Bool { get }
  /// The identifiers of all paired controllers, byte for byte.
  var pairingIdentifiers: [[UInt8]] { get }
}
