import HAPIP
import HAPModel
import HAPTransport

extension ControllerViolation {
  /// Violations of the rules for the form of requests.
  static let ofRequests: [ControllerViolation] = [
    ControllerViolation("one-request-at-a-time", "sends two requests at once") { controller in
      let (accessory, id) = try await controller.openAndSubscribe()
      await accessory.client.alterRequests { $0 + $0 }
      // The second answer is unexpected, which ends the connection on this side.
      _ = try? await accessory.client.request(.read([id]))
      try await controller.waitForEnd(of: accessory)
    },
    ControllerViolation("readable", "sends bytes that are not HTTP") { controller in
      let accessory = try await controller.open()
      await accessory.client.sendPlain(Array("what is on?\r\n\r\n".utf8))
      try await controller.waitForEnd(of: accessory)
    },
    ControllerViolation("host-field", "omits the header field Host") { controller in
      let accessory = try await controller.open()
      await accessory.client.alterRequests { bytes in
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        return Array(lines.filter { !$0.starts(with: Array("Host:".utf8)) }.joined(separator: [10]))
      }
      _ = try await accessory.client.request(.accessories)
      await accessory.client.close()
    },
    ControllerViolation("body-type", "declares the body of a write as plain text") { controller in
      let (accessory, id) = try await controller.openAndSubscribe()
      var write = ControllerRequest.write([.init(id, ev: false)])
      write.contentType = "text/plain"
      _ = try await accessory.client.request(write)
      await accessory.client.close()
    },
    ControllerViolation("known-endpoints", "requests a path that HAP doesn't define") { controller in
      let accessory = try await controller.open()
      _ = try await accessory.client.request(ControllerRequest("GET", "/status"))
      await accessory.client.close()
    },
    ControllerViolation("query-form", "reads the same characteristic twice in one request") { controller in
      let (accessory, id) = try await controller.openAndSubscribe()
      _ = try await accessory.client.request(.read([id, id]))
      await accessory.client.close()
    },
    ControllerViolation("write-form", "sends a write entry without a value") { controller in
      let (accessory, id) = try await controller.openAndSubscribe()
      _ = try await accessory.client.request(.write([.init(id)]))
      await accessory.client.close()
    },
  ]

  /// Violations of the rules for reads and writes.
  static let ofCharacteristics: [ControllerViolation] = [
    ControllerViolation("known-ids", "reads a characteristic that doesn't exist") { controller in
      let (accessory, _) = try await controller.openAndRead()
      _ = try await accessory.client.request(.read([AttributeID(aid: 1, iid: 999_999)]))
      await accessory.client.close()
    },
    ControllerViolation("permissions", "writes a characteristic that can only be read") { controller in
      let (accessory, database) = try await controller.openAndRead()
      let id = try MisbehavingController.first(in: database, "that can only be read") {
        $0.perms.contains(.pairedRead) && !$0.perms.contains(.pairedWrite)
      }
      _ = try await accessory.client.request(.write([.init(id, value: .integer(1))]))
      await accessory.client.close()
    },
    ControllerViolation("values", "writes a text to a characteristic with numbers") { controller in
      let (accessory, database) = try await controller.openAndRead()
      let id = try MisbehavingController.first(in: database, "with numbers") {
        $0.perms.contains(.pairedWrite) && $0.format.isNumeric && !$0.perms.contains(.timedWrite)
      }
      _ = try await accessory.client.request(.write([.init(id, value: .string("a lot"))]))
      await accessory.client.close()
    },
    ControllerViolation("timed-writes", "writes a characteristic with tw without a timed write") { controller in
      let (accessory, database) = try await controller.openAndRead()
      let id = try MisbehavingController.first(in: database, "with tw") {
        $0.perms.contains(.timedWrite) && $0.format.isNumeric
      }
      _ = try await accessory.client.request(.write([.init(id, value: database[id] ?? .integer(0))]))
      await accessory.client.close()
    },
    ControllerViolation("prepared-writes", "writes with a pid that was not prepared") { controller in
      let (accessory, database) = try await controller.openAndRead()
      let id = try MisbehavingController.first(in: database, "that can be read and written") {
        $0.perms.isSuperset(of: [.pairedRead, .pairedWrite]) && ($0.format.isNumeric || $0.format == .bool)
      }
      _ = try await accessory.client.request(.write([.init(id, value: database[id] ?? .integer(0))], pid: 4711))
      await accessory.client.close()
    },
    ControllerViolation("no-polling", "reads a subscribed characteristic twelve times") { controller in
      let (accessory, id) = try await controller.openAndSubscribe()
      for _ in 0..<12 { _ = try await accessory.client.request(.read([id])) }
      await accessory.client.close()
    },
    ControllerViolation("gathers-reads", "reads each characteristic in a separate request") { controller in
      let (accessory, database) = try await controller.openAndRead()
      for slot in database.characteristics.indices where database.characteristics[slot].perms.contains(.pairedRead) {
        _ = try await accessory.client.request(.read([database.id(ofSlot: slot)]))
      }
      await accessory.client.close()
    },
  ]
}
