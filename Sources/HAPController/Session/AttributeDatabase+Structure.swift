import HAPModel

extension AttributeDatabase {
  /// A text of everything that changes `c#`: all but the values. Its hash is stored.
  package var structure: String {
    characteristics.indices.map { slot in
      let characteristic = characteristics[slot]
      return "\(id(ofSlot: slot)) \(service(ofSlot: slot).type) \(characteristic.type) \(characteristic.format) "
        + "\(characteristic.perms.names) \(characteristic.constraints)"
    }.joined(separator: "\n")
  }
}
