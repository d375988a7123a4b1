import HAPWire

/// The JSON Schema of suites, for editors. It is generated from the vocabulary, and agrees with `haptest validate` where a schema can.
package enum SuiteSchema {
  package static var text: String {
    let schema = JSONNode.object(
      [
        ("$schema", .text("https://json-schema.org/draft/2020-12/schema")), ("title", .text("A suite of haptest")),
        ("type", .text("object")),
      ] + members(of: SuiteReader.suiteMembers) + [("$defs", definitions)])
    return schema.indentedText + "\n"
  }

  private static var definitions: JSONNode {
    let verbs = Vocabulary.verbs.map { verb in
      (verb.name, described(schema(verb.shape), verb.summary))
    }
    let step = JSONNode.object([
      ("type", .text("object")), ("properties", .object(verbs + [("note", type("string"))])),
      ("additionalProperties", JSONNode(.bool(false))), ("minProperties", .integer(1)), ("maxProperties", .integer(2)),
    ])
    let constraints = Vocabulary.constraints.map { ($0.name, described(.object([]), $0.summary)) }
    return .object([
      ("variable", .object([("type", .text("string")), ("pattern", .text("\\$\\{"))])), ("step", step),
      ("steps", .object([("type", .text("array")), ("items", reference("step"))])),
      ("pattern", .object([("properties", .object(constraints))])),
      (
        "bytes",
        either([
          type("string"), .object([("type", .text("array")), ("items", reference("bytes"))]),
          object(Vocabulary.bytesMembers),
        ])
      ),
      (
        "items",
        either([type("object"), .object([("type", .text("array")), ("items", .object([("type", .text("array"))]))])])
      ),
      ("alterations", .object([("type", .text("array")), ("items", object(Vocabulary.alterations))])),
      ("subject", object(Vocabulary.subjectMembers)),
    ])
  }

  // MARK: Shapes

  private static func schema(_ shape: Shape) -> JSONNode {
    switch shape {
    case .any: .object([])
    case .text: .object([("type", .list(["string", "number", "boolean"].map { .text($0) }))])
    case .integer(let range):
      orVariable(
        .object([
          ("type", .text("integer")), ("minimum", .integer(range.lowerBound)), ("maximum", .integer(range.upperBound)),
        ]))
    case .bool: orVariable(type("boolean"))
    case .duration:
      orVariable(.object([("type", .text("string")), ("pattern", .text("^[0-9]+([.][0-9]+)?(ms|s|min|h|d|y)$"))]))
    case .word(let words): orVariable(.object([("enum", .list(words.map { .text($0) }))]))
    case .pattern: reference("pattern")
    case .bytes: reference("bytes")
    case .items: reference("items")
    case .itemPatterns: type("object")
    case .alterations: reference("alterations")
    case .list(let element): orVariable(.object([("type", .text("array")), ("items", schema(element))]))
    case .map(let value): orVariable(.object([("type", .text("object")), ("additionalProperties", schema(value))]))
    case .object(let members): orVariable(object(members))
    case .either(let shapes): either(shapes.map(schema))
    case .steps: reference("steps")
    case .subject: reference("subject")
    }
  }

  private static func object(_ members: [ShapeMember]) -> JSONNode {
    .object([("type", .text("object"))] + self.members(of: members))
  }

  private static func members(of members: [ShapeMember]) -> [(name: String, value: JSONNode)] {
    var parts: [(name: String, value: JSONNode)] = [
      ("properties", .object(members.map { ($0.name, described(schema($0.shape), $0.summary)) })),
      ("patternProperties", .object([("^x-", .object([]))])), ("additionalProperties", JSONNode(.bool(false))),
    ]
    let required = members.filter(\.isRequired).map { JSONNode.text($0.name) }
    if !required.isEmpty { parts.append(("required", .list(required))) }
    return parts
  }

  private static func type(_ name: String) -> JSONNode { .object([("type", .text(name))]) }
  private static func reference(_ name: String) -> JSONNode { .object([("$ref", .text("#/$defs/\(name)"))]) }
  private static func either(_ schemas: [JSONNode]) -> JSONNode { .object([("anyOf", .list(schemas))]) }
  private static func orVariable(_ schema: JSONNode) -> JSONNode { either([schema, reference("variable")]) }

  private static func described(_ schema: JSONNode, _ summary: String) -> JSONNode {
    guard !summary.isEmpty else { return schema }
    return .object([("description", .text(summary))] + (schema.members ?? []).map { ($0.name, $0.value) })
  }
}
