import HAPModel
import HAPWire

/// Checks a profile against the rules of a database, `ProfileRule`.
struct ProfileJudge {
  var problems: [ProfileProblem]
  /// Whether the profile is the exact copy of a device. Problems that don't prevent serving are then warnings.
  var isExact = false

  /// - Parameter isBinding: whether the problem is an error in an exact profile, too.
  mutating func report(_ rule: ProfileRule, _ node: JSONNode, _ message: String, isBinding: Bool = false) {
    var problem = ProfileProblem(rule, at: node, message)
    if isExact, !isBinding, rule.isWarningWhenExact { problem.severity = .warning }
    problems.append(problem)
  }

  mutating func judge(_ root: ProfileRoot) {
    let all = root.accessories.flatMap(\.expanded)
    if all.count > 150 {
      report(
        .accessoryCount, root.node["bridgedAccessories"] ?? root.node,
        "\(all.count) accessories, including the bridge: 150 is the most")
    }
    if root.accessories.count > 1, root.category != .bridge {
      report(
        .bridgeCategory, root.node["category"] ?? root.node,
        "the category is \(root.category.slug), and there are bridged accessories: \"bridge\" is expected")
    }
    judgeAids(root.accessories)
    judgeKeys(all)
    for accessory in root.accessories {
      // The last copy has the longest name.
      judge(accessory.expanded.last?.accessory ?? accessory)
    }
  }

  private mutating func judgeAids(_ accessories: [AccessoryDraft]) {
    if let aid = accessories[0].aid, aid != 1 {
      report(.aid, accessories[0].origin("aid"), "the aid of the sole accessory or bridge must be 1, not \(aid)")
    }
    var seen: Set<UInt64> = []
    for accessory in accessories.dropFirst() {
      guard let aid = accessory.aid else { continue }
      if aid == 1 {
        report(.aid, accessory.origin("aid"), "aid 1 is reserved for the bridge")
      } else if !seen.insert(aid).inserted {
        report(.aid, accessory.origin("aid"), "another accessory also has aid \(aid)")
      }
    }
  }

  private mutating func judgeKeys(_ all: [(key: String, accessory: AccessoryDraft)]) {
    var keys: Set<String> = []
    var serials: Set<String> = []
    for (key, accessory) in all {
      if !keys.insert(key).inserted {
        report(
          .accessoryKeyTwice, accessory.node,
          "another accessory has the same identity (\(key)): give this one an \"id\" or a \"serialNumber\""
        )
      }
      if let serial = accessory.serialNumber, !serials.insert(serial).inserted {
        report(.serialTwice, accessory.origin("serialNumber"), "another accessory has the serial number \"\(serial)\"")
      }
    }
  }

  private mutating func judge(_ accessory: AccessoryDraft) {
    judgeNames(accessory)
    if accessory.services.count > 100 {
      report(.serviceCount, accessory.origin("services"), "\(accessory.services.count) services: 100 is the most")
    }
    let information = accessory.services.filter { $0.type == .accessoryInformation }
    for service in information.dropFirst() {
      report(.informationTwice, service.node, "an accessory has one Accessory Information")
    }
    judgePrimary(accessory)
    judgeLinks(accessory)
    judgeIIDs(accessory)
    judgeServiceNames(accessory)
    judgeSwitches(accessory)
    for service in accessory.services { judge(service, of: accessory) }
  }

  private mutating func judgePrimary(_ accessory: AccessoryDraft) {
    let primary = accessory.services.filter(\.isPrimary)
    for service in primary.dropFirst() {
      report(.primaryCount, service.node["primary"] ?? service.node, "an accessory has at most one primary service")
    }
    for service in primary where service.type == .accessoryInformation {
      report(
        .primaryInformation, service.node["primary"] ?? service.node, "Accessory Information is not the main function")
    }
  }

  private mutating func judgeLinks(_ accessory: AccessoryDraft) {
    var labels: Set<String> = []
    for service in accessory.services {
      guard let label = service.label else { continue }
      if !labels.insert(label).inserted {
        report(.labelTwice, service.node["id"] ?? service.node, "another service also has the id \"\(label)\"")
      }
    }
    for service in accessory.services {
      var seen: Set<String> = []
      for (label, node) in service.linked {
        if !labels.contains(label) {
          let hint = nearestName(to: label, in: labels.sorted()).map { ": did you mean \"\($0)\"?" } ?? ""
          report(.linkUnknown, node, "no service of this accessory has the id \"\(label)\"\(hint)")
        }
        if !seen.insert(label).inserted { report(.linkTwice, node, "\"\(label)\" is linked twice") }
        if label == service.label { report(.linkSelf, node, "the service links to itself") }
      }
    }
  }

  private mutating func judgeIIDs(_ accessory: AccessoryDraft) {
    var seen: Set<UInt64> = []
    func claim(_ judge: inout Self, _ iid: UInt64?, _ node: JSONNode, isInformation: Bool = false) {
      guard let iid else { return }
      let origin = node["iid"] ?? node
      if isInformation != (iid == 1) {
        judge.report(.iidOfInformation, origin, "Accessory Information must have iid 1, and no other entry may have it")
      }
      if !seen.insert(iid).inserted {
        judge.report(.iid, origin, "iid \(iid) occurs twice in this accessory")
      }
    }
    for service in accessory.services {
      claim(&self, service.iid, service.node, isInformation: service.type == .accessoryInformation)
      for draft in service.characteristics { claim(&self, draft.iid, draft.node) }
    }
  }

  /// Services of one type must have different names, or different indexes of a Service Label.
  private mutating func judgeServiceNames(_ accessory: AccessoryDraft) {
    let groups = Dictionary(
      grouping: accessory.services.filter { !$0.isHidden && $0.type != .accessoryInformation }, by: \.type)
    for (_, group) in groups.sorted(by: { $0.key.wireForm < $1.key.wireForm }) where group.count > 1 {
      var seen: Set<Value> = []
      for service in group {
        let mark = [TypeID.serviceLabelIndex, .name, .configuredName].lazy
          .compactMap { type in service[type].flatMap { $0.isAdded && service.name == nil ? nil : $0 } }.first
        guard let mark else {
          report(
            .serviceName, service.node,
            "several services are of type \(service.definition?.name ?? service.type.wireForm): give each a \"name\"")
          continue
        }
        if !seen.insert(mark.characteristic.value).inserted {
          report(.serviceName, mark.node, "another service of this type has the same name")
        }
      }
    }
  }

  /// HAP R2 §8.37: several switches of one accessory belong to a Service Label.
  private mutating func judgeSwitches(_ accessory: AccessoryDraft) {
    let switches = accessory.services.filter { $0.type == .statelessProgrammableSwitch }
    guard switches.count > 1 else { return }
    if !accessory.services.contains(where: { $0.type == .serviceLabel }) {
      report(.switchLabels, switches[0].node, "several stateless switches need a ServiceLabel service")
    }
    for service in switches where service[.serviceLabelIndex]?.hasWrittenValue != true {
      report(.switchLabels, service.node, "each of several stateless switches needs a ServiceLabelIndex")
    }
  }
}
