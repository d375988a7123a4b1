import HAPLint
import Testing

@Suite("Two reads of one accessory") struct DifferencesTests {
  private static func differences(_ from: String, _ to: String) -> [String] {
    let old = Databases.house
    let new = old.replacing(from, with: to, maxReplacements: 1)
    #expect(new != old)
    return DatabaseLint.structuralDifferences(between: [UInt8](old.utf8), and: [UInt8](new.utf8))
  }

  @Test("Changed values and spelling are no structural difference")
  func values() {
    #expect(Self.differences("\"value\":50", "\"value\":51") == [])
    #expect(Self.differences("\"1.0.0\"", "\"2.0.0\"") == [])
    #expect(Self.differences("[\"pr\",\"pw\",\"ev\"]", "[\"ev\",\"pr\",\"pw\"]") == [])
    #expect(Self.differences("\"43\"", "\"00000043-0000-1000-8000-0026BB765291\"") == [])
  }

  @Test("Changed structure is a difference")
  func structure() {
    #expect(
      Self.differences("\"maxValue\":100", "\"maxValue\":99")
        == ["1.12: maxValue of the characteristic Brightness of Light Bulb was 100, and is now 99"])
    #expect(
      Self.differences("\"type\":\"8\"", "\"type\":\"29\"").first
        == "1.12: was the characteristic Brightness of Light Bulb, and is now the characteristic Rotation Speed of Light Bulb"
    )
    #expect(Self.differences("\"iid\":12", "\"iid\":15").count == 2)
    #expect(
      Self.differences("[1,3]", "[0,1,3]")
        == [
          "1.32: valid-values of the characteristic Security System Target State of Security System was [1, 3], and is now [0, 1, 3]"
        ])
    #expect(Self.differences("\"format\":\"int\"", "\"format\":\"uint8\"").count == 1)
    #expect(Self.differences("[\"pr\",\"pw\",\"ev\"]", "[\"pr\",\"pw\"]").count == 1)
    #expect(Self.differences("\"linked\":[10]", "\"linked\":[10,30]").count == 1)
    #expect(Self.differences("\"primary\":true", "\"primary\":false").count == 1)
    #expect(
      Self.differences("{\"accessories\"", "{\"things\"") == ["one of the two texts is not an attribute database"])
  }

  @Test("An id with another meaning is reported as reused")
  func reuse() {
    func reused(_ from: String, _ to: String) -> [String] {
      let new = Databases.bridge.replacing(from, with: to, maxReplacements: 1)
      return DatabaseLint.reusedIDs(old: [UInt8](Databases.bridge.utf8), new: [UInt8](new.utf8))
    }
    #expect(reused("\"value\":\"Lamp A\"", "\"value\":\"Lamp C\"") == [])
    #expect(reused("\"aid\":2", "\"aid\":4") == [])
    #expect(
      reused("\"LA0002\"", "\"LC0004\"")
        == [
          "aid 2 was the accessory with the serial number \"LA0002\", and is now the one with \"LC0004\""
        ])
    #expect(
      reused("\"type\":\"37\"", "\"type\":\"23\"")
        == [
          "1.9 was the characteristic Version of HAP Protocol Information, and is now the characteristic Name of HAP Protocol Information"
        ])
  }
}
