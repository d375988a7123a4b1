import HAPCommandLine
import HAPController
import HAPIP
import HAPModel
import HAPStore
import HAPWire

extension Command {
  /// `hapctl get`
  static let get = Command(
    "get", "read characteristics",
    operands: .some(label: "TARGET[/CHARACTERISTIC]…", count: 1...1000),
    options: [CommonOptions.json.definition] + CommonOptions.all,
    discussion: [
      "CHARACTERISTIC is aid and iid, such as 1.10, or a name, such as On, or a service and a name, such as \"Light Bulb\"/On. Without it, all readable characteristics are read."
    ],
    examples: [
      ("hapctl get garage/\"Current Door State\"", "reads by name"),
      ("hapctl get garage/1.10 garage/1.11", "reads by IDs, in one request"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let references = arguments.operands.map(Reference.init)
    let visit = try Visit("get", to: try oneTarget(references), arguments, console)
    let isJSON = arguments[CommonOptions.json]
    return visit.withAccessory { accessory in
      var mirror = try await accessory.mirror()
      let ids = try mirror.database.ids(forPaths: references.compactMap(\.path), else: .pairedRead)
      let entries = try await accessory.readEntries(ids)
      _ = mirror.take(entries, of: "GET /characteristics")
      visit.note(mirror.remarks)
      if isJSON {
        console.print(json(entries, mirror.database))
      } else {
        for entry in entries { console.print(text(entry.id, status: entry.status, mirror.database)) }
      }
      return entries.allSatisfy(\.isSuccess) ? .well : .problem
    }
  }
}

/// Returns "1.10 Target Door State: open (0)", or the reason why there is no value.
func text(_ id: AttributeID, status: Int?, _ database: AttributeDatabase) -> String {
  guard let slot = database.slot(of: id) else { return "\(id): it isn't in the database" }
  let head = "\(id) \(database.title(ofSlot: slot)): "
  if let status, status != 0 { return head + "status \(status)" }
  return head + database.characteristics[slot].text(of: database[slot: slot])
}

/// Returns `{"characteristics":[{"aid":1,"iid":10,"type":"32","name":"Target Door State","value":0}]}`.
func json(_ entries: [CharacteristicEntry], _ database: AttributeDatabase) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.key("characteristics")
      json.array { json in for entry in entries { write(entry, database, to: &json) } }
    }
  }
}

/// - Parameter isMeanwhile: whether the value changed while there was no connection.
func write(
  _ entry: CharacteristicEntry, _ database: AttributeDatabase, isMeanwhile: Bool = false, to json: inout JSONWriter
) {
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
      if entry.isSuccess {
        json.key("value")
        database[slot: slot].write(to: &json)
      }
    }
    if let status = entry.status {
      json.key("status")
      json.integer(status)
    }
    if isMeanwhile {
      json.key("meanwhile")
      json.bool(true)
    }
  }
}
