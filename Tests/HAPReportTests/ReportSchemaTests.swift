import Foundation
import HAPReport
import HAPWire
import Testing

struct ReportSchemaTests {
  private static func schema() throws -> JSONNode {
    try JSONNode.parse(Array(try Data(contentsOf: Checkout.file("docs/reference/report.schema.json"))))
  }

  @Test("The report conforms to its schema", arguments: Fixture.names)
  func fixtures(_ name: String) throws {
    let text = JSONReport.text(of: Fixture.report(name), redaction: Fixture.redaction)
    let schema = try Self.schema()
    #expect(SchemaCheck(root: schema).problems(try JSONNode.parse(Array(text.utf8)), schema) == [])
  }

  @Test("The schema has each member of the report")
  func closed() throws {
    let schema = try Self.schema()
    let text = JSONReport.text(of: Fixture.failing, redaction: Fixture.redaction)
    #expect(
      SchemaCheck(root: schema, refusesUnknown: true).problems(try JSONNode.parse(Array(text.utf8)), schema) == [])
  }

  @Test(
    "A report that violates the schema is detected",
    arguments: ["\"format\":1", "\"result\":\"fail\"", "\"kind\":\"hook\"", "\"order\":3", "\"level\":\"info\""])
  func refused(_ member: String) throws {
    let text = JSONReport.text(of: Fixture.failing, redaction: Fixture.redaction)
    let name = member.split(separator: ":")[0]
    let broken = text.replacingOccurrences(of: member, with: "\(name):\"x\"")
    let schema = try Self.schema()
    #expect(SchemaCheck(root: schema).problems(try JSONNode.parse(Array(broken.utf8)), schema) != [])
    let without = text.replacingOccurrences(of: member, with: "\"another\":1")
    #expect(SchemaCheck(root: schema).problems(try JSONNode.parse(Array(without.utf8)), schema) != [])
  }
}

/// The part of JSON Schema that the report's schema uses, without patterns.
private struct SchemaCheck {
  var root: JSONNode
  var refusesUnknown = false

  func problems(_ node: JSONNode, _ schema: JSONNode) -> [String] {
    if let reference = schema["$ref"]?.stringValue {
      return problems(node, root["$defs"]![String(reference.split(separator: "/").last!)]!)
    }
    if let constant = schema["const"] { return constant.says(node) ? [] : ["\(node.path): not the constant"] }
    if let words = schema["enum"]?.elements {
      return words.contains { $0.says(node) } ? [] : ["\(node.path): not one of the words"]
    }
    switch schema["type"]?.stringValue {
    case "string": return node.stringValue == nil ? ["\(node.path): no string"] : []
    case "boolean": return node.boolValue == nil ? ["\(node.path): no boolean"] : []
    case "number": return node.numberValue == nil ? ["\(node.path): no number"] : []
    case "integer":
      return (node.integerValue ?? -1) < (schema["minimum"]?.integerValue ?? .min)
        ? ["\(node.path): no such integer"] : []
    case "array":
      guard let elements = node.elements else { return ["\(node.path): no list"] }
      return elements.flatMap { problems($0, schema["items"]!) }
    case "object":
      guard let members = node.members else { return ["\(node.path): no object"] }
      let names = Set(members.map(\.name))
      let missing = (schema["required"]?.elements ?? []).compactMap(\.stringValue).filter { !names.contains($0) }
      return missing.map { "\(node.path): \($0) is missing" }
        + members.flatMap { member -> [String] in
          if let known = schema["properties"]?[member.name] { return problems(member.value, known) }
          if let others = schema["additionalProperties"] { return problems(member.value, others) }
          return refusesUnknown ? ["\(member.value.path): not in the schema"] : []
        }
    default: return ["\(node.path): the schema has a type that this test doesn't know"]
    }
  }
}
