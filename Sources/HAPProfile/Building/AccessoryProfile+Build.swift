import HAPModel
import HAPWire

extension AccessoryProfile {
  /// Assigns all ids and builds the database.
  ///
  /// - Parameters:
  ///   - ids: the ids assigned so far. On return it also holds the new ones. It is unchanged if an error is thrown.
  ///   - deviceID: the source of serial numbers that the profile leaves out.
  ///   - renumber: accept explicit ids that differ from the stored ones.
  /// - Throws: all problems, if one of them is an error or if explicit ids contradict `ids`.
  public func build(
    ids: inout IDMap, deviceID: DeviceID, renumber: Bool = false
  ) throws(ProfileErrors) -> BuiltAccessory {
    guard isServable else { throw ProfileErrors(fileName: fileName, problems: problems) }
    var map = ids
    var idProblems: [ProfileProblem] = []
    var expanded = accessories.flatMap(\.expanded)
    expanded[0].key = key

    let aids = settle(
      "aid",
      expanded.enumerated().map { index, entry in
        IDRequest(
          key: entry.key, explicit: index == 0 ? 1 : entry.accessory.aid, what: "aid",
          node: entry.accessory.origin("aid"))
      }, &map, renumber, &idProblems)

    var built: [Accessory] = []
    var behaviours: [BuiltAccessory.Behaviour] = []
    var matter: [AttributeID: JSONNode] = [:]
    var names: [UInt64: String] = [:]
    for (index, entry) in expanded.enumerated() {
      let keys = ServiceKeys(entry.accessory)
      let requests = keys.requests(entry.accessory, isExact: isExact)
      let iids = settle("iid \(entry.key)", requests, &map, renumber, &idProblems)
      guard let aid = aids[entry.key] else { continue }
      let services = keys.services(entry.accessory, iids, serial: Self.serial(deviceID, aid))
      built.append(Accessory(aid: aid, services: services))
      names[aid] = entry.accessory.name
      Self.collectMatter(of: entry.accessory, services, aid, &matter)
      for (draft, service) in zip(entry.accessory.services, services)
      where draft.type != .accessoryInformation && draft.type != .protocolInformation {
        behaviours.append(
          .init(aid: aid, serviceIID: service.iid, serviceType: service.type, node: draft.behaviour))
      }
      if index == 0 { names[1] = name }
    }
    guard idProblems.isEmpty else { throw ProfileErrors(fileName: fileName, problems: problems + idProblems) }
    // The iids of a removed accessory stay in the map under its key, so the key never gets different ids later.
    do {
      let database = try AttributeDatabase(built)
      ids = map
      return BuiltAccessory(
        database: database, behaviours: behaviours, matter: matter,
        configurationText: ConfigurationText.text(of: built),
        category: category, name: name, model: NameRules.served(Self.model(built[0]) ?? model), names: names)
    } catch {
      let problem = ProfileProblem(.iid, path: "", place: JSONPlace(line: 1, column: 1), "\(error)")
      throw ProfileErrors(fileName: fileName, problems: problems + [problem])
    }
  }

  /// Adds the raw members `matter` of an accessory.
  /// - Parameter services: built of its services.
  private static func collectMatter(
    of accessory: AccessoryDraft, _ services: [Service], _ aid: UInt64, _ matter: inout [AttributeID: JSONNode]
  ) {
    for (draft, service) in zip(accessory.services, services) {
      if let node = draft.matter { matter[AttributeID(aid: aid, iid: service.iid)] = node }
      for (draft, characteristic) in zip(draft.characteristics, service.characteristics) {
        if let node = draft.matter { matter[AttributeID(aid: aid, iid: characteristic.iid)] = node }
      }
    }
  }

  /// 12 digits, followed by the aid for bridged accessories. It has at least 2 bytes and differs for each accessory.
  private static func serial(_ deviceID: DeviceID, _ aid: UInt64) -> String {
    let digits = deviceID.text.split(separator: ":").joined()
    return aid == 1 ? digits : "\(digits)-\(aid)"
  }

  private static func model(_ accessory: Accessory) -> String? {
    let information = accessory.services.first { $0.type == .accessoryInformation }
    return information?.characteristics.first { $0.type == .model }?.value.stringValue
  }

