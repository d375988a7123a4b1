import Foundation
import HAPModel
import HAPTestSupport
import Testing

/// Compares the Swift rows with Catalogue/*.json field by field, without running the generator.
@Suite struct CatalogueMatchesItsSource {
  typealias Row = [String: Any]

  @Test("Each characteristic row equals its JSON in each field, in the same order")
  func characteristics() throws {
    let rows: [Row] = try Repository.json("Catalogue/characteristics.json")
    #expect(rows.count == 257)
    #expect(rows.map { $0["type"] as? String } == Catalogue.characteristics.map { $0.type.wireForm })
    for row in rows {
      let short = try #require(row["type"] as? String)
      let type = try #require(TypeID(short))
      let swift = try #require(Catalogue.characteristic(type), "\(short)")
      #expect(differences(row, described(swift)) == [], "\(swift.identifier)")
    }
  }

  @Test("Each service row equals its JSON in each field, in the same order")
  func services() throws {
    let rows: [Row] = try Repository.json("Catalogue/services.json")
    #expect(rows.count == 76)
    #expect(rows.map { $0["type"] as? String } == Catalogue.services.map { $0.type.wireForm })
    for row in rows {
      let short = try #require(row["type"] as? String)
      let type = try #require(TypeID(short))
      let swift = try #require(Catalogue.service(type), "\(short)")
      let described: Row = [
        "type": swift.type.wireForm, "uuid": swift.type.uuid, "name": swift.name, "identifier": swift.identifier,
        "typeName": swift.typeName as Any, "since": swift.since as Any, "withdrawn": swift.isWithdrawn,
        "requiredCharacteristics": swift.required.map(\.wireForm),
        "optionalCharacteristics": swift.optional.map(\.wireForm),
      ]
      #expect(differences(row, described) == [], "\(swift.identifier)")
    }
  }

  @Test("Each category equals its JSON, in the same order")
  func categories() throws {
    let rows: [Row] = try Repository.json("Catalogue/categories.json")
    #expect(rows.count == 37)
    #expect(rows.map { $0["category"] as? Int } == Catalogue.categories.map { Int($0.number) })
    #expect(rows.map { $0["name"] as? String } == Catalogue.categories.map(\.name))
  }

  @Test("The comparison detects a difference in any field, and a field that only one side has")
  func comparisonCanFail() throws {
    let rows: [Row] = try Repository.json("Catalogue/characteristics.json")
    var row = try #require(rows.first { $0["identifier"] as? String == "TargetDoorState" })
    let swift = described(.targetDoorState)
    #expect(differences(row, swift) == [])
    for field in swift.keys {
      var spoilt = row
      spoilt[field] = "spoilt"
      #expect(differences(spoilt, swift) == [field])
    }
    row["newField"] = 1
    #expect(differences(row, swift) == ["newField"])
  }

  /// Members of the JSON catalogue that the generated Swift code omits: the sources of each entry.
  private let left: Set<String> = ["sources", "singleSourced", "disagreements", "resolved"]

  private func differences(_ json: Row, _ swift: Row) -> [String] {
    Set(json.keys).union(swift.keys).subtracting(left).filter { text(json[$0]) != text(swift[$0]) }.sorted()
  }

  /// Absent, null, false and an empty set of names are equal; all other values are compared as text.
  private func text(_ value: Any?) -> String {
    guard let value else { return "" }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional { return text(mirror.children.first?.value) }
    switch value {
    case is NSNull: return ""
    case let list as [String]: return list.joined(separator: " ")
    case let names as [String: String]:
      return names.sorted { Int($0.key)! < Int($1.key)! }.map { "\($0)=\($1)" }.joined(separator: ";")
    case let text as String: return text
    case let number as NSNumber: return number == 0 && isBoolean(number) ? "" : "\(number)"
    default: return "\(value)"
    }
  }

  private func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }

  private func described(_ row: CharacteristicDefinition) -> Row {
    [
      "type": row.type.wireForm, "uuid": row.type.uuid, "name": row.name, "identifier": row.identifier,
      "typeName": row.typeName as Any, "format": row.format.rawValue, "unit": row.unit?.rawValue as Any,
      "perms": row.perms.names, "minValue": number(row.constraints.minValue) as Any,
      "maxValue": number(row.constraints.maxValue) as Any, "minStep": number(row.constraints.minStep) as Any,
      "maxLen": row.constraints.maxLen as Any, "maxDataLen": row.constraints.maxDataLen as Any,
      "validValues": names(row.values), "validBits": names(row.bits), "adminOnly": row.adminOnly.names,
      "unpaired": row.isUnpaired, "broadcast": row.isBroadcast, "since": row.since as Any, "withdrawn": row.isWithdrawn,
    ]
  }

  private func number(_ value: Value?) -> NSNumber? {
    switch value {
    case .integer(let number): NSNumber(value: Int(number))
    case .float(let number): NSNumber(value: number)
    default: nil
    }
  }

  private func names(_ values: [NamedValue]) -> [String: String] {
    Dictionary(uniqueKeysWithValues: values.map { ("\($0.value)", $0.name) })
  }
}

