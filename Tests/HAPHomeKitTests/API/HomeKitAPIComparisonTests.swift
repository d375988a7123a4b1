import Foundation
import Testing

/// The comparison with Apple's API detects each kind of difference.
@Suite("The comparison with Apple's API") struct HomeKitAPIComparisonTests {
  private let list = """
    { "types": [
      { "name": "HMThing", "kind": "class", "superclass": "NSObject", "conforms": ["Sendable"], "members": [
        { "kind": "initializer", "swift": "init(url:)", "parameters": ["URL?"], "failable": true },
        { "kind": "property", "swift": "name", "type": "String", "access": "get" },
        { "kind": "property", "swift": "delegate", "type": "(any HMThingDelegate)?", "access": "get set" },
        { "kind": "class-property", "swift": "isSupported", "type": "Bool", "access": "get" },
        { "kind": "method", "swift": "add(withName:completionHandler:)", "async": "add(named:)",
          "parameters": ["String", "(HMThing?, (any Error)?) -> Void"], "asyncReturns": "HMThing" },
        { "kind": "method", "swift": "write(_:completionHandler:)", "async": "write(_:)",
          "parameters": ["Any?", "HMErrorBlock"] } ] },
      { "name": "HMPart", "kind": "class", "superclass": "HMThing", "conforms": ["Sendable"], "members": [
        { "kind": "property", "swift": "name", "type": "String", "access": "get set" } ] },
      { "name": "HMThingDelegate", "kind": "protocol", "conforms": ["NSObjectProtocol"], "members": [
        { "kind": "delegate-method", "swift": "thing(_:didAdd:)", "parameters": ["HMThing", "HMPart"], "optional": true },
        { "kind": "delegate-method", "swift": "thing(_:didAdd:)", "parameters": ["HMThing", "String"], "optional": true }
      ] },
      { "name": "HMState", "kind": "enum", "raw": "Int", "members": [
        { "kind": "case", "swift": "on", "value": 1 } ] },
      { "name": "HMErrorBlock", "kind": "typealias", "type": "((any Error)?) -> Void", "members": [] },
      { "name": "HMThing constants", "kind": "constants", "members": [
        { "kind": "constant", "swift": "HMThingType", "type": "String", "text": "thing" } ] }
    ] }
    """

  /// A facade that has every declaration of the list.
  private var facade: [String: DeclaredType] {
    let asyncAdd = DeclaredMember(
      name: "add(named:)", kind: .method, parameters: ["String"], result: "HMThing", isAsync: true, isThrowing: true)
    let thing = DeclaredType(
      name: "HMThing", kind: .class, superclass: "NSObject", conformances: ["Sendable", "NSObjectProtocol"],
      members: [
        DeclaredMember(name: "init(url:)", kind: .initializer, parameters: ["URL?"], isFailable: true),
        DeclaredMember(name: "name", kind: .property, result: "String"),
        DeclaredMember(name: "delegate", kind: .property, result: "HMThingDelegate?", isSettable: true),
        DeclaredMember(name: "isSupported", kind: .typeProperty, result: "Bool"),
        DeclaredMember(
          name: "add(withName:completionHandler:)", kind: .method, parameters: ["String", "(HMThing?,Error?)->Void"]),
        asyncAdd,
        DeclaredMember(
          name: "write(_:completionHandler:)", kind: .method, parameters: ["Any?", "(Error?)->Void"]),
        DeclaredMember(name: "write(_:)", kind: .method, parameters: ["Any?"], isAsync: true, isThrowing: true),
      ])
    let part = DeclaredType(
      name: "HMPart", kind: .class, superclass: "HMThing",
      members: [DeclaredMember(name: "name", kind: .property, result: "String", isSettable: true)])
    let calls = ["HMPart", "String"].map {
      DeclaredMember(name: "thing(_:didAdd:)", kind: .method, parameters: ["HMThing", $0], isRequirement: true)
    }
    let defaults = calls.map { DeclaredMember(name: $0.name, kind: .method, parameters: $0.parameters) }
    let delegate = DeclaredType(
      name: "HMThingDelegate", kind: .protocol, conformances: ["NSObjectProtocol"], members: calls + defaults)
    let state = DeclaredType(
      name: "HMState", kind: .enum, members: [DeclaredMember(name: "on", kind: .enumCase)])
    let block = DeclaredType(name: "HMErrorBlock", kind: .typealias, type: "(Error?)->Void")
    let constant = DeclaredType(name: "HMThingType", kind: .constant, type: "String")
    let types = [thing, part, delegate, state, block, constant]
    return Dictionary(uniqueKeysWithValues: types.map { ($0.name, $0) })
  }

