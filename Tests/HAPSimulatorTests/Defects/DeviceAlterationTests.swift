@testable import HAPFrontEnds
import HAPAttributes
import HAPDeviations
import HAPModel
import Testing
@testable import HAPDevices
@testable import HAPHost

@Suite("Defects of a device") struct DeviceAlterationTests {
  private let on = AttributeID(aid: 1, iid: 9)
  private let brightness = AttributeID(aid: 1, iid: 10)
  private let database = try! AttributeDatabase([
    Accessory(
      aid: 1,
      services: [
        Service(
          iid: 8, type: ServiceDefinition.lightBulb.type,
          characteristics: [
            Characteristic(
              iid: 9, type: CharacteristicDefinition.on.type, format: .bool,
              perms: [.pairedRead, .pairedWrite, .events],
              value: .bool(false)),
            Characteristic(
              iid: 10, type: CharacteristicDefinition.brightness.type, format: .int,
              perms: [.pairedRead, .pairedWrite, .events], value: .integer(50)),
          ])
      ])
  ])

  private func alteration(_ device: String) throws -> DeviceAlteration {
    let text = "area: own\ndefects:\n  - { id: odd, breaks: SV-08, what: Odd., device: \(device) }\n"
    let file = DefectFile(Array(text.utf8), file: "own.yaml")
    return DeviceAlteration(try #require(file.defects.first, "\(file.problems)").devices, database)
  }

  private func told(_ device: String, _ id: AttributeID, _ value: Value, by cause: DeviceChange.Cause = .time) throws
    -> [String]
  {
    var alteration = try alteration(device)
    return alteration.altered([(id, value)], by: cause, database).map {
      "\($0.change.id)=\($0.change.value) \($0.delay)"
    }
  }

  @Test("Changes are dropped, replaced, shifted or delayed, or cause others")
  func changes() throws {
    let zero = "\(Duration.zero)"
    #expect(try told("[{ of: On, change: drop }]", on, .bool(true)) == [])
    #expect(try told("[{ of: On, change: drop }]", brightness, .integer(7)) == ["1.10=\(Value.integer(7)) \(zero)"])
    #expect(
      try told("[{ of: Brightness, change: 3 }]", brightness, .integer(7)) == ["1.10=\(Value.integer(3)) \(zero)"])
    #expect(
      try told("[{ of: Brightness, change: \"+2\" }]", brightness, .integer(7)) == ["1.10=\(Value.integer(9)) \(zero)"])
    #expect(try told("[{ of: Brightness, change: drop, value: 8 }]", brightness, .integer(7)).count == 1)
    #expect(try told("[{ of: On, change: drop, when: { by: hand } }]", on, .bool(true)).count == 1)
    #expect(try told("[{ of: On, change: drop, when: { by: hand } }]", on, .bool(true), by: .hand) == [])
    #expect(try told("[{ of: On, delay: 2s }]", on, .bool(true)) == ["1.9=\(Value.bool(true)) \(Duration.seconds(2))"])
    #expect(try told("[{ of: On, also: { Brightness: 1 } }]", on, .bool(true)).count == 2)
  }

  @Test("A write is ignored, undone or repeated, or causes other changes")
  func writes() throws {
    let write = ServiceWrite(first: .init(on, .bool(true)), others: [.init(brightness, .integer(7))])
    var ignoring = try alteration("[{ of: On, written: ignore }]")
    #expect(ignoring.altered(write, database).write == ServiceWrite(first: .init(brightness, .integer(7))))
    var undoing = try alteration("[{ of: On, written: undo }, { of: Brightness, written: ignore }]")
    let undone = undoing.altered(write, database)
    #expect(undone.write == nil && undone.changes.map(\.value) == [.bool(false)])
    var repeating = try alteration("[{ of: On, written: repeat }]")
    #expect(repeating.altered(write, database).isTwice)
    var following = try alteration("[{ of: On, also: { Brightness: 1 } }]")
    #expect(following.altered(write, database).changes.map(\.id) == [brightness])
  }

  @Test("An undone write restores the value of the last effective write")
  func undoingLater() throws {
    var alteration = try alteration("[{ of: Brightness, written: undo, value: 7 }]")
    _ = alteration.altered(ServiceWrite(first: .init(brightness, .integer(20))), database)
    let undone = alteration.altered(ServiceWrite(first: .init(brightness, .integer(7))), database)
    #expect(undone.changes.map(\.value) == [.integer(20)])
  }
}