  private func settle(
    _ scope: String, _ requests: [IDRequest], _ map: inout IDMap, _ renumber: Bool, _ problems: inout [ProfileProblem]
  ) -> [String: UInt64] {
    let conflicts = map.scopes[scope, default: .init()].settle(
      requests.map { .init(key: $0.key, explicit: $0.explicit) }, renumber: renumber)
    for conflict in conflicts {
      guard let request = requests.first(where: { $0.key == conflict.key }) else {
        problems.append(ProfileProblem(.idChanged, path: "", place: JSONPlace(line: 1, column: 1), "no ids are left"))
        continue
      }
      let message: String
      switch conflict {
      case .moved(_, let from, let to):
        message = "the profile states \(request.what) \(to), but it was \(from) before; --renumber accepts the change"
      case .taken(_, let id, let owner):
        let whose = owner.map { "belongs to \($0)" } ?? "was used before, and freed ids are never reused"
        message = "\(request.what) \(id) \(whose); --renumber accepts the change"
      case .exhausted: message = "no ids are left"
      }
      problems.append(ProfileProblem(.idChanged, at: request.node, message))
    }
    return map.scopes[scope]?.ids ?? [:]
  }
}

/// An entry that needs an id, and its place in the document.
struct IDRequest {
  var key: String
  var explicit: UInt64?
  /// "aid" or "iid".
  var what: String
  var node: JSONNode
}

/// The iid keys of an accessory's services. A key is the type and label, or the type and the ordinal among services of that type.
struct ServiceKeys {
  private var keys: [String] = []

  init(_ accessory: AccessoryDraft) {
    var ordinals: [TypeID: Int] = [:]
    for service in accessory.services {
      ordinals[service.type, default: 0] += 1
      let tail = service.label.map { "@\($0)" } ?? "#\(ordinals[service.type] ?? 1)"
      keys.append(service.type.wireForm + tail)
    }
  }

  /// The keys of a service's characteristics: their types. Only an exact profile can have the same type twice.
  private func keys(_ service: Int, _ characteristics: [CharacteristicDraft]) -> [String] {
    var ordinals: [TypeID: Int] = [:]
    return characteristics.map { draft in
      let type = draft.characteristic.type
      ordinals[type, default: 0] += 1
      let ordinal = ordinals[type] ?? 1
      return "\(keys[service])/\(type.wireForm)" + (ordinal > 1 ? "#\(ordinal)" : "")
    }
  }

  /// Requests an id for each service and then its characteristics, in the order of the profile.
  func requests(_ accessory: AccessoryDraft, isExact: Bool) -> [IDRequest] {
    var requests: [IDRequest] = []
    for (index, service) in accessory.services.enumerated() {
      let explicit = service.type == .accessoryInformation && !isExact ? 1 : service.iid
      requests.append(
        IDRequest(key: keys[index], explicit: explicit, what: "iid", node: service.node["iid"] ?? service.node))
      for (key, draft) in zip(keys(index, service.characteristics), service.characteristics) {
        requests.append(IDRequest(key: key, explicit: draft.iid, what: "iid", node: draft.origin("iid")))
      }
    }
    return requests
  }

  /// - Parameter iids: by key. A key without an iid, after a conflict, gets 0; such a database is never served.
  func services(_ accessory: AccessoryDraft, _ iids: [String: UInt64], serial: String) -> [Service] {
    let labels = Dictionary(
      accessory.services.enumerated().compactMap { index, service in
        service.label.map { ($0, iids[keys[index]] ?? 0) }
      }, uniquingKeysWith: { first, _ in first })
    return accessory.services.enumerated().map { index, draft in
      let characteristics = zip(keys(index, draft.characteristics), draft.characteristics).map { key, draft in
        var characteristic = draft.characteristic
        characteristic.iid = iids[key] ?? 0
        if draft.isDerivedSerial { characteristic.value = .string(serial) }
        return characteristic
      }
      return Service(
        iid: iids[keys[index]] ?? 0, type: draft.type, isPrimary: draft.isPrimary, isHidden: draft.isHidden,
        linked: draft.linked.compactMap { labels[$0.label] }, characteristics: characteristics)
    }
  }
}
