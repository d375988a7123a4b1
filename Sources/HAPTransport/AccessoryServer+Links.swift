import HAPLoop
import HAPModel

/// Simulates a bad network on connections.
extension AccessoryServer {
  /// Applies changed network conditions: calls `shape` again for every connection. Data delayed by the old conditions
  /// is delivered at once.
  package func reshape() {
    for connection in inOrder { reshape(connection) }
    performer.perform()
  }

  /// Calls `shape` again for one connection whose properties have changed.
  package func reshape(_ id: ConnectionID) {
    guard shape != nil, let connection = connections[id] else { return }
    reshape(connection)
    performer.perform()
  }

  func reshape(_ connection: ServedConnection) {
    let shaper = shape?(connection.core)
    if shaper == nil, connection.shaped == nil { return }
    let shaped = connection.shaped ?? makeLink(connection)
    connection.shaped = shaped
    shaped.change(to: shaper)
    touch(connection)
  }

  private func makeLink(_ connection: ServedConnection) -> ShapedLink {
    let shaped = ShapedLink(loop)
    shaped.onDue = { [unowned self, unowned connection] in
      guard let shaped = connection.shaped else { return }
      for piece in shaped.takeDue(at: now) {
        piece.bytes.withUnsafeBytes { bytes in
          connection.stream.write(bytes) { [weak self, weak connection] _ in
            if let connection { self?.touch(connection) }
          }
        }
        guard piece.isLast else { continue }
        if shaped.cutsWithReset { return drop(connection, withReset: true) }
        connection.isEnding = true
      }
      for bytes in shaped.takeHeard(at: now) { hear(bytes, on: connection) }
      if shaped.isOver {
        shaped.close()
        connection.shaped = nil
      }
      touch(connection)
      performer.perform()
    }
    return shaped
  }

  /// Passes delayed bytes to the core.
  private func hear(_ bytes: [UInt8], on connection: ServedConnection) {
    let now = now
    bytes.withUnsafeBytes { connection.core.incoming.append($0) }
    recorder?.note(.received(connection.core.id, bytes), at: now)
    performer.collecting { core.received(on: connection.core, at: now) }
    touchAll()
  }
}
