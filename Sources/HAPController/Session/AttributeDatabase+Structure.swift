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
}
