import HAPModel
import HAPTransport

extension Misdeed {
  /// Violations of the rules for connections, events and the database.
  static let ofConnections: [Misdeed] = [
    Misdeed("reconnects", "subscribes, and doesn't reconnect when the connection is lost") { mischief in
      let (accessory, _) = try await mischief.openAndSubscribe()
      try await mischief.waitForEnd(of: accessory)
    },
    Misdeed("no-reconnect-storm", "connects ten times in a row, and closes each connection") { mischief in
      for _ in 0..<10 {
        let client = try await mischief.connect()
        // The delay keeps the connections separate, so that they don't all wait to be accepted.
        try await mischief.loop.sleep(for: .milliseconds(30))
        await client.close()
      }
    },
    Misdeed("no-idle-connections", "connects, and sends nothing for eleven seconds") { mischief in
      let client = try await mischief.connect()
      try await mischief.loop.sleep(for: .seconds(11))
      await client.close()
    },
    Misdeed("patience", "cancels a read after one second, and reconnects") { mischief in
      let (accessory, id) = try await mischief.openAndSubscribe()
      let read = mischief.loop.startTask { try await accessory.client.request(.read([id])) }
      try await mischief.loop.sleep(for: .seconds(1))
      read.cancel()
      try await mischief.comeBack(from: accessory, subscribingTo: id)
    },
    Misdeed("keeps-connection", "closes the connection when a read fails, and reconnects") { mischief in
      let (accessory, id) = try await mischief.openAndSubscribe()
      _ = try await accessory.client.request(.read([id]))
      try await mischief.comeBack(from: accessory, subscribingTo: id)
    },
    Misdeed("resubscribes", "reconnects when the connection is lost, and doesn't subscribe again") { mischief in
      let (accessory, id) = try await mischief.openAndSubscribe()
      try await mischief.waitForEnd(of: accessory)
      let again = try await mischief.open()
      _ = try await again.client.request(.read([id]))
      try await mischief.loop.sleep(for: mischief.stay)
      await again.client.close()
    },
    Misdeed("survives-events", "closes the connection after the first event, and reconnects") { mischief in
      let (accessory, id) = try await mischief.openAndSubscribe()
      try await mischief.waitForEvent(on: accessory)
      try await mischief.comeBack(from: accessory, subscribingTo: id)
    },
    Misdeed("reads-new-database", "reads the database once, subscribes, and never reads it again") { mischief in
      let (accessory, _) = try await mischief.openAndSubscribe()
      try await mischief.loop.sleep(for: mischief.stay)
      await accessory.client.close()
    },
    Misdeed("keeps-database", "reads the database five times") { mischief in
      let accessory = try await mischief.open()
      for _ in 0..<5 { _ = try await accessory.client.request(.accessories) }
      await accessory.client.close()
    },
  ]
}
