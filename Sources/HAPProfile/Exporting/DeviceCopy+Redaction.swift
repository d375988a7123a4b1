import HAPModel

extension DeviceCopy {
  /// Takes out what would tell whose device it is: names, serial numbers and whatever may hold keys or addresses. What it is and what it can do stays.
  ///
  /// Names become what the accessory or service is, with a number; serial numbers "REDACTED-1" and so on; all bytes (tlv8 and data), the texts of
  /// characteristics that Apple doesn't define, and identifiers and network names become empty. Device ID, setup code and setup ID go.
  package mutating func redact() {
    deviceID = nil
    setupCode = nil
    setupID = nil
    var names: [TypeID: Int] = [:]
    for index in accessories.indices {
      let number = index + 1
      for service in accessories[index].services.indices {
        let type = accessories[index].services[service].type
        let isInformation = type == .accessoryInformation
        names[type, default: 0] += 1
        let kind = Catalogue.service(type)?.name ?? "Service"
        let name = isInformation ? "Accessory \(number)" : "\(kind) \(names[type] ?? 1)"
        for slot in accessories[index].services[service].characteristics.indices {
          accessories[index].services[service].characteristics[slot].redact(name: name, serial: "REDACTED-\(number)")
        }
      }
    }
  }
}

extension Characteristic {
  /// Texts that describe a product and not somebody's own one.
  private static let telling: Set<TypeID> = [.manufacturer, .model, .firmwareRevision, .hardwareRevision, .version]

  fileprivate mutating func redact(name: String, serial: String) {
    if !type.isAppleDefined { description = description.map { _ in "Custom" } }
    switch value {
    case .data: value = .data([])
    case .string:
      switch type {
      case .name, .configuredName: value = .string(name)
      case .serialNumber: value = .string(serial)
      default: if !Self.telling.contains(type) { value = .string("") }
      }
    case .null, .bool, .integer, .float: break
    }
  }
}
