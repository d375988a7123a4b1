import HAPCommandLine
import HAPController
import HAPIP
import HAPModel
import HAPWire

extension Command {
  /// `hapctl put`
  static let put = Command(
    "put", "write characteristics",
    operands: .some(label: "TARGET/CHARACTERISTIC VALUE…", count: 2...1000),
    options: [CommonOptions.json.definition] + CommonOptions.all,
    discussion: [
      "VALUE is a name from the catalogue such as open, a number, on or off, text, or bytes as hexadecimal digits. Several values are written in one request. "
        + "A characteristic that requires timed writes gets a timed write."
    ],
    examples: [
      ("hapctl put garage/\"Target Door State\" open", "writes a named value"),
      ("hapctl put lamp/On on lamp/Brightness 40", "writes two values in one request"),
    ]
  ) { (arguments, console) throws(UsageError) in
    guard arguments.operands.count % 2 == 0 else { throw UsageError("the last characteristic has no value") }
    let pairs = stride(from: 0, to: arguments.operands.count, by: 2).map {
      (Reference(arguments.operands[$0]), arguments.operands[$0 + 1])
    }
    for (reference, _) in pairs where reference.path == nil {
      throw UsageError("\(shown(reference.target)) names no characteristic; write \(reference.target)/NAME")
    }
    let visit = try Visit("put", to: try oneTarget(pairs.map(\.0)), arguments, console)
    let isJSON = arguments[CommonOptions.json]
    let assignments = pairs.map { Assignment(path: $0.path ?? "", text: $1) }
    return visit.withAccessory { accessory in
      let mirror = try await accessory.mirror()
      visit.note(mirror.remarks)
      let (written, refused) = try await accessory.write(assignments, in: mirror.database)
      if isJSON { console.print(json(written, refused, mirror.database)) }
      for entry in refused where !isJSON { console.complain("hapctl put: \(mirror.database.refusal(entry))") }
      return refused.isEmpty ? .well : .problem
    }
  }
}

/// Returns `{"characteristics":[{"aid":1,"iid":10,"type":"25","name":"On","value":true,"status":0}]}`, with an entry
/// for each written characteristic.
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
