import HAPModel
import HAPTransport

extension Misdeed {
  /// Of connections, events and the database.
  static let ofConnections: [Misdeed] = [
    Misdeed("reconnects", "subscribes, and stays away when the connection is lost") { mischief in
      let (accessory, _) = try await mischief.openAndSubscribe()
      try await mischief.waitForEnd(of: accessory)
    },
    Misdeed("no-reconnect-storm", "connects ten times in a row, and closes each time") { mischief in
      for _ in 0..<10 {
        let client = try await mischief.connect()
        // So that each is one for itself, and not all of them wait to be accepted.
        try await mischief.loop.sleep(for: .milliseconds(30))
        await client.close()
      }
    },
    Misdeed("no-idle-connections", "connects, and says nothing for eleven seconds") { mischief in
      let client = try await mischief.connect()
      try await mischief.loop.sleep(for: .seconds(11))
      await client.close()
    },
    Misdeed("patience", "gives up a read after a second, and comes back") { mischief in
      let (accessory, id) = try await mischief.openAndSubscribe()
      let read = mischief.loop.startTask { try await accessory.client.request(.read([id])) }
      try await mischief.loop.sleep(for: .seconds(1))
      read.cancel()
      try await mischief.comeBack(from: accessory, subscribingTo: id)
    },
    Misdeed("keeps-connection", "gives up the connection when a read fails, and comes back") { mischief in
      let (accessory, id) = try await mischief.openAndSubscribe()
      _ = try await accessory.client.request(.read([id]))
      try await mischief.comeBack(from: accessory, subscribingTo: id)
    },
    Misdeed("resubscribes", "comes back when the connection is lost, and doesn't subscribe again") { mischief in
      let (accessory, id) = try await mischief.openAndSubscribe()
      try await mischief.waitForEnd(of: accessory)
      let again = try await mischief.open()
      _ = try await again.client.request(.read([id]))
      try await mischief.loop.sleep(for: mischief.stay)
      await again.client.close()
    },
    Misdeed("survives-events", "gives up the connection behind the first event, and comes back") { mischief in
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
