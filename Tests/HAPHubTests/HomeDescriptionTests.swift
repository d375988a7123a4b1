#if os(Linux)
  import HAPHome
  import HAPHubLink
  import HAPWeb
  import HAPWire
  import Testing

  @testable import HAPHomeControl

  @Suite("The OpenAPI document of homes") struct HomeDescriptionTests {
    private func document() throws -> JSONNode { try JSONNode.parse(Array(HomeDescription.text.utf8)) }

    @Test("The document describes exactly the existing operations") func operations() throws {
      var described: Set<String> = []
      for path in try #require(try document()["paths"]?.members) {
        for method in path.value.members ?? [] where method.name != "parameters" {
          described.insert(
            "\(method.name.uppercased()) \(path.name) \(method.value["operationId"]?.stringValue ?? "?")")
        }
      }
      #expect(described == Set(HomeOperation.allCases.map { "\($0.form.method) \($0.form.path) \($0.rawValue)" }))
    }

    @Test("The document has exactly the accepted query parameters and bodies", arguments: HomeOperation.allCases)
    func inputs(_ operation: HomeOperation) throws {
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
        names("path")
          == Set(operation.form.parts.filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }))
      #expect((described["requestBody"] == nil) == (operation.form.body == .none))
    }

    @Test("The document describes each command with its members") func commands() throws {
      let schemas = try #require(try document()["components"]?["schemas"])
      let choices = try #require(schemas["Command"]?["discriminator"]?["mapping"]?.members)
      #expect(choices.map(\.name) == HomeCommandName.allCases.map(\.rawValue))
      for (choice, form) in zip(choices, HomeCommandForm.all) {
        let name = try #require(choice.value.stringValue?.split(separator: "/").last)
        let schema = try #require(schemas[String(name)])
        #expect(schema["properties"]?.members?.map(\.name) == ["command"] + form.members.map(\.name))
      }
    }

    @Test("The document names each event") func events() throws {
      let names = try document()["components"]?["parameters"]?["EventNames"]?["schema"]?["items"]?["enum"]?.elements
      #expect(names?.compactMap(\.stringValue) == HomeJournalEvent.names)
    }
  }
#endif
