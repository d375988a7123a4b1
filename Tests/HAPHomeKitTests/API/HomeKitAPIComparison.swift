/// The comparison of Apple's API with the facade.
struct HomeKitAPIComparison {
  /// A declaration of the list, and how the facade differs.
  struct Difference: Equatable {
    /// The name in the list: "HMHome.rooms", "HMZone".
    let name: String
    let text: String
  }

  /// How many declarations of the list the facade has.
  struct Coverage: Equatable {
    var all = 0
    /// In the facade, and equal to the list.
    var present = 0
    /// Of those, the ones that answer with the error 48.
    var withoutFunction = 0
    /// Of those that are not present, the ones with an exception.
    var excepted = 0
  }

  let list: HomeKitAPIList
  let facade: [String: DeclaredType]
  let exceptions: HomeKitAPIExceptions

  /// Every declaration of the list that the facade lacks or has in another form. Exceptions are ignored.
  var differences: [Difference] {
    list.types.flatMap { row in typeDifferences(row) + row.members.flatMap { memberDifferences($0, of: row) } }
  }

  /// The differences without an exception.
  var errors: [Difference] { differences.filter { exceptions.reason(toLack: $0.name) == nil } }

  private func typeDifferences(_ row: HomeKitAPIList.ListedType) -> [Difference] {
    guard let expected = row.declaration else { return [] }
    guard let found = facade[row.name] else { return [Difference(name: row.name, text: "is missing")] }
    var texts: [String] = []
    if found.kind != expected.kind { texts.append("is a \(found.kind), not a \(expected.kind)") }
    if expected.kind == .class, found.superclass != expected.superclass {
      texts.append("inherits from \(found.superclass ?? "nothing"), not from \(expected.superclass ?? "nothing")")
    }
    if found.generics != expected.generics {
      texts.append("has the parameters \(found.generics), not \(expected.generics)")
    }
    if expected.kind == .typealias, found.type != expected.type {
      texts.append("is \(found.type ?? "nothing"), not \(expected.type ?? "nothing")")
    }
    let missing = expected.conformances.filter { !conforms(found, to: $0) }
    if !missing.isEmpty { texts.append("does not conform to \(missing.sorted().joined(separator: ", "))") }
    // An app's delegate would have to be Sendable, too.
    let isStricter = found.kind == .protocol && found.conformances.contains("Sendable")
    if isStricter, !expected.conformances.contains("Sendable") { texts.append("requires Sendable") }
    return texts.map { Difference(name: row.name, text: $0) }
  }

  private func conforms(_ type: DeclaredType, to name: String) -> Bool {
    chain(of: type.name).contains { $0.conformances.contains(name) }
  }

  /// A type of the facade and its superclasses.
  private func chain(of name: String?) -> [DeclaredType] {
    guard let name, let type = facade[name] else { return [] }
    return [type] + chain(of: type.superclass)
  }

  private func memberDifferences(_ member: HomeKitAPIList.ListedMember, of row: HomeKitAPIList.ListedType)
    -> [Difference]
  {
    if row.isGroup {
      guard let found = facade[member.name], found.kind == .constant else {
        return [Difference(name: member.name, text: "is missing")]
      }
      if found.type == member.row.type { return [] }
      let text = "is a \(found.type ?? "constant"), not a \(member.row.type ?? "constant")"
      return [Difference(name: member.name, text: text)]
    }
    // One message for a missing type is enough.
    guard facade[row.name] != nil else { return [] }
    var texts = member.forms.compactMap { difference($0, in: row.name) }
    if member.row.optional == true, texts.isEmpty, !hasDefault(member, in: row.name) {
      texts.append("has no default implementation, although it is optional")
    }
    return texts.map { Difference(name: member.name, text: $0) }
  }

  /// How the facade's member differs from a form of the list; nil if it is equal.
  private func difference(_ expected: DeclaredMember, in type: String) -> String? {
    let named = chain(of: type).flatMap(\.members).filter {
      $0.name == expected.name && $0.isAsync == expected.isAsync
        && (!expected.isRequirement || $0.isRequirement)
    }
    if named.contains(expected) { return nil }
    guard let near = named.first(where: { $0.hasSameParameters(as: expected) }) ?? named.first else {
      return "is missing: \(expected.text)"
    }
    return "is \(near.text), not \(expected.text)"
  }

