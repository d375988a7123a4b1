import HAPTransport

/// An event of a proxy that is not a message.
package enum ProxyEvent: Sendable {
  /// The proxy is advertised under this name.
  case advertised(String)
  /// Another host has the name, so the proxy has taken another one.
  case renamed(String, to: String)
  /// The proxy cannot be advertised, for this reason.
  case notVisible(String)
  /// A controller connected from this address.
  case connected(String)
  case disconnected
  case paired(controller: String, isAdmin: Bool)
  case unpaired(controller: String)
  case verified(controller: String)
  /// A request was refused. `request` may be empty.
  case refused(request: String, reason: String)
  /// The received bytes are not a message.
  case unreadable(reason: String)
  case identified
  /// A pairing or the configuration number could not be stored.
  case storeFailed(reason: String)
  /// The accessory's database has changed, and the proxy now has this configuration number.
  case otherDatabase(configurationNumber: UInt16)
  /// The session with the accessory was lost, and the controller's connection with it.
  case accessoryLost(ClientError)
  /// A session with the accessory can't be established.
  case accessoryUnreachable(ClientError)
  /// The accessory did not identify itself.
  case identifyFailed(ClientError)
}

/// An observer of a proxy's messages and events, on the thread of the proxy's loop.
package protocol ProxyObserver: AnyObject {
  /// Receives a decrypted message. `connection`: the number of the controller's connection.
  func message(_ bytes: [UInt8], isFromController: Bool, on connection: UInt64)

  /// - Parameter connection: the number of the controller's connection; nil if the event concerns no connection.
  func note(_ event: ProxyEvent, on connection: UInt64?)
}

extension ProxyObserver {
  func note(_ event: ProxyEvent) { note(event, on: nil) }
}
