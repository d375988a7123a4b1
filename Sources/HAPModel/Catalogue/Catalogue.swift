/// Apple's services, characteristics and accessory categories, generated from Catalogue/*.json by
/// Scripts/generate-catalogue.
///
/// Every row is a separate constant that is built on first use. A look-up therefore costs only the rows that it
/// finds, and start-up costs nothing.
public enum Catalogue {
  /// Every characteristic type, including withdrawn ones, by UUID. The first access builds all rows.
  public static let characteristics: [CharacteristicDefinition] = characteristicShorts.compactMap(characteristicRow)

  /// Every service type, including withdrawn ones, by UUID. The first access builds all rows.
  public static let services: [ServiceDefinition] = serviceShorts.compactMap(serviceRow)

  /// Returns the definition of a characteristic type; nil for vendor-specific and unknown types.
  public static func characteristic(_ type: TypeID) -> CharacteristicDefinition? {
    type.appleShort.flatMap(characteristicRow)
  }

  /// Returns a characteristic by identifier or name, ignoring case, spaces and hyphens: "CurrentDoorState", "current
  /// door state".
  public static func characteristic(named name: String) -> CharacteristicDefinition? {
    characteristicShortsByName[foldedName(name)].flatMap(characteristicRow)
  }

  /// Returns the definition of a service type; nil for vendor-specific and unknown types.
  public static func service(_ type: TypeID) -> ServiceDefinition? {
    type.appleShort.flatMap(serviceRow)
  }

  /// Returns a service by identifier or name, ignoring case, spaces and hyphens: "LightBulb", "light bulb".
  public static func service(named name: String) -> ServiceDefinition? {
    serviceShortsByName[foldedName(name)].flatMap(serviceRow)
  }

  /// Returns a category by slug or name, ignoring case, spaces and hyphens: "garage-door-opener".
  public static func category(slug: String) -> Category? {
    let folded: String = foldedName(slug)
    return categories.first { foldedName($0.name) == folded }
  }

  /// Returns a category by number.
  public static func category(number: UInt8) -> Category? {
    categories.first { $0.number == number }
  }
}

/// Returns the form in which names are compared: ASCII lower case, without spaces and hyphens.
package func foldedName(_ text: String) -> String {
  var folded: String = ""
  for scalar: Unicode.Scalar in text.unicodeScalars where scalar != " " && scalar != "-" {
    folded.unicodeScalars.append(lowerCased(scalar))
  }
  return folded
}

/// Returns the form in which profiles contain names: ASCII lower case, with a hyphen for every space.
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