  private func hasDefault(_ member: HomeKitAPIList.ListedMember, in type: String) -> Bool {
    member.forms.allSatisfy { form in
      facade[type]!.members.contains { !$0.isRequirement && $0.hasSameParameters(as: form) }
    }
  }
}

// MARK: - Additions and coverage
extension HomeKitAPIComparison {
  /// The public declarations of the facade that the list does not have, sorted by name. The members of an added type are
  /// not listed.
  var additions: [String] {
    var names: Set<String> = []
    let rows = Dictionary(uniqueKeysWithValues: list.types.filter { !$0.isGroup }.map { ($0.name, $0) })
    let constants = Set(list.types.filter(\.isGroup).flatMap(\.members).map(\.name))
    for (name, type) in facade {
      if type.isOfOtherModule {
        names.formUnion(type.members.map { "\(name).\($0.name)" })
        continue
      }
      guard let row = rows[name] else {
        let isInAddition = facade.keys.contains { name.hasPrefix("\($0).") && rows[$0] == nil }
        if !constants.contains(name), !isInAddition { names.insert(name) }
        continue
      }
      for member in type.members where !HomeKitAPIExceptions.isOfLanguage(member.name) {
        if !isListed(member, in: row, rows) { names.insert("\(name).\(member.name)\(member.isAsync ? " async" : "")") }
      }
    }
    return names.sorted()
  }

  /// Additions without an entry in the exceptions.
  var unexplainedAdditions: [String] {
    additions.filter { exceptions.additions[$0] == nil }
  }

  /// Exceptions and additions that the facade does not need (any more).
  var unnecessary: [String] {
    let differing = differences.map(\.name)
    let absent = exceptions.absent.keys.filter { name in
      !differing.contains { $0 == name || $0.hasPrefix("\(name).") }
    }
    let undeclared = exceptions.withoutFunction.keys.filter { name in
      !list.types.contains { row in row.name == name || row.members.contains { $0.name == name } }
    }
    return (absent + undeclared + Set(exceptions.additions.keys).subtracting(additions)).sorted()
  }

  private func isListed(
    _ member: DeclaredMember, in row: HomeKitAPIList.ListedType, _ rows: [String: HomeKitAPIList.ListedType]
  ) -> Bool {
    let named = row.members.flatMap(\.forms).filter { $0.name == member.name && $0.isAsync == member.isAsync }
    if named.contains(where: { $0.hasSameParameters(as: member) }) { return true }
    // A member in another form is one of the differences, and no addition as well.
    if named.contains(where: { difference($0, in: row.name) != nil }) { return true }
    return row.superclass.flatMap { rows[$0] }.map { isListed(member, in: $0, rows) } ?? false
  }

  /// The number of types, groups of constants included, and of members.
  var coverage: (types: Coverage, members: Coverage) {
    var (types, members) = (Coverage(), Coverage())
    let differing = Set(differences.map(\.name))
    for row in list.types {
      let isAbsent = row.isGroup ? row.members.allSatisfy { differing.contains($0.name) } : facade[row.name] == nil
      count(row.name, isPresent: !isAbsent && !differing.contains(row.name), in: &types)
      for member in row.members {
        let isPresent = !differing.contains(member.name) && (row.isGroup || !isAbsent)
        count(member.name, isPresent: isPresent, in: &members)
      }
    }
    return (types, members)
  }

  private func count(_ name: String, isPresent: Bool, in coverage: inout Coverage) {
    coverage.all += 1
    if isPresent {
      coverage.present += 1
      if exceptions.isWithoutFunction(name) { coverage.withoutFunction += 1 }
    } else if exceptions.reason(toLack: name) != nil {
      coverage.excepted += 1
    }
  }
}

extension HomeKitAPIComparison.Coverage: CustomStringConvertible {
  var description: String { "\(present) of \(all) (\(withoutFunction) answer 48), \(excepted) excepted" }
}
