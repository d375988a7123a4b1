/// Apple's services, characteristics and accessory categories: facts, generated from Catalogue/*.json by Scripts/generate-catalogue.
///
/// Every row is a constant of its own that is built when it is first asked for, so a look-up costs the rows it finds and
/// start-up costs nothing.
public enum Catalogue {
  /// Every characteristic type, withdrawn ones included, by UUID. Asking builds all rows.
  public static let characteristics: [CharacteristicDefinition] = characteristicShorts.compactMap(characteristicRow)

  /// Every service type, withdrawn ones included, by UUID. Asking builds all rows.
  public static let services: [ServiceDefinition] = serviceShorts.compactMap(serviceRow)

  /// The definition of a characteristic type; nil for a vendor's own and for unknown ones.
  public static func characteristic(_ type: TypeID) -> CharacteristicDefinition? {
    type.appleShort.flatMap(characteristicRow)
  }

  /// A characteristic by identifier or name, compared without case, spaces and hyphens: "CurrentDoorState", "current door state".
  public static func characteristic(named name: String) -> CharacteristicDefinition? {
    characteristicShortsByName[foldedName(name)].flatMap(characteristicRow)
  }

  /// The definition of a service type; nil for a vendor's own and for unknown ones.
  public static func service(_ type: TypeID) -> ServiceDefinition? {
    type.appleShort.flatMap(serviceRow)
  }

  /// A service by identifier or name, compared without case, spaces and hyphens: "LightBulb", "light bulb".
  public static func service(named name: String) -> ServiceDefinition? {
    serviceShortsByName[foldedName(name)].flatMap(serviceRow)
  }

  /// A category by slug or name, compared without case, spaces and hyphens: "garage-door-opener".
  public static func category(slug: String) -> Category? {
    let folded: String = foldedName(slug)
    return categories.first { foldedName($0.name) == folded }
  }

  /// A category by number.
  public static func category(number: UInt8) -> Category? {
    categories.first { $0.number == number }
  }
}

/// The form in which names are compared: ASCII lower case, without spaces and hyphens.
package func foldedName(_ text: String) -> String {
  var folded: String = ""
  for scalar: Unicode.Scalar in text.unicodeScalars where scalar != " " && scalar != "-" {
    folded.unicodeScalars.append(lowerCased(scalar))
  }
  return folded
}

/// The form in which names are written in profiles: ASCII lower case, a hyphen for every space.
package func slug(_ name: String) -> String {
  var result: String = ""
  for scalar: Unicode.Scalar in name.unicodeScalars {
    result.unicodeScalars.append(scalar == " " ? "-" : lowerCased(scalar))
  }
  return result
}

private func lowerCased(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
  ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar
}
