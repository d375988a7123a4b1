import HAPModel
import HAPWire

// The parts that a profile may leave out.
extension ProfileReader {
  /// Adds the services, characteristics and values that the profile leaves out.
  mutating func complete(_ accessory: inout AccessoryDraft) {
    if !accessory.services.contains(where: { $0.type == .accessoryInformation }) {
      let added = ServiceDraft(
        node: accessory.node, type: .accessoryInformation, definition: .accessoryInformation, isAdded: true)
      accessory.services.insert(added, at: 0)
    }
    if !accessory.isBridged, !accessory.services.contains(where: { $0.type == .protocolInformation }) {
      let added = ServiceDraft(
        node: accessory.node, type: .protocolInformation, definition: Catalogue.service(.protocolInformation),
        isAdded: true)
      let information = accessory.services.firstIndex { $0.type == .accessoryInformation } ?? 0
      accessory.services.insert(added, at: information + 1)
    }
    for index in accessory.services.indices {
      complete(&accessory.services[index], of: accessory)
    }
  }

  private mutating func complete(_ service: inout ServiceDraft, of accessory: AccessoryDraft) {
    var missing = (service.definition?.required ?? []).filter { service[$0] == nil }
    if service.name != nil, service.type != .accessoryInformation, service[.name] == nil, !missing.contains(.name) {
      missing.append(.name)
    }
    for type in missing {
      guard let definition = Catalogue.characteristic(type) else { continue }
      let perms = definition.perms
      let characteristic = Characteristic(
        iid: 0, type: type, format: definition.format, perms: perms, unit: definition.unit,
        constraints: definition.constraints, adminOnly: definition.adminOnly,
        persists: perms.contains(.pairedWrite) && perms.contains(.pairedRead) && !type.readsAsNull)
      service.characteristics.append(
        CharacteristicDraft(
          node: service.node, characteristic: characteristic, definition: definition, isAdded: true))
    }
    for index in service.characteristics.indices where !service.characteristics[index].hasWrittenValue {
      giveValue(&service.characteristics[index], in: service, of: accessory)
    }
  }

  private func giveValue(_ draft: inout CharacteristicDraft, in service: ServiceDraft, of accessory: AccessoryDraft) {
    if service.type == .accessoryInformation {
      let written: String?
      switch draft.characteristic.type {
      case .name: written = accessory.name
      case .manufacturer: written = accessory.manufacturer ?? "hapsim"
      case .model: written = accessory.model ?? accessory.defaultModel
      case .firmwareRevision: written = accessory.firmwareRevision ?? "1.0.0"
      case .serialNumber:
        written = accessory.serialNumber ?? ""
        draft.isDerivedSerial = accessory.serialNumber == nil
      default: written = nil
      }
      if let written, draft.characteristic.format == .string {
        draft.characteristic.value = .string(written)
        return
      }
    }
    if draft.characteristic.format == .string, [.name, .configuredName].contains(draft.characteristic.type) {
      draft.characteristic.value = .string(service.name ?? accessory.name)
      return
    }
    // If the profile states only one of current and target, the other gets the same value.
    if let twin = Self.twins[draft.characteristic.type], let other = service[twin], other.hasWrittenValue,
      draft.characteristic.allows(other.characteristic.value)
    {
      draft.characteristic.value = other.characteristic.value
      return
    }
    draft.characteristic.value = Catalogue.defaultValue(
      of: draft.characteristic.type, format: draft.characteristic.format, constraints: draft.characteristic.constraints)
  }

  /// Pairs of current and target states whose numbers have the same meaning.
  static let twins: [TypeID: TypeID] = {
    let pairs: [(TypeID, TypeID)] = [
      (0xE, 0x32), (0x1D, 0x1E), (0x66, 0x67), (0x6D, 0x7C), (0x11, 0x35), (0x10, 0x34), (0xF, 0x33), (0x6C, 0x7B),
      (0x6E, 0x7D), (0xC1, 0xC2),
    ]
    return Dictionary(uniqueKeysWithValues: pairs + pairs.map { ($1, $0) })
  }()
}

extension AccessoryDraft {
  /// Fills missing members of an exact accessory from its Accessory Information, so that its identity can be determined.
  mutating func takeInformation() {
    guard let information = services.first(where: { $0.type == .accessoryInformation }) else { return }
    func text(_ type: TypeID) -> String? { information[type]?.characteristic.value.stringValue }
    manufacturer = manufacturer ?? text(.manufacturer)
    model = model ?? text(.model)
    serialNumber = serialNumber ?? text(.serialNumber)
    firmwareRevision = firmwareRevision ?? text(.firmwareRevision)
  }

  /// The model if the profile states none.
  var defaultModel: String { (category ?? .other).name }

  /// Identifies the accessory across restarts and edits. Copies other than the first one add `#n`.
  var key: String {
    if let id { return "id:\(id)" }
    guard let serialNumber else { return "name:\(name)" }
    let parts = [manufacturer ?? "", model ?? "", serialNumber].map { part in
      part.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
        .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "%2F")
    }
    return "serial:" + parts.joined(separator: "/")
  }

  /// The accessory repeated `copies` times. The copies are numbered if there is more than one.
  var expanded: [(key: String, accessory: AccessoryDraft)] {
    guard copies > 1 else { return [(key, self)] }
    return (1...copies).map { number in
      var copy = self
      copy.name = "\(name) \(number)"
      copy.serialNumber = serialNumber.map { "\($0)-\(number)" }
      if number > 1 { copy.aid = nil }
      for service in copy.services.indices where copy.services[service].type == .accessoryInformation {
        for index in copy.services[service].characteristics.indices {
          let type = copy.services[service].characteristics[index].characteristic.type
          if type == .name {
            copy.services[service].characteristics[index].characteristic.value = .string(copy.name)
          } else if type == .serialNumber, let serial = copy.serialNumber {
            copy.services[service].characteristics[index].characteristic.value = .string(serial)
          }
        }
      }
      return (number == 1 ? key : "\(key)#\(number)", copy)
    }
  }
}
