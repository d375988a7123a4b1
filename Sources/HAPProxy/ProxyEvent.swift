import HAPTransport

/// What happens at a proxy, besides messages.
package enum ProxyEvent: Sendable {
  /// The proxy is advertised under this name.
  case advertised(String)
  /// Another host has the name, so the proxy has another one now.
  case renamed(String, to: String)
  /// The proxy cannot be advertised, for this reason.
  case notVisible(String)
  /// A controller connected from this address.
  case connected(String)
  case disconnected
  case paired(controller: String, isAdmin: Bool)
  case unpaired(controller: String)
  case verified(controller: String)
  /// A request was refused; it may be empty.
  case refused(request: String, reason: String)
  /// Bytes that are no message.
  case unreadable(reason: String)
  case identified
  /// A pairing or the configuration number could not be stored.
  case storeFailed(reason: String)
  /// The accessory has another database, and the proxy this configuration number.
  case otherDatabase(configurationNumber: UInt16)
  /// The session with the accessory was lost, and with it the controller's connection.
  case accessoryLost(ClientError)
  /// A session with the accessory can't be made.
  case accessoryUnreachable(ClientError)
  /// The accessory did not identify itself.
  case identifyFailed(ClientError)
}

/// Is given what goes through a proxy, on the thread of its loop.
package protocol ProxyObserver: AnyObject {
  /// A message in plain. `connection`: the number of the controller's connection.
  func message(_ bytes: [UInt8], isFromController: Bool, on connection: UInt64)

  /// - Parameter connection: nil: the event belongs to none.
  func note(_ event: ProxyEvent, on connection: UInt64?)
}

extension ProxyObserver {
  func note(_ event: ProxyEvent) { note(event, on: nil) }
}
