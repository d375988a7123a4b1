import HAPIP
import HAPModel
import HAPWire

extension DeviceCopy {
  /// A readable profile of the device, with its aids, iids, metadata and values unchanged. It is exact if the copy is complete.
  /// Call `mend()` first.
  package var profileText: String {
    let bytes = JSONWriter.bytes { json in json.object { writeDocument(to: &$0) } }
    guard let node = try? JSONNode.parse(bytes) else { preconditionFailure("the written document is JSON") }
    return JSONStyle().text(node) + "\n"
  }

  private func writeDocument(to json: inout JSONWriter) {
    json.member("format", "hasaccessory/1")
    if isWhole { json.flag("exact") }
    guard let first = accessories.first else { return }
    json.member("name", Self.name(of: first))
    json.member("category", (category ?? guessedCategory).slug)
    if let deviceID { json.member("deviceID", deviceID.text) }
    if let setupCode { json.member("setupCode", setupCode.text) }
    if let setupID { json.member("setupID", setupID.text) }
    if saysBooleansInWords || listsEmptyTLV8AsNull {
      json.key("quirks")
      json.object { json in
        if saysBooleansInWords { json.member("booleans", IPQuirks.Booleans.words.rawValue) }
        if listsEmptyTLV8AsNull {
          json.key("listsEmptyTLV8AsNull")
          json.bool(true)
        }
      }
    }
    Self.writeServices(of: first, to: &json)
    guard accessories.count > 1 else { return }
    json.key("bridgedAccessories")
    json.array { json in
      for accessory in accessories.dropFirst() {
        json.object { json in
          json.member("name", Self.name(of: accessory))
          json.member("id", "aid \(accessory.aid)")
          json.member("aid", accessory.aid)
          Self.writeServices(of: accessory, to: &json)
        }
      }
    }
  }

  /// The name for Bonjour and lists. The accessory's Name characteristic stays unchanged in its Accessory Information.
  private static func name(of accessory: Accessory) -> String {
    let information = accessory.services.first { $0.type == .accessoryInformation }
    // The profile doesn't contain values that can't be read.
    let name = information?.characteristics.first { $0.type == .name && $0.perms.contains(.pairedRead) }
    let text = name?.value.stringValue ?? ""
    let served = NameRules.served(text)
    return served.isEmpty ? "Accessory \(accessory.aid)" : served
  }

  /// The usual category of its main service, for a device that doesn't advertise one.
  private var guessedCategory: HAPModel.Category {
    if accessories.count > 1 { return .bridge }
    let services = accessories.first?.services ?? []
    let ordered = services.filter(\.isPrimary) + services
    return ordered.lazy.map { .usual(for: $0.type) }.first { $0 != .other } ?? .other
  }

  // MARK: Services

  private static func writeServices(of accessory: Accessory, to json: inout JSONWriter) {
    let targets = Set(accessory.services.flatMap(\.linked))
    json.key("services")
    json.array { json in
      for service in accessory.services {
        json.object { json in
          json.member("type", Catalogue.service(service.type)?.profileName ?? service.type.wireForm)
          if targets.contains(service.iid) { json.member("id", label(service.iid)) }
          json.member("iid", service.iid)
          if service.isPrimary { json.flag("primary") }
          if service.isHidden { json.flag("hidden") }
          if !service.linked.isEmpty {
            json.key("linked")
            json.array { json in for iid in service.linked { json.string(label(iid)) } }
          }
          json.key("characteristics")
          json.array { json in for characteristic in service.characteristics { write(characteristic, to: &json) } }
        }
      }
    }
  }

  private static func label(_ iid: UInt64) -> String { "service \(iid)" }

  private static func write(_ characteristic: Characteristic, to json: inout JSONWriter) {
    let definition = Catalogue.characteristic(characteristic.type)
    json.object { json in
      json.member("type", definition?.profileName ?? characteristic.type.wireForm)
      json.member("iid", characteristic.iid)
      if characteristic.perms.contains(.pairedRead), characteristic.value != .null, !characteristic.type.readsAsNull {
        json.key("value")
        write(characteristic.value, definition, to: &json)
      }
      json.member("format", characteristic.format.rawValue)
      json.key("perms")
      json.array { json in for name in characteristic.perms.names { json.string(name) } }
      if let unit = characteristic.unit { json.member("unit", unit.rawValue) }
      if let description = characteristic.description { json.member("description", description) }
      write(characteristic.constraints, to: &json)
    }
  }

  private static func write(_ value: Value, _ definition: CharacteristicDefinition?, to json: inout JSONWriter) {
    switch value {
    case .null: json.null()
    case .bool(let value): json.bool(value)
    case .integer(let number):
      if let word = definition?.word(for: value), definition?.value(forWord: word) == value {
        json.string(word)
      } else {
        json.integer(number)
      }
    case .float(let number): json.double(number)
    case .string(let text): json.string(text)
    case .data(let bytes): json.base64(bytes)
    }
  }

  private static func write(_ constraints: Constraints, to json: inout JSONWriter) {
    for (name, limit) in [
      ("minValue", constraints.minValue), ("maxValue", constraints.maxValue), ("minStep", constraints.minStep),
    ] {
      guard let limit else { continue }
      json.key(name)
      write(limit, nil, to: &json)
    }
    if let length = constraints.maxLen { json.member("maxLen", length) }
    if let length = constraints.maxDataLen { json.member("maxDataLen", length) }
    if let values = constraints.validValues {
      json.key("valid-values")
      json.array { json in for value in values { json.integer(value) } }
    }
    if let range = constraints.validValuesRange {
      json.key("valid-values-range")
      json.array { json in
        json.integer(range.lowerBound)
        json.integer(range.upperBound)
      }
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

  fileprivate mutating func flag(_ name: String) {
    key(name)
    bool(true)
  }
}

extension ServiceDefinition {
  /// The identifier, if it resolves to this definition.
  fileprivate var profileName: String? { Catalogue.service(named: identifier)?.type == type ? identifier : nil }
}

extension CharacteristicDefinition {
  /// The identifier, if it resolves to this definition.
  fileprivate var profileName: String? { Catalogue.characteristic(named: identifier)?.type == type ? identifier : nil }
}
