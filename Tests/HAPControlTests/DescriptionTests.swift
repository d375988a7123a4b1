import Foundation
import HAPDeviations
import HAPModel
import HAPProfile
import HAPVocabulary
import HAPWeb
import HAPWire
import Testing

@testable import HAPControl

@Suite("The OpenAPI document") struct DescriptionTests {
  private func document() throws -> JSONNode {
    try JSONNode.parse(Array(ControlDescription.text.utf8))
  }

  @Test("The document describes exactly the existing operations") func operations() throws {
    var described: Set<String> = []
    for path in try #require(try document()["paths"]?.members) {
      for method in path.value.members ?? [] where method.name != "parameters" {
        described.insert("\(method.name.uppercased()) \(path.name) \(method.value["operationId"]?.stringValue ?? "?")")
      }
    }
    #expect(described == Set(ControlOperation.allCases.map { "\($0.form.method) \($0.form.path) \($0.rawValue)" }))
  }

  @Test("The document has exactly the accepted query parameters and bodies", arguments: ControlOperation.allCases)
  func inputs(_ operation: ControlOperation) throws {
    let document = try document()
    let path = try #require(document["paths"]?[operation.form.path])
    let described = try #require(path[operation.form.method.lowercased()])
    func resolved(_ node: JSONNode) -> JSONNode? {
      guard let reference = node["$ref"]?.stringValue else { return node }
      return document["components"]?["parameters"]?[String(reference.split(separator: "/").last ?? "")]
    }
    let all = (path["parameters"]?.elements ?? []) + (described["parameters"]?.elements ?? [])
    let parameters = try all.map { try #require(resolved($0)) }
    func names(_ place: String) -> Set<String> {
      Set(parameters.filter { $0["in"]?.stringValue == place }.compactMap { $0["name"]?.stringValue })
    }
    #expect(names("query") == Set(operation.form.query))
    #expect(
      names("path") == Set(operation.form.parts.filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }))
    let body = described["requestBody"]
    #expect((body == nil) == (operation.form.body == .none))
    if let body { #expect(body["required"]?.boolValue == (operation.form.body != .optional)) }
  }

  @Test("The document describes each command that names no file, with its required members") func commands() throws {
    let document = try document()
    let components = try #require(document["components"]?["schemas"])
    let body = document["paths"]?["/v1/commands"]?["post"]?["requestBody"]
    let reference = body?["content"]?["application/json"]?["schema"]?["$ref"]?.stringValue
    #expect(reference == "#/components/schemas/Command")
    let places = (components["Command"]?["oneOf"]?.elements ?? []).compactMap { $0["$ref"]?.stringValue }
    let schemas = try places.map { try #require(components[String($0.split(separator: "/").last ?? "")], "\($0)") }
    // Clients choose the schema by the command's name.
    let choices = try #require(components["Command"]?["discriminator"]?["mapping"]?.members)
    #expect(choices.map(\.value.stringValue) == places)
    #expect(choices.map(\.name) == schemas.compactMap { $0["properties"]?["command"]?["const"]?.stringValue })
    #expect(
      schemas.compactMap { $0["properties"]?["command"]?["const"]?.stringValue }
        == CommandName.words.filter { $0 != "add" && $0 != "replace" })
    // Links lead to pages of the documentation, which the served document does not have.
    #expect(schemas.allSatisfy { $0["description"]?.stringValue?.contains("](") == false })
    let set = try #require(schemas.first)
    #expect(set["required"]?.elements?.compactMap(\.stringValue) == ["command", "characteristic", "value"])
    #expect(
      set["properties"]?.members?.map(\.name) == ["command", "id", "accessory", "service", "characteristic", "value"])
  }

  @Test("A fault's schema has the fault's parameters, with their ranges and choices") func faults() throws {
    let kinds = try #require(try document()["components"]?["schemas"]?["FaultChoice"]?["oneOf"]?.elements)
    let schemas = kinds.filter { $0["properties"] != nil }
    #expect(
      schemas.compactMap { $0["properties"]?["fault"]?["const"]?.stringValue }
        == FaultLibrary.builtIn.entries.map(\.name))
    for (schema, fault) in zip(schemas, FaultLibrary.builtIn.entries) {
      let names = (schema["properties"]?.members ?? []).map(\.name)
      // A fault of the whole accessory does not take a connection.
      let limited = #"{"controller": "*"}"#
      let isForConnections = (try? fault.choice(JSONNode.parse(Array(limited.utf8)))) != nil
      #expect(
        names == ["fault"] + fault.parameters.map(\.name) + (isForConnections ? ["controller", "connection"] : []))
      for parameter in fault.parameters {
        let described = schema["properties"]?[parameter.name]
        switch parameter.kind {
        case .duration: #expect(described?["$ref"]?.stringValue == "#/components/schemas/FaultDuration")
        case .count(let range):
          #expect(described?["minimum"]?.integerValue == range.lowerBound)
          #expect(described?["maximum"]?.integerValue == range.upperBound)
        case .text: #expect(described?["type"]?.stringValue == "string")
        case .choice(let choices): #expect(described?["enum"]?.elements?.map(\.stringValue) == choices)
        }
      }
    }
  }

  private static let writes = ProcessInfo.processInfo.environment["HAPTEST_WRITE_DOCS"] == "1"

  @Test("The document describes each field of the quirks, and each preset", .disabled(if: writes))
  func quirks() throws {
    let kinds = try #require(try document()["components"]?["schemas"]?["Quirks"]?["oneOf"]?.elements)
    let presets = kinds.compactMap { $0["enum"]?.elements }.flatMap { $0 }.compactMap(\.stringValue)
    #expect(presets == Quirks.presets.keys)
    let fields = kinds.compactMap { $0["properties"]?.members }.flatMap { $0 }.map(\.name)
    #expect(fields == ["preset"] + QuirksField.all.map(\.name))
    for field in QuirksField.all {
      guard case .choice(let words) = field.kind else { continue }
      let described = kinds.compactMap { $0["properties"]?[field.name]?["enum"]?.elements }.flatMap { $0 }
      #expect(described.compactMap(\.stringValue) == words, "\(field.name)")
    }
  }

  /// With `HAPTEST_WRITE_DOCS=1` in the environment, the lists are written; the next build contains them.
  @Test("Each list of presets in its file is complete") func presets() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/HAPControl/OpenAPI/openapi.json")
    let old = try String(contentsOf: file, encoding: .utf8)
    let names = Quirks.presets.keys.map { "\"\($0)\"" }
    var (new, rest, lists) = ("", old[...], 0)
    while let start = rest.range(of: names[0]), let end = rest.range(of: "]", range: start.upperBound..<rest.endIndex) {
      let margin = String(rest[..<start.lowerBound].reversed().prefix { $0 == " " })
      new += rest[..<start.lowerBound] + names.joined(separator: ",\n" + margin) + "\n" + margin.dropLast()
      rest = rest[end.lowerBound...]
      lists += 1
    }
    new += rest
    #expect(lists == 2)
    if Self.writes { return try Data(new.utf8).write(to: file) }
    #expect(old == new, "openapi.json is out of date; run this test with HAPTEST_WRITE_DOCS=1")
  }
}
