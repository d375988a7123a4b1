import HAPModel

extension AttributeDatabase {
  /// Returns the name of an accessory: the Name of its Accessory Information, or else its aid.
  package func accessoryName(_ aid: UInt64) -> String {
    guard let entry = accessoryEntries.first(where: { $0.aid == aid }),
      let slot = entry.slots.first(where: { characteristics[$0].type == CharacteristicDefinition.name.type }),
      let name = characteristics[slot].value.stringValue
    else { return "accessory \(aid)" }
    return name
  }

  /// Returns a characteristic's name: that of the catalogue or the maker's description. On a bridge the accessory's
  /// name precedes it.
  package func named(_ slot: Int) -> SimulatorEvent.NamedCharacteristic {
    let characteristic = characteristics[slot]
    let id = id(ofSlot: slot)
    let name =
      Catalogue.characteristic(characteristic.type)?.name ?? characteristic.description ?? characteristic.type.wireForm
    let prefix = accessoryEntries.count > 1 ? accessoryName(id.aid) + " " : ""
    return SimulatorEvent.NamedCharacteristic(id: id, name: prefix + name)
  }

  /// Returns a characteristic's name with a value and the catalogue's name for the value.
  package func named(_ slot: Int, _ value: Value) -> SimulatorEvent.NamedValue {
    let characteristic = characteristics[slot]
    return SimulatorEvent.NamedValue(
      characteristic: named(slot), value: value, word: Catalogue.characteristic(characteristic.type)?.word(for: value),
      unit: characteristic.unit)
  }
}
