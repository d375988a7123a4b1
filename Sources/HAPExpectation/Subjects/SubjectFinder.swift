import HAPModel
import HAPSuite
import HAPWire

/// Finds the subjects of a case in a database.
package struct SubjectFinder {
  let database: DatabaseView
  /// Services in use by other cases.
  var taken: Set<ServiceKey> = []

  package init(database: DatabaseView, taken: Set<ServiceKey> = []) {
    self.database = database
    self.taken = taken
  }

  /// A service of an accessory.
  package struct ServiceKey: Hashable, Sendable {
    var aid: UInt64
    var iid: UInt64
  }

  package enum Finding {
    /// The variable's value, and the services that it contains.
    case found(JSONNode, services: Set<ServiceKey>)
    /// Subjects exist, but other cases use them.
    case busy
    /// The reason why no subject exists.
    case nothing(String)
  }

  /// - Parameter found: returns a variable that was found earlier, by name.
  package func find(_ subject: Subject, among found: (String) -> JSONNode?) -> Finding {
    let all: [(JSONNode, ServiceKey?)] =
      switch subject.kind {
      case .service: services(subject, found)
      case .accessory: accessories(subject).map { ($0, nil) }
      case .characteristic: characteristics(subject, found)
      }
    let free = all.filter { entry in entry.1.map { !taken.contains($0) } ?? true }
    let least =
      switch subject.number {
      case .one: 1
      case .count(let count): count
      case .all(let least, _): least
      }
    if all.count < least {
      if subject.isOptional {
        return .found(subject.number == .one ? JSONNode(.null) : .list([]), services: [])
      }
      return .nothing(subject.reason ?? "there is no " + subject.words)
    }
    guard case .all(_, let most) = subject.number else {
      guard free.count >= least else { return .busy }
      let chosen = free.prefix(least)
      let value = subject.number == .one ? chosen[0].0 : .list(chosen.map(\.0))
      return .found(value, services: Set(chosen.compactMap(\.1)))
    }
    let wanted = most ?? all.count
    guard free.count >= min(wanted, all.count) else { return .busy }
    let chosen = free.prefix(wanted)
    return .found(.list(chosen.map(\.0)), services: Set(chosen.compactMap(\.1)))
  }

  // MARK: Characteristics

  private func characteristics(
    _ subject: Subject, _ found: (String) -> JSONNode?
  ) -> [(JSONNode, ServiceKey?)] {
    let place = subject.place.flatMap(found)
    let beside = subject.beside.flatMap(found)
    let excluded = Set(subject.others.compactMap { name in found(name)?["id"]?.stringValue })
    let types = subject.types
    var result: [(JSONNode, ServiceKey?, rank: Int)] = []
    for (index, entry) in database.characteristics.enumerated() {
      let type = entry.characteristic.type
      guard Self.fits(entry, subject), !excluded.contains("\(entry.id)"), isIn(entry, place), isBeside(entry, beside)
      else { continue }
      let rank = QuietTypes.rank(type)
      if subject.isQuiet, rank == nil { continue }
      if types.isEmpty, QuietTypes.dangerous.contains(type), subject.perms.contains(.pairedWrite) { continue }
      let variable = database.variable(entry, at: index)
      guard subject.has.allSatisfy({ variable[$0] != nil }), subject.lacks.allSatisfy({ variable[$0] == nil }),
        variable["values"]?.elements?.count ?? 0 >= subject.leastValues,
        variable["room"]?.integerValue ?? -1 >= Int128(subject.leastRoom ?? -1)
      else { continue }
      let order = types.firstIndex(of: type) ?? 0
      let key = ServiceKey(aid: entry.accessory.aid, iid: entry.service.iid)
      result.append((variable, key, rank: subject.isQuiet ? rank ?? 0 : types.count > 1 ? order : 0))
    }
    // By rank, then in the order of the database.
    return result.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      .map { ($0.element.0, $0.element.1) }
  }

  /// Whether a characteristic has the required type, service, format and permissions.
  private static func fits(_ entry: DatabaseView.Entry, _ subject: Subject) -> Bool {
    let characteristic = entry.characteristic
    return (subject.types.isEmpty || subject.types.contains(characteristic.type))
      && !subject.exceptTypes.contains(characteristic.type)
      && (subject.serviceTypes.isEmpty || subject.serviceTypes.contains(entry.service.type))
      && (subject.formats.isEmpty || subject.formats.contains(characteristic.format.rawValue))
      && characteristic.perms.isSuperset(of: subject.perms) && characteristic.perms.isDisjoint(with: subject.without)
      && isOf(entry.accessory, subject.owner)
      && subject.isCustom.map { $0 != characteristic.type.isAppleDefined } ?? true
  }

  private static func isOf(_ accessory: Accessory, _ owner: Subject.Owner?) -> Bool {
    switch owner {
    case nil: true
    case .bridge?: accessory.aid == 1
    case .bridged?: accessory.aid != 1
    case .aid(let aid)?: accessory.aid == aid
    }
  }

  private func isIn(_ entry: DatabaseView.Entry, _ place: JSONNode?) -> Bool {
    guard let place else { return true }
    guard place["aid"]?.integerValue == Int128(entry.accessory.aid) else { return false }
    return place["kind"]?.stringValue == "accessory" || place["iid"]?.integerValue == Int128(entry.service.iid)
  }

  private func isBeside(_ entry: DatabaseView.Entry, _ other: JSONNode?) -> Bool {
    guard let other else { return true }
    return other["aid"]?.integerValue == Int128(entry.accessory.aid)
      && other["service-iid"]?.integerValue == Int128(entry.service.iid)
      && other["iid"]?.integerValue != Int128(entry.characteristic.iid)
  }

  // MARK: Services and accessories

  private func services(_ subject: Subject, _ found: (String) -> JSONNode?) -> [(JSONNode, ServiceKey?)] {
    let place = subject.place.flatMap(found)
    let linked = subject.linkedTo.flatMap(found)
    let excluded = subject.others.compactMap(found)
    var result: [(JSONNode, ServiceKey?)] = []
    for accessory in database.accessories where Self.isOf(accessory, subject.owner) {
      if let place, place["aid"]?.integerValue != Int128(accessory.aid) { continue }
      for service in accessory.services {
        guard subject.types.isEmpty || subject.types.contains(service.type),
          subject.parts.allSatisfy({ type in service.characteristics.contains { $0.type == type } }),
          subject.isCustom.map({ $0 != service.type.isAppleDefined }) ?? true,
          isLinked(service, of: accessory, to: linked),
          !excluded.contains(where: {
            $0["aid"]?.integerValue == Int128(accessory.aid) && $0["iid"]?.integerValue == Int128(service.iid)
          })
        else { continue }
        result.append(
          (DatabaseView.variable(service, of: accessory), ServiceKey(aid: accessory.aid, iid: service.iid)))
      }
    }
    return result
  }

  private func isLinked(_ service: Service, of accessory: Accessory, to other: JSONNode?) -> Bool {
    guard let other else { return true }
    guard other["aid"]?.integerValue == Int128(accessory.aid), let iid = other["iid"]?.integerValue else {
      return false
    }
    let theirs = (other["linked"]?.elements ?? []).compactMap(\.integerValue)
    return theirs.contains(Int128(service.iid)) || service.linked.contains { Int128($0) == iid }
  }

  private func accessories(_ subject: Subject) -> [JSONNode] {
    database.accessories.filter { accessory in
      Self.isOf(accessory, subject.owner)
        && subject.parts.allSatisfy { type in accessory.services.contains { $0.type == type } }
    }.map(DatabaseView.variable)
  }
}
