import HAPModel
import HAPWire

/// Looks in a database for what a case needs.
package struct SubjectFinder {
  let database: DatabaseView
  /// Services that other cases are busy with.
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
    /// The variable's value, and the services that it stands for.
    case found(JSONNode, services: Set<ServiceKey>)
    /// There is something, but another case is busy with it.
    case busy
    /// Why there is nothing.
    case nothing(String)
  }

  /// - Parameters:
  ///   - wish: a subject of the vocabulary, resolved.
  ///   - found: the variables that were found before, by name, for `in`, `beside`, `not` and `linked-to`.
  package func find(_ wish: JSONNode, among found: (String) -> JSONNode?) throws(StepError) -> Finding {
    let all: [(JSONNode, ServiceKey?)]
    switch wish["kind"]?.stringValue ?? "characteristic" {
    case "service": all = try services(wish, found)
    case "accessory": all = try accessories(wish).map { ($0, nil) }
    default: all = try characteristics(wish, found)
    }
    let free = all.filter { entry in entry.1.map { !taken.contains($0) } ?? true }
    let isList = wish["all"]?.boolValue == true || wish["count"] != nil
    let least = wish["count"]?.integerValue.map { max(1, Int(clamping: $0)) } ?? 1
    if all.count < least {
      if wish["optional"]?.boolValue == true { return .found(isList ? .list([]) : JSONNode(.null), services: []) }
      return .nothing(wish["because"]?.stringValue ?? "there is no " + Self.description(of: wish))
    }
    if wish["all"]?.boolValue == true {
      let wanted = wish["most"]?.integerValue.map { max(1, Int(clamping: $0)) } ?? all.count
      guard free.count >= min(wanted, all.count) else { return .busy }
      let chosen = free.prefix(wanted)
      return .found(.list(chosen.map(\.0)), services: Set(chosen.compactMap(\.1)))
    }
    guard free.count >= least else { return .busy }
    let chosen = free.prefix(least)
    return .found(isList ? .list(chosen.map(\.0)) : chosen[0].0, services: Set(chosen.compactMap(\.1)))
  }

  /// "writable characteristic of format bool", for a reason to skip.
  static func description(of wish: JSONNode) -> String {
    var words: [String] = []
    func list(_ node: JSONNode?) -> String? {
      guard let node else { return nil }
      let texts = (node.elements ?? [node]).compactMap(\.stringValue)
      return texts.isEmpty ? nil : texts.joined(separator: " or ")
    }
    if wish["custom"]?.boolValue == true { words.append("custom") }
    if wish["quiet"]?.boolValue == true { words.append("harmless") }
    words.append(wish["kind"]?.stringValue ?? "characteristic")
    if let type = list(wish["type"]) { words.append(type) }
    if let service = list(wish["service"]) { words.append("of service \(service)") }
    if let format = list(wish["format"]) { words.append("of format \(format)") }
    if let perms = wish["perms"]?.elements?.compactMap(\.stringValue), !perms.isEmpty {
      words.append("with permissions \(perms.joined(separator: ", "))")
    }
    if let perms = wish["without"]?.elements?.compactMap(\.stringValue), !perms.isEmpty {
      words.append("without permissions \(perms.joined(separator: ", "))")
    }
    if let members = wish["has"]?.elements?.compactMap(\.stringValue), !members.isEmpty {
      words.append("with \(members.joined(separator: ", "))")
    }
    let parts = texts(wish["with"])
    if !parts.isEmpty { words.append("with \(parts.joined(separator: " and "))") }
    if let aid = wish["aid"] { words.append("of aid \(Scope.text(aid))") }
    return words.joined(separator: " ")
  }

  // MARK: Characteristics

  private func characteristics(
    _ wish: JSONNode, _ found: (String) -> JSONNode?
  ) throws(StepError) -> [(JSONNode, ServiceKey?)] {
    let types = try Self.types(wish["type"]) { Catalogue.characteristic(named: $0)?.type }
    let unwanted = try Self.types(wish["except"]) { Catalogue.characteristic(named: $0)?.type }
    let services = try Self.types(wish["service"]) { Catalogue.service(named: $0)?.type }
    let formats = Self.texts(wish["format"])
    let perms = Permissions(Self.texts(wish["perms"]).compactMap { Permissions(name: $0) })
    let without = Permissions(Self.texts(wish["without"]).compactMap { Permissions(name: $0) })
    let place = wish["in"]?.stringValue.flatMap(found)
    let beside = wish["beside"]?.stringValue.flatMap(found)
    let excluded = Self.ids(wish["not"], found)
    let isQuiet = wish["quiet"]?.boolValue == true
    let leastValues = wish["values"]?.integerValue.map { Int(clamping: $0) } ?? 0
    let leastRoom = wish["room"]?.integerValue ?? -1
    var result: [(JSONNode, ServiceKey?, rank: Int)] = []
    for (index, entry) in database.characteristics.enumerated() {
      let characteristic = entry.characteristic
      guard types.isEmpty || types.contains(characteristic.type), !unwanted.contains(characteristic.type),
        services.isEmpty || services.contains(entry.service.type),
        formats.isEmpty || formats.contains(characteristic.format.rawValue), characteristic.perms.isSuperset(of: perms),
        characteristic.perms.isDisjoint(with: without), isOf(entry.accessory, wish["aid"]),
        !excluded.contains("\(entry.id)"),
        isIn(entry, place), isBeside(entry, beside),
        wish["custom"]?.boolValue.map({ $0 != characteristic.type.isAppleDefined }) ?? true
      else { continue }
      let rank = QuietTypes.rank(characteristic.type)
      if isQuiet, rank == nil { continue }
      if types.isEmpty, QuietTypes.dangerous.contains(characteristic.type), perms.contains(.pairedWrite) { continue }
      let variable = database.variable(entry, at: index)
      guard Self.texts(wish["has"]).allSatisfy({ variable[$0] != nil }),
        Self.texts(wish["lacks"]).allSatisfy({ variable[$0] == nil }),
        variable["values"]?.elements?.count ?? 0 >= leastValues, variable["room"]?.integerValue ?? -1 >= leastRoom
      else { continue }
      let order = types.firstIndex(of: characteristic.type) ?? 0
      let key = ServiceKey(aid: entry.accessory.aid, iid: entry.service.iid)
      result.append((variable, key, rank: isQuiet ? rank ?? 0 : types.count > 1 ? order : 0))
    }
    // By rank, and within one as they stand in the database.
    return result.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      .map { ($0.element.0, $0.element.1) }
  }

  private func isOf(_ accessory: Accessory, _ wish: JSONNode?) -> Bool {
    guard let wish else { return true }
    switch wish.stringValue {
    case "bridge": return accessory.aid == 1
    case "bridged": return accessory.aid != 1
    default: return wish.integerValue.map { $0 == Int128(accessory.aid) } ?? (wish.stringValue == "\(accessory.aid)")
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

  private func services(
    _ wish: JSONNode, _ found: (String) -> JSONNode?
  ) throws(StepError) -> [(JSONNode, ServiceKey?)] {
    let types = try Self.types(wish["type"]) { Catalogue.service(named: $0)?.type }
    let parts = try Self.types(wish["with"]) { Catalogue.characteristic(named: $0)?.type }
    let place = wish["in"]?.stringValue.flatMap(found)
    let linked = wish["linked-to"]?.stringValue.flatMap(found)
    let excluded = Self.texts(wish["not"]).compactMap(found)
    var result: [(JSONNode, ServiceKey?)] = []
    for accessory in database.accessories where isOf(accessory, wish["aid"]) {
      if let place, place["aid"]?.integerValue != Int128(accessory.aid) { continue }
      for service in accessory.services {
        guard types.isEmpty || types.contains(service.type),
          parts.allSatisfy({ type in service.characteristics.contains { $0.type == type } }),
          wish["custom"]?.boolValue.map({ $0 != service.type.isAppleDefined }) ?? true,
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

  private func accessories(_ wish: JSONNode) throws(StepError) -> [JSONNode] {
    let types = try Self.types(wish["with"]) { Catalogue.service(named: $0)?.type }
    return database.accessories.filter { accessory in
      isOf(accessory, wish["aid"]) && types.allSatisfy { type in accessory.services.contains { $0.type == type } }
    }.map(DatabaseView.variable)
  }

  // MARK: Pieces

  private static func texts(_ node: JSONNode?) -> [String] {
    guard let node else { return [] }
    return (node.elements ?? [node]).compactMap { $0.stringValue }
  }

  private static func ids(_ node: JSONNode?, _ found: (String) -> JSONNode?) -> Set<String> {
    Set(texts(node).compactMap { name in found(name)?["id"]?.stringValue })
  }

  private static func types(
    _ node: JSONNode?, _ named: (String) -> TypeID?
  ) throws(StepError) -> [TypeID] {
    var result: [TypeID] = []
    guard let node else { return result }
    for text in texts(node) {
      guard let type = named(text) ?? TypeID(text) else { throw StepError(node, "the catalogue has no \"\(text)\"") }
      result.append(type)
    }
    return result
  }
}
