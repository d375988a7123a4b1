import HAPModel
import HAPWire

/// Returns a parsed database as JSON, with the catalogue's names: accessories, services and characteristics, nested as
/// on the accessory.
func json(_ database: AttributeDatabase) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.list("accessories", database.accessoryEntries) { accessory, json in
        json.member("aid", accessory.aid)
        json.list("services", Array(database.services[accessory.services])) { service, json in
          json.member("iid", service.iid)
          json.member("type", service.type.wireForm)
          if let name = Catalogue.service(service.type)?.name { json.member("name", name) }
          if service.isPrimary { json.member("primary", true) }
          if service.isHidden { json.member("hidden", true) }
          if !service.linked.isEmpty {
            json.key("linked")
            json.array { json in for iid in service.linked { json.integer(iid) } }
          }
          json.list("characteristics", Array(service.slots)) { slot, json in
            database.characteristics[slot].write(
              to: &json, iid: database.id(ofSlot: slot).iid, name: database.title(ofSlot: slot))
          }
        }
      }
    }
  }
}

extension Characteristic {
  fileprivate func write(to json: inout JSONWriter, iid: UInt64, name: String) {
    json.member("iid", iid)
    json.member("type", type.wireForm)
    json.member("name", name)
    json.member("format", format.rawValue)
    json.key("perms")
    json.array { json in for permission in perms.names { json.string(permission) } }
    if let unit { json.member("unit", unit.rawValue) }
    for (name, limit) in [
      ("minValue", constraints.minValue), ("maxValue", constraints.maxValue), ("minStep", constraints.minStep),
    ] {
      guard let limit else { continue }
      json.key(name)
      limit.write(to: &json)
    }
    if let length = constraints.maxLen { json.member("maxLen", length) }
    if let length = constraints.maxDataLen { json.member("maxDataLen", length) }
    if let values = constraints.validValues {
      json.key("valid-values")
      json.array { json in for value in values { json.integer(value) } }
    }
    if let range = constraints.validValuesRange {
      json.key("valid-values-range")
      json.array { json in for end in [range.lowerBound, range.upperBound] { json.integer(end) } }
    }
    if perms.contains(.pairedRead) {
      json.key("value")
      value.write(to: &json)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ text: String) {
    key(name)
    string(text)
  }

  fileprivate mutating func member(_ name: String, _ number: some BinaryInteger) {
    key(name)
    integer(number)
  }

  fileprivate mutating func member(_ name: String, _ flag: Bool) {
    key(name)
    bool(flag)
  }

  /// Writes an array of objects.
  fileprivate mutating func list<Element>(
    _ name: String, _ elements: [Element], _ write: (Element, inout JSONWriter) -> Void
  ) {
    key(name)
    array { json in for element in elements { json.object { json in write(element, &json) } } }
  }
}
