import HAPModel

extension AttributeDatabase {
  /// The text of everything that changes `c#`: the whole database without the values. Its hash is stored.
  package var structure: String {
    characteristics.indices.map { slot in
      let characteristic = characteristics[slot]
      return "\(id(ofSlot: slot)) \(service(ofSlot: slot).type) \(characteristic.type) \(characteristic.format) "
        + "\(characteristic.perms.names) \(characteristic.constraints)"
    }.joined(separator: "\n")
  }

  /// Whether two databases are equal apart from the values: whether they have the same structure.
  package func hasStructure(of other: AttributeDatabase) -> Bool {
    characteristics.count == other.characteristics.count
      && characteristics.indices.allSatisfy { slot in
        let (characteristic, another) = (characteristics[slot], other.characteristics[slot])
        return id(ofSlot: slot) == other.id(ofSlot: slot)
          && service(ofSlot: slot).type == other.service(ofSlot: slot).type
          && characteristic.type == another.type && characteristic.format == another.format
          && characteristic.perms == another.perms && characteristic.constraints == another.constraints
      }
  }
}
