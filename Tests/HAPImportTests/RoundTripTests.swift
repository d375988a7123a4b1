import HAPImport
import HAPModel
import HAPProfile
import HAPTestSupport
import HAPWire
import Testing

/// Generates profiles of the catalogue's services with random optional characteristics, values, limits, links and
/// accessories.
private struct ProfileMaker {
  var random: SeededGenerator

  mutating func pick<T>(_ list: [T]) -> T { list[Int.random(in: 0..<list.count, using: &random)] }
  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  mutating func document() -> String {
    let bridged = chance(2) ? Int.random(in: 1...5, using: &random) : 0
    return JSONWriter.text { json in
      json.object { json in
        json.key("format")
        json.string("hasaccessory/1")
        accessory(0, &json)
        if bridged > 0 {
          json.key("bridgedAccessories")
          json.array { json in for number in 1...bridged { json.object { json in accessory(number, &json) } } }
        }
        if chance(3) {
          json.key("quirks")
          json.object { json in
            json.key("booleans")
            json.string("words")
          }
        }
      }
    }
  }

  private mutating func accessory(_ number: Int, _ json: inout JSONWriter) {
    json.key("name")
    json.string(pick(["Thing", "Größe", "Ding \"7\"", "灯"]) + " \(number)")
    if chance(2) {
      json.key("serialNumber")
      json.string("SN-\(number)-\(Int.random(in: 100...999, using: &random))")
    }
    if number > 0, chance(2) {
      json.key("aid")
      json.integer(number * 100)
    }
    json.key("services")
    let count = Int.random(in: 1...4, using: &random)
    let labels = (0..<count).map { "s\($0)" }
    json.array { json in
      for index in 0..<count {
        json.object { json in service(index, labels, &json) }
      }
    }
  }

  private mutating func service(_ index: Int, _ labels: [String], _ json: inout JSONWriter) {
    let services = Catalogue.services.filter { !$0.isWithdrawn && $0.type != 0x3E && $0.type != 0xA2 }
    let service = pick(services)
    json.key("type")
    json.string(service.identifier)
    json.key("name")
    json.string("Service \(index)")
    json.key("id")
    json.string(labels[index])
    if index == 0, chance(2) {
      json.key("primary")
      json.bool(true)
    }
    if chance(5) {
      json.key("hidden")
      json.bool(true)
    }
    let others = labels.filter { $0 != labels[index] }
    if !others.isEmpty, chance(3) {
      json.key("linked")
      json.array { json in json.string(pick(others)) }
    }
    let optional = service.optional.filter { type in chance(3) && Catalogue.characteristic(type)?.isWithdrawn == false }
    json.key("characteristics")
    json.array { json in
      for type in optional where type != 0x23 {
        guard let definition = Catalogue.characteristic(type) else { continue }
        json.object { json in characteristic(definition, &json) }
      }
      if chance(3) { json.object { json in custom(&json) } }
    }
  }

  private mutating func characteristic(_ definition: CharacteristicDefinition, _ json: inout JSONWriter) {
    json.key("type")
    json.string(definition.identifier)
    if !definition.values.isEmpty, definition.format != .bool, definition.constraints.validValues == nil, chance(2) {
      json.key("value")
      json.string(pick(definition.values).word)
    }
    if chance(4) {
      json.key("description")
      json.string(pick(["Höhe", "a \\ b", "line\nbreak"]))
    }
    if chance(4), definition.constraints.minValue != nil {
      for name in ["minValue", "maxValue", "minStep"] {
        json.key(name)
        json.null()
      }
    }
  }

  private mutating func custom(_ json: inout JSONWriter) {
    let format = pick(Format.allCases)
    json.key("type")
    json.string("F0000001-1111-2222-3333-444444444444")
    json.key("format")
    json.string(format.rawValue)
    json.key("perms")
    json.array { json in for name in ["pr", "pw", "ev"] { json.string(name) } }
    json.key("value")
    switch format {
    case .bool: json.bool(chance(2))
    case .uint8: json.integer(Int.random(in: 0...255, using: &random))
    case .uint16, .uint32: json.integer(Int.random(in: 0...65535, using: &random))
    case .uint64: json.integer(UInt64.max - UInt64.random(in: 0...9, using: &random))
    case .int: json.integer(-Int.random(in: 0...1_000_000, using: &random))
    case .float: json.double(Double.random(in: -1e6...1e6, using: &random))
    case .string: json.string(pick(["", "ünï", "\u{1F512}", "tab\t"]))
    case .tlv8: json.base64(pick([[], [1, 1, 7], [6, 0]]))
    case .data: json.base64((0..<Int.random(in: 0...40, using: &random)).map { UInt8($0) })
    }
    if format.isNumeric, chance(2) {
      json.key("unit")
      json.string("celsius")
    }
  }
}

private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

@Suite("Export and import") struct RoundTripTests {
  @Test("The copy of any valid profile answers with the same bytes", arguments: 0..<20)
  func generated(round: Int) throws {
    var tried = 0
    for seed in 0..<10 {
      var maker = ProfileMaker(random: SeededGenerator(state: UInt64(round * 1000 + seed)))
      let text = maker.document()
      let original = try AccessoryProfile(json: Array(text.utf8), fileName: "original")
      // Random states may violate random limits: those profiles don't count.
      guard original.isServable else { continue }
      tried += 1
      let listing = try listing(servedBy: original)
      let file = try ImportedFile(Array(listing.utf8))
      var copy = file.devices[0].copy
      #expect(file.devices[0].remarks == [] && copy.mend() == [])
      copy.category = original.category
      let profile = try AccessoryProfile(json: Array(copy.profileText.utf8), fileName: "copy")
      #expect(profile.problems.filter { $0.severity == .error } == [], "\(text)")
      #expect(try HAPImportTests.listing(servedBy: profile) == listing, "\(text)")
      #expect(profile.name == original.name && profile.category == original.category)
    }
    #expect(tried >= 5)
  }
}
