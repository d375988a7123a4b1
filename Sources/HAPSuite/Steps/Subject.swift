import HAPModel
import HAPWire

/// A subject that a case looks for in the database, with the variable that receives it.
package struct NamedSubject: Equatable, Sendable {
  package var name: String
  private let node: JSONNode

  static func list(_ node: JSONNode?) -> [NamedSubject] {
    (node?.members ?? []).map { NamedSubject(name: $0.name, node: $0.value) }
  }

  package func subject(in scope: Scope) throws(StepError) -> Subject { try Subject(scope.resolve(node)) }
}

/// A description of the characteristics, services or accessories to look for in the database.
package struct Subject: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable { case characteristic, service, accessory }

  package enum Owner: Equatable, Sendable {
    /// The accessory with aid 1.
    case bridge
    /// Any other accessory.
    case bridged
    case aid(UInt64)
  }

  /// The number of subjects to look for.
  package enum Number: Equatable, Sendable {
    case one
    /// A list of this length.
    case count(Int)
    /// A list of all, at least `least`; limited to `most`.
    case all(least: Int, most: Int?)
  }

  package var kind: Kind
  package var types: [TypeID]
  package var exceptTypes: [TypeID]
  /// For a characteristic: the types of its service.
  package var serviceTypes: [TypeID]
  package var formats: [String]
  package var perms: Permissions
  package var without: Permissions
  /// Members that a characteristic must have, and members that it must not have.
  package var has: [String]
  package var lacks: [String]
  /// For a service: types of its characteristics. For an accessory: types of its services.
  package var parts: [TypeID]
  package var owner: Owner?
  package var isCustom: Bool?
  package var isQuiet: Bool
  package var leastValues: Int
  /// For text or data: the number of bytes that a value may at least have; `nil`: any format and length.
  package var leastRoom: Int?
  /// Variables with subjects found earlier.
  package var place: String?
  package var beside: String?
  package var linkedTo: String?
  package var others: [String]
  package var number: Number
  package var isOptional: Bool
  /// The reason to skip the case if nothing is found; `nil`: a default reason with `words`.
  package var reason: String?
  /// A description such as "writable characteristic of format bool".
  package var words: String

  /// - Parameter node: a subject of `Vocabulary.subjectMembers`, resolved.
  init(_ node: JSONNode) throws(StepError) {
    kind = try node.word("kind") ?? .characteristic
    let characteristic = { (name: String) in Catalogue.characteristic(named: name)?.type }
    let service = { (name: String) in Catalogue.service(named: name)?.type }
    types = kind == .accessory ? [] : try Self.types(node, "type", kind == .service ? service : characteristic)
    exceptTypes = try Self.types(node, "except", characteristic)
    serviceTypes = try Self.types(node, "service", service)
    parts = try Self.types(node, "with", kind == .accessory ? service : characteristic)
    formats = try node.texts("format")
    perms = try Self.permissions(node, "perms")
    without = try Self.permissions(node, "without")
    has = try node.texts("has")
    lacks = try node.texts("lacks")
    owner = try Self.owner(node)
    isCustom = try node.flag("custom")
    isQuiet = try node.flag("quiet") ?? false
    leastValues = try node.integer("values") ?? 0
    leastRoom = try node.integer("room")
    place = try node.text("in")
    beside = try node.text("beside")
    linkedTo = try node.text("linked-to")
    others = try node.texts("not")
    isOptional = try node.flag("optional") ?? false
    reason = node.optionalText("because")
    let count = try node.integer("count").map { max(1, $0) }
    if try node.flag("all") == true {
      number = .all(least: count ?? 1, most: try node.integer("most").map { max(1, $0) })
    } else {
      number = count.map { .count($0) } ?? .one
    }
    words = try Self.words(node, kind, isCustom: isCustom == true, isQuiet: isQuiet)
  }

  private static func owner(_ node: JSONNode) throws(StepError) -> Owner? {
    switch try node.text("aid") {
    case nil: return nil
    case "bridge": return .bridge
    case "bridged": return .bridged
    case let text?:
      guard let aid = UInt64(text) else {
        throw StepError(node["aid"] ?? node, "an aid is a number, bridge or bridged, not \"\(text.prefix(40))\"")
      }
      return .aid(aid)
    }
  }

  private static func permissions(_ node: JSONNode, _ name: String) throws(StepError) -> Permissions {
    var result = Permissions()
    for text in try node.texts(name) {
      guard let permission = Permissions(name: text) else {
        throw StepError(
          node[name] ?? node, "unknown permission \"\(text.prefix(40))\": write pr, pw, ev, aa, tw, hd or wr")
      }
      result.formUnion(permission)
    }
    return result
  }

  private static func types(
    _ node: JSONNode, _ name: String, _ named: (String) -> TypeID?
  ) throws(StepError) -> [TypeID] {
    var result: [TypeID] = []
    for text in try node.texts(name) {
      guard let type = named(text) ?? TypeID(text) else {
        throw StepError(node[name] ?? node, "the catalogue has no \"\(text)\"")
      }
      result.append(type)
    }
    return result
  }

  /// Returns the description of the subject, for the reason to skip a case.
  private static func words(_ node: JSONNode, _ kind: Kind, isCustom: Bool, isQuiet: Bool) throws(StepError) -> String {
    var words: [String] = []
    func add(_ name: String, _ before: String, _ separator: String) throws(StepError) {
      let texts = try node.texts(name)
      if !texts.isEmpty { words.append(before + texts.joined(separator: separator)) }
    }
    if isCustom { words.append("custom") }
    if isQuiet { words.append("harmless") }
    words.append(kind.rawValue)
    try add("type", "", " or ")
    try add("service", "of service ", " or ")
    try add("format", "of format ", " or ")
    try add("perms", "with permissions ", ", ")
    try add("without", "without permissions ", ", ")
    try add("has", "with ", ", ")
    try add("with", "with ", " and ")
    try add("aid", "of aid ", " or ")
    return words.joined(separator: " ")
  }
}

/// The value of a variable that must be a characteristic, service or accessory.
package struct DeferredSubject: Equatable, Sendable {
  let node: JSONNode

  package func found() throws(StepError) -> FoundSubject { try FoundSubject(node) }
}

/// The characteristic, service or accessory that is the value of a variable.
package enum FoundSubject: Equatable, Sendable {
  case characteristic(aid: UInt64?, iid: UInt64?, name: String?, service: UInt64?)
  case service(aid: UInt64?, iid: UInt64?)
  case accessory(aid: UInt64?)

  /// - Parameter node: the value of the variable.
  init(_ node: JSONNode) throws(StepError) {
    func number(_ name: String) -> UInt64? { node[name]?.integerValue.flatMap(UInt64.init(exactly:)) }
    switch node["kind"]?.stringValue.flatMap(Subject.Kind.init(rawValue:)) {
    case .characteristic:
      self = .characteristic(
        aid: number("aid"), iid: number("iid"), name: node["name"]?.stringValue, service: number("service-iid"))
    case .service: self = .service(aid: number("aid"), iid: number("iid"))
    case .accessory: self = .accessory(aid: number("aid"))
    case nil: throw StepError(node, "\"of\" must be a characteristic, service or accessory from a `find`")
    }
  }
}