@Suite struct CatalogueLooksUp {
  @Test("A characteristic is found by identifier, name, any spelling of either, and type")
  func characteristic() {
    for spelling in [
      "CurrentDoorState", "currentdoorstate", "Current Door State", "current-door-state", "CURRENT DOORSTATE",
    ] {
      #expect(Catalogue.characteristic(named: spelling)?.type == 0xE, "\(spelling)")
    }
    #expect(Catalogue.characteristic(0xE)?.identifier == "CurrentDoorState")
    #expect(Catalogue.characteristic(TypeID("0000000e-0000-1000-8000-0026bb765291")!)?.identifier == "CurrentDoorState")
  }

  @Test("A service is found by identifier, name and type; the original fan and its successor are distinct")
  func service() {
    #expect(Catalogue.service(named: "light bulb")?.type == 0x43)
    #expect(Catalogue.service(named: "Lightbulb")?.type == 0x43)
    #expect(Catalogue.service(named: "Fan")?.type == 0x40)
    #expect(Catalogue.service(named: "fan-v2")?.type == 0xB7)
    #expect(Catalogue.service(0x43) == .lightBulb)
  }

  @Test("An unknown type or name is nil")
  func unknown() {
    for name in ["", " ", "-", "Bulb", "CurrentDoorStates", "43"] {
      #expect(Catalogue.characteristic(named: name) == nil)
      #expect(Catalogue.service(named: name) == nil)
      #expect(Catalogue.category(slug: name) == nil)
    }
    let custom = TypeID("7E536242-341C-4862-BE90-272CE15BD633")!
    #expect(Catalogue.characteristic(custom) == nil)
    #expect(Catalogue.service(custom) == nil)
    #expect(Catalogue.characteristic(0x43) == nil, "a service's type is not a characteristic")
    #expect(Catalogue.service(0xE) == nil)
    #expect(Catalogue.category(number: 200) == nil)
  }

  @Test("Each row is found by its own identifier and name")
  func all() {
    for row in Catalogue.characteristics {
      #expect(Catalogue.characteristic(named: row.identifier) == row)
      #expect(Catalogue.characteristic(named: row.name) == row)
    }
    for row in Catalogue.services {
      #expect(Catalogue.service(named: row.identifier) == row)
      #expect(Catalogue.service(named: row.name) == row)
    }
  }

  @Test("Category slugs are unique, found regardless of case, spaces and hyphens, and map back to their number")
  func categories() {
    #expect(Set(Catalogue.categories.map { foldedName($0.slug) }).count == Catalogue.categories.count)
    for category in Catalogue.categories {
      #expect(Catalogue.category(slug: category.slug) == category)
      #expect(Catalogue.category(slug: category.name.uppercased()) == category)
      #expect(Catalogue.category(number: category.number) == category)
      #expect(category.slug.allSatisfy { $0 == "-" || ($0.isASCII && ($0.isLowercase || $0.isNumber)) })
    }
    #expect(Category.garageDoorOpener.slug == "garage-door-opener")
    #expect(Category.wiFiRouter.slug == "wi-fi-router")
  }

  @Test("Each characteristic of a service is in the catalogue, and either required or optional")
  func references() {
    for service in Catalogue.services {
      for type in service.required + service.optional { #expect(Catalogue.characteristic(type) != nil) }
      #expect(Set(service.required).isDisjoint(with: service.optional))
    }
  }
}

@Suite struct Words {
  @Test(
    "A value has a lower-case name with hyphens; the name is found in any case, with spaces, hyphens or neither"
  )
  func words() {
    let row = CharacteristicDefinition.rotationDirection
    #expect(row.word(for: 1) == "counter-clockwise")
    for spelling in ["counter-clockwise", "Counter Clockwise", "COUNTERCLOCKWISE", "counterclock-wise"] {
      #expect(row.value(forWord: spelling) == .integer(1), "\(spelling)")
    }
  }

  @Test("A name of a bool characteristic maps to a bool") func bool() {
    #expect(CharacteristicDefinition.manuallyDisabled.value(forWord: "disabled") == .bool(true))
    #expect(CharacteristicDefinition.manuallyDisabled.word(for: false) == "enabled")
  }

  @Test("Unknown names and unnamed values map to nothing") func unknown() {
    let row = CharacteristicDefinition.currentDoorState
    for word in ["", "-", "close", "closed!", "1"] { #expect(row.value(forWord: word) == nil) }
    for value in [.integer(5), .integer(-1), .integer(Int128(1) << 100), .null, 1.0, "closed", .data([1])] as [Value] {
      #expect(row.word(for: value) == nil)
    }
    #expect(CharacteristicDefinition.remoteKey.word(for: 12) == nil)
  }

  @Test("Names are unique within a characteristic, and each named value is in the valid range")
  func unique() {
    for row in Catalogue.characteristics {
      #expect(Set(row.values.map { foldedName($0.name) }).count == row.values.count, "\(row.identifier)")
      for value in row.values {
        #expect(row.word(for: .integer(Int128(value.value))) == value.word)
        let written = row.value(forWord: value.word)!
        #expect(characteristic(row).allows(written), "\(row.identifier) \(value.word)")
      }
    }
  }
}

/// A characteristic with the catalogue's metadata.
func characteristic(_ row: CharacteristicDefinition) -> Characteristic {
  Characteristic(
    iid: 1, type: row.type, format: row.format, perms: row.perms, unit: row.unit, constraints: row.constraints)
}
