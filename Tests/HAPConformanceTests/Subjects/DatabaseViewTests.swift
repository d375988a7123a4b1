import HAPModel
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPExpectation

@Suite("The database in cases") struct DatabaseViewTests {
  private func variable(_ id: String) throws -> JSONNode {
    DatabaseView.variable(try #require(SubjectFinderTests.database.entry(AttributeID(id)!)))
  }

  @Test("A characteristic has its place, its metadata and generated values") func characteristic() throws {
    let node = try variable(TestHome.ID.brightness)
    let expected = """
      { kind: characteristic, aid: 1, iid: 12, id: "1.12", type: "8", name: Brightness, service: LightBulb, service-iid: 10,
        format: int, perms: { $set: [pr, pw, ev] }, value: 50, minValue: 0, maxValue: 100, minStep: 1, above: 101, below: -1,
        maxLen: $absent, valid-values: $absent, invalid: $absent, off-grid: $absent, other: { $not: 50 }, values: { $length: { $min: 3 } } }
      """
    let pattern = try yaml(expected)
    #expect(try Pattern.mismatch(node, pattern) == nil)
    #expect(Set((node["perms"]?.elements ?? []).compactMap(\.stringValue)) == ["pr", "pw", "ev"])
  }

  @Test(
    "Generated values differ from the present value and from each other",
    arguments: ["1.11", "1.12", "1.13", "1.14", "1.21", "1.22", "1.27", "1.28", "1.26", "1.34"])
  func others(_ id: String) throws {
    let node = try variable(id)
    let value = try #require(node["value"])
    let other = try #require(node["other"])
    let another = try #require(node["another"])
    #expect(!Pattern.equal(other, value) && !Pattern.equal(other, another))
    // If there are only two values, `another` is the present value again.
    let count = node["values"]?.elements?.count ?? 0
    #expect(count == 2 || !Pattern.equal(another, value))
  }

  @Test(
    "Metadata has the names of HAP",
    arguments: [
      ("1.23", "maxLen", "5"), ("1.24", "maxDataLen", "4"), ("1.27", "valid-values", "[0, 1, 3]"),
      ("1.28", "valid-values-range", "[2, 4]"),
      ("1.27", "invalid", "2"), ("1.14", "off-grid", "150"), ("1.38", "value", "~"), ("1.24", "value", "AQI="),
    ])
  func metadata(_ id: String, _ name: String, _ value: String) throws {
    #expect(try #require(variable(id)[name]).says(yaml(value)))
  }

  @Test("A service has its characteristics by name; an accessory has its services") func services() throws {
    let database = SubjectFinderTests.database
    let accessory = try #require(database.accessories.first)
    let light = try #require(accessory.services.first { $0.iid == 10 })
    let node = DatabaseView.variable(light, of: accessory)
    #expect(node["On"]?["id"]?.stringValue == "1.11" && node["characteristics"]?.elements?.count == 4)
    #expect(node["name"]?.stringValue == "LightBulb" && node["primary"]?.boolValue == true)
    #expect(node["linked"]?.at("[0]")?.integerValue == 40 && node["kind"]?.stringValue == "service")
    let whole = DatabaseView.variable(accessory)
    #expect(whole["name"]?.stringValue == "Test Home" && whole["services"]?.elements?.count == accessory.services.count)
    #expect(database.entry(AttributeID("9.9")!) == nil && database.entry(AttributeID("1.999")!) == nil)
  }

  @Test("A body that is not a database is refused", arguments: ["", "[", "5", "{}", #"{"accessories":5}"#])
  func noDatabase(_ text: String) {
    #expect(throws: JSONProblem.self) { try DatabaseView(Array(text.utf8)) }
  }
}
