import Foundation
import HAPTestSupport

/// The public declarations of Apple's HomeKit framework: `Catalogue/homekit-api.json`.
struct HomeKitAPIList {
  /// A type, or a group of global constants.
  struct ListedType {
    let name: String
    /// "class", "enum", "option-set", "constants" and so on.
    let kind: String
    let superclass: String?
    /// The type without its members; nil for a group of constants.
    let declaration: DeclaredType?
    let members: [ListedMember]

    /// Whether the row is a group of global constants, not a type.
    var isGroup: Bool { declaration == nil }
  }

  /// A member of a type, or a global constant.
  struct ListedMember {
    /// The name in messages and exceptions: "HMHome.rooms". For a member that shares its name with another, the types
    /// follow: "HMHomeDelegate.home(_:didAdd:) (HMHome, HMUser)".
    let name: String
    let row: Row
    /// The declarations that the facade must have: two for a method that has a form with a completion handler and an
    /// async form, none for a global constant.
    let forms: [DeclaredMember]
  }

  /// A member in the file, whose README describes the fields.
  struct Row: Decodable {
    let kind: String
    let swift: String
    let async: String?
    let parameters: [String]?
    let returns: String?
    let asyncReturns: String?
    let type: String?
    let access: String?
    let value: Int?
    let text: String?
    let uuid: String?
    let optional: Bool?
    let failable: Bool?
    let asyncOnly: Bool?
  }

  let types: [ListedType]

  static func read() throws -> HomeKitAPIList {
    try HomeKitAPIList(Data(contentsOf: Repository.root.appending(path: "Catalogue/homekit-api.json")))
  }

  init(_ json: Data) throws {
    struct File: Decodable {
      struct TypeRow: Decodable {
        let name: String
        let kind: String
        let superclass: String?
        let conforms: [String]?
        let generics: [String]?
        let type: String?
        let members: [Row]
      }
      let types: [TypeRow]
    }
    let kinds: [String: DeclaredType.Kind] = [
      "class": .class, "protocol": .protocol, "enum": .enum, "option-set": .struct, "struct": .struct,
      "typealias": .typealias,
    ]
    types = try JSONDecoder().decode(File.self, from: json).types.map { row in
      let declaration = kinds[row.kind].map {
        DeclaredType(
          name: row.name, kind: $0, superclass: row.superclass,
          conformances: Set(row.conforms ?? []).subtracting(["AnyObject"]),
          generics: (row.generics ?? []).map { String($0.prefix { $0 != ":" }) }, type: row.type.map(normalizedType))
      }
      let members = row.members.map { member in
        let isShared = row.members.filter { $0.swift == member.swift }.count > 1
        let types = isShared ? " (\((member.parameters ?? []).joined(separator: ", ")))" : ""
        return ListedMember(
          name: declaration == nil ? member.swift : "\(row.name).\(member.swift)\(types)", row: member,
          forms: member.forms)
      }
      return ListedType(
        name: row.name, kind: row.kind, superclass: row.superclass, declaration: declaration, members: members)
    }
  }
}

extension HomeKitAPIList.Row {
  fileprivate var forms: [DeclaredMember] {
    let types = (parameters ?? []).map(normalizedType)
    switch kind {
    case "property", "class-property":
      return [
        DeclaredMember(
          name: swift, kind: kind == "property" ? .property : .typeProperty, result: type.map(normalizedType),
          isSettable: access == "get set")
      ]
    case "case": return [DeclaredMember(name: swift, kind: .enumCase)]
    case "initializer":
      return [DeclaredMember(name: swift, kind: .initializer, parameters: types, isFailable: failable == true)]
    case "delegate-method":
      return [
        DeclaredMember(
          name: swift, kind: .method, parameters: types, result: normalizedResult(returns), isRequirement: true)
      ]
    case "method", "class-method":
      let kind: DeclaredMember.Kind = kind == "method" ? .method : .typeMethod
      let plain = DeclaredMember(name: swift, kind: kind, parameters: types, result: normalizedResult(returns))
      return (asyncOnly == true ? [] : [plain]) + (async.map { [asyncForm(named: $0, kind, types)] } ?? [])
    default: return []
    }
  }

  private func asyncForm(named name: String, _ kind: DeclaredMember.Kind, _ types: [String]) -> DeclaredMember {
    var types = types
    let handler = types.lastIndex { $0.hasSuffix("->Void") }.map { types.remove(at: $0) }
    return DeclaredMember(
      name: name, kind: kind, parameters: types, result: normalizedResult(asyncReturns), isAsync: true,
      isThrowing: handler?.contains("Error?") ?? true)
  }
}
