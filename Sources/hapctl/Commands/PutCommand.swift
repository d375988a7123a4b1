import HAPCommandLine
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPStore
import HAPTransport
import HAPWire

extension Command {
  /// `hapctl put`
  static let put = Command(
    "put", "write characteristics",
    operands: .some(label: "TARGET/CHARACTERISTIC VALUE…", count: 2...1000),
    options: [CommonOptions.json.definition] + CommonOptions.all,
    discussion: [
      "A value is a word of the catalogue such as open, a number, true or false, text, or bytes as hexadecimal digits. Several are written in one request. "
        + "A characteristic that takes timed writes only gets one."
    ],
    examples: [
      ("hapctl put garage/\"Target Door State\" open", "by name and word"),
      ("hapctl put lamp/On on lamp/Brightness 40", "two in one request"),
    ]
  ) { (arguments, console) throws(UsageError) in
    guard arguments.operands.count % 2 == 0 else { throw UsageError("the last one has no value") }
    let pairs = stride(from: 0, to: arguments.operands.count, by: 2).map {
      (Reference(arguments.operands[$0]), arguments.operands[$0 + 1])
    }
    for (reference, _) in pairs where reference.path == nil {
      throw UsageError("\(shown(reference.target)) says no characteristic: \(reference.target)/NAME")
    }
    let visit = try Visit("put", to: try oneTarget(pairs.map(\.0)), arguments, console)
    let isJSON = arguments[CommonOptions.json]
    return visit.withAccessory { accessory in
      let mirror = try await accessory.mirror()
      visit.note(mirror.remarks)
      let database = mirror.database
      var entries: [ControllerRequest.WriteEntry] = []
      var isTimed = false
      for (reference, text) in pairs {
        let id = try database.id(forPath: reference.path ?? "")
        guard let slot = database.slot(of: id) else { preconditionFailure("it was found in the database") }
        let characteristic = database.characteristics[slot]
        guard let value = characteristic.value(fromText: text) else {
          let words = Catalogue.characteristic(characteristic.type)?.values.map(\.word) ?? []
          let hint = words.isEmpty ? "format \(characteristic.format.rawValue)" : words.joined(separator: ", ")
          throw Failure(.usage, "\(shown(text)) is no value of \(database.title(ofSlot: slot)): \(hint)")
        }
        isTimed = isTimed || characteristic.perms.contains(.timedWrite)
        entries.append(.init(id, value: value))
      }
      let pid = isTimed ? RandomSource.system.bytes(6).reduce(1) { $0 << 8 | UInt64($1) } : nil
      if let pid {
        let answer = try await accessory.client.request(.prepare(ttl: 5000, pid: pid))
        guard answer.status == 200 else { throw ClientError.status(answer.status, request: "PUT /prepare") }
      }
      let refused = try await accessory.entries(.write(entries, pid: pid)).filter { !$0.isSuccess }
      if isJSON { console.print(json(entries, refused, database)) }
      for entry in refused where !isJSON {
        let slot = database.slot(of: entry.id)
        let reason = entry.failure.map { "\($0) (\(entry.status ?? 0))" } ?? "status \(entry.status ?? 0)"
        console.complain(
          "hapctl put: \(slot.map { database.title(ofSlot: $0) } ?? "\(entry.id)"): the accessory refuses: \(reason)")
      }
      return refused.isEmpty ? .well : .problem
    }
  }
}

/// `{"characteristics":[{"aid":1,"iid":10,"type":"25","name":"On","value":true,"status":0}]}`, an entry for each that was to be written.
private func json(
  _ written: [ControllerRequest.WriteEntry], _ refused: [CharacteristicEntry], _ database: AttributeDatabase
) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.key("characteristics")
      json.array { json in
        for entry in written {
          json.object { json in
            json.key("aid")
            json.integer(entry.id.aid)
            json.key("iid")
            json.integer(entry.id.iid)
            if let slot = database.slot(of: entry.id) {
              json.key("type")
              json.string(database.characteristics[slot].type.wireForm)
              json.key("name")
              json.string(database.title(ofSlot: slot))
            }
            json.key("value")
            (entry.value ?? .null).write(to: &json)
            json.key("status")
            json.integer(refused.first { $0.id == entry.id }?.status ?? 0)
          }
        }
      }
    }
  }
}