  private func comparison(
    _ exceptions: HomeKitAPIExceptions = HomeKitAPIExceptions(),
    _ change: (inout [String: DeclaredType]) -> Void = { _ in }
  ) throws -> HomeKitAPIComparison {
    var facade = facade
    change(&facade)
    let list = try HomeKitAPIList(Data(list.utf8))
    return HomeKitAPIComparison(list: list, facade: facade, exceptions: exceptions)
  }

  /// The differences after a change of a facade without differences.
  private func differences(_ change: (inout [String: DeclaredType]) -> Void) throws -> [String] {
    try comparison(HomeKitAPIExceptions(), change).differences.map { "\($0.name) \($0.text)" }
  }

  @Test("A facade with every declaration has no difference and no addition")
  func equal() throws {
    let comparison = try comparison()
    #expect(comparison.differences == [])
    #expect(comparison.additions == [])
    #expect(comparison.unnecessary == [])
    #expect(comparison.coverage.types.description == "6 of 6 (0 answer 48), 0 excepted")
    #expect(comparison.coverage.members.description == "11 of 11 (0 answer 48), 0 excepted")
  }

  @Test("A missing type, member, async form or constant is found")
  func missing() throws {
    #expect(try differences { $0["HMState"] = nil } == ["HMState is missing"])
    #expect(try differences { $0["HMThingType"] = nil } == ["HMThingType is missing"])
    #expect(try differences { $0["HMState"]!.members = [] } == ["HMState.on is missing: on"])
    #expect(
      try differences { $0["HMThing"]!.members.removeAll { $0.name == "add(named:)" } } == [
        "HMThing.add(withName:completionHandler:) is missing: add(named:) (String) async throws -> HMThing"
      ])
    #expect(
      try differences { $0["HMThingDelegate"]!.members.removeAll { $0.parameters.contains("String") } } == [
        "HMThingDelegate.thing(_:didAdd:) (HMThing, String) is thing(_:didAdd:) (HMThing, HMPart), "
          + "not thing(_:didAdd:) (HMThing, String)"
      ])
  }

  @Test("Another kind, superclass or conformance of a type is found")
  func types() throws {
    #expect(try differences { $0["HMState"]!.kind = .struct } == ["HMState is a struct, not a enum"])
    #expect(
      try differences { $0["HMPart"]!.superclass = "NSObject" } == [
        "HMPart inherits from NSObject, not from HMThing", "HMPart does not conform to Sendable",
      ])
    #expect(try differences { $0["HMThing"]!.generics = ["T"] } == [#"HMThing has the parameters ["T"], not []"#])
    #expect(
      try differences { $0["HMErrorBlock"]!.type = "()->Void" } == ["HMErrorBlock is ()->Void, not (Error?)->Void"])
    #expect(
      try differences { $0["HMThingDelegate"]!.conformances.insert("Sendable") } == [
        "HMThingDelegate requires Sendable"
      ])
  }

  @Test("Another type, access or effect of a member is found")
  func members() throws {
    func change(_ name: String, _ change: (inout DeclaredMember) -> Void) throws -> [String] {
      try differences { facade in
        for index in facade["HMThing"]!.members.indices where facade["HMThing"]!.members[index].name == name {
          change(&facade["HMThing"]!.members[index])
        }
      }
    }
    #expect(
      try change("name") { $0.isSettable = true } == [
        "HMThing.name is name: String { get set }, not name: String { get }"
      ])
    #expect(try change("name") { $0.result = "String?" }.count == 1)
    #expect(try change("isSupported") { $0.kind = .property }.count == 1)
    #expect(try change("init(url:)") { $0.isFailable = false }.count == 1)
    #expect(try change("init(url:)") { $0.parameters = ["URL"] }.count == 1)
    #expect(try change("write(_:)") { $0.isThrowing = false }.count == 1)
    #expect(try change("write(_:)") { $0.isAsync = false }.count == 1)
    #expect(try change("add(named:)") { $0.result = nil }.count == 1)
  }

  @Test("A delegate method without default implementation is found, and one that is no requirement")
  func delegates() throws {
    #expect(
      try differences { $0["HMThingDelegate"]!.members.removeLast() } == [
        "HMThingDelegate.thing(_:didAdd:) (HMThing, String) has no default implementation, although it is optional"
      ])
    #expect(try differences { $0["HMThingDelegate"]!.members.removeFirst(2) }.count == 2)
  }

  @Test("A type or member that Apple does not have is an addition, the members of the type are not")
  func additions() throws {
    let extra = DeclaredMember(name: "extra", kind: .property, result: "Int")
    let change: (inout [String: DeclaredType]) -> Void = { facade in
      facade["HMThing"]!.members.append(extra)
      facade["HMExtra"] = DeclaredType(name: "HMExtra", kind: .struct, members: [extra])
      facade["HMExtra.Part"] = DeclaredType(name: "HMExtra.Part", kind: .struct, members: [extra])
    }
    #expect(try comparison(HomeKitAPIExceptions(), change).additions == ["HMExtra", "HMThing.extra"])
    let other = DeclaredType(name: "UUID", kind: .struct, members: [extra], isOfOtherModule: true)
    #expect(try comparison(HomeKitAPIExceptions()) { $0["UUID"] = other }.additions == ["UUID.extra"])
    let exceptions = HomeKitAPIExceptions(additions: ["HMExtra": "", "HMThing.extra": ""])
    #expect(try comparison(exceptions, change).unexplainedAdditions == [])
    #expect(try comparison(exceptions).unnecessary == ["HMExtra", "HMThing.extra"])
  }

  @Test("An exception covers a type with its members, and an unnecessary one is found")
  func exceptions() throws {
    var exceptions = HomeKitAPIExceptions(withoutFunction: ["HMPart": ""], absent: ["HMState": ""])
    let comparison = try comparison(exceptions) { $0["HMState"] = nil }
    #expect(comparison.errors == [])
    #expect(comparison.unnecessary == [])
    #expect(comparison.coverage.types.description == "5 of 6 (1 answer 48), 1 excepted")
    #expect(comparison.coverage.members.description == "10 of 11 (1 answer 48), 1 excepted")
    exceptions.absent["HMThing.name"] = ""
    exceptions.withoutFunction["HMNothing"] = ""
    #expect(try self.comparison(exceptions).unnecessary == ["HMNothing", "HMState", "HMThing.name"])
  }

  @Test("Types are equal in each notation of one type")
  func notations() {
    #expect(normalizedType("@escaping @Sendable ((any Error)?) -> Void") == "(Error?)->Void")
    #expect(normalizedType("@MainActor (HMHome?, (any Error)?) -> ()") == "(HMHome?,Error?)->Void")
    #expect(
      normalizedType("(any HMMediaSourceDisplayOrderProfile.Delegate)?") == "HMMediaSourceDisplayOrderProfile.Delegate?"
    )
    #expect(normalizedType("[String : Any]?") == normalizedType("[String: Any]?"))
    #expect(normalizedType("HMErrorBlock") == "(Error?)->Void")
    #expect(normalizedType("TimeInterval") == "Double")
    #expect(normalizedType("Optional<UUID>") == "UUID?")
    #expect(normalizedType("Any?") == "Any?")
    #expect(normalizedType("nonisolated(nonsending) () async -> Void") == "()async->Void")
    #expect(normalizedResult("()") == nil)
  }
}
