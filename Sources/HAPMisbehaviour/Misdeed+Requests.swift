import HAPIP
import HAPModel
import HAPTransport

extension Misdeed {
  /// Violations of the rules for the form of requests.
  static let ofRequests: [Misdeed] = [
    Misdeed("one-request-at-a-time", "sends two requests at once") { mischief in
      let (accessory, id) = try await mischief.openAndSubscribe()
      await accessory.client.alterRequests { $0 + $0 }
      // The second answer is unexpected, which ends the connection on this side.
      _ = try? await accessory.client.request(.read([id]))
      try await mischief.waitForEnd(of: accessory)
    },
    Misdeed("readable", "sends bytes that are not HTTP") { mischief in
      let accessory = try await mischief.open()
      await accessory.client.sendPlain(Array("what is on?\r\n\r\n".utf8))
      try await mischief.waitForEnd(of: accessory)
    },
    Misdeed("host-field", "omits the header field Host") { mischief in
      let accessory = try await mischief.open()
      await accessory.client.alterRequests { bytes in
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        return Array(lines.filter { !$0.starts(with: Array("Host:".utf8)) }.joined(separator: [10]))
      }
      _ = try await accessory.client.request(.accessories)
      await accessory.client.close()
    },
    Misdeed("body-type", "declares the body of a write as plain text") { mischief in
      let (accessory, id) = try await mischief.openAndSubscribe()
      var write = ControllerRequest.write([.init(id, ev: false)])
      write.contentType = "text/plain"
      _ = try await accessory.client.request(write)
      await accessory.client.close()
    },
    Misdeed("known-endpoints", "requests a path that HAP doesn't define") { mischief in
      let accessory = try await mischief.open()
      _ = try await accessory.client.request(ControllerRequest("GET", "/status"))
      await accessory.client.close()
    },
    Misdeed("query-form", "reads the same characteristic twice in one request") { mischief in
      let (accessory, id) = try await mischief.openAndSubscribe()
      _ = try await accessory.client.request(.read([id, id]))
      await accessory.client.close()
    },
    Misdeed("write-form", "sends a write entry without a value") { mischief in
      let (accessory, id) = try await mischief.openAndSubscribe()
      _ = try await accessory.client.request(.write([.init(id)]))
      await accessory.client.close()
    },
  ]

  /// Violations of the rules for reads and writes.
  static let ofCharacteristics: [Misdeed] = [
    Misdeed("known-ids", "reads a characteristic that doesn't exist") { mischief in
      let (accessory, _) = try await mischief.openAndRead()
      _ = try await accessory.client.request(.read([AttributeID(aid: 1, iid: 999_999)]))
      await accessory.client.close()
    },
    Misdeed("permissions", "writes a characteristic that can only be read") { mischief in
      let (accessory, database) = try await mischief.openAndRead()
      let id = try Mischief.first(in: database, "that can only be read") {
        $0.perms.contains(.pairedRead) && !$0.perms.contains(.pairedWrite)
      }
      _ = try await accessory.client.request(.write([.init(id, value: .integer(1))]))
      await accessory.client.close()
    },
    Misdeed("values", "writes a text to a characteristic with numbers") { mischief in
      let (accessory, database) = try await mischief.openAndRead()
      let id = try Mischief.first(in: database, "with numbers") {
        $0.perms.contains(.pairedWrite) && $0.format.isNumeric && !$0.perms.contains(.timedWrite)
      }
      _ = try await accessory.client.request(.write([.init(id, value: .string("a lot"))]))
      await accessory.client.close()
    },
    Misdeed("timed-writes", "writes a characteristic with tw without a timed write") { mischief in
      let (accessory, database) = try await mischief.openAndRead()
      let id = try Mischief.first(in: database, "with tw") {
        $0.perms.contains(.timedWrite) && $0.format.isNumeric
      }
      _ = try await accessory.client.request(.write([.init(id, value: database[id] ?? .integer(0))]))
      await accessory.client.close()
    },
    Misdeed("prepared-writes", "writes with a pid that was not prepared") { mischief in
      let (accessory, database) = try await mischief.openAndRead()
      let id = try Mischief.first(in: database, "that can be read and written") {
        $0.perms.isSuperset(of: [.pairedRead, .pairedWrite]) && ($0.format.isNumeric || $0.format == .bool)
      }
      _ = try await accessory.client.request(.write([.init(id, value: database[id] ?? .integer(0))], pid: 4711))
      await accessory.client.close()
    },
    Misdeed("no-polling", "reads a subscribed characteristic twelve times") { mischief in
      let (accessory, id) = try await mischief.openAndSubscribe()
      for _ in 0..<12 { _ = try await accessory.client.request(.read([id])) }
      await accessory.client.close()
    },
    Misdeed("gathers-reads", "reads each characteristic in a separate request") { mischief in
      let (accessory, database) = try await mischief.openAndRead()
      for slot in database.characteristics.indices where database.characteristics[slot].perms.contains(.pairedRead) {
        _ = try await accessory.client.request(.read([database.id(ofSlot: slot)]))
      }
      await accessory.client.close()
    },
  ]
}
