import HAPModel
import HAPTransport

extension ControllerViolation {
  /// Violations of the rules for connections, events and the database.
  static let ofConnections: [ControllerViolation] = [
    ControllerViolation("reconnects", "subscribes, and doesn't reconnect when the connection is lost") { controller in
      let (accessory, _) = try await controller.openAndSubscribe()
      try await controller.waitForEnd(of: accessory)
    },
    ControllerViolation("no-reconnect-storm", "connects ten times in a row, and closes each connection") { controller in
      for _ in 0..<10 {
        let client = try await controller.connect()
        // The delay keeps the connections separate, so that they don't all wait to be accepted.
        try await controller.loop.sleep(for: .milliseconds(30))
        await client.close()
      }
    },
    ControllerViolation("no-idle-connections", "connects, and sends nothing for eleven seconds") { controller in
      let client = try await controller.connect()
      try await controller.loop.sleep(for: .seconds(11))
      await client.close()
    },
    ControllerViolation("patience", "cancels a read after one second, and reconnects") { controller in
      let (accessory, id) = try await controller.openAndSubscribe()
      let read = controller.loop.startTask { try await accessory.client.request(.read([id])) }
      try await controller.loop.sleep(for: .seconds(1))
      read.cancel()
      try await controller.comeBack(from: accessory, subscribingTo: id)
    },
    ControllerViolation("keeps-connection", "closes the connection when a read fails, and reconnects") { controller in
      let (accessory, id) = try await controller.openAndSubscribe()
      _ = try await accessory.client.request(.read([id]))
      try await controller.comeBack(from: accessory, subscribingTo: id)
    },
    ControllerViolation("resubscribes", "reconnects when the connection is lost, and doesn't subscribe again") {
      controller in
      let (accessory, id) = try await controller.openAndSubscribe()
      try await controller.waitForEnd(of: accessory)
      let again = try await controller.open()
      _ = try await again.client.request(.read([id]))
      try await controller.loop.sleep(for: controller.stay)
      await again.client.close()
    },
    ControllerViolation("survives-events", "closes the connection after the first event, and reconnects") {
      controller in
      let (accessory, id) = try await controller.openAndSubscribe()
      try await controller.waitForEvent(on: accessory)
      try await controller.comeBack(from: accessory, subscribingTo: id)
    },
    ControllerViolation("reads-new-database", "reads the database once, subscribes, and never reads it again") {
      controller in
      let (accessory, _) = try await controller.openAndSubscribe()
      try await controller.loop.sleep(for: controller.stay)
      await accessory.client.close()
    },
    ControllerViolation("keeps-database", "reads the database five times") { controller in
      let accessory = try await controller.open()
      for _ in 0..<5 { _ = try await accessory.client.request(.accessories) }
      await accessory.client.close()
    },
  ]
}
