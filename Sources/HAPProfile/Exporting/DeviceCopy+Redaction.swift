import HAPModel

extension DeviceCopy {
  /// Removes all personal data: names, serial numbers and all values that may contain keys or addresses. The structure and the types stay.
  ///
  /// A name becomes the kind of accessory or service with a number; a serial number becomes "REDACTED-1" and so on. These become empty:
  /// all bytes (tlv8 and data), the texts of characteristics that Apple doesn't define, identifiers, and network names.
  /// Device ID, setup code and setup ID are removed.
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
  /// Texts that describe the product and not one particular device.
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
