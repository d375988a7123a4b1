import Foundation

extension SymbolGraph {
  /// The types, aliases, constants and functions of the module by name, with their members. Members that Swift gives to
  /// each type of a kind, such as `!=`, are left out.
  func declarations() -> [String: DeclaredType] {
    let symbols = symbols.filter { !$0.identifier.precise.contains("::SYNTHESIZED::") }
    let names = Dictionary(
      symbols.map { ($0.identifier.precise, $0.pathComponents.joined(separator: ".")) },
      uniquingKeysWith: { one, _ in one })
    var types: [String: DeclaredType] = [:]
    for symbol in symbols { if let type = symbol.declaredType { types[type.name] = type } }
    for relationship in relationships {
      guard let source = names[relationship.source] else { continue }
      // A name of another module begins with the module.
      let target =
        names[relationship.target] ?? relationship.targetFallback.map { String($0.drop { $0 != "." }.dropFirst()) }
      switch relationship.kind {
      case "inheritsFrom": types[source]?.superclass = target
      case "conformsTo": if let target { types[source]?.conformances.insert(target) }
      default: break
      }
    }
    let requirements = Set(relationships.filter { $0.kind.hasSuffix("equirementOf") }.map(\.source))
    for symbol in symbols where symbol.declaredType == nil {
      let parent = symbol.pathComponents.dropLast().joined(separator: ".")
      var member = symbol.declaredMember
      member.isRequirement = requirements.contains(symbol.identifier.precise)
      let other = DeclaredType(name: parent, kind: .struct, isOfOtherModule: true)
      types[parent, default: other].members.append(member)
    }
    return types
  }
}

extension SymbolGraph.Symbol {
  private var declaration: String { (declarationFragments ?? []).map(\.spelling).joined() }
  private var keywords: Set<String> {
    Set((declarationFragments ?? []).filter { $0.kind == "keyword" }.map(\.spelling))
  }

  /// The type, alias, constant or function at the top of a file; nil for a member.
  var declaredType: DeclaredType? {
    let kinds: [String: DeclaredType.Kind] = [
      "swift.class": .class, "swift.protocol": .protocol, "swift.enum": .enum, "swift.struct": .struct,
      "swift.typealias": .typealias, "swift.var": .constant, "swift.func": .function,
    ]
    guard let kind = kinds[kind.identifier] else { return nil }
    if kind == .function, pathComponents.count > 1 { return nil }
    var type = DeclaredType(name: pathComponents.joined(separator: "."), kind: kind)
    type.mangled = String(identifier.precise.dropFirst(2))
    type.generics = (swiftGenerics?.parameters ?? []).map(\.name)
    switch kind {
    case .typealias:
      type.type = normalizedType(declaration.components(separatedBy: " = ").dropFirst().joined(separator: " = "))
    case .constant: type.type = propertyType.map(normalizedType)
    default: break
    }
    return type
  }

  var declaredMember: DeclaredMember {
    let kinds: [String: DeclaredMember.Kind] = [
      "swift.property": .property, "swift.type.property": .typeProperty, "swift.method": .method,
      "swift.type.method": .typeMethod, "swift.init": .initializer, "swift.enum.case": .enumCase,
    ]
    var member = DeclaredMember(name: pathComponents.last!, kind: kinds[kind.identifier] ?? .other)
    switch member.kind {
    case .property, .typeProperty:
      member.result = propertyType.map(normalizedType)
      member.isSettable = keywords.contains("set") || (keywords.contains("var") && !keywords.contains("get"))
    case .method, .typeMethod, .initializer:
      member.parameters = (functionSignature?.parameters ?? []).map { parameter in
        let text = parameter.declarationFragments.map(\.spelling).joined()
        return normalizedType(text.range(of: ": ").map { String(text[$0.upperBound...]) } ?? text)
      }
      member.isAsync = keywords.contains("async")
      member.isThrowing = keywords.contains("throws")
      if member.kind == .initializer {
        member.isFailable = declaration.contains("init?")
      } else {
        member.result = normalizedResult(functionSignature?.returns?.map(\.spelling).joined())
      }
    default: break
    }
    return member
  }

  /// The type of a property or a constant, which is between its name and its accessors.
  private var propertyType: String? {
    guard let start = declaration.range(of: ": ") else { return nil }
    let rest = declaration[start.upperBound...]
    return String(rest.range(of: " {").map { rest[..<$0.lowerBound] } ?? rest)
  }
}
