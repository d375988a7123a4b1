import HAPModel
import HAPWire

extension SimulatedAccessory {
  /// How the accessory is, as a JSON object: identity, pairings, connections, and every value.
  package func writeStatus(to json: inout JSONWriter) {
    json.object { json in
      writeHead(to: &json)
      guard let run else { return }
      json.key("configurationNumber")
      json.integer(run.ip.advertisement.configurationNumber)
      json.key("connections")
      json.integer(run.connectionCount)
      json.key("faults")
      json.array { json in for fault in faults.active { json.string(fault.text) } }
      json.key("pairings")
      writePairings(to: &json)
      json.key("characteristics")
      json.array { json in
        let database = run.database
        for slot in database.characteristics.indices { json.object { $0.status(of: slot, in: database) } }
      }
    }
  }

  /// What there is, in short, as a JSON object: who it is, and the accessories behind it where it is a bridge.
  package func writeListing(to json: inout JSONWriter) {
    json.object { json in
      writeHead(to: &json)
      let database = database
      guard database.accessoryEntries.count > 1 else { return }
      json.key("bridged")
      json.array { json in
        for entry in database.accessoryEntries where entry.aid != 1 {
          json.object { json in
            json.key("aid")
            json.integer(entry.aid)
            json.key("name")
            json.string(database.accessoryName(entry.aid))
            json.key("online")
            json.bool(!offline.contains(entry.aid))
          }
        }
      }
    }
  }

  /// The JSON object for `list` or for `status`.
  package func written(isList: Bool) -> [UInt8] {
    JSONWriter.bytes { json in if isList { writeListing(to: &json) } else { writeStatus(to: &json) } }
  }

  package var introduction: AccessoryIntroduction {
    AccessoryIntroduction(
      name: name, deviceID: prepared.deviceID.text, setupCode: prepared.setupCode.text,
      setupPayload: prepared.setupPayload.uri, category: prepared.category.slug, port: port)
  }

  func writeHead(to json: inout JSONWriter) {
    json.key("name")
    json.string(name)
    json.key("deviceID")
    json.string(prepared.deviceID.text)
    json.key("category")
    json.string(prepared.category.slug)
    json.key("running")
    json.bool(run != nil)
    guard let run else { return }
    json.key("port")
    json.integer(port)
    json.key("radio")
    json.bool(run.ip.hasRadio)
    json.key("paired")
    json.bool(run.ip.isPaired)
  }
}

extension JSONWriter {
  fileprivate mutating func status(of slot: Int, in database: AttributeDatabase) {
    let characteristic = database.characteristics[slot]
    let named = database.named(slot, characteristic.value)
    key("aid")
    integer(named.characteristic.id.aid)
    key("iid")
    integer(named.characteristic.id.iid)
    key("name")
    string(named.characteristic.name)
    key("value")
    value(characteristic.value)
    if let word = named.word {
      key("word")
      string(word)
    }
  }
}
