import HAPModel
import MatterModel
import MatterWire
import Testing

@testable import MatterBridge

@Suite("Matter: false answers to reads") struct FalseReadTests {
  @Test("Attributes of a characteristic have a number that is out of range, and others are as they are")
  func value() throws {
    let home = try MappedHome("light-colour")
    let (onOff, level) = (try home.read(1, 6, 0), try home.read(1, 8, 0))
    home.node.falseReads = [FalseRead(CharacteristicDefinition.brightness.type, value: 100_000)]
    #expect(try home.read(1, 8, 0) == .unsigned(100_000) && home.read(1, 6, 0) == onOff)
    // Attributes that only the node knows stay, too.
    #expect(try home.read(1, 8, 0x11) == .null)
    #expect(home.write(1, 8, 0x11, .unsigned(9)) == .success)
    home.node.falseReads = []
    #expect(try home.read(1, 8, 0) == level)
  }

  @Test(
    "Reads of a characteristic end with the status of Matter for that of HAP",
    arguments: [
      (HAPStatus.timedOut, InteractionStatus.Code.timeout), (.unableToCommunicate, .failure), (.success, .failure),
    ])
  func status(status: HAPStatus, code: InteractionStatus.Code) throws {
    let home = try MappedHome("light-colour")
    home.node.falseReads = [FalseRead(CharacteristicDefinition.on.type, status: status)]
    #expect(throws: InteractionStatus(code)) { try home.read(1, 6, 0) }
    #expect(try home.read(1, 8, 0) != .null)
    #expect(home.invoke(1, 6, 2) == .success)
  }
}
